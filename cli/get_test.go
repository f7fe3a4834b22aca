package cli

import (
	"context"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// onDisk reads all files below a directory, by their names with slashes.
func onDisk(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		body, err := os.ReadFile(path)
		got[filepath.ToSlash(rel)] = string(body)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func wantDisk(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := onDisk(t, dir)
	for name, body := range want {
		if has, ok := got[name]; !ok || has != body {
			t.Errorf("%s has %q (there: %v), want %q", name, has, ok, body)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is there, which nobody asked for", name)
		}
	}
}

// The files of a commit, whatever is live now: all of them, a part, one; of the newest
// commit without --at, and of a time.
func TestGet(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *storeTest) {
		s.put("sales/eu/orders.csv", "a,b\n")
		s.put("sales/us.csv", "12345")
		s.put("sales/empty", "")
		s.commit("sales")
		s.put("sales/us.csv", "123456789")
		s.delete("sales/eu/orders.csv")
		s.commit("sales")
		s.put("sales/us.csv", "later")
		for _, c := range []struct {
			args []string
			says string
			want map[string]string
		}{
			{[]string{"sales"}, "of sales, the newest: 2 files, 9 B", map[string]string{"us.csv": "123456789", "empty": ""}},
			{[]string{"sales/", "--at", "1"}, "commit 1 (", map[string]string{"us.csv": "12345", "empty": "", "eu/orders.csv": "a,b\n"}},
			{[]string{"sales/eu", "--at", "1"}, "of sales: 1 file, 4 B", map[string]string{"orders.csv": "a,b\n"}},
			{[]string{"sales/us.csv", "--at", "head~1", "--folder", "sales"}, "of 1 file 1 fetched (5 B)", map[string]string{"us.csv": "12345"}},
			{[]string{"sales", "--at", time.Now().UTC().Add(time.Hour).Format(time.RFC3339)}, "commit 2 (", map[string]string{"us.csv": "123456789", "empty": ""}},
		} {
			dir := filepath.Join(t.TempDir(), "a", "b")
			r := s.cli(append([]string{"get", s.at(c.args[0]), "-o", dir}, c.args[1:]...)...).wants(t, 0)
			if !strings.Contains(r.out, c.says) || r.err != "" {
				t.Errorf("%v prints %q and %q; want %q in it", c.args, r.out, r.err, c.says)
			}
			wantDisk(t, dir, c.want)
		}
	})
}

// What is there and equal stays, what differs stays too unless it is to be overwritten,
// and a version that is gone is named while the rest is fetched.
func TestGetAgainAndGone(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *storeTest) {
		s.put("sales/a", "one")
		gone := s.put("sales/b", "two")
		s.put("sales/c", "three")
		s.commit("sales")
		s.put("sales/b", "other")
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a"), "one")
		write(t, filepath.Join(dir, "c"), "THREE")
		old := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
		if err := os.Chtimes(filepath.Join(dir, "a"), old, old); err != nil {
			t.Fatal(err)
		}
		r := s.cli("get", s.at("sales"), "-o", dir, "--dry-run").wants(t, 3)
		if !strings.Contains(r.out, "present   a\nplanned   b  3 B\ndiffers   c: another file is there") ||
			!strings.Contains(r.out, "of 3 files 1 would be fetched (3 B), 1 were there already (3 B), 1 differ from what is there and were left (5 B)\n") {
			t.Errorf("%s", r.out)
		}
		wantDisk(t, dir, map[string]string{"a": "one", "c": "THREE"})

		s.cli("get", s.at("sales"), "-o", dir).wants(t, 3).says(t, "--overwrite replaces what differs")
		wantDisk(t, dir, map[string]string{"a": "one", "b": "two", "c": "THREE"})
		info, err := os.Stat(filepath.Join(dir, "a"))
		if err != nil || !info.ModTime().Equal(old) {
			t.Errorf("an equal file was written again: %v, %v", info.ModTime(), err)
		}

		s.destroy(gone)
		s.cli("get", s.at("sales"), "-o", dir, "--overwrite").wants(t, 0) // b is on the disk
		wantDisk(t, dir, map[string]string{"a": "one", "b": "two", "c": "three"})
		fresh := t.TempDir()
		r = s.cli("get", s.at("sales"), "-o", fresh).wants(t, 1)
		r.says(t, "not all files of the commit are there", "provcat-tui audit "+s.at("sales"))
		if !strings.Contains(r.out, "gone      b: version "+gone.ID+" does not exist any more\nof 3 files 2 fetched (8 B), 1 gone (3 B)\n") {
			t.Errorf("%s", r.out)
		}
		wantDisk(t, fresh, map[string]string{"a": "one", "c": "three"})

		var d struct {
			Schema   string
			Complete bool
			Error    string
			Total    getTotal
			At       struct{ Number int }
			Files    []got
			Counts   map[string]getTotal
		}
		s.cli("get", s.at("sales"), "-o", fresh, "--format", "json").wants(t, 1).json(t, &d)
		if d.Schema != "provcat-get/1" || !d.Complete || d.Error == "" || d.At.Number != 1 || d.Total != (getTotal{3, 11}) || len(d.Files) != 3 ||
			d.Files[1].State != "gone" || d.Files[1].Path != "b" || d.Counts["gone"] != (getTotal{1, 3}) || d.Counts["present"] != (getTotal{2, 8}) {
			t.Errorf("%+v", d)
		}
	})
}

