package cli

import (
	"fmt"
	"strings"
	"testing"

	"provcat-tui/commit"
)

func TestLsLive(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	cli("ls", tb.at("sales")).wants(t, 0).prints(t, ""+
		"         -                        eu/\n"+
		"       1 B  2024-05-01T12:02:00Z  later.txt\n"+
		"       6 B  2024-05-01T12:01:00Z  new.txt\n"+
		"       9 B  2024-05-01T12:01:00Z  us.csv\n")
	// With and without the final slash it is the same folder.
	cli("ls", tb.at("sales/")).wants(t, 0).prints(t, cli("ls", tb.at("sales")).out)
	cli("ls", tb.path).wants(t, 0).prints(t, ""+
		"         -                        .provcat/\n"+
		"         -                        sales/\n")
	cli("ls", "-R", tb.at("sales")).wants(t, 0).prints(t, ""+
		"       1 B  2024-05-01T12:02:00Z  later.txt\n"+
		"       6 B  2024-05-01T12:01:00Z  new.txt\n"+
		"       9 B  2024-05-01T12:01:00Z  us.csv\n")
	cli("ls", tb.at("sales/us.csv")).wants(t, 0).prints(t,
		"       9 B  2024-05-01T12:01:00Z  sales/us.csv\n")
	// A folder whose files are all deleted is there, and empty.
	r := cli("ls", tb.at("sales/eu")).wants(t, 0)
	r.prints(t, "")
	r.says(t, "no live file here", "--all-versions")
	if r := cli("ls", tb.at("sales/eu"), "--quiet").wants(t, 0); r.err != "" {
		t.Errorf("--quiet: %q", r.err)
	}
}

func TestLsJSON(t *testing.T) {
	isolate(t)
	tb, _, second := sales(t)
	type doc struct {
		Schema, Bucket, Path string
		Complete             bool
		At                   *struct {
			Folder, ID string
			Number     int64
		}
		Items []struct {
			Type, Name, Key, Version, ETag, Modified string
			Size, Files                              *int64
		}
	}
	var d doc
	cli("ls", tb.at("sales"), "--format", "json").wants(t, 0).json(t, &d)
	if d.Schema != "provcat-ls/1" || d.Bucket != "file://"+tb.path || d.Path != "sales" || !d.Complete || d.At != nil || len(d.Items) != 4 {
		t.Fatalf("%+v", d)
	}
	if f := d.Items[0]; f.Type != "folder" || f.Name != "eu/" || f.Key != "sales/eu/" || f.Size != nil {
		t.Errorf("folder %+v", f)
	}
	// MD5 of "hello!", by md5sum.
	if f := d.Items[2]; f.Type != "file" || f.Name != "new.txt" || f.Key != "sales/new.txt" || *f.Size != 6 ||
		f.ETag != "5a8dd3ad0756a93ded72b823b19dd877" || f.Modified != "2024-05-01T12:01:00Z" {
		t.Errorf("file %+v", f)
	}
	var at doc
	cli("ls", tb.at("sales"), "--at", "head", "--format", "json").wants(t, 0).json(t, &at)
	if at.At == nil || at.At.Folder != "sales" || at.At.Number != 2 || at.At.ID != second || len(at.Items) != 2 || !at.Complete {
		t.Errorf("%+v", at)
	}
	var empty doc
	r := cli("ls", tb.at("sales/eu"), "--format", "json").wants(t, 0)
	r.json(t, &empty)
	if empty.Items == nil || len(empty.Items) != 0 || !empty.Complete {
		t.Errorf("an empty folder gives %s", r.out)
	}
}

func TestLsAtCommit(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	cli("ls", tb.at("sales"), "--at", "1").wants(t, 0).prints(t, ""+
		"       4 B  1 file                            eu/\n"+
		"       5 B  v002                              us.csv\n")
	cli("ls", "-R", tb.at("sales"), "--at", "head~1").wants(t, 0).prints(t, ""+
		"       4 B  v001                              eu/orders.csv\n"+
		"       5 B  v002                              us.csv\n")
	// The folder below has no log of its own: that above counts, and it is said.
	r := cli("ls", tb.at("sales/eu"), "--at", "1").wants(t, 0)
	r.prints(t, "       4 B  v001                              orders.csv\n")
	r.says(t, "commit 1", "of the log of sales")
	cli("ls", tb.at("sales/us.csv"), "--at", "1").wants(t, 0).prints(t, "       5 B  v002                              us.csv\n")
	cli("ls", tb.at("sales"), "--at", "live").wants(t, 0).prints(t, cli("ls", tb.at("sales")).out)
}

