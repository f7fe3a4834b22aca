package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
	"provcat-tui/commit"
)

// clockStart is the clock of the test buckets; each look at it adds a second.
// It lies in the past of every real clock, so that no commit is in the future.
var clockStart = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// isolate keeps a test from the person's own config, state and credentials.
func isolate(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	for k, v := range map[string]string{
		"HOME":            home,
		"XDG_CONFIG_HOME": filepath.Join(home, "config"), "XDG_STATE_HOME": filepath.Join(home, "state"),
		"XDG_DATA_HOME": filepath.Join(home, "data"), "XDG_CACHE_HOME": filepath.Join(home, "cache"),
		"NO_COLOR": "", "AWS_PROFILE": "", "AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_ENDPOINT_URL": "",
		"AWS_ENDPOINT_URL_S3": "", "AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_SESSION_TOKEN": "",
		"AWS_CONFIG_FILE":             filepath.Join(home, "no-aws-config"),
		"AWS_SHARED_CREDENTIALS_FILE": filepath.Join(home, "no-aws-credentials"),
		"STORAGE_EMULATOR_HOST":       "", "GOOGLE_APPLICATION_CREDENTIALS": "", "GOOGLE_CLOUD_PROJECT": "", "CLOUDSDK_CORE_PROJECT": "",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_MAX_ATTEMPTS": "1",
	} {
		t.Setenv(k, v)
	}
	xdg.Reload() // the folders of config, state and data follow the environment
	return home
}

type result struct {
	code     int
	out, err string
}

// cli runs the program in this process.
func cli(args ...string) result { return cliAt(clockStart.Add(time.Hour), args...) }

func cliAt(now time.Time, args ...string) result {
	return cliWith(context.Background(), now, args...)
}

func cliWith(ctx context.Context, now time.Time, args ...string) result {
	var out, errs bytes.Buffer
	code := run(ctx, &app{in: strings.NewReader(""), rawOut: &out, err: &errs, now: func() time.Time { return now }}, args)
	return result{code, out.String(), errs.String()}
}

// wants checks the exit code, and that nothing raw reached the streams.
func (r result) wants(t *testing.T, code int) result {
	t.Helper()
	if r.code != code {
		t.Fatalf("exit code %d, want %d\nstdout: %s\nstderr: %s", r.code, code, r.out, r.err)
	}
	for _, s := range []string{r.out, r.err} {
		if strings.ContainsAny(s, "\x1b\r\x00\u202e") {
			t.Fatalf("a control character reached a stream: %q", s)
		}
	}
	return r
}

// says checks that stderr has each of the words.
func (r result) says(t *testing.T, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(r.err, w) {
			t.Errorf("stderr lacks %q:\n%s", w, r.err)
		}
	}
	if !strings.HasPrefix(r.err, "provcat-tui: ") {
		t.Errorf("stderr does not start with the program's name: %q", r.err)
	}
}

// prints compares stdout with what is expected, to the letter.
func (r result) prints(t *testing.T, want string) {
	t.Helper()
	if r.out != want {
		t.Errorf("stdout:\n%s\nwant:\n%s", r.out, want)
	}
}

// json parses stdout, which must be one whole document.
func (r result) json(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.out), v); err != nil {
		t.Fatalf("stdout is no JSON: %v\n%s", err, r.out)
	}
}

// testBucket is a bucket file with a fixed clock and fixed version IDs.
type testBucket struct {
	t    *testing.T
	path string
	b    *local.Bucket
	now  time.Time
	ids  int
}

func newBucket(t *testing.T) *testBucket {
	t.Helper()
	tb := &testBucket{t: t, path: filepath.Join(t.TempDir(), "x.bucket"), now: clockStart}
	b, err := local.Create(tb.path, local.Options{
		Now:   func() time.Time { return tb.now },
		NewID: func() string { tb.ids++; return fmt.Sprintf("v%03d", tb.ids) },
	})
	if err != nil {
		t.Fatal(err)
	}
	tb.b = b
	t.Cleanup(func() { _ = b.Close() })
	return tb
}

func (tb *testBucket) at(rest string) string { return tb.path + "/" + rest }

// put writes a new live version and gives its ID. Nothing but PutIfAbsent and
// Delete is at hand: an older version is hidden first, in the same second.
func (tb *testBucket) put(key, body string) string {
	tb.t.Helper()
	ctx := context.Background()
	v, err := tb.b.PutIfAbsent(ctx, key, strings.NewReader(body))
	if err != nil {
		tb.delete(key)
		if v, err = tb.b.PutIfAbsent(ctx, key, strings.NewReader(body)); err != nil {
			tb.t.Fatal(err)
		}
	}
	return v.ID
}

func (tb *testBucket) delete(key string) bucket.Version {
	tb.t.Helper()
	v, err := tb.b.Delete(context.Background(), key)
	if err != nil {
		tb.t.Fatal(err)
	}
	return v
}

// purge removes every version of a key for good.
func (tb *testBucket) purge(key string) {
	tb.t.Helper()
	ctx := context.Background()
	for v, err := range tb.b.Versions(ctx, bucket.Range{Prefix: key, Through: key}) {
		if err == nil {
			err = tb.b.DeleteVersion(ctx, key, v.ID)
		}
		if err != nil {
			tb.t.Fatal(err)
		}
	}
}

// commit commits a folder one minute later and gives the commit's ID.
func (tb *testBucket) commit(folder, author, message string) string {
	tb.t.Helper()
	tb.now = tb.now.Add(time.Minute)
	r, err := commit.Write(context.Background(), tb.b, folder, commit.WriteOptions{
		Author: author, Message: message, Now: func() time.Time { return tb.now }})
	if err != nil || !r.Committed {
		tb.t.Fatalf("commit of %s: %v, committed %v", folder, err, r.Committed)
	}
	return r.ID
}

// sales is the bucket that most tests look at:
//
//	commit 1 (12:01, ana):  eu/orders.csv 4 bytes v001, us.csv 5 bytes v002
//	commit 2 (12:02, ben):  new.txt 6 bytes, us.csv 9 bytes; eu/orders.csv gone
//	live besides:           later.txt 1 byte
func sales(t *testing.T) (tb *testBucket, first, second string) {
	tb = newBucket(t)
	tb.put("sales/eu/orders.csv", "a,b\n")
	tb.put("sales/us.csv", "12345")
	first = tb.commit("sales", "ana", "first")
	tb.put("sales/us.csv", "123456789")
	tb.put("sales/new.txt", "hello!")
	tb.delete("sales/eu/orders.csv")
	second = tb.commit("sales", "ben", "second\nmore of it")
	tb.put("sales/later.txt", "x")
	return tb, first, second
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func newTestWriter(w io.Writer) *bufio.Writer { return bufio.NewWriter(w) }