// named is a bucket whose folder sales has these files, of four bytes each, in one commit.
func named(t *testing.T, paths ...string) *testBucket {
	tb := newBucket(t)
	for _, p := range paths {
		tb.put("sales/"+p, "body")
	}
	tb.commit("sales", "ana", "first")
	return tb
}

// Names that must not or cannot be written: each is named, the others are fetched, and
// nothing is outside of the directory.
func TestGetHostileNames(t *testing.T) {
	isolate(t)
	tb := named(t, "../out", "..", "/etc/passwd", "a", "a-b", "a/b", "d//e", "dir/../../up", "dir/./x", "evil\x1b[2J", "fine", "n\x00ul", "t/")
	outer := t.TempDir()
	dir := filepath.Join(outer, "in")
	r := cli("get", tb.at("sales"), "-o", dir).wants(t, 3)
	for _, line := range []string{
		`refused   ../out: it has the part ".."`,
		`refused   ..: it has the part ".."`,
		`refused   /etc/passwd: it begins with "/"`,
		`refused   a: it is the name of a folder of the commit too`,
		`refused   d//e: it has an empty part`,
		`refused   dir/../../up: it has the part ".."`,
		`refused   dir/./x: it has the part "."`,
		`refused   n\x00ul: it holds a NUL`,
		`refused   evil\x1b[2J: it holds U+001B, which acts on a terminal`,
		`refused   t/: its name ends in "/"`,
		`of 13 files 3 fetched (12 B), 10 cannot have their names there (40 B)`,
	} {
		if !strings.Contains(r.out, line) {
			t.Errorf("%q is missing:\n%s", line, r.out)
		}
	}
	want := map[string]string{"in/a-b": "body", "in/a/b": "body", "in/fine": "body"}
	wantDisk(t, outer, want)
	r.says(t, "provcat-tui cat", "--at 1")
}

// What is shown of a bucket's strings is escaped, once.
func TestGetEscapesOnce(t *testing.T) {
	isolate(t)
	tb := named(t, "d\\e/x")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "d\\e"), "a file")
	r := cli("get", tb.at("sales"), "-o", dir).wants(t, 3)
	if want := `refused   d\\e/x: d\\e is there, and is a file` + "\n"; !strings.Contains(r.out, want) {
		t.Errorf("%q is missing:\n%s", want, r.out)
	}
}

