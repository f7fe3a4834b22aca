package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/commit"
)

var today = time.Date(2026, 12, 2, 9, 0, 0, 0, time.UTC)

func now() time.Time { return today }

func rules(t testing.TB, text string) *IgnoreList {
	t.Helper()
	list, err := ParseIgnore([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

const reasonAndDay = "\n  reason: it is so\n  expires: 2027-01-31\n"

// acked gives the fingerprints of acknowledged findings, and by what.
func acked(r *Report) map[string]string {
	out := map[string]string{}
	for _, x := range r.Acknowledged {
		out[x.ID] = x.By
	}
	return out
}

// troubled is a bucket with damage, an anomaly and an info.
func troubled(t *testing.T) *world {
	w := newWorld(t)
	ids := w.history(sales, 3)
	w.del(slot(2))
	w.put(commit.Root+"notes.txt", "")
	w.put(slot(3), w.body(slot(3), "")) // log-entry-restored
	_ = ids
	w.now = today.Add(-time.Hour)
	return w
}

func TestAcknowledgedByRules(t *testing.T) {
	w := troubled(t)
	plain := w.audit(Options{Now: now})
	damage, foreign := findingOf(t, plain, "log-entry-deleted"), findingOf(t, plain, "log-key-foreign")
	if plain.Rules != nil || plain.Baseline != nil || len(plain.Acknowledged) != 0 {
		t.Errorf("%+v", plain)
	}
	const day = "\n  reason: the cause is known\n  expires: "
	for name, x := range map[string]struct {
		rules                    string
		acked                    []string
		verdict                  Verdict
		expired, refused, unused int
	}{
		"none":                    {"", nil, Fail, 0, 0, 0},
		"damage by fingerprint":   {"- fingerprint: \"" + damage.Fingerprint + "\"" + day + "2026-12-31", []string{"log-entry-deleted"}, Pass, 0, 0, 0},
		"through its last day":    {"- fingerprint: \"" + damage.Fingerprint + "\"" + day + "2026-12-02", []string{"log-entry-deleted"}, Pass, 0, 0, 0},
		"expired yesterday":       {"- fingerprint: \"" + damage.Fingerprint + "\"" + day + "2026-12-01", nil, Fail, 1, 0, 0},
		"expired and renewed":     {"- fingerprint: \"" + damage.Fingerprint + "\"" + day + "2026-12-01\n- fingerprint: \"" + damage.Fingerprint + "\"" + day + "2027-12-01", []string{"log-entry-deleted"}, Pass, 1, 0, 0},
		"an anomaly by its kind":  {"- id: log-key-foreign" + day + "2027-01-01", []string{"log-key-foreign"}, Fail, 0, 0, 0},
		"and by its key":          {"- id: log-key-foreign\n  key: .provcat/*.txt" + day + "2027-01-01", []string{"log-key-foreign"}, Fail, 0, 0, 0},
		"another key":             {"- id: log-key-foreign\n  key: .provcat/*.csv" + day + "2027-01-01", nil, Fail, 0, 0, 1},
		"a folder that it hasn't": {"- id: log-key-foreign\n  folder: '**'" + day + "2027-01-01", nil, Fail, 0, 0, 1},
		"info by kind and folder": {"- id: log-entry-restored\n  folder: sales/**" + day + "2027-01-01", []string{"log-entry-restored"}, Fail, 0, 0, 0},
		"nothing that was found":  {"- id: commit-files-invalid" + day + "2027-01-01", nil, Fail, 0, 0, 1},
		"all, by two rules":       {"- fingerprint: \"" + damage.Fingerprint + "\"" + day + "2027-01-01\n- id: log-key-foreign" + day + "2027-01-01", []string{"log-entry-deleted", "log-key-foreign"}, Pass, 0, 0, 0},
		"by fingerprint and kind": {"- id: log-key-foreign" + day + "2027-01-01\n- fingerprint: \"" + foreign.Fingerprint + "\"" + day + "2027-01-01", []string{"log-key-foreign"}, Fail, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.audit(Options{Now: now, Ignore: rules(t, x.rules)})
			got := acked(r)
			if len(got) != len(x.acked) || r.Verdict != x.verdict {
				t.Errorf("acknowledged %v, want %v; verdict %s", got, x.acked, r.Verdict)
			}
			for _, id := range x.acked {
				if got[id] != "ignore" {
					t.Errorf("%s is not acknowledged: %v", id, got)
				}
			}
			if len(r.Findings)+len(r.Acknowledged) != len(plain.Findings) {
				t.Errorf("%d findings and %d acknowledged, of %d", len(r.Findings), len(r.Acknowledged), len(plain.Findings))
			}
			n := 0
			for _, c := range r.Counts {
				n += c
			}
			if n != len(r.Findings) {
				t.Errorf("counts %v for %d findings", r.Counts, len(r.Findings))
			}
			if u := r.Rules; len(u.Expired) != x.expired || len(u.Refused) != x.refused || len(u.Unused) != x.unused {
				t.Errorf("rules %+v", u)
			}
			for _, a := range r.Acknowledged {
				if a.Reason != "the cause is known" || a.Expires == nil || a.Expires.Hour() != 0 || !a.Expires.After(today) {
					t.Errorf("%s: reason %q, expires %v", a.ID, a.Reason, a.Expires)
				}
			}
		})
	}
	r := w.audit(Options{Now: now, Ignore: rules(t, "- fingerprint: \""+damage.Fingerprint+"\""+day+"2026-12-02")})
	if want := time.Date(2026, 12, 3, 0, 0, 0, 0, time.UTC); !r.Acknowledged[0].Expires.Equal(want) {
		t.Errorf("counts again from %v, want %v", r.Acknowledged[0].Expires, want)
	}
	// What is not looked at uses no rule, which says nothing about the rule.
	for _, o := range []Options{{Folder: sales}, {Depth: DepthCommits}} {
		o.Now, o.Ignore = now, rules(t, "- id: commit-files-invalid"+day+"2027-01-01")
		if r := w.audit(o); len(r.Rules.Unused) != 0 {
			t.Errorf("%+v: unused %+v", o, r.Rules.Unused)
		}
	}
}

// A rule for a kind that can be damage covers the milder ones only.
func TestDamageIsNeverAcknowledgedByKind(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 3)
	w.history("other", 3)
	w.put(slot(3), "garbage") // damage
	good := w.body(commit.EntryKey("other", 3), "")
	w.put(commit.EntryKey("other", 3), "garbage")
	w.put(commit.EntryKey("other", 3), good) // an anomaly
	r := w.audit(Options{Now: now, Ignore: rules(t, "- id: log-entry-unreadable\n  reason: x\n  expires: 2027-01-01")})
	expect(t, r, want{id: "log-entry-unreadable", severity: Damage, folder: sales})
	if len(r.Acknowledged) != 1 || r.Acknowledged[0].Severity != Anomaly || r.Verdict != Fail {
		t.Errorf("acknowledged %+v, verdict %s", r.Acknowledged, r.Verdict)
	}
	if u := r.Rules.Refused; len(u) != 1 || !slices.Equal(u[0].Findings, []string{findingOf(t, r, "log-entry-unreadable").Fingerprint}) {
		t.Errorf("refused %+v", u)
	}
}

// What could not be checked makes no audit complete by being acknowledged.
func TestAcknowledgedUnknownsStayIncomplete(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 2)
	b := &tampered{Bucket: w.b, open: func(key, _ string, _ int64) error {
		if strings.HasPrefix(key, commit.Commits) {
			return errNoWay
		}
		return nil
	}}
	w.now = today.Add(-time.Hour)
	r := auditOf(t, b, Options{Now: now, Ignore: rules(t, "- id: access-denied\n  reason: x\n  expires: 2027-01-01")})
	if got := acked(r); got["access-denied"] != "ignore" || r.Counts[Unknown] != 0 || r.Complete || r.Verdict != Incomplete {
		t.Errorf("acknowledged %v, complete %v, verdict %s", got, r.Complete, r.Verdict)
	}
	// A scope that no log covers has no coverage to tell it.
	r = w.audit(Options{Now: now, Folder: sales + "/de"})
	i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ID == "check-incomplete" })
	if i < 0 {
		t.Fatal(r.Findings)
	}
	r = w.audit(Options{Now: now, Folder: sales + "/de", Ignore: rules(t, "- fingerprint: \""+r.Findings[i].Fingerprint+"\"\n  reason: x\n  expires: 2027-01-01")})
	if len(r.Acknowledged) != 1 || r.Complete || r.Verdict != Incomplete {
		t.Errorf("acknowledged %v, complete %v, verdict %s", r.Acknowledged, r.Complete, r.Verdict)
	}
}

