package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
	"provcat-tui/internal/faults"
)

func TestLog(t *testing.T) {
	isolate(t)
	tb, first, second := sales(t)
	one := fmt.Sprintf("#1        %s  2024-05-01T12:01:00Z  ana               first\n", first[:10])
	two := fmt.Sprintf("#2        %s  2024-05-01T12:02:00Z  ben               second …\n", second[:10])
	cli("log", tb.at("sales")).wants(t, 0).prints(t, two+one)
	cli("log", tb.at("sales"), "--limit", "1").wants(t, 0).prints(t, two)
	cli("log", tb.at("sales"), "-n", "1", "--concurrency", "1").wants(t, 0).prints(t, two)

	// A folder without commits is no error.
	r := cli("log", tb.path).wants(t, 0)
	r.prints(t, "")
	r.says(t, "the whole bucket has no commits of its own; there are logs of sales")
	var empty struct {
		Entries  []logLine
		Complete bool
	}
	cli("log", tb.path, "--format", "json").wants(t, 0).json(t, &empty)
	if empty.Entries == nil || len(empty.Entries) != 0 || !empty.Complete {
		t.Errorf("%+v", empty)
	}
}

// damaged has a log of seven commits, most of them hurt:
//
//	7 whole   6 its commit object is gone   5 and 4 gone without a trace
//	3 deleted   2 re-made for another commit   1 unreadable
func damaged(t *testing.T) (tb *testBucket, ids []string) {
	tb = newBucket(t)
	ids = []string{""}
	for n := 1; n <= 7; n++ {
		tb.put("d/f", strings.Repeat("x", n))
		ids = append(ids, tb.commit("d", "ana", fmt.Sprintf("number %d", n)))
	}
	key := func(n int64) string { return commit.EntryKey("d", n) }
	tb.purge(commit.CommitKey(ids[6]))
	tb.purge(key(5))
	tb.purge(key(4))
	tb.delete(key(3))
	tb.delete(key(2))
	tb.put(key(2), string(commit.EncodeEntry(commit.Entry{Commit: ids[7], Folder: "d", HasFolder: true, Number: 2, Time: tb.now})))
	tb.delete(key(1))
	tb.put(key(1), "rubbish\x1b[2J")
	return tb, ids
}

func TestLogShowsDamageInItsPlace(t *testing.T) {
	isolate(t)
	tb, ids := damaged(t)
	r := cli("log", tb.at("d")).wants(t, 0)
	lines := strings.Split(strings.TrimSuffix(r.out, "\n"), "\n")
	want := [][]string{
		{"#7", ids[7][:10], "number 7"},
		{"#6", ids[6][:10], "gone the commit object is missing or deleted"},
		{"#5 to #4", "nothing is there", "2 entries are missing"},
		{"#3", ids[3][:10], "deleted since 2024-05-01T12:07:00Z · number 3"},
		{"#2", ids[7][:10], "remade its versions name " + ids[7][:10] + " and " + ids[2][:10] + " · number 7"},
		{"#1", "unreadable"},
	}
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), r.out)
	}
	for i, words := range want {
		for _, w := range words {
			if !strings.Contains(lines[i], w) {
				t.Errorf("line %d lacks %q: %s", i+1, w, lines[i])
			}
		}
	}

	var d struct {
		Schema   string
		Complete bool
		Entries  []logLine
	}
	cli("log", tb.at("d"), "--format", "json").wants(t, 0).json(t, &d)
	if d.Schema != "provcat-log/1" || !d.Complete || len(d.Entries) != 6 {
		t.Fatalf("%+v", d)
	}
	for i, w := range []struct {
		state  state
		number int64
		commit string
		object string
	}{
		{stateOK, 7, ids[7], "ok"}, {stateOK, 6, ids[6], "missing"}, {stateGap, 5, "", ""},
		{stateDeleted, 3, ids[3], "ok"}, {stateRemade, 2, ids[7], "ok"}, {stateUnreadable, 1, ids[1], "ok"},
	} {
		e := d.Entries[i]
		got := ""
		if e.Commit != nil {
			got = *e.Commit
		}
		if e.State != w.state || e.Number != w.number || got != w.commit || e.Object != w.object {
			t.Errorf("entry %d is %+v, want %+v", i, e, w)
		}
	}
	if g := d.Entries[2]; g.Gap != 2 {
		t.Errorf("gap of %d, want 2", g.Gap)
	}
	if m := d.Entries[4]; len(m.Commits) != 2 || m.Commits[0] != ids[7] || m.Commits[1] != ids[2] {
		t.Errorf("re-made: %v", m.Commits)
	}
	if h := d.Entries[0]; *h.Parent != ids[6] || h.Author != "ana" || h.Message != "number 7" || *h.Time != "2024-05-01T12:07:00.000000Z" {
		t.Errorf("head %+v", h)
	}
}

