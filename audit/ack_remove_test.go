package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ackOf is a finding as a rule acknowledged it.
func ackOf(print, reason string, through time.Time) Acknowledged {
	until := through.AddDate(0, 0, 1)
	return Acknowledged{Finding: Finding{ID: "log-key-foreign", Severity: Anomaly, Fingerprint: print, Key: "a/x"}, By: "ignore", Reason: reason, Expires: &until}
}

func TestRemoveIgnore(t *testing.T) {
	a, b := strings.Repeat("0a", 16), strings.Repeat("0b", 16)
	day := time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)
	rule := func(print, reason string) string {
		return "- fingerprint: \"" + print + "\" # what\n  reason: " + reason + "\n  expires: 2027-01-31\n"
	}
	kind := "- id: log-key-foreign\n  reason: known\n  expires: 2027-01-31\n"
	for _, c := range []struct{ name, text, want, err string }{
		{"the only one", rule(a, "known"), "", ""},
		{"the first", rule(a, "known") + rule(b, "x"), rule(b, "x"), ""},
		{"the last", "# top\n\n" + rule(b, "x") + rule(a, "known"), "# top\n\n" + rule(b, "x"), ""},
		{"comments stay", "# top\n\n# of a\n" + rule(a, "known") + "\n# of b\n" + rule(b, "x") + "# end\n",
			"# top\n\n# of a\n\n# of b\n" + rule(b, "x") + "# end\n", ""},
		{"one blank line stays", rule(b, "x") + "\n" + rule(a, "known") + "\n" + kind, rule(b, "x") + "\n" + kind, ""},
		{"a comment within", "- fingerprint: \"" + a + "\"\n  # why\n  reason: known\n  expires: 2027-01-31\n", "  # why\n", ""},
		{"that of its reason", rule(a, "older") + rule(a, "known"), rule(a, "older"), ""},
		{"beside one for the kind", kind + rule(a, "known"), kind, ""},
		{"a dash alone, indented", "---\n  -\n    # why\n    fingerprint: \"" + a + "\"\n    reason: known\n    expires: 2027-01-31\n  - {fingerprint: \"" + b + "\", reason: x, expires: 2027-01-31}\n",
			"---\n    # why\n  - {fingerprint: \"" + b + "\", reason: x, expires: 2027-01-31}\n", ""},
		{"Windows' line ends", strings.ReplaceAll(rule(b, "x")+rule(a, "known"), "\n", "\r\n"), strings.ReplaceAll(rule(b, "x"), "\n", "\r\n"), ""},
		{"a text as a block", "- fingerprint: \"" + a + "\"\n  expires: 2027-01-31\n  reason: |-\n    known\n\n    # 12\n# end\n", "# end\n", ""},
		{"a flow list", "[{fingerprint: \"" + a + "\", reason: known, expires: 2027-01-31}]", "", "line 1: the rule cannot be taken out of a file that is laid out like this one: edit the file"},
		{"by its kind only", rule(b, "x") + kind, "", "line 4: the rule is for findings of the kind log-key-foreign, not for this one alone: edit the file"},
		{"gone", rule(b, "known"), "", "no rule of it acknowledges this finding any more"},
		{"no list", "x: 1", "", "line 1: a list of rules is expected"},
	} {
		x := ackOf(a, "known", day)
		if strings.Contains(c.text, "# 12") {
			x.Reason = "known\n\n# 12"
		}
		got, err := RemoveIgnore([]byte(c.text), x)
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %v, want %q", c.name, err, c.err)
		case c.err == "" && (err != nil || string(got) != c.want):
			t.Errorf("%s: %v, got\n%s\nwant\n%s", c.name, err, got, c.want)
		}
	}
}

// What Acknowledge adds Unacknowledge takes back, byte for byte.
func TestUnacknowledge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ignore.yaml")
	before := "# ours\n- id: log-key-foreign\n  folder: a/**\n  reason: tools\n  expires: 2027-06-30\n"
	if err := os.WriteFile(path, []byte(before), 0o640); err != nil {
		t.Fatal(err)
	}
	day := time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)
	x := ackOf(strings.Repeat("0a", 16), "drill: \x1b # 12", day)
	x.Severity, x.Affected.Versions = Damage, 7
	if err := Acknowledge(path, x.Finding, x.Reason, day); err != nil {
		t.Fatal(err)
	}
	list, err := LoadIgnore(path)
	if err != nil || list.RuleOf(x) == nil || list.RuleOf(x).Line != 6 {
		t.Fatalf("%v: %+v", err, list)
	}
	if err := Unacknowledge(path, x); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != before {
		t.Errorf("%v:\n%s", err, after)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
	if err := Unacknowledge(path, x); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a second time: %v", err)
	}
	if err := Unacknowledge(filepath.Join(t.TempDir(), "none"), x); err == nil {
		t.Error("there is no file")
	}
	if x.By = "baseline"; list.RuleOf(x) != nil || (*IgnoreList)(nil).RuleOf(x) != nil {
		t.Error("no rule acknowledged what a baseline did")
	}
}

func FuzzRemoveIgnore(f *testing.F) {
	print := strings.Repeat("0a", 16)
	f.Add([]byte("# x\n- fingerprint: \""+print+"\"\n  reason: |\n    # x\n  expires: 2027-01-31\n\n# y\n- id: log-key-foreign\n  reason: x\n  expires: 2027-01-31\n"), 0)
	f.Add([]byte("  - {fingerprint: \""+print+"\", reason: x,\n # c\n expires: 2027-01-31}\n..."), 0)
	f.Fuzz(func(t *testing.T, data []byte, at int) {
		list, err := ParseIgnore(data)
		if err != nil || at < 0 || at >= len(list.Rules) || list.Rules[at].Fingerprint == "" {
			return
		}
		r := list.Rules[at]
		out, err := RemoveIgnore(data, ackOf(r.Fingerprint, r.Reason, r.Through))
		if err != nil {
			if strings.ContainsRune(err.Error(), 0x1b) {
				t.Fatalf("%q", err)
			}
			return
		}
		left, err := ParseIgnore(out)
		if err != nil || len(left.Rules) != len(list.Rules)-1 || len(out) >= len(data) {
			t.Fatalf("%v: %q of %q", err, out, data)
		}
		lines := bytes.Split(data, []byte("\n"))
		for _, l := range bytes.Split(out, []byte("\n")) { // only lines of it are left
			if !containsLine(lines, l) {
				t.Fatalf("%q is new in %q of %q", l, out, data)
			}
		}
	})
}

func containsLine(lines [][]byte, l []byte) bool {
	for _, x := range lines {
		if bytes.Equal(x, l) {
			return true
		}
	}
	return len(l) == 0
}