// Damage that one finding tells of grows from run to run, and its fingerprint stays:
// what somebody knows of is what was there then.
func TestAcknowledgedDamageThatGrows(t *testing.T) {
	w := newWorld(t)
	for i := range 6 {
		w.put(fmt.Sprintf("f/%d", i), "x")
	}
	w.commit("f", "")
	w.now = today.Add(-time.Hour)
	w.erase("f/0")
	w.erase("f/1")
	first := w.audit(Options{Now: now})
	f := findingOf(t, first, "version-missing")
	text, err := AddIgnore(nil, f, "the disk", today)
	w.must(err)
	if !strings.Contains(string(text), "\n  versions: 2\n  commits: 1\n") {
		t.Errorf("no bounds in %s", text)
	}
	known, base := rules(t, string(text)), baselineOf(t, first)
	open := rules(t, "- fingerprint: \""+f.Fingerprint+"\""+reasonAndDay)
	for _, o := range []Options{{Ignore: known}, {Baseline: base}} {
		o.Now = now
		if r := w.audit(o); r.Verdict != Pass || len(r.Acknowledged) != 1 {
			t.Errorf("%+v: verdict %s", o, r.Verdict)
		}
	}
	r := w.audit(Options{Now: now, Ignore: open})
	if r.Verdict != Fail || len(r.Rules.Refused) != 1 || *r.Rules.Refused[0].Affected != (Extent{2, 1}) {
		t.Errorf("without a bound: verdict %s, %+v", r.Verdict, r.Rules)
	}
	w.erase("f/2")
	r = w.audit(Options{Now: now, Ignore: known, Baseline: base})
	if g := findingOf(t, r, "version-missing"); g.Fingerprint != f.Fingerprint || r.Verdict != Fail ||
		len(r.Rules.Outgrown) != 1 || *r.Rules.Outgrown[0].Affected != (Extent{3, 1}) || len(r.Rules.Unused) != 0 || r.Baseline.Worse != 1 {
		t.Errorf("verdict %s, rules %+v, baseline %+v", r.Verdict, r.Rules, r.Baseline)
	}
}

