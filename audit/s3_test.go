package audit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// A fake program that writes its arguments, one after the other, each ended by a NUL.
const fakeProgram = "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\0' \"$a\" >> \"$OUT\"; done\nprintf '\\n' >> \"$OUT\"\n"

// shell runs a repair's command and gives the calls of this program and of aws that it
// made, each with its arguments, and the folder in which it ran.
func shell(t *testing.T, command string) (calls [][]string, dir string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here: words with control characters need its quotes")
	}
	dir = t.TempDir()
	for _, name := range []string{"aws", "provcat-tui"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(fakeProgram), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	sh := exec.Command(bash, "-c", command)
	sh.Dir = dir
	sh.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "OUT=" + filepath.Join(dir, "out")}
	if out, err := sh.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	for call := range strings.SplitSeq(strings.TrimSuffix(string(raw), "\x00\n"), "\x00\n") {
		calls = append(calls, strings.Split(call, "\x00"))
	}
	return calls, dir
}

// From a commit on an S3 server to the shell lines that mend what was done to it.
func TestOnS3(t *testing.T) {
	w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	server := fakes3.New(fakes3.Options{Now: w.tick})
	t.Cleanup(server.Close)
	b := s3test.New(t, server.URL())
	const folder = "it's $(touch pwned) `x` \"q\" \\ ☃\n;rm"
	const hostile = "m'; touch pwned; echo \"$(id)\"\n&"
	server.Put(b.Name, folder+"/a\x1b[31m'$(x)", []byte("1"))
	var ids []string
	for n := range 4 {
		server.Put(b.Name, folder+"/n", []byte{byte('0' + n)})
		r, err := w.write(b, folder, "x")
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.ID)
	}
	if r := auditOf(t, b, Options{Depth: DepthReadable}); r.Verdict != Pass || len(r.Findings) > 0 {
		t.Fatalf("%s, %+v", r.Verdict, r.Findings)
	}

	slot := func(n int64) string { return commit.EntryKey(folder, n) }
	for _, e := range server.Entries(b.Name, slot(1)) {
		server.DeleteVersion(b.Name, slot(1), e.ID)
	}
	server.Plant(b.Name, fakes3.Planted{Key: slot(3), Marker: true, ID: hostile})
	server.Put(b.Name, key(ids[1]), []byte("junk"))
	good := server.Entries(b.Name, key(ids[1]))[1].ID
	server.SetVersioning(b.Name, "Suspended")

	r := auditOf(t, b, Options{})
	expect(t, r,
		want{id: "log-tail-missing", severity: Damage, folder: folder, number: 1, commit: ids[0]},
		want{id: "log-entry-deleted", severity: Damage, folder: folder, number: 3, commit: ids[2], key: slot(3), shows: hostile},
		want{id: "commit-corrupt", severity: Damage, folder: folder, number: 2, commit: ids[1]},
		want{id: "versioning-suspended", severity: Risk})
	if r.Requests.List == 0 || r.Requests.CostUSD == 0 || !strings.HasPrefix(r.Bucket, "s3://") {
		t.Errorf("%s, %+v", r.Bucket, r.Requests)
	}

	for id, args := range map[string][]string{
		"log-entry-deleted":    {"repair", "marker", b.URL(), "--key", slot(3), "--version", hostile},
		"log-tail-missing":     {"repair", "entry", b.URL(), "--folder", folder, "--number", "1", "--commit", ids[0]},
		"commit-corrupt":       {"repair", "version", b.URL(), "--key", key(ids[1]), "--version", good},
		"versioning-suspended": {"s3api", "put-bucket-versioning", "--bucket", b.Name, "--versioning-configuration", "Status=Enabled"},
	} {
		for _, f := range r.Findings {
			if f.ID != id {
				continue
			}
			calls, dir := shell(t, f.Repair.Command)
			if len(calls) != 1 || strings.Join(calls[0], "\x00") != strings.Join(args, "\x00") {
				t.Errorf("%s: %q\nwant %q", id, calls, args)
			}
			if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
				t.Errorf("%s ran what a key says", id)
			}
			for _, c := range f.Repair.Command {
				if c < ' ' || c == 0x7f {
					t.Errorf("%s: a control character in %q", id, f.Repair.Command)
				}
			}
		}
	}
}

// A 403 from the wire, and a page that is no listing.
func TestFaultsOnS3(t *testing.T) {
	listing := func(r fakes3.Request) bool {
		return r.Kind == "ListObjectVersions" && strings.Contains(r.Query, "prefix=f%2F")
	}
	for name, x := range map[string]struct {
		fault fakes3.Fault
		want  want
	}{
		"403 on the commit object": {fakes3.Fault{Key: "commit", Times: -1, Do: fakes3.Error(403, "AccessDenied", "no")},
			want{id: "access-denied", severity: Unknown, says: "s3:GetObjectVersion"}},
		"a proxy's page for a listing": {fakes3.Fault{Match: listing, Times: -1, Do: fakes3.HTML}, want{id: "check-incomplete", severity: Unknown, folder: "f"}},
		"an empty page for a listing":  {fakes3.Fault{Match: listing, Times: -1, Do: fakes3.Empty}, want{id: "check-incomplete", severity: Unknown, folder: "f"}},
		"a listing without markers":    {fakes3.Fault{Match: listing, Times: -1, Do: fakes3.NoMarkers}, want{id: "check-incomplete", severity: Unknown, folder: "f"}},
		"403 on the lifecycle rules": {fakes3.Fault{Kind: "GetBucketLifecycleConfiguration", Times: -1, Do: fakes3.Error(403, "AccessDenied", "no")},
			want{id: "access-denied", severity: Unknown, says: "lifecycle rules"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
			server := fakes3.New(fakes3.Options{Now: w.tick})
			t.Cleanup(server.Close)
			b := s3test.New(t, server.URL())
			server.Put(b.Name, "f/a", []byte("1"))
			server.Put(b.Name, "f/b", []byte("1"))
			made, err := w.write(b, "f", "")
			if err != nil {
				t.Fatal(err)
			}
			if x.fault.Key == "commit" {
				x.fault.Key = key(made.ID)
			}
			armed := server.Fail(x.fault)
			r := auditOf(t, b, Options{})
			expect(t, r, x.want)
			if r.Verdict != Incomplete || armed.Fired() == 0 {
				t.Errorf("verdict %s; the fault was met %d times", r.Verdict, armed.Fired())
			}
		})
	}
}
