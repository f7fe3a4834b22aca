package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/commit"
)

// baselineOf is a report that was written and read as a baseline.
func baselineOf(t testing.TB, r *Report) *Baseline {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ReadBaseline(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBaseline(t *testing.T) {
	w := troubled(t)
	first := w.audit(Options{Now: now})
	base := baselineOf(t, first)
	if base.Bucket != w.b.URL() || !base.Finished.Equal(today) {
		t.Errorf("%+v", base)
	}
	r := w.audit(Options{Now: now, Baseline: base})
	expect(t, r)
	if r.Verdict != Pass || len(r.Acknowledged) != len(first.Findings) || r.Baseline.Known != len(first.Findings) ||
		len(r.Baseline.Resolved)+len(r.Baseline.NotSeen) != 0 || acked(r)["log-entry-deleted"] != "baseline" {
		t.Errorf("verdict %s, acknowledged %d, baseline %+v", r.Verdict, len(r.Acknowledged), r.Baseline)
	}
	// A report of which all was known is as good a baseline.
	r = w.audit(Options{Now: now, Baseline: baselineOf(t, r)})
	if r.Verdict != Pass || len(r.Acknowledged) != len(first.Findings) {
		t.Errorf("the second generation: verdict %s, %d acknowledged", r.Verdict, len(r.Acknowledged))
	}
	// New damage counts, and alone.
	w.del(slot(3))
	r = w.audit(Options{Now: now, Baseline: base})
	expect(t, r, want{id: "log-entry-deleted", number: 3})
	if r.Verdict != Fail {
		t.Errorf("verdict %s", r.Verdict)
	}
	// What is gone is resolved, if all was looked at.
	for _, v := range w.versions(commit.Root + "notes.txt") {
		w.kill(v.Key, v.ID)
	}
	for _, x := range []struct {
		o    Options
		want int
	}{{Options{}, 1}, {Options{Depth: DepthLog}, 0}, {Options{Folder: sales}, 0}} {
		x.o.Now, x.o.Baseline = now, base
		r = w.audit(x.o)
		if n := len(r.Baseline.Resolved); n != x.want || x.want == 1 && r.Baseline.Resolved[0].ID != "log-key-foreign" || n+len(r.Baseline.NotSeen) != 1 {
			t.Errorf("%+v: %+v", x.o, r.Baseline)
		}
	}
	// Ignore goes first.
	damage := findingOf(t, first, "log-entry-deleted").Fingerprint
	ignore := rules(t, "- fingerprint: \""+damage+"\"\n  reason: mine\n  expires: 2027-01-01")
	both := w.audit(Options{Now: now, Baseline: base, Ignore: ignore})
	i := slices.IndexFunc(both.Acknowledged, func(x Acknowledged) bool { return x.Fingerprint == damage })
	if i < 0 || both.Acknowledged[i].By != "ignore" || both.Acknowledged[i].Reason != "mine" {
		t.Errorf("%+v", both.Acknowledged)
	}
	// A rule that expires is not outlived by way of a baseline.
	r = w.audit(Options{Now: func() time.Time { return today.AddDate(1, 0, 0) }, Baseline: baselineOf(t, both), Ignore: ignore})
	if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Fingerprint == damage }) {
		t.Error("the expired rule's finding does not count")
	}
}

func TestABaselineKnowsNothingWorse(t *testing.T) {
	f := Finding{ID: "x", Severity: Anomaly, Fingerprint: strings.Repeat("0a", 16)}
	for s, want := range map[Severity]bool{Damage: true, Risk: true, Anomaly: true, Unknown: false, Info: false} {
		b := &Baseline{known: map[string]baseFinding{f.Fingerprint: {KnownFinding: KnownFinding{Severity: s, Fingerprint: f.Fingerprint}}}}
		if b.knows(f) != want {
			t.Errorf("known as %s: %v", s, !want)
		}
		r := &Report{Findings: []Finding{f}}
		a := acknowledger{o: Options{Baseline: b}}
		a.apply(r)
		a.tell(r)
		if (len(r.Acknowledged) == 1) != want || (r.Baseline.Worse == 1) == want {
			t.Errorf("known as %s: %+v, %+v", s, r.Acknowledged, r.Baseline)
		}
	}
}

func TestReadingWhatIsNoReport(t *testing.T) {
	w := troubled(t)
	data, err := json.Marshal(w.audit(Options{Now: now}))
	w.must(err)
	for i := 0; i < len(data); i += 7 {
		if _, err := ReadBaseline(bytes.NewReader(data[:i])); !errors.Is(err, ErrBaseline) || !strings.Contains(err.Error(), "breaks off") {
			t.Fatalf("cut off after %d bytes: %v", i, err)
		}
	}
	for text, says := range map[string]string{
		"": "breaks off", "x": "byte", "[]": "stands where {",
		`{"schema":"provcat-witness/1"}`:                                                                      "provcat-witness/1",
		`{"schema":"provcat-audit/1","bucket":"s3://x"}`:                                                      "no findings",
		`{"schema":"provcat-audit/1","findings":[]}`:                                                          "names no bucket",
		`{"schema":"provcat-audit/1","bucket":"s3://x","findings":[],"finished":"9999-12-31T23:59:59-01:00"}`: "no year that can be",
		`{"bucket":"s3://x","findings":[]}`:                                                                   "no schema",
		`{"schema":"provcat-audit/1","bucket":"s3://x","findings":[{}]}`:                                      "fingerprint",
		`{"schema":"provcat-audit/1","bucket":"s3://x","findings":null}`:                                      "stands where [",
		`{"schema":"provcat-audit/1","bucket":"s3://x","findings":[]} more`:                                   "byte",
	} {
		if _, err := ReadBaseline(strings.NewReader(text)); !errors.Is(err, ErrBaseline) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q in it", text, err, says)
		}
	}
	if _, err := ReadBaseline(failing{}); !errors.Is(err, errDisk) || errors.Is(err, ErrBaseline) {
		t.Errorf("a disk that fails: %v", err)
	}
}

func FuzzReadBaseline(f *testing.F) {
	f.Add([]byte(`{"schema":"provcat-audit/1","bucket":"s3://x","findings":[{"id":"x","severity":"damage","fingerprint":"0123456789abcdef0123456789abcdef"}]}`))
	f.Add([]byte(`{"findings":[],"acknowledged":[{"by":"baseline"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := ReadBaseline(bytes.NewReader(data))
		if err != nil {
			if !errors.Is(err, ErrBaseline) {
				t.Fatal(err)
			}
			return
		}
		r := &Report{Findings: []Finding{{Severity: Damage, Fingerprint: strings.Repeat("00", 16)}}}
		a := acknowledger{o: Options{Baseline: b}}
		a.apply(r)
		a.tell(r)
	})
}
