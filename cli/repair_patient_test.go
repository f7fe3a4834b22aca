package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/bucket/gcs/gcstest"
	"provcat-tui/bucket/local"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
	"provcat-tui/internal/fakegcs"
	"provcat-tui/internal/fakes3"
	"provcat-tui/internal/faults"
)

// asProgram makes the test binary the program itself, so that a shell can run it.
const asProgram = "PROVCAT_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(Process(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	heedSignals()
	os.Exit(m.Run())
}

// A patient is a bucket with a folder of four commits, to be damaged and repaired.
type patient struct {
	*testing.T
	bucket.Bucket
	put    func(key, body string) string
	ids    []string       // of the commits, the first at 1
	server *faults.Server // nil: a file
	kinds  kinds
	home   string
	gs     bool // on Cloud Storage: a deletion is no object
}

// kinds are a server's names of what a repair asks for, and its refusals.
type kinds struct {
	put, undo, list, read string // undo removes a marker, or brings back what is under it
	denied, broken        faults.Action
}

var (
	s3Kinds  = kinds{"PutObject", "DeleteObject", "ListObjectVersions", "GetObject", fakes3.AccessDenied, fakes3.InternalError}
	gcsKinds = kinds{"objects.insert", "objects.rewrite", "objects.list", "objects.media", fakegcs.Forbidden, fakegcs.InternalError}
)

const ward = "it's $(touch pwned)\x1b[31m/2026"

// patients gives the same bucket as a file and on an S3 server.
func patients(t *testing.T, run func(t *testing.T, p *patient)) {
	t.Run("file", func(t *testing.T) {
		p := &patient{T: t, home: isolate(t)}
		b, err := local.Create(filepath.Join(t.TempDir(), "x.bucket"), local.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		p.Bucket = b
		p.put = func(key, body string) string {
			v, err := b.Put(context.Background(), key, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			return v.ID
		}
		p.fill()
		run(t, p)
	})
	t.Run("s3", func(t *testing.T) {
		s := fakes3.New(fakes3.Options{})
		t.Cleanup(s.Close)
		p := &patient{T: t, home: isolate(t), server: &s.Server, kinds: s3Kinds}
		b := s3test.New(t, s.URL())
		for k, v := range map[string]string{"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
			"AWS_ENDPOINT_URL_S3": p.server.URL(), "AWS_REGION": "us-east-1"} {
			t.Setenv(k, v)
		}
		p.Bucket = b
		p.put = func(key, body string) string { return s.Put(b.Name, key, []byte(body)) }
		p.fill()
		run(t, p)
	})
	t.Run("gs", func(t *testing.T) {
		s := fakegcs.New(fakegcs.Options{})
		t.Cleanup(s.Close)
		p := &patient{T: t, home: isolate(t), server: &s.Server, gs: true, kinds: gcsKinds}
		b := gcstest.New(t, s.URL())
		t.Setenv("STORAGE_EMULATOR_HOST", s.Host())
		p.Bucket = b
		p.put = func(key, body string) string { return fmt.Sprint(s.Put(b.Name, key, []byte(body))) }
		p.fill()
		run(t, p)
	})
}

func (p *patient) fill() {
	p.Helper()
	p.ids = []string{""}
	for n := range 4 {
		p.put(ward+"/n", fmt.Sprint(n))
		r, err := commit.Write(context.Background(), p, ward, commit.WriteOptions{Author: "ana", Message: fmt.Sprint(n)})
		if err != nil {
			p.Fatal(err)
		}
		p.ids = append(p.ids, r.ID)
	}
}

func (p *patient) slot(n int64) string { return commit.EntryKey(ward, n) }
func (p *patient) object(n int) string { return commit.CommitKey(p.ids[n]) }

func (p *patient) versions(key string) (out []bucket.Version) {
	p.Helper()
	for v, err := range p.Versions(context.Background(), bucket.Range{Prefix: key, Through: key}) {
		if err != nil {
			p.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

func (p *patient) read(key, version string) string {
	p.Helper()
	r, _, err := p.Open(context.Background(), key, version, 0)
	if err != nil {
		p.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	body, err := io.ReadAll(r)
	if err != nil {
		p.Fatal(err)
	}
	return string(body)
}

// hide lays a delete marker over a key and gives its ID.
func (p *patient) hide(key string) string {
	p.Helper()
	v, err := p.Delete(context.Background(), key)
	if p.gs && errors.Is(err, bucket.ErrNotFound) {
		p.Skip("what is not there cannot be deleted")
	}
	if err != nil {
		p.Fatal(err)
	}
	return v.ID
}

// erase removes every version of a key.
func (p *patient) erase(keys ...string) {
	p.Helper()
	for _, key := range keys {
		for _, v := range p.versions(key) {
			if v.Derived {
				continue // it goes with its version
			}
			if err := p.DeleteVersion(context.Background(), key, v.ID); err != nil {
				p.Fatal(err)
			}
		}
	}
}

// findings are those of an audit that are worse than info.
func (p *patient) findings() (out []audit.Finding) {
	p.Helper()
	r, err := audit.Run(context.Background(), p, audit.Options{})
	if err != nil {
		p.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Severity != audit.Info {
			out = append(out, f)
		}
	}
	return out
}

// everything lists all versions under .provcat/, to show that nothing was written.
func (p *patient) everything() string {
	p.Helper()
	var out strings.Builder
	for v, err := range p.Versions(context.Background(), bucket.Range{Prefix: commit.Root}) {
		if err != nil {
			p.Fatal(err)
		}
		_, _ = fmt.Fprintln(&out, v.Key, v.ID, v.Latest, v.DeleteMarker)
	}
	return out.String()
}

// shell runs a finding's command in bash, with --yes, as a person would paste it.
func (p *patient) shell(command string) (code int, out string) {
	p.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		p.Skip("no bash here: words with control characters need its quotes")
	}
	dir := p.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "provcat-tui"))
	}
	if err != nil {
		p.Fatal(err)
	}
	sh := exec.Command(bash, "-c", strings.ReplaceAll(command, "provcat-tui repair ", "provcat-tui repair --yes ")) //nolint:gosec // quoting is what is tested
	sh.Dir = dir
	sh.Env = append(os.Environ(), "PATH="+dir+":/usr/bin:/bin", asProgram+"=1")
	said, err := sh.CombinedOutput()
	if _, serr := os.Stat(filepath.Join(dir, "pwned")); serr == nil {
		p.Fatalf("it ran what a key says: %s", command)
	}
	if strings.ContainsAny(string(said), "\x1b\r\x00") {
		p.Fatalf("a control character reached a stream: %q", said)
	}
	if sh.ProcessState == nil {
		p.Fatal(err)
	}
	return sh.ProcessState.ExitCode(), string(said)
}

// orphan writes a commit object that no entry names.
func (p *patient) orphan(n int64, parent string) string {
	p.Helper()
	return orphan(p, p.put, commit.Header{Folder: ward, Number: n, Parent: parent, Time: time.Now(), Author: "eve"})
}

func orphan(t testing.TB, put func(key, body string) string, h commit.Header) string {
	t.Helper()
	var body bytes.Buffer
	id, err := commit.Encode(&body, h, func(func(commit.File, error) bool) {})
	if err != nil {
		t.Fatal(err)
	}
	put(commit.CommitKey(id), body.String())
	return id
}
