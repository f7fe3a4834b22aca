package audit

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// damagedWorld has damage of each kind that is looked at a second time.
func damagedWorld(t *testing.T) *world {
	w := newWorld(t)
	ids := w.history(sales, 6)
	w.history("other", 4)
	w.history("third", 3)
	w.erase(sales + "/readme")
	w.del(slot(3))
	w.erase(key(ids[5]))
	h, files := w.load(ids[6])
	h.Author, h.Number, h.Parent = "ben", 2, ids[1]
	w.object(h, files...) // lost a race
	w.object(commit.Header{Folder: "other", Number: 3, Parent: strings.Repeat("ab", 32)})
	w.pass(time.Hour)
	return w
}

func addsUp(t *testing.T, r *Report) {
	t.Helper()
	c := r.Coverage
	for what, x := range map[string]Coverage{"logs": c.Logs, "entries": c.Entries, "commits": c.Commits, "versions": c.Versions, "settings": c.Settings} {
		n := x.Checked
		for _, s := range x.Skipped {
			n += s.Count
		}
		if n != x.Total || x.Checked < 0 {
			t.Errorf("%s don't add up: %+v", what, x)
		}
	}
}

// Whenever the budget ends, nothing is reported that the whole audit does not find,
// and no pass says that it is complete.
func TestEveryBudgetOnADamagedBucket(t *testing.T) {
	for _, depth := range []Depth{DepthLog, DepthCommits, DepthReadable} {
		w := damagedWorld(t)
		full := w.audit(Options{Depth: depth})
		known := map[string]bool{}
		for _, f := range full.Findings {
			known[f.Fingerprint], known[f.ID+f.Key] = true, true
		}
		all := full.Requests.List + full.Requests.Get
		passed, failed := 0, 0
		budgets := []int64{2 * all} // all, and as much again for second looks
		for n := int64(1); n <= all; n++ {
			budgets = append(budgets, n)
		}
		for _, n := range budgets {
			r := w.audit(Options{Depth: depth, MaxRequests: n, Concurrency: 4})
			addsUp(t, r)
			for _, f := range r.Findings {
				if f.Severity != Unknown && f.Severity != Info && !known[f.Fingerprint] && !known[f.ID+f.Key] {
					t.Errorf("%s, %d requests: %s %s: %s", depth, n, f.Severity, f.ID, f.Title)
				}
			}
			if made := r.Requests.List + r.Requests.Get; made > n {
				t.Errorf("%s: %d requests, %d allowed", depth, made, n)
			}
			switch {
			case r.Verdict == Pass && r.Complete:
				t.Errorf("%s, %d requests: a complete pass over damage", depth, n)
			case r.Verdict == Pass && r.Coverage.Entries.Checked == 0:
				t.Errorf("%s, %d requests: a pass over nothing", depth, n)
			case r.Verdict == Pass:
				passed++
			case r.Verdict == Fail:
				failed++
			}
			if n == 2*all && (r.Verdict != Fail || !r.Complete || len(r.Findings) != len(full.Findings)) {
				t.Errorf("%s, a budget for all: %s, complete %v, %d findings of %d", depth, r.Verdict, r.Complete, len(r.Findings), len(full.Findings))
			}
		}
		if failed == 0 {
			t.Errorf("%s: passed %d, failed %d", depth, passed, failed)
		}
	}
}

// A sound bucket passes at any budget that lets something be checked.
func TestEveryBudgetOnASoundBucket(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 5)
	w.history("other", 3)
	for n := int64(1); n <= 60; n++ {
		r := w.audit(Options{MaxRequests: n})
		addsUp(t, r)
		want := Pass
		if r.Coverage.Entries.Checked == 0 {
			want = Incomplete
		}
		if r.Verdict != want || len(r.Findings) > 0 {
			t.Errorf("%d requests: %s, %+v", n, r.Verdict, r.Findings)
		}
		if n == 60 && !r.Complete {
			t.Errorf("%+v", r.Coverage)
		}
	}
	r := w.audit(Options{MaxDuration: time.Nanosecond})
	addsUp(t, r)
	if r.Verdict != Incomplete || r.Complete || len(r.Findings) > 0 {
		t.Errorf("no time at all: %s, %+v", r.Verdict, r.Findings)
	}
	if r := w.audit(Options{MaxDuration: time.Hour}); r.Verdict != Pass || !r.Complete {
		t.Errorf("an hour: %s, %+v", r.Verdict, r.Coverage)
	}
}

// opening notes which keys are opened.
type opening struct {
	bucket.Bucket
	sync.Mutex
	keys map[string]int
}

func (b *opening) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	b.Lock()
	b.keys[key]++
	b.Unlock()
	return b.Bucket.Open(ctx, key, version, first)
}

