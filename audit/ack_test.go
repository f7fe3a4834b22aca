package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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

func TestParseIgnoreIsStrict(t *testing.T) {
	const fp = "0123456789abcdef0123456789abcdef"
	good := "# known\n- fingerprint: " + fp + reasonAndDay +
		"- id: commit-lost-race\n  folder: sales/**\n  key: '*.csv'" + reasonAndDay +
		"- {id: log-key-foreign, folder: 2026, reason: x, expires: 2027-01-31} # a folder that looks like a number\n" +
		"- id: log-key-foreign\n  folder: \"\"" + reasonAndDay
	list := rules(t, good)
	if len(list.Rules) != 4 || list.Rules[0].Fingerprint != fp || list.Rules[1].Line != 5 || list.Rules[2].folder.text != "2026" ||
		list.Rules[3].folder == nil || list.Rules[3].folder.text != "" || list.Rules[1].Reason != "it is so" ||
		!list.Rules[0].Through.Equal(time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", list.Rules)
	}
	for _, empty := range []string{"", "# nothing yet\n", "---\n", "[]", "null"} {
		if list := rules(t, empty); len(list.Rules) != 0 {
			t.Errorf("%q: %+v", empty, list)
		}
	}
	for text, says := range map[string]string{
		"id: x":                "line 1: a list of rules",
		"- x":                  "line 1: a rule is expected",
		"\n-\n  - x":           "line 3: a rule is expected",
		"- fingerprint: " + fp: "a rule needs a reason",
		"- fingerprint: " + fp + "\n  reason: ' '\n  expires: 2027-01-31": "line 2: a rule needs a reason",
		"- fingerprint: " + fp + "\n  reason: x":                          "needs a day on which it expires",
		"- fingerprint: abc" + reasonAndDay:                               "line 1: fingerprint: 32 hex digits",
		"- fingerprint: " + strings.ToUpper(fp) + reasonAndDay:            "32 hex digits",
		"- fingerprint: " + fp + "\n  id: log-key-foreign" + reasonAndDay: "line 2: id does not go with fingerprint",
		"- fingerprint: " + fp + "\n  versions: many" + reasonAndDay:      "line 2: versions: a count",
		"- fingerprint: " + fp + "\n  commits: -1" + reasonAndDay:         "line 2: commits: a count",
		"- id: log-key-foreign\n  commits: 1" + reasonAndDay:              "line 2: commits goes with fingerprint only",
		"- fingerprint: " + fp + "\n  digest: 12" + reasonAndDay:          "line 2: digest: 32 hex digits",
		"- id: log-key-foreign\n  digest: " + fp + reasonAndDay:           "line 2: digest goes with fingerprint only",
		"- reason: x\n  expires: 2027-01-31":                              "needs a fingerprint, or an id",
		"- id: log-key-strange" + reasonAndDay:                            `line 1: no finding has the id "log-key-strange"`,
		"- folder: a\n  id: log-entry-remade" + reasonAndDay:              "line 2: log-entry-remade is damage",
		"- id: commit-corrupt" + reasonAndDay:                             "one by one",
		"- id: version-changed" + reasonAndDay:                            "one by one",
		"- id: witness-regressed" + reasonAndDay:                          "one by one",
		"- id: log-key-foreign\n  reasn: x\n  expires: 2027-01-31":        `line 2: a rule has no member "reasn"`,
		"- id: log-key-foreign\n  folder: [a, b]" + reasonAndDay:          "line 2: folder: one text",
		"- id: log-key-foreign\n  folder:" + reasonAndDay:                 `line 2: folder has no value`,
		"- id: log-key-foreign\n  folder: ~" + reasonAndDay:               "has no value",
		"- id: log-key-foreign\n  id: log-key-foreign" + reasonAndDay:     "line 2: id stands twice",
		"- id: log-key-foreign\n  reason: 5\n  expires: 2027-01-31":       "line 2: reason: a text",
		"- id: log-key-foreign\n  reason: x\n  expires: tomorrow":         "line 3: expires: a day",
		"- id: log-key-foreign\n  reason: x\n  expires: 2027-02-30":       "line 3: expires: a day",
		"- id: log-key-foreign\n  reason: x\n  expires: 9999-12-31":       "line 3: expires: a day",
		"- &a {id: log-key-foreign}\n- *a":                                "line 1: a rule needs a reason",
		"- id: log-key-foreign" + reasonAndDay + "- *a":                   "",
		"a: [":                              "line 1",
		"[]\n---\n[]":                       "second document",
		"- id: \"\\x1b[2J\"" + reasonAndDay: `\\x1b`,
	} {
		_, err := ParseIgnore([]byte(text))
		if err == nil || !strings.Contains(err.Error(), says) || strings.ContainsAny(err.Error(), "\x1b") {
			t.Errorf("%q: %v, want %q in it", text, err, says)
		}
	}
	if _, err := ParseIgnore(make([]byte, MaxIgnore+1)); err == nil || !strings.Contains(err.Error(), "larger than 4 MiB") {
		t.Errorf("a huge list: %v", err)
	}
}