func TestLsAllVersions(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	want := "" +
		"         -  2024-05-01T12:01:00Z  marker  %s  sales/eu/orders.csv\n" +
		"       4 B  2024-05-01T12:00:00Z          %s  sales/eu/orders.csv\n"
	var all struct {
		Schema   string
		Complete bool
		Versions []versionJSON
	}
	cli("ls", tb.at("sales/eu"), "--all-versions", "--format", "json").wants(t, 0).json(t, &all)
	if all.Schema != "provcat-ls/1" || len(all.Versions) != 2 || !all.Complete {
		t.Fatalf("%+v", all)
	}
	m, v := all.Versions[0], all.Versions[1]
	if !m.DeleteMarker || !m.Latest || m.Live || m.Size != nil || v.DeleteMarker || v.Live || *v.Size != 4 || v.Version != "v001" {
		t.Errorf("marker %+v, version %+v", m, v)
	}
	for _, url := range []string{"sales/eu", "sales/eu/", "sales/eu/orders.csv"} {
		cli("ls", tb.at(url), "--all-versions").wants(t, 0).prints(t, fmt.Sprintf(want, pad(m.Version, 32), pad("v001", 32)))
	}
}

// Keys that try to act on a terminal, or to look like two lines.
func TestHostileKeysAndMessages(t *testing.T) {
	isolate(t)
	tb := newBucket(t)
	tb.put("hr/\x1b[2Jred", "1")
	tb.put("hr/two\nlines", "2")
	tb.put("hr/\u202egnp.exe", "3")
	id := tb.commit("hr", "eve\x1b[31m", "a\x1b]0;title\x07b")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"ls", tb.at("hr")}, []string{`\x1b[2Jred`, `two\nlines`, `\u202egnp.exe`}},
		{[]string{"ls", tb.at("hr"), "--at", "1"}, []string{`\x1b[2Jred`, `two\nlines`}},
		{[]string{"ls", tb.at("hr"), "--all-versions"}, []string{`hr/\x1b[2Jred`}},
		{[]string{"log", tb.at("hr")}, []string{`eve\x1b[31m`, `a\x1b]0;title\x07b`}},
		{[]string{"show", tb.at("hr"), "1"}, []string{`eve\x1b[31m`, `a\x1b]0;title\x07b`, `\x1b[2Jred`}},
		{[]string{"pin", tb.at("hr")}, []string{id}},
	} {
		text := cli(c.args...).wants(t, 0)
		for _, w := range c.want {
			if !strings.Contains(text.out, w) {
				t.Errorf("%q lacks %s:\n%s", c.args, w, text.out)
			}
		}
		var v any
		cli(append(c.args, "--format", "json")...).wants(t, 0).json(t, &v)
	}
	tb.delete("hr/\x1b[2Jred")
	cli("diff", tb.at("hr"), "1").wants(t, 0).prints(t, ""+
		"D                      1 B  \\x1b[2Jred\n"+
		"0 added (0 B), 1 removed (1 B), 0 changed (now 0 B)\n")
	cli("cat", tb.at("hr/\x1b[2Jred")).wants(t, 2).says(t, `\x1b[2Jred`)
}

