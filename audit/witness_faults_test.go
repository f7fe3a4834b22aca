package audit

import (
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

var errNoWay = &bucket.Error{Op: "x", Err: bucket.ErrDenied}

// What cannot be read is neither an alarm nor forgotten.
func TestTheWitnessWhereThingsCannotBeRead(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 3)
	wit := w.first(Options{})
	entries := func(w *Witness) []seenEntry { return w.logs[commit.FolderHash(sales)].entries }
	for name, b := range map[string]bucket.Bucket{
		"entries": &tampered{Bucket: w.b, open: func(key, version string, _ int64) error {
			if strings.HasPrefix(key, commit.Logs) {
				return errNoWay
			}
			return nil
		}},
		"objects": &tampered{Bucket: w.b, open: func(key, version string, _ int64) error {
			if strings.HasPrefix(key, commit.Commits) {
				return errNoWay
			}
			return nil
		}},
	} {
		r, next := seenBy(t, b, wit, Options{Depth: DepthCommits})
		if r.Verdict != Incomplete || r.Counts[Damage] != 0 {
			t.Errorf("%s: verdict %s, %+v", name, r.Verdict, r.Findings)
		}
		if !slices.Equal(entries(next), entries(wit)) {
			t.Errorf("%s: the state is %+v", name, entries(next))
		}
		for n := int64(1); n <= 3 && name == "entries"; n++ {
			at := next.logs[commit.FolderHash(sales)].at(n)
			if !at.there.Equal(wit.logs[commit.FolderHash(sales)].seen) || !at.since.IsZero() {
				t.Errorf("entry %d could not be read, and counts as %+v", n, at)
			}
		}
	}
	// No listing: no new state.
	r, next := seenBy(t, &tampered{Bucket: w.b, list: func(bucket.Range, bucket.Version) error { return errNoWay }}, wit, Options{})
	if r.Verdict != Incomplete || next != nil {
		t.Errorf("verdict %s, witness %v", r.Verdict, next)
	}
	// The second look fails: nothing is said of the log, and the state stays.
	w.erase(slot(3))
	w.erase(key(ids[3]))
	r, next = seenBy(t, &tampered{Bucket: w.b, list: func(r bucket.Range, v bucket.Version) error {
		if r.Prefix == commit.LogPrefix(commit.FolderHash(sales)) {
			return errNoWay
		}
		return nil
	}}, wit, Options{})
	if r.Verdict != Incomplete || r.Counts[Damage] != 0 || !slices.Equal(entries(next), entries(wit)) {
		t.Errorf("verdict %s, %+v, state %+v", r.Verdict, r.Findings, entries(next))
	}
}

// An audit that leaves things out by choice neither alarms nor forgets.
func TestTheWitnessAndBudgets(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 5)
	w.history("other", 5)
	wit := w.first(Options{})
	_, entries := wit.Size()
	for n := int64(1); n <= 40; n++ {
		r, next := seenBy(t, w.b, wit, Options{MaxRequests: n})
		if r.Counts[Damage] != 0 {
			t.Errorf("%d requests: %+v", n, r.Findings)
		}
		if next == nil {
			continue // the logs were not listed
		}
		if _, now := next.Size(); now != entries {
			t.Errorf("%d requests: %d entries are known, want %d", n, now, entries)
		}
		for hash, l := range next.logs {
			if !slices.Equal(l.entries, wit.logs[hash].entries) {
				t.Errorf("%d requests: %+v", n, l.entries)
			}
		}
	}
}

// What only the first look lacks is no loss; what only the second lacks is left to
// the next run, and what both lack is told whatever else came back.
func TestTheWitnessLooksTwice(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 6)
	wit := w.first(Options{})
	entry, object := w.body(slot(6), ""), w.body(key(ids[6]), "")
	w.erase(slot(6))
	w.erase(key(ids[6]))
	at := func(then func()) func(Progress) {
		return func(p Progress) {
			if p.Stage == "confirming" && then != nil {
				then()
				then = nil
			}
		}
	}
	r, wit := seenBy(t, w.b, wit, Options{Progress: at(func() { w.put(key(ids[6]), object); w.put(slot(6), entry) })})
	expect(t, r)
	w.erase(slot(6))
	w.erase(key(ids[6]))
	r, wit = seenBy(t, w.b, wit, Options{Progress: at(func() { w.erase(slot(5)); w.erase(key(ids[5])) })})
	expect(t, r, want{id: "witness-regressed", commits: 1, number: 6})
	r, wit = seenBy(t, w.b, wit, Options{Progress: at(func() { w.put(slot(5), ids[5]) })})
	expect(t, r, want{id: "witness-regressed", commits: 1, number: 6})
	r, _ = seenBy(t, w.b, wit, Options{})
	expect(t, r, want{id: "witness-regressed", commits: 1, number: 6}, want{id: "commit-missing", number: 5})
}

// Writers at work never look like a loss, whenever they come.
func TestTheWitnessOfABusyBucket(t *testing.T) {
	for n := 1; ; n++ {
		w := newWorld(t)
		w.history(sales, 3)
		w.history("other", 2)
		wit := w.first(Options{Depth: DepthCommits})
		w.pass(time.Hour)
		came := false
		b := &busy{Bucket: w.b, n: n, then: func() {
			came = true
			w.put(sales+"/orders.csv", "more")
			w.commit(sales, "during the audit")
			w.put("zz-new/x", "")
			w.commit("zz-new", "")
		}}
		r, next := seenBy(t, b, wit, Options{Depth: DepthCommits, Concurrency: 1})
		for _, f := range r.Findings {
			if f.Severity != Info {
				t.Errorf("writers at event %d: %s: %s", n, f.ID, f.Title)
			}
		}
		// Whatever of it was seen, the next run is content too.
		r, _ = seenBy(t, w.b, next, Options{Depth: DepthCommits})
		for _, f := range r.Findings {
			if f.Severity == Damage {
				t.Errorf("after writers at event %d: %s: %s", n, f.ID, f.Title)
			}
		}
		if t.Failed() || !came {
			if n < 10 {
				t.Errorf("only %d events", n)
			}
			return
		}
	}
}