func TestPatterns(t *testing.T) {
	for p, x := range map[string]struct{ yes, no string }{ // names apart by spaces
		"sales":       {"sales", "sale sales2 sales/2026"},
		"sales/**":    {"sales sales/2026 sales/2026/eu", "sales2 other/sales"},
		"sales/*":     {"sales/2026", "sales sales/2026/eu"},
		"**":          {"a a/b a/b/c", ""},
		"*":           {"a", "a/b"},
		"**/eu":       {"eu a/eu a/b/eu", "eux aeu eu/x"},
		"a/**/z":      {"a/b/z a/b/c/z", "a b/z"},
		"*.csv":       {"x.csv .csv", "a/x.csv x.csvx xcsv"},
		"**.csv":      {"x.csv a/x.csv", "x.csv/y"},
		"a?c":         {"abc aéc", "ac a/c abbc"},
		`a\*c`:        {"a*c", "abc"},
		`a\`:          {`a\`, "a"},
		"a.c[x](y)+$": {"a.c[x](y)+$", "abc"},
		"a*(":         {"a( ab(", "a"},
	} {
		q := newPattern(p)
		for _, s := range strings.Fields(x.yes) {
			if !q.match(s) {
				t.Errorf("%q does not match %q", p, s)
			}
		}
		for _, s := range strings.Fields(x.no) {
			if q.match(s) {
				t.Errorf("%q matches %q", p, s)
			}
		}
	}
	if !newPattern("").match("") || !newPattern("**").match("") || newPattern("*").match("a\n/b") || !newPattern("a*").match("a\n\xff") {
		t.Error("the empty folder, or keys that are no text")
	}
}

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

func TestAddIgnoreKeepsTheRest(t *testing.T) {
	f := Finding{ID: "log-entry-deleted", Title: "entry 2 of a\x1b[2J\nb # x: \u202e is deleted", Fingerprint: "11111111111111111111111111111111"}
	reason := "Ana: \"it's known\"\n# really \u202e\x1b"
	old := "- id: log-key-foreign # sync's\n  reason: 'x'\n  expires: 2027-01-31\n"
	for name, text := range map[string]string{
		"no file":            "",
		"only a comment":     "# acknowledged findings",
		"a comment and dash": "# x\n---\n",
		"some rules":         "# ours\n\n" + old + "\n# the end",
		"indented":           "  # ours\n  - id: log-key-foreign\n    reason: x\n    expires: 2027-01-31\n",
		"windows":            strings.ReplaceAll(old, "\n", "\r\n"),
		"no line end":        strings.TrimSuffix(old, "\n"),
		"a marker":           "%YAML 1.1\n---\n" + old,
	} {
		t.Run(name, func(t *testing.T) {
			out, err := AddIgnore([]byte(text), f, reason, today)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(out, []byte(text)) {
				t.Errorf("the old text is changed:\n%s", out)
			}
			if bytes.ContainsAny(out, "\x1b\u202e") {
				t.Errorf("a control character: %q", out)
			}
			list := rules(t, string(out))
			last := list.Rules[len(list.Rules)-1]
			if last.Fingerprint != f.Fingerprint || last.Reason != reason || last.Through.Format(time.DateOnly) != "2026-12-02" {
				t.Errorf("%+v in\n%s", last, out)
			}
			if out, err = AddIgnore(out, Finding{ID: "x", Fingerprint: strings.Repeat("ab", 16)}, "again", today); err != nil || len(rules(t, string(out)).Rules) != len(list.Rules)+1 {
				t.Errorf("a second: %v\n%s", err, out)
			}
		})
	}
	for text, says := range map[string]string{
		"[]": "by hand", "[{id: log-key-foreign, reason: x, expires: 2027-01-31}]": "by hand",
		old + "...\n": "by hand", "- id: nonsense": "line 1",
	} {
		if _, err := AddIgnore([]byte(text), f, "x", today); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, x := range []struct {
		f      Finding
		reason string
	}{{f, ""}, {f, " \n"}, {Finding{ID: "x"}, "x"}} {
		if _, err := AddIgnore(nil, x.f, x.reason, today); err == nil {
			t.Errorf("%+v is taken", x)
		}
	}
}

// Several programs acknowledge in one file at once, and none undoes another's.
func TestAcknowledgeTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ignore.yaml")
	var g sync.WaitGroup
	for i := range 8 {
		g.Go(func() {
			f := Finding{ID: "x", Title: "y", Fingerprint: fmt.Sprintf("%032x", i)}
			if err := Acknowledge(path, f, "known", today); err != nil {
				t.Error(err)
			}
		})
	}
	g.Wait()
	list, err := LoadIgnore(path)
	if err != nil || len(list.Rules) != 8 {
		t.Fatalf("%+v, %v", list, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := os.WriteFile(path, []byte("no list"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Acknowledge(path, Finding{Fingerprint: strings.Repeat("ab", 16)}, "known", today); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a file with an error: %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "no list" {
		t.Errorf("it was changed: %q, %v", data, err)
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

func FuzzParseIgnore(f *testing.F) {
	f.Add([]byte("# x\n- id: log-key-foreign\n  folder: a/**\n  key: '*'\n  reason: x\n  expires: 2027-01-31\n"), "why")
	f.Add([]byte("  - {fingerprint: 0123456789abcdef0123456789abcdef, reason: x, expires: 2027-01-31}"), "a\"b\\\n\u2028")
	f.Add([]byte("- &a [*a]\n- !!binary x\n- <<: *a\n- ? x\n"), "x")
	f.Fuzz(func(t *testing.T, data []byte, reason string) {
		list, err := ParseIgnore(data)
		if err != nil {
			if err.Error() == "" || strings.ContainsRune(err.Error(), 0x1b) {
				t.Fatalf("%q", err)
			}
			return
		}
		for _, r := range list.Rules {
			if (r.Fingerprint == "") == (r.ID == "") || r.Reason == "" || r.Through.IsZero() || r.Line < 1 {
				t.Fatalf("%+v", r)
			}
		}
		print := strings.Repeat("0e", 16)
		out, err := AddIgnore(data, Finding{ID: "x", Title: reason, Fingerprint: print}, reason, today)
		if err != nil {
			return
		}
		again, err := ParseIgnore(out)
		if err != nil || len(again.Rules) != len(list.Rules)+1 || !bytes.HasPrefix(out, data) {
			t.Fatalf("%v: %q", err, out)
		}
		if got := again.Rules[len(list.Rules)]; got.Fingerprint != print || got.Reason != strings.TrimSpace(strings.ToValidUTF8(reason, "\uFFFD")) {
			t.Fatalf("%+v of %q", got, out)
		}
	})
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
