package audit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// What explains a loss comes and goes with time and with the rules. The loss is the
// same one.
func TestALossKeepsItsFingerprint(t *testing.T) {
	w := newWorld(t)
	trim := bucket.Rule{ID: "trim", Enabled: true, Prefix: "f/", NoncurrentDays: 7}
	lost := w.put("f/a", "1")
	w.commit("f", "one")
	w.put("f/a", "2")
	w.commit("f", "two")
	w.kill("f/a", lost.ID)
	w.must(w.b.SetLifecycle(bg, []bucket.Rule{trim}))
	w.now = today.Add(-time.Hour)
	first := w.audit(Options{Now: now})
	f := findingOf(t, first, "version-missing")
	text, err := AddIgnore(nil, f, "known", today.AddDate(1, 0, 0))
	w.must(err)
	known, base := rules(t, string(text)), baselineOf(t, first)
	off := trim
	off.Enabled = false
	for _, x := range []struct {
		name  string
		after time.Duration
		rule  bucket.Rule
	}{{"the rule is due", 20 * day, trim}, {"the rule is disabled", 0, off}} {
		w.pass(x.after)
		w.must(w.b.SetLifecycle(bg, []bucket.Rule{x.rule}))
		for _, o := range []Options{{Ignore: known}, {Baseline: base}} {
			o.Now = w.tick
			r := w.audit(o)
			if r.Counts[Damage] != 0 || o.Baseline != nil && (r.Baseline.Known == 0 || len(r.Baseline.Resolved) > 0 && r.Baseline.Resolved[0].ID == f.ID) {
				t.Errorf("%s: %+v, %+v", x.name, r.Findings, r.Baseline)
			}
		}
	}
}

// A sample reads some of the commits. What it finds is what the audit of all finds.
func TestASampleFindsTheSameLoss(t *testing.T) {
	w := newWorld(t)
	v := w.put("f/sub/x", "1")
	w.commit("f/sub", "one")
	w.put("f/y", "1")
	for i := range 6 {
		w.put("f/z", fmt.Sprint(i))
		w.commit("f", "f")
	}
	w.put("f/sub/x", "2")
	w.commit("f/sub", "two")
	w.commit("f", "f")
	w.kill("f/sub/x", v.ID)
	w.pass(time.Hour)
	base := baselineOf(t, w.audit(Options{Now: w.tick}))
	seen := 0
	for part := 1; part <= 4; part++ {
		r := w.audit(Options{Now: w.tick, Sample: Sample{part, 4}, Baseline: base})
		if r.Counts[Damage] != 0 {
			t.Errorf("part %d: %+v", part, r.Findings)
		}
		seen += r.Baseline.Known
	}
	if seen == 0 {
		t.Error("no part found it")
	}
}

// Findings about slots of a log are the same at each depth, and where an entry or a
// commit object could not be read.
func TestSlotsKeepTheirFingerprint(t *testing.T) {
	entry := func(n int64) string { return commit.EntryKey("f", n) }
	made := func() *s3world {
		w := newS3World(t)
		for i := range 9 {
			w.put("f/a", fmt.Sprint(i))
			w.commit("f")
		}
		w.erase(entry(1))
		w.erase(entry(3))
		w.erase(entry(4))
		w.put(entry(6), "no entry")
		w.s.Delete(w.b.Name, entry(9))
		return w
	}
	denied := func(f fakes3.Fault) fakes3.Fault {
		f.Kind, f.Times, f.Do = "GetObject", -1, fakes3.AccessDenied
		return f
	}
	for _, x := range []struct {
		name         string
		base, now    Depth
		fault        *fakes3.Fault
		more         func(w *s3world)
		fresh, known int // damage
	}{
		{"the same", DepthVersions, DepthVersions, nil, nil, 0, 4},
		{"log, then versions", DepthLog, DepthVersions, nil, nil, 0, 4},
		{"log, then commits", DepthLog, DepthCommits, nil, nil, 0, 4},
		{"versions, then log", DepthVersions, DepthLog, nil, nil, 0, 4},
		{"the deleted entry is refused", DepthVersions, DepthVersions, &fakes3.Fault{Key: entry(9)}, nil, 0, 4},
		{"the entries above the gaps are refused", DepthVersions, DepthVersions, &fakes3.Fault{Prefix: entry(5)}, nil, 0, 4},
		{"the commit objects are refused", DepthVersions, DepthVersions, &fakes3.Fault{Prefix: commit.Commits}, nil, 0, 4},
		{"a gap grows at its lower end", DepthVersions, DepthVersions, nil, func(w *s3world) { w.erase(entry(2)) }, 1, 2},
		{"a gap grows at its upper end", DepthLog, DepthLog, nil, func(w *s3world) { w.erase(entry(5)) }, 1, 3},
		{"another one", DepthVersions, DepthVersions, nil, func(w *s3world) { w.s.Delete(w.b.Name, entry(8)) }, 1, 4},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			w := made()
			base := baselineOf(t, auditOf(t, w.b, Options{Depth: x.base}))
			if x.more != nil {
				x.more(w)
			}
			if x.fault != nil {
				w.s.Fail(denied(*x.fault))
			}
			r := auditOf(t, w.b, Options{Depth: x.now, Baseline: base})
			known := 0
			for _, a := range r.Acknowledged {
				if a.Severity == Damage {
					known++
				}
			}
			if r.Counts[Damage] != x.fresh || known != x.known {
				t.Errorf("%d new, want %d; %d known, want %d: %+v", r.Counts[Damage], x.fresh, known, x.known, r.Findings)
			}
		})
	}
}

