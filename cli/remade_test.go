package cli

import (
	"strings"
	"testing"
	"time"

	"provcat-tui/commit"
)

// remade is the bucket of sales whose entry 2 was deleted at 12:10 and made again at
// 12:20 for a third commit.
func remade(t *testing.T) (tb *testBucket, first, second, third string) {
	tb, first, second = sales(t)
	minute := func(m int) time.Time { return clockStart.Add(time.Duration(m) * time.Minute) }
	tb.now = minute(10)
	tb.delete(commit.EntryKey("sales", 2))
	tb.now = minute(20)
	var body strings.Builder
	h := commit.Header{Folder: "sales", Number: 2, Parent: first, Time: tb.now, Author: "eve"}
	third, err := commit.Encode(&body, h, func(func(commit.File, error) bool) {})
	if err != nil {
		t.Fatal(err)
	}
	tb.put(commit.CommitKey(third), body.String())
	tb.put(commit.EntryKey("sales", 2), string(commit.EncodeEntry(commit.Entry{Commit: third, Folder: "sales", Number: 2, Time: tb.now})))
	return tb, first, second, third
}

// Whatever takes a TIME has a doubt, exit 3 and writes nothing where readers got another
// commit then.
func TestTimesAtWhichReadersGotAnotherCommit(t *testing.T) {
	isolate(t)
	tb, first, second, third := remade(t)
	const then, before, after = "2024-05-01T12:05Z", "2024-05-01T12:01:30Z", "2024-05-01T12:30Z"
	want := "readers got commit 2 of folder \"sales\" (" + second[:10] + ") at that time: entry 2 of folder \"sales\" named " +
		second[:10] + " from 2024-05-01T12:02:00Z until 2024-05-01T12:10:00Z, and names " + third[:10] + " now"
	for _, args := range [][]string{
		{"pin", tb.at("sales"), "--at", then},
		{"get", tb.at("sales"), "-o", t.TempDir(), "--at", then},
		{"restore", tb.at("sales"), "--yes", "--at", then},
		{"protect", tb.at("sales"), "--yes", "--at", then},
	} {
		r := cli(args...).wants(t, exitIncomplete)
		if !strings.Contains(r.out+r.err, want) {
			t.Errorf("%s does not say what readers got:\n%s%s", args[0], r.out, r.err)
		}
	}
	var pin struct {
		Commit struct{ ID string }
		Doubts []string
		Error  string
	}
	cli("pin", tb.at("sales"), "--at", then, "--format", "json").wants(t, exitIncomplete).json(t, &pin)
	if pin.Commit.ID != first || len(pin.Doubts) != 1 || pin.Doubts[0] != want || pin.Error == "" {
		t.Errorf("%+v", pin)
	}
	for at, id := range map[string]string{before: first, after: third} {
		pin.Doubts = nil
		cli("pin", tb.at("sales"), "--at", at, "--format", "json").wants(t, 0).json(t, &pin)
		if pin.Commit.ID != id || len(pin.Doubts) != 0 {
			t.Errorf("at %s: %+v", at, pin)
		}
	}
}

// show says which commits an entry named, whichever of them is asked for.
func TestShowSaysThatAnEntryWasWrittenAgain(t *testing.T) {
	isolate(t)
	tb, first, second, third := remade(t)
	r := cli("show", tb.at("sales"), "2").wants(t, 0)
	if want := "entry    written again: it names " + third[:10] + " now, and before " + second[:10] + " (from 2024-05-01T12:02:00Z until 2024-05-01T12:10:00Z)"; !strings.Contains(r.out, want) {
		t.Errorf("%s\nlacks %s", r.out, want)
	}
	r = cli("show", tb.at("sales"), second).wants(t, 0)
	if want := "number   none now: entry 2 of the log of sales named it from 2024-05-01T12:02:00Z until 2024-05-01T12:10:00Z, and names " + third[:10] + " now"; !strings.Contains(r.out, want) {
		t.Errorf("%s\nlacks %s", r.out, want)
	}
	var doc struct {
		Number     *int64
		WasNumber  int64                                   `json:"was_number"`
		EntryNamed []struct{ Commit, From, Until *string } `json:"entry_named"`
	}
	cli("show", tb.at("sales"), second, "--format", "json").wants(t, 0).json(t, &doc)
	if e := doc.EntryNamed; doc.Number != nil || doc.WasNumber != 2 || len(e) != 3 || *e[0].Commit != third || e[0].Until != nil || e[1].Commit != nil || *e[2].Commit != second {
		t.Errorf("%+v", doc)
	}
	if r = cli("show", tb.at("sales"), first).wants(t, 0); strings.Contains(r.out, "entry ") {
		t.Errorf("a sound entry: %s", r.out)
	}
	tb.delete(commit.EntryKey("sales", 2))
	if r = cli("show", tb.at("sales"), third).wants(t, 0); !strings.Contains(r.out, "and is deleted now") {
		t.Errorf("a deleted entry: %s", r.out)
	}
}
