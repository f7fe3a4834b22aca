package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

func TestCommit(t *testing.T) {
	isolate(t)
	tb, _, second := sales(t)
	r := cli("commit", tb.at("sales"), "-m", "third", "--author", "cem", "--format", "json").wants(t, 0)
	var d map[string]any
	r.json(t, &d)
	// The clock of the run is an hour after the bucket's start.
	for k, want := range map[string]any{
		"committed": true, "folder": "sales", "number": 3.0, "parent": second, "files": 3.0,
		"attempts": 1.0, "bytes": 16.0, "listings": 2.0, "time": "2024-05-01T13:00:00.000000Z",
	} {
		if d[k] != want {
			t.Errorf("%s is %v, want %v", k, d[k], want)
		}
	}
	if len(d) != 10 || !commit.ValidID(d["id"].(string)) {
		t.Errorf("%s", r.out)
	}
	if !strings.HasPrefix(r.out, `{"committed":true,"folder":"sales","number":3,"id":"`) || strings.Count(r.out, "\n") != 1 {
		t.Errorf("not the documented line: %s", r.out)
	}
	if r.err != "" {
		t.Errorf("progress off a terminal: %q", r.err)
	}
	h, err := commit.LoadHeader(context.Background(), tb.b, d["id"].(string))
	if err != nil || h.Author != "cem" || h.Message != "third" {
		t.Errorf("%+v, %v", h, err)
	}

	again := cli("commit", tb.at("sales"), "-m", "fourth", "--format", "json").wants(t, 0)
	var n map[string]any
	again.json(t, &n)
	if n["committed"] != false || n["number"] != 3.0 || n["reason"] != nil {
		t.Errorf("%s", again.out)
	}
	text := cli("commit", tb.at("sales"), "-m", "fourth").wants(t, 0)
	if !strings.Contains(text.out, "nothing to commit: sales is as commit 3 says (3 files, 16 B)") {
		t.Errorf("%q", text.out)
	}
}

func TestCommitText(t *testing.T) {
	isolate(t)
	tb, _, second := sales(t)
	r := cli("commit", tb.at("sales"), "-m", "").wants(t, 0)
	lines := strings.Split(r.out, "\n")
	if lines[0] != "committed sales as number 3: 3 files, 16 B" || !strings.HasPrefix(lines[1], "id       ") ||
		lines[2] != "parent   "+second || lines[3] != "time     2024-05-01T13:00:00.000000Z" {
		t.Errorf("%s", r.out)
	}
}