// Links in the directory are not followed, neither out of it nor within it; nor is a
// folder or a file replaced by the other.
func TestGetMeetsLinksAndFolders(t *testing.T) {
	isolate(t)
	tb := named(t, "file", "in/side/x", "kept", "link/x", "taken/x", "within/x")
	outer := t.TempDir()
	dir := filepath.Join(outer, "in")
	for _, d := range []string{"elsewhere", "in/real", "in/file", "in/in"} {
		if err := os.MkdirAll(filepath.Join(outer, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "taken"), "a file")
	write(t, filepath.Join(outer, "elsewhere", "kept"), "outside")
	for name, to := range map[string]string{"link": "../elsewhere", "within": "real", "kept": "../elsewhere/kept"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	r := cli("get", tb.at("sales"), "-o", dir, "--overwrite").wants(t, 3)
	for _, line := range []string{
		"refused   file: file is there, and is a folder",
		"refused   kept: kept is there, and is a symbolic link, which is not followed",
		"refused   link/x: link is there, and is a symbolic link",
		"refused   taken/x: taken is there, and is a file",
		"refused   within/x: within is there, and is a symbolic link",
		"1 fetched (4 B), 5 cannot",
	} {
		if !strings.Contains(r.out, line) {
			t.Errorf("%q is missing:\n%s", line, r.out)
		}
	}
	if got := onDisk(t, filepath.Join(outer, "elsewhere")); len(got) != 1 || got["kept"] != "outside" {
		t.Errorf("outside of the directory is %v", got)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "in", "side", "x")); string(got) != "body" {
		t.Errorf("in/side/x has %q", got)
	}
}

// A commit whose bytes do not have its hash gives no file at all.
func TestGetChecksTheCommitFirst(t *testing.T) {
	isolate(t)
	tb, _, second := sales(t)
	tb.put(commit.CommitKey(second), `{"format":"provcat/1","folder":"sales","parent":null,"time":"2024-05-01T12:02:00Z","files":[{"path":"new.txt","version":"v001"}]}`)
	dir := filepath.Join(t.TempDir(), "in")
	cli("get", tb.at("sales"), "-o", dir).wants(t, 1).says(t, "damaged", "hash mismatch")
	wantDisk(t, dir, map[string]string{})
}

// What the store sends is compared with what it says: nothing wrong or half is left.
func TestGetMeetsBadBodies(t *testing.T) {
	for _, c := range []struct {
		name string
		do   fakes3.Fault
		says string
	}{
		{"cut short", fakes3.Fault{Kind: "GetObject", Prefix: "sales/", Times: -1, Do: fakes3.Cut(2)}, "failed    us.csv: "},
		{"denied", fakes3.Fault{Kind: "GetObject", Prefix: "sales/", Times: -1, Do: fakes3.AccessDenied}, "access denied, needs s3:GetObjectVersion"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newS3(t, fakes3.Options{})
			s.Put("team-data", "sales/us.csv", []byte("12345"))
			flags := []string{"--endpoint", s.URL(), "--region", "us-east-1", "--path-style"}
			cliAt(time.Now(), append(flags, "commit", "s3://team-data/sales", "-m", "x")...).wants(t, 0)
			s.Fail(c.do)
			dir := t.TempDir()
			r := cliAt(time.Now(), append(flags, "get", "s3://team-data/sales", "-o", dir)...).wants(t, 3)
			if !strings.Contains(r.out, c.says) || !strings.Contains(r.out, "of 1 file 1 could not be fetched (5 B)") {
				t.Errorf("%s%s", r.out, r.err)
			}
			wantDisk(t, dir, map[string]string{})
		})
	}
}

// An object in parts has no MD5: it is equal where size and time are, which get sets.
func TestGetInParts(t *testing.T) {
	s := newS3(t, fakes3.Options{})
	flags := []string{"--endpoint", s.URL(), "--region", "us-east-1", "--path-style"}
	s.FinishUpload("team-data", "sales/a", s.StartUpload("team-data", "sales/a"), []byte("in parts"))
	cliAt(time.Now(), append(flags, "commit", "s3://team-data/sales", "-m", "x")...).wants(t, 0)
	dir := t.TempDir()
	args := append(flags, "get", "s3://team-data/sales", "-o", dir)
	for _, want := range []string{"1 fetched", "1 were there already"} {
		if r := cliAt(time.Now(), args...).wants(t, 0); !strings.Contains(r.out, want) {
			t.Errorf("%q is missing: %s", want, r.out)
		}
	}
	write(t, filepath.Join(dir, "a"), "IN PARTS")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "a"), later, later); err != nil {
		t.Fatal(err)
	}
	cliAt(time.Now(), args...).wants(t, 3).says(t, "--overwrite")
	cliAt(time.Now(), append(args, "--overwrite")...).wants(t, 0)
	wantDisk(t, dir, map[string]string{"a": "in parts"})
}