// A deleted head is said, not passed over for the entry below it.
// A log of which a part could not be read is shown as far as it goes, and is no success.
func TestLogThatIsNotKnownInFull(t *testing.T) {
	for name, f := range map[string]fakes3.Fault{
		"an entry is denied":          {Kind: "GetObject", Prefix: ".provcat/log/", Times: -1, Do: fakes3.AccessDenied},
		"an entry's answer fails":     {Kind: "GetObject", Prefix: ".provcat/log/", Times: -1, Do: fakes3.InternalError},
		"an entry's answer is a page": {Kind: "GetObject", Prefix: ".provcat/log/", Times: -1, Do: faults.Proxy(200)},
		"a commit object is denied":   {Kind: "GetObject", Prefix: ".provcat/commits/", Times: -1, Do: fakes3.AccessDenied},
	} {
		t.Run(name, func(t *testing.T) {
			s := newS3(t, fakes3.Options{})
			via := func(args ...string) result {
				return cli(append(args, "--endpoint", s.URL(), "--region", "us-east-1", "--path-style")...)
			}
			for _, body := range []string{"1", "2"} {
				s.Put("team-data", "sales/eu.csv", []byte(body))
				via("commit", "s3://team-data/sales", "-m", body).wants(t, 0)
			}
			via("log", "s3://team-data/sales").wants(t, 0)
			s.Fail(f)
			r := via("log", "s3://team-data/sales").wants(t, 3)
			r.says(t, "the log of sales is not known in full: 2 commits could not be read")
			if strings.Count(r.out, "\n") != 2 || strings.Count(r.out, "unknown") != 2 {
				t.Errorf("%s", r.out)
			}
			var doc struct {
				Entries  []logLine
				Complete bool
				Error    string
			}
			via("log", "s3://team-data/sales", "--format", "json").wants(t, 3).json(t, &doc)
			if len(doc.Entries) != 2 || doc.Complete || doc.Error == "" {
				t.Errorf("%+v", doc)
			}
		})
	}
}

func TestDamagedHead(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	tb.delete(commit.EntryKey("sales", 2))
	for _, args := range [][]string{
		{"show", tb.at("sales"), "head"}, {"cat", tb.at("sales/us.csv"), "--at", "head"}, {"ls", tb.at("sales"), "--at", "head"},
	} {
		r := cli(args...).wants(t, 1)
		r.prints(t, "")
		r.says(t, "sales")
	}
	cli("diff", tb.at("sales"), "head", "--exit-code").wants(t, 3)
	r := cli("commit", tb.at("sales"), "-m", "x", "--format", "json").wants(t, 1)
	var d struct {
		Committed *bool
		Reason    string
	}
	r.json(t, &d)
	if d.Committed == nil || *d.Committed || d.Reason != commit.ReasonDamagedLog {
		t.Errorf("%s", r.out)
	}
	r.says(t, "audit")
}

func TestOrderedKeepsTheOrderAndStops(t *testing.T) {
	started := make(chan int, 1000)
	seq := func(yield func(int, error) bool) {
		for i := range 1000 {
			started <- i
			if !yield(i, nil) {
				return
			}
		}
	}
	for _, n := range []int{1, 2, 16} {
		next := 0
		for v, err := range ordered(context.Background(), seq, n, func(_ context.Context, i int) int { return i * i }) {
			if err != nil || v != next*next {
				t.Fatalf("n=%d: got %d, %v, want %d", n, v, err, next*next)
			}
			if next++; next == 50 {
				break
			}
		}
		// At most n more than were looked at have been started, and one that waits.
		if got := len(started); got > 50+n+1 {
			t.Errorf("n=%d: %d started for 50", n, got)
		}
		for len(started) > 0 {
			<-started
		}
	}
	failing := func(yield func(int, error) bool) {
		if yield(1, nil) {
			yield(0, context.DeadlineExceeded)
		}
	}
	var errs []error
	for _, err := range ordered(context.Background(), failing, 4, func(context.Context, int) int { return 0 }) {
		errs = append(errs, err)
	}
	if len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], context.DeadlineExceeded) {
		t.Errorf("%v", errs)
	}
}

// Two entries whose IDs start alike; other programs write the bare ID.
func TestAmbiguousRef(t *testing.T) {
	isolate(t)
	tb := newBucket(t)
	tb.put("d/f", "x")
	a, b := "abcdef0"+strings.Repeat("1", 57), "abcdef1"+strings.Repeat("1", 57)
	tb.put(commit.EntryKey("d", 1), a)
	tb.put(commit.EntryKey("d", 2), b)
	for _, args := range [][]string{{"show", tb.at("d"), "abcdef"}, {"diff", tb.at("d"), "abcdef"}, {"ls", tb.at("d"), "--at", "abcdef"}, {"cat", tb.at("d/f"), "--at", "abcdef"}} {
		r := cli(args...).wants(t, 2)
		r.prints(t, "")
		r.says(t, "ambiguous", "abcdef0", "abcdef1", "give more digits")
	}
}