// Whose clock is off only a commit tells, so that one that was not read counts for no
// finding, rather than for one of nobody.
func TestASampleFindsTheSameClock(t *testing.T) {
	w := newWorld(t)
	for folder, off := range map[string]time.Duration{"skewed": -30 * time.Minute, "future": 90 * time.Minute} {
		parent := ""
		for n := int64(1); n <= 9; n++ {
			w.pass(time.Minute)
			parent = w.dated(folder, n, parent, "bob", w.now.Add(off).Add(time.Duration(n)*time.Second))
		}
	}
	first := w.audit(Options{Now: w.tick})
	expect(t, first, want{id: "time-skewed", folder: "skewed", commits: 9}, want{id: "time-future", folder: "future", commits: 9})
	base := baselineOf(t, first)
	for name, o := range map[string]Options{"1/3": {Sample: Sample{1, 3}}, "2/3": {Sample: Sample{2, 3}}, "3/3": {Sample: Sample{3, 3}}, "depth log": {Depth: DepthLog}} {
		o.Now, o.Baseline = w.tick, base
		r := w.audit(o)
		if n := r.Counts[Anomaly]; n != 0 || o.Depth == "" && r.Baseline.Known == 0 {
			t.Errorf("%s: %d new, %+v, %+v", name, n, r.Baseline, r.Findings)
		}
	}
}

// A rule is only blamed for a log's missing entries if it takes them in and was due.
func TestRulesThatCutALog(t *testing.T) {
	const none, all = "No lifecycle rule of the bucket explains it", `"r" explains it`
	hash := commit.FolderHash("f")
	for name, x := range map[string]struct {
		rule  bucket.Rule
		after time.Duration
		says  string
	}{
		"due":                           {bucket.Rule{ExpireDays: 1, NoncurrentDays: 1}, 5 * day, all + `: it expires live objects under "", and so the log itself; all that it left was due to be removed from 2026-10-04 on`},
		"the log's own prefix":          {bucket.Rule{Prefix: commit.LogPrefix(hash), ExpireDays: 1, NoncurrentDays: 1}, 5 * day, all},
		"not due yet":                   {bucket.Rule{ExpireDays: 3650, NoncurrentDays: 1}, 5 * day, none},
		"a date to come":                {bucket.Rule{ExpireDate: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), NoncurrentDays: 1}, 5 * day, none},
		"a date that has passed":        {bucket.Rule{ExpireDate: time.Date(2026, 10, 3, 0, 0, 0, 0, time.UTC), NoncurrentDays: 1}, 5 * day, all},
		"expired, but not removed yet":  {bucket.Rule{ExpireDays: 1, NoncurrentDays: 30}, 5 * day, `"r" explains a part of it`},
		"nothing removes what it left":  {bucket.Rule{ExpireDays: 1}, 5 * day, `"r" explains a part of it`},
		"another log":                   {bucket.Rule{Prefix: commit.LogPrefix(commit.FolderHash("g")), ExpireDays: 1, NoncurrentDays: 1}, 5 * day, none},
		"objects larger than any entry": {bucket.Rule{LargerThan: 1_000_000, ExpireDays: 1, NoncurrentDays: 1}, 5 * day, none},
		"it only removes old versions":  {bucket.Rule{NoncurrentDays: 1}, 5 * day, none},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.history("f", 3)
			w.erase(commit.EntryKey("f", 1))
			x.rule.ID, x.rule.Enabled = "r", true
			w.must(w.b.SetLifecycle(bg, []bucket.Rule{x.rule}))
			w.pass(x.after)
			if f := findingOf(t, w.audit(Options{}), "log-tail-missing"); !strings.Contains(f.Detail, x.says) {
				t.Errorf("%q is not in %q", x.says, f.Detail)
			}
		})
	}
}
