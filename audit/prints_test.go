package audit

import (
	"fmt"
	"testing"
	"time"

	"provcat-tui/bucket"
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
