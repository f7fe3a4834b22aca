package cli

import (
	"strings"
	"testing"

	"provcat-tui/commit"
)

// A file at a commit whose version is gone is said to be gone, whoever asks: with
// what the key has now, and the commands that tell more.
func TestVersionGone(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	if err := tb.b.DeleteVersion(t.Context(), "sales/us.csv", "v002"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{"ls", "cat"} {
		r := cli(c, tb.at("sales/us.csv"), "--at", "1").wants(t, 1)
		for _, w := range []string{"sales/us.csv is gone", "v002", "1 other version, the newest of 2024-05-01T12:01:00Z",
			"--all-versions", "which lifecycle rule", "provcat-tui audit file://" + tb.path + "/sales"} {
			if !strings.Contains(r.err, w) {
				t.Errorf("%s lacks %q: %s", c, w, r.err)
			}
		}
	}
	var d map[string]any
	cli("ls", tb.at("sales/us.csv"), "--at", "1", "--format", "json").wants(t, 1).json(t, &d)
	if d["complete"] != false {
		t.Errorf("%v", d)
	}
	// The version that is there, and a folder, which is not looked into.
	cli("ls", tb.at("sales/us.csv"), "--at", "2").wants(t, 0)
	cli("ls", tb.at("sales"), "--at", "1").wants(t, 0)
}

// Every command that reads a commit says the same of one that is gone.
func TestCommitGone(t *testing.T) {
	isolate(t)
	tb, first, _ := sales(t)
	tb.purge(commit.CommitKey(first))
	for _, c := range []struct {
		code int
		args []string
	}{
		{1, []string{"show", tb.at("sales"), "1"}},
		{1, []string{"ls", tb.at("sales"), "--at", "1"}},
		{1, []string{"cat", tb.at("sales/us.csv"), "--at", "1"}},
		{3, []string{"diff", tb.at("sales"), "1", "2"}},
		{3, []string{"diff", tb.at("sales"), "2", "1"}},
	} {
		r := cli(c.args...).wants(t, c.code)
		r.says(t, "commit 1 ("+first[:10]+") of sales is gone", "commit object is missing", "provcat-tui audit file://"+tb.path+"/sales")
		r.prints(t, "")
		if strings.Contains(r.err, ".json") {
			t.Errorf("%v: %s", c.args, r.err)
		}
	}
}

// Of a deleted entry a reader learns since when, and what can still be read.
func TestDeletedEntryForReaders(t *testing.T) {
	isolate(t)
	tb, first, second := sales(t)
	tb.delete(commit.EntryKey("sales", 2)) // in the second of the last commit: 12:02:00
	for _, c := range [][]string{
		{"show", tb.at("sales"), "2"}, {"ls", tb.at("sales"), "--at", "2"}, {"cat", tb.at("sales/us.csv"), "--at", "2"},
		{"show", tb.at("sales"), "head"}, {"ls", tb.at("sales"), "--at", "head"},
	} {
		r := cli(c...).wants(t, 1)
		r.says(t, "deleted since 2024-05-01T12:02:00Z", "it named "+second[:10], "show file://"+tb.path+"/sales id:"+second[:10], "audit")
		if strings.Contains(r.err, "can be added") {
			t.Errorf("%v: %s", c, r.err)
		}
		if head := strings.Contains(strings.Join(c, " "), "head"); head != strings.Contains(r.err, "newest sound commit is 1 ("+first[:10]) {
			t.Errorf("%v: %s", c, r.err)
		}
	}
	cli("show", tb.at("sales"), "id:"+second[:10]).wants(t, 0)
	tb.purge(commit.CommitKey(second))
	cli("show", tb.at("sales"), "2").wants(t, 1).says(t, "commit object is gone too")
}

// The same mistake has the same exit code and hint in ls and cat.
func TestNotThere(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	for path, word := range map[string]string{"nope": "has no folder or file nope", "sales/eu/orders.csv": "is deleted"} {
		ls, cat := cli("ls", tb.at(path)).wants(t, 2), cli("cat", tb.at(path)).wants(t, 2)
		ls.says(t, word)
		if ls.err != cat.err {
			t.Errorf("ls says %q, cat %q", ls.err, cat.err)
		}
	}
	cli("cat", tb.at("sales")).wants(t, 2).says(t, "is a folder")
}
