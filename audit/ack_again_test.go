package audit

import (
	"reflect"
	"testing"
	"time"
)

// A report to which rules are applied later is that of an audit that had them.
func TestAcknowledgeAReport(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	finding := func(id string, s Severity, print string) Finding {
		return Finding{ID: id, Severity: s, Confidence: Certain, Fingerprint: print}
	}
	const a, b, c = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "cccccccccccccccccccccccccccccccc"
	made := func() *Report {
		r := &Report{Started: now, FailOn: Damage, Findings: []Finding{
			finding("commit-deleted", Damage, a), finding("access-denied", Unknown, b), finding("commit-rewritten", Info, c)}}
		r.Coverage.Logs = Coverage{Checked: 1, Total: 1}
		r.Coverage.Entries = Coverage{Checked: 1, Total: 1}
		r.conclude(Damage)
		return r
	}
	rules := func(prints ...string) *IgnoreList {
		var text []byte
		for _, p := range prints {
			var err error
			if text, err = AddIgnore(text, Finding{ID: "x", Fingerprint: p}, "known", now); err != nil {
				t.Fatal(err)
			}
		}
		l, err := ParseIgnore(text)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	r := made()
	if r.Verdict != Fail {
		t.Fatalf("verdict %s", r.Verdict)
	}
	// What could not be checked stays so, acknowledged or not.
	for _, l := range []*IgnoreList{rules(a), rules(a, b), rules(a, b, c)} {
		got := r.Acknowledge(l)
		if got.Verdict != Incomplete || got.Complete || got.Counts[Damage] != 0 || len(got.Acknowledged) != len(l.Rules) || len(got.Findings) != 3-len(l.Rules) {
			t.Errorf("%d rules: %s, complete %v, %d acknowledged", len(l.Rules), got.Verdict, got.Complete, len(got.Acknowledged))
		}
		if got.Rules == nil || len(got.Rules.Expired) != 0 {
			t.Errorf("rules: %+v", got.Rules)
		}
		// And back: without rules it is what it was.
		back := got.Acknowledge(nil)
		if !reflect.DeepEqual(back, r) {
			t.Errorf("back: %+v\nwant  %+v", back, r)
		}
	}
	if r.Verdict != Fail || len(r.Findings) != 3 {
		t.Errorf("the report itself was changed: %+v", r)
	}
	// An expired rule holds no more.
	late := made()
	late.Started = now.AddDate(0, 0, 1)
	if got := late.Acknowledge(rules(a)); got.Verdict != Fail || len(got.Rules.Expired) != 1 {
		t.Errorf("after its last day: %s, %+v", got.Verdict, got.Rules)
	}
	// What a baseline knew stays known.
	known := made()
	known.Acknowledged = []Acknowledged{{Finding: known.Findings[0], By: "baseline", Reason: "known since"}}
	known.Findings = known.Findings[1:]
	known.conclude(Damage)
	if got := known.Acknowledge(rules(c)); len(got.Acknowledged) != 2 || got.Acknowledged[0].By != "baseline" || got.Verdict != Incomplete {
		t.Errorf("with a baseline: %+v", got.Acknowledged)
	}
}