func TestDryRun(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	count := func() (n int) {
		for _, err := range tb.b.Versions(context.Background(), bucket.Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	before := count()
	r := cli("commit", tb.at("sales"), "--dry-run", "--read-only").wants(t, 0)
	r.prints(t, "would commit sales as number 3: 3 files, 16 B\nagainst the commit before: 1 added, 0 removed, 0 changed\n")
	var d map[string]any
	cli("commit", tb.at("sales"), "--dry-run", "--format", "json").wants(t, 0).json(t, &d)
	if d["committed"] != false || d["id"] != nil || d["dry_run"] != true || d["would_commit"] != true || d["added"] != 1.0 || d["removed"] != 0.0 || d["changed"] != 0.0 {
		t.Errorf("%v", d)
	}
	if after := count(); after != before {
		t.Errorf("a dry run wrote: %d versions, then %d", before, after)
	}
	// A folder's first commit.
	tb.put("new/f", "1")
	cli("commit", tb.at("new"), "--dry-run").wants(t, 0).prints(t,
		"would commit new as number 1: 1 file, 1 B\nagainst the commit before: 1 added, 0 removed, 0 changed\n")
	// Nothing to commit.
	tb.delete("sales/later.txt")
	if r := cli("commit", tb.at("sales"), "--dry-run").wants(t, 0); !strings.HasPrefix(r.out, "nothing to commit") {
		t.Errorf("%q", r.out)
	}
}

func TestCommitRefused(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	if err := tb.b.SetVersioning(context.Background(), bucket.VersioningSuspended); err != nil {
		t.Fatal(err)
	}
	r := cli("commit", tb.at("sales"), "-m", "x", "--format", "json").wants(t, 1)
	var d map[string]any
	r.json(t, &d)
	if d["committed"] != false || d["reason"] != commit.ReasonVersioning || d["folder"] != "sales" {
		t.Errorf("%s", r.out)
	}
	r.says(t, "suspended")

	r = cli("commit", tb.at("nosuch"), "-m", "x", "--format", "json")
	if r.code != 1 && r.code != 2 {
		t.Errorf("exit code %d", r.code)
	}
}

// The writer's clock is ten minutes ahead of the bucket's, which is the machine's.
func TestCommitRefusesABadClock(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	r := cliAt(time.Now().Add(10*time.Minute), "commit", tb.at("sales"), "-m", "x", "--format", "json").wants(t, 1)
	var d map[string]any
	r.json(t, &d)
	if d["committed"] != false || d["reason"] != commit.ReasonClock {
		t.Errorf("%s", r.out)
	}
	cliAt(time.Now().Add(10*time.Minute), "commit", tb.at("sales"), "-m", "x", "--max-skew", "1h").wants(t, 0)
}

// What the program says of an unclear commit is null, never false.
func TestUnclearJSON(t *testing.T) {
	var out strings.Builder
	a := &app{format: "json"}
	a.out = newTestWriter(&out)
	err := a.notCommitted(context.Background(), commit.Result{Folder: "sales"}, &commit.WriteError{Reason: commit.ReasonUnclear, Unclear: true, ID: "ab", Number: 3, Detail: "look later"})
	if ferr := a.out.Flush(); ferr != nil {
		t.Fatal(ferr)
	}
	if out.String() != `{"committed":null,"folder":"sales","reason":"unclear","detail":"look later","number":3,"id":"ab"}`+"\n" {
		t.Errorf("%s", out.String())
	}
	if codeOf(context.Background(), err) != 3 {
		t.Errorf("exit code %d", codeOf(context.Background(), err))
	}
}

func TestAuthor(t *testing.T) {
	home := isolate(t)
	tb, _, _ := sales(t)
	author := func() string {
		var d map[string]any
		cli("show", tb.at("sales"), "head", "--format", "json").wants(t, 0).json(t, &d)
		return d["author"].(string)
	}
	cli("commit", tb.at("sales"), "-m", "x").wants(t, 0)
	host, err := os.Hostname()
	if err != nil {
		t.Skip("this machine has no name")
	}
	if got := author(); !strings.HasSuffix(got, "@"+host) {
		t.Errorf("author %q, want user@%s", got, host)
	}
	write(t, filepath.Join(home, "config", "provcat-tui", "config.yaml"), "author: Ana <ana@example.com>\n")
	tb.put("sales/more", "1")
	cli("commit", tb.at("sales"), "-m", "x").wants(t, 0)
	if got := author(); got != "Ana <ana@example.com>" {
		t.Errorf("author %q", got)
	}
	tb.put("sales/more", "2")
	cli("commit", tb.at("sales"), "-m", "x", "--author", "").wants(t, 0)
	if got := author(); got != "" {
		t.Errorf("author %q, want none", got)
	}
}

func TestPin(t *testing.T) {
	isolate(t)
	tb := newBucket(t)
	tb.put("a/b/f", "1")
	above := tb.commit("a", "ana", "above") // 12:01
	tb.put("a/b/f", "2")
	below := tb.commit("a/b", "ana", "below") // 12:02
	r := cli("pin", tb.at("a/b")).wants(t, 0)
	r.prints(t, "commit   "+below+`
number   1 of a/b
time     2024-05-01T12:02:00.000000Z
why      it is the newest of the 2 logs that have one

candidates, the newest of each log:
* 2024-05-01T12:02:00.000000Z  #1  `+below[:10]+`  a/b
  2024-05-01T12:01:00.000000Z  #1  `+above[:10]+`  a
`)
	var d struct {
		Schema, Folder string
		At             *string
		Commit         *commitJSON
		Tied           bool
		Candidates     []commitJSON
		Doubts         []string
	}
	cli("pin", tb.at("a/b"), "--at", "2024-05-01T12:01Z", "--format", "json").wants(t, 0).json(t, &d)
	if d.Schema != "provcat-pin/1" || d.Folder != "a/b" || *d.At != "2024-05-01T12:01:00Z" || d.Commit.ID != above ||
		d.Commit.Folder != "a" || *d.Commit.Number != 1 || *d.Commit.Time != "2024-05-01T12:01:00.000000Z" || d.Tied || d.Doubts == nil {
		t.Errorf("%+v", d)
	}
	cli("pin", tb.at("a"), "--at", "2024-05-01").wants(t, 1).says(t, "no commit of a", "2024-05-01T00:00:00Z")
	var none map[string]json.RawMessage
	cli("pin", tb.at("a"), "--at", "2024-05-01", "--format", "json").wants(t, 1).json(t, &none)
	if string(none["commit"]) != "null" {
		t.Errorf("%s", none["commit"])
	}
	tb.purge(commit.CommitKey(below))
	cli("pin", tb.at("a/b")).wants(t, 1).says(t, "cannot be read")
}