// As many versions are lost as before, but others: what somebody knows of is what was
// lost then. When fewer are lost, some of them were mended.
func TestAcknowledgedDamageOfOtherVersions(t *testing.T) {
	made := func(lost ...string) *world {
		w := newWorld(t)
		for _, k := range []string{"f/0", "f/1", "f/2"} {
			w.put(k, "of "+k)
		}
		w.commit("f", "")
		w.now = today.Add(-time.Hour)
		for _, k := range lost {
			w.erase(k)
		}
		return w
	}
	first := made("f/0", "f/1").audit(Options{Now: now})
	f := findingOf(t, first, "version-missing")
	text, err := AddIgnore(nil, f, "the disk", today)
	if err != nil || !strings.Contains(string(text), "\n  digest: \""+f.Affected.Digest+"\"\n") || f.Affected.Digest == "" {
		t.Fatalf("%v: no digest in %s", err, text)
	}
	bounded := rules(t, "- fingerprint: \""+f.Fingerprint+"\"\n  versions: 2"+reasonAndDay)
	exact := rules(t, "- fingerprint: \""+f.Fingerprint+"\"\n  digest: \""+f.Affected.Digest+"\""+reasonAndDay)
	for _, x := range []struct {
		name string
		o    Options
		lost []string
		want Verdict
	}{
		{"the same", Options{Ignore: rules(t, string(text))}, []string{"f/0", "f/1"}, Pass},
		{"as many others", Options{Ignore: rules(t, string(text))}, []string{"f/0", "f/2"}, Fail},
		{"fewer", Options{Ignore: rules(t, string(text))}, []string{"f/1"}, Pass},
		{"more", Options{Ignore: rules(t, string(text))}, []string{"f/0", "f/1", "f/2"}, Fail},
		{"baseline: the same", Options{Baseline: baselineOf(t, first)}, []string{"f/0", "f/1"}, Pass},
		{"baseline: as many others", Options{Baseline: baselineOf(t, first)}, []string{"f/0", "f/2"}, Fail},
		{"baseline: fewer", Options{Baseline: baselineOf(t, first)}, []string{"f/1"}, Pass},
		{"a rule with a count only", Options{Ignore: bounded}, []string{"f/0", "f/2"}, Pass},
		{"a rule with a digest only", Options{Ignore: exact}, []string{"f/0", "f/1"}, Pass},
		{"a rule with a digest only, others", Options{Ignore: exact}, []string{"f/1"}, Fail},
	} {
		x.o.Now = now
		if r := made(x.lost...).audit(x.o); r.Verdict != x.want {
			t.Errorf("%s: verdict %s: %+v, %+v", x.name, r.Verdict, r.Findings, r.Rules)
		}
	}
}

// A loss that grows is not covered by the acknowledgement of the smaller one.
func TestAcknowledgedLossThatGrows(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 6)
	wit := w.first(Options{})
	cut := func(n int64) { w.erase(slot(n)); w.erase(key(ids[n])) }
	cut(6)
	r, wit := seenBy(t, w.b, wit, Options{Now: now})
	text, err := AddIgnore(nil, findingOf(t, r, "witness-regressed"), "a test that was reset", today.AddDate(0, 1, 0))
	w.must(err)
	r, wit = seenBy(t, w.b, wit, Options{Now: now, Ignore: rules(t, string(text))})
	if r.Verdict != Pass || len(r.Acknowledged) != 1 {
		t.Errorf("verdict %s, acknowledged %+v", r.Verdict, r.Acknowledged)
	}
	cut(5)
	r, _ = seenBy(t, w.b, wit, Options{Now: now, Ignore: rules(t, string(text))})
	expect(t, r, want{id: "witness-regressed", commits: 2})
}