// The checksum that the store has of a version; the CRC32C of "123456789" is e3069283
// (RFC 3720, appendix B.4, and every catalogue of CRCs).
func TestChecksum(t *testing.T) {
	for _, c := range []struct {
		v    bucket.Version
		want string
	}{
		{bucket.Version{ETag: "25f9e794323b453885f5181f1b624d0b", MD5: true}, "25f9e794323b453885f5181f1b624d0b"},
		{bucket.Version{ETag: "crc32c:4waSgw=="}, "e3069283"},
		{bucket.Version{ETag: "25f9e794323b453885f5181f1b624d0b"}, ""}, // encrypted, it may be anything
		{bucket.Version{ETag: "crc32c:4waS"}, ""},
		{bucket.Version{}, ""},
	} {
		sum, want := checksum(c.v)
		_, _ = sum.Write([]byte("123456789"))
		if has := hex.EncodeToString(sum.Sum(nil)); want != c.want || want != "" && has != want {
			t.Errorf("%+v: %q, and the bytes have %q; want %q", c.v, want, has, c.want)
		}
	}
}

// Interrupted in the midst of a file: what is there is whole, and it is told what is not.
func TestGetInterrupted(t *testing.T) {
	s := newS3(t, fakes3.Options{})
	for _, k := range []string{"a", "b", "c"} {
		s.Put("team-data", "sales/"+k, []byte(k+k+k))
	}
	flags := []string{"--endpoint", s.URL(), "--region", "us-east-1", "--path-style", "--concurrency", "1"}
	cliAt(time.Now(), append(flags, "commit", "s3://team-data/sales", "-m", "x")...).wants(t, 0)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{}) // the answer comes when nobody waits for it any more
	defer close(gone)
	s.Before(func(r fakes3.Request) {
		if r.Kind == "GetObject" && r.Key == "sales/b" {
			cancel()
			<-gone
		}
	})
	dir := t.TempDir()
	r := cliWith(ctx, time.Now(), append(flags, "get", "s3://team-data/sales", "-o", dir)...).wants(t, 130)
	r.says(t, "interrupted; "+dir+": of 3 files 1 fetched (3 B), 2 not tried; the same command goes on with the rest")
	wantDisk(t, dir, map[string]string{"a": "aaa"})
}

func TestGetUsage(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{tb.at("sales")}, 2, "add -o DIR"},
		{[]string{tb.at("sales"), "here"}, 2, "-o here"},
		{[]string{tb.at("sales"), "-o", dir, "--at", "live"}, 2, "live is not a commit"},
		{[]string{tb.at("sales"), "-o", dir, "--at", ""}, 2, "--at needs"},
		{[]string{tb.at("sales"), "-o", dir, "--at", "9"}, 2, "9"},
		{[]string{tb.at("sales/none"), "-o", dir}, 2, "no file at or under none"},
		{[]string{tb.at("hr"), "-o", dir, "--at", "2024-05-01"}, 2, "has no folder hr"},
		{[]string{tb.at("sales"), "-o", dir, "--at", "2024-05-01"}, 1, "no commit of sales or of a folder above it is at or before"},
		{[]string{tb.at("sales"), "-o", filepath.Join(tb.path, "x")}, 2, "-o: "},
	} {
		cli(append([]string{"get"}, c.args...)...).wants(t, c.code).says(t, c.says)
	}
	wantDisk(t, dir, map[string]string{})
	// Nothing writes to the bucket: it works where that is read-only.
	cli("get", tb.at("sales"), "-o", dir, "--read-only").wants(t, 0)
}