// The parts of a sample cover all; each commit but the heads is in exactly one.
func TestPartsOfASampleCoverAll(t *testing.T) {
	w := newWorld(t)
	ids := append(w.history(sales, 9)[1:], w.history("other", 8)[1:]...)
	heads := map[string]bool{ids[8]: true, ids[16]: true}
	for _, of := range []int{1, 2, 3, 7, 10_000} {
		seen := map[string]int{}
		parts := of
		if of > 10 {
			parts = 3 // only that a part of many holds the heads
		}
		for part := 1; part <= parts; part++ {
			b := &opening{Bucket: w.b, keys: map[string]int{}}
			r := auditOf(t, b, Options{Sample: Sample{part, of}})
			addsUp(t, r)
			expect(t, r)
			if r.Verdict != Pass || r.Coverage.Entries.Checked != 17 || r.Complete != (r.Coverage.Commits.Checked == 17) {
				t.Errorf("%d/%d: %s, complete %v, %+v", part, of, r.Verdict, r.Complete, r.Coverage)
			}
			for _, id := range ids {
				seen[id] += b.keys[key(id)]
			}
		}
		for _, id := range ids {
			want := 1
			if heads[id] {
				want = parts
			}
			if of <= 10 && seen[id] != want || of > 10 && heads[id] && seen[id] != want {
				t.Errorf("of %d: %s was read %d times, want %d", of, id, seen[id], want)
			}
		}
	}
}

// A part of a damaged bucket finds nothing that the whole does not, and the parts
// together find all damage.
func TestPartsOfADamagedBucket(t *testing.T) {
	w := damagedWorld(t)
	full, found := map[string]string{}, map[string]bool{}
	for _, f := range w.audit(Options{}).Findings {
		full[f.Fingerprint] = fmt.Sprint(f.Severity, " ", f.ID)
	}
	for part := 1; part <= 5; part++ {
		r := w.audit(Options{Sample: Sample{part, 5}})
		addsUp(t, r)
		if r.Verdict != Fail || r.Complete {
			t.Errorf("%d/5: %s, complete %v", part, r.Verdict, r.Complete)
		}
		for _, f := range r.Findings {
			found[f.Fingerprint] = true
			if full[f.Fingerprint] == "" && f.Severity != Info {
				t.Errorf("%d/5: %s: %s", part, f.ID, f.Title)
			}
		}
	}
	for p, what := range full {
		if !found[p] && what[:6] == string(Damage) {
			t.Errorf("no part finds %s", what)
		}
	}
}

func TestParseSample(t *testing.T) {
	for s, want := range map[string]Sample{"1/1": {1, 1}, "3/7": {3, 7}, "10000/10000": {10000, 10000}} {
		if got, err := ParseSample(s); err != nil || got != want {
			t.Errorf("%s: %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "1", "0/3", "4/3", "1/10001", "-1/3", "1/0", "a/b", "1/3/5", "1/ 3"} {
		if got, err := ParseSample(s); err == nil {
			t.Errorf("%q gives %v", s, got)
		}
	}
}

// The verdict by what was left out, failed and found.
func TestVerdicts(t *testing.T) {
	chosen, failed := Skip{Reason: "x", Count: 1, Chosen: true}, Skip{Reason: "y", Count: 1}
	for name, x := range map[string]struct {
		skips    []Skip
		finds    []Severity
		acks     []Severity
		checked  int64
		verdict  Verdict
		complete bool
	}{
		"all":                       {nil, nil, nil, 1, Pass, true},
		"nothing there":             {nil, nil, nil, 0, Pass, true},
		"left out":                  {[]Skip{chosen}, nil, nil, 1, Pass, false},
		"left out, nothing checked": {[]Skip{chosen}, nil, nil, 0, Incomplete, false},
		"failed":                    {[]Skip{failed}, nil, nil, 1, Incomplete, false},
		"both":                      {[]Skip{chosen, failed}, nil, nil, 1, Incomplete, false},
		"unknown":                   {nil, []Severity{Unknown}, nil, 1, Incomplete, false},
		"left out, unknown":         {[]Skip{chosen}, []Severity{Unknown}, nil, 1, Incomplete, false},
		"left out, damage":          {[]Skip{chosen}, []Severity{Damage}, nil, 1, Fail, false},
		"failed, damage":            {[]Skip{failed}, []Severity{Damage}, nil, 1, Fail, false},
		"damage":                    {nil, []Severity{Damage}, nil, 1, Fail, true},
		"a risk":                    {nil, []Severity{Risk}, nil, 1, Pass, true},
		"damage acknowledged":       {nil, nil, []Severity{Damage}, 1, Pass, true},
		"unknown acknowledged":      {nil, nil, []Severity{Unknown}, 1, Incomplete, false},
	} {
		r := &Report{}
		r.Coverage.Entries = Coverage{Checked: x.checked, Total: x.checked + int64(len(x.skips)), Skipped: x.skips}
		for _, s := range x.finds {
			r.Findings = append(r.Findings, Finding{Severity: s})
		}
		for _, s := range x.acks {
			r.Acknowledged = append(r.Acknowledged, Acknowledged{Finding: Finding{Severity: s}})
		}
		r.conclude(Damage)
		if r.Verdict != x.verdict || r.Complete != x.complete {
			t.Errorf("%s: %s, complete %v; want %s, %v", name, r.Verdict, r.Complete, x.verdict, x.complete)
		}
		if n := r.Counts[Damage] + r.Counts[Unknown] + r.Counts[Risk]; n != len(x.finds) {
			t.Errorf("%s: %d counted", name, n)
		}
	}
}
