package audit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

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