func TestDiff(t *testing.T) {
	isolate(t)
	tb, first, second := sales(t)
	want := "" +
		"D                      4 B  eu/orders.csv\n" +
		"A                      6 B  new.txt\n" +
		"M                5 B → 9 B  us.csv\n" +
		"1 added (6 B), 1 removed (4 B), 1 changed (now 9 B)\n"
	cli("diff", tb.at("sales"), "1", "2").wants(t, 0).prints(t, want)
	cli("diff", tb.at("sales"), first[:8], "head").wants(t, 0).prints(t, want)
	cli("diff", tb.at("sales"), "1..2").wants(t, 0).prints(t, want)
	cli("diff", tb.at("sales"), "1..live").wants(t, 0).prints(t, cli("diff", tb.at("sales"), "1").wants(t, 0).out)
	cli("diff", tb.at("sales"), "1..").wants(t, 0).prints(t, cli("diff", tb.at("sales"), "1").wants(t, 0).out)
	cli("diff", tb.at("sales"), "1..2", "2").wants(t, 2)
	cli("diff", tb.at("sales"), "..2").wants(t, 2)
	cli("diff", tb.at("sales"), "1", "2", "--exit-code").wants(t, 1).prints(t, want)
	if r := cli("diff", tb.at("sales"), "1", "2", "--exit-code"); r.err != "" {
		t.Errorf("differences are no error: %q", r.err)
	}
	cli("diff", tb.at("sales"), "2").wants(t, 0).prints(t, ""+
		"A                      1 B  later.txt\n"+
		"1 added (1 B), 0 removed (0 B), 0 changed (now 0 B)\n")
	cli("diff", tb.at("sales"), "live", "2").wants(t, 0).prints(t, ""+
		"D                      1 B  later.txt\n"+
		"0 added (0 B), 1 removed (1 B), 0 changed (now 0 B)\n")
	same := cli("diff", tb.at("sales"), "2", "2", "--exit-code").wants(t, 0)
	same.prints(t, "")
	same.says(t, "no difference")

	var d struct {
		Schema, Folder string
		From, To       *struct{ ID string }
		Complete       bool
		Changes        []struct {
			Kind, Path string
			From, To   *struct {
				Path, Version string
				Size          int64
			}
			SameBytes bool `json:"same_bytes"`
		}
		Added, Removed, Changed diffTotal
	}
	cli("diff", tb.at("sales"), "1", "2", "--format", "json").wants(t, 0).json(t, &d)
	if d.Schema != "provcat-diff/1" || d.Folder != "sales" || d.From.ID != first || d.To.ID != second || !d.Complete {
		t.Errorf("%+v", d)
	}
	if d.Added != (diffTotal{1, 6}) || d.Removed != (diffTotal{1, 4}) || d.Changed != (diffTotal{1, 9}) || len(d.Changes) != 3 {
		t.Fatalf("%+v", d)
	}
	c := d.Changes[2]
	if c.Kind != "changed" || c.Path != "us.csv" || c.From.Version != "v002" || c.From.Size != 5 || c.To.Size != 9 || c.SameBytes {
		t.Errorf("%+v", c)
	}
	if c := d.Changes[1]; c.Kind != "added" || c.From != nil || c.To.Size != 6 {
		t.Errorf("%+v", c)
	}
	// The same bytes under another version.
	tb.put("sales/us.csv", "123456789")
	if r := cli("diff", tb.at("sales"), "2").wants(t, 0); !strings.Contains(r.out, "M                9 B → 9 B  us.csv  (same bytes)\n") {
		t.Errorf("%s", r.out)
	}
}

func TestCat(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	cli("cat", tb.at("sales/us.csv")).wants(t, 0).prints(t, "123456789")
	cli("cat", tb.at("sales/us.csv"), "--at", "live").wants(t, 0).prints(t, "123456789")
	cli("cat", tb.at("sales/us.csv"), "--at", "1").wants(t, 0).prints(t, "12345")
	cli("cat", tb.at("sales/eu/orders.csv"), "--at", "1").wants(t, 0).prints(t, "a,b\n")
	cli("cat", tb.at("sales/eu/orders.csv"), "--at", "1", "--folder", "sales").wants(t, 0).prints(t, "a,b\n")
	// Not in the commit: a negative answer.
	cli("cat", tb.at("sales/new.txt"), "--at", "1").wants(t, 1).says(t, "has no file new.txt")
	// The version that the commit names is gone for good.
	tb.purge("sales/eu/orders.csv")
	r := cli("cat", tb.at("sales/eu/orders.csv"), "--at", "1").wants(t, 1)
	r.says(t, "is gone", "v001", "audit")
	r.prints(t, "")
}

// The nearest folder whose log has the REF counts; --folder chooses another.
func TestCatFindsTheNearestLog(t *testing.T) {
	isolate(t)
	tb := newBucket(t)
	tb.put("a/b/f", "old")
	tb.commit("a", "ana", "above 1")
	tb.put("a/b/f", "middle")
	tb.commit("a/b", "ana", "below 1")
	tb.put("a/b/f", "new")
	tb.commit("a", "ana", "above 2")
	tb.put("a/b/f", "live")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--at", "1"}, "middle"},
		{[]string{"--at", "2"}, "new"}, // a/b has no commit 2
		{[]string{"--at", "1", "--folder", "a"}, "old"},
		{[]string{"--at", "head"}, "middle"},
		{nil, "live"},
	} {
		cli(append([]string{"cat", tb.at("a/b/f")}, c.args...)...).wants(t, 0).prints(t, c.want)
	}
}

func TestShow(t *testing.T) {
	isolate(t)
	tb, first, second := sales(t)
	cli("show", tb.at("sales"), "1").wants(t, 0).prints(t, "commit   "+first+`
number   1 of sales
parent   none: it is the first
author   ana
time     2024-05-01T12:01:00.000000Z
files    2, 9 B
hash     holds

    first

       4 B  v001                              eu/orders.csv
       5 B  v002                              us.csv
`)
	r := cli("show", tb.at("sales"), "head", "--limit", "1").wants(t, 0)
	for _, w := range []string{"parent   " + first, "    second\n    more of it\n", "new.txt\n… and 1 file more"} {
		if !strings.Contains(r.out, w) {
			t.Errorf("lacks %q:\n%s", w, r.out)
		}
	}
	if all := cli("show", tb.at("sales"), second, "--limit", "0").wants(t, 0); !strings.Contains(all.out, "us.csv") || strings.Contains(all.out, "more;") {
		t.Errorf("--limit 0:\n%s", all.out)
	}
	var d struct {
		Schema, ID, Hash, Parent, Time, Author, Message string
		Number, Files_Count, Files_Bytes, Object_Bytes  int64
		Complete                                        bool
		Files                                           []fileJSON
	}
	cli("show", tb.at("sales"), "2", "--format", "json", "--limit", "1").wants(t, 0).json(t, &d)
	if d.Schema != "provcat-show/1" || d.ID != second || d.Hash != "ok" || d.Parent != first || d.Number != 2 ||
		d.Time != "2024-05-01T12:02:00.000000Z" || d.Author != "ben" || d.Message != "second\nmore of it" ||
		d.Files_Count != 2 || d.Files_Bytes != 15 || d.Object_Bytes == 0 || !d.Complete || len(d.Files) != 2 {
		t.Errorf("%+v", d)
	}
	if f := d.Files[0]; f.Path != "new.txt" || *f.Size != 6 || *f.ETag != "5a8dd3ad0756a93ded72b823b19dd877" {
		t.Errorf("%+v", f)
	}
}

func TestShowDamaged(t *testing.T) {
	isolate(t)
	tb, first, second := sales(t)
	tb.purge(commit.CommitKey(first))
	r := cli("show", tb.at("sales"), "1").wants(t, 1)
	r.says(t, "is gone", "audit")
	r.prints(t, "")
	tb.put(commit.CommitKey(second), `{"format":"provcat/1","folder":"sales","number":2,"parent":null,"time":"2024-05-01T12:02:00.000000Z","author":"mallory","message":"","files":[]}`)
	r = cli("show", tb.at("sales"), "2").wants(t, 1)
	r.says(t, "damaged")
	if !strings.Contains(r.out, "hash     does not hold") {
		t.Errorf("%s", r.out)
	}
	var d map[string]any
	cli("show", tb.at("sales"), "2", "--format", "json").wants(t, 1).json(t, &d)
	if d["hash"] != "mismatch" || d["complete"] != false {
		t.Errorf("%v", d)
	}
	// Nothing can be compared with a damaged commit; 1 would say "they differ".
	cli("diff", tb.at("sales"), "2", "--exit-code").wants(t, 3)
	cli("cat", tb.at("sales/us.csv"), "--at", "2").wants(t, 1).prints(t, "")
}
