package views

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"provcat-tui/ui"
)

func TestKeysOfATextAreThePersonsOwn(t *testing.T) {
	e := newEnv(Start{Keys: map[string][]string{"reload": {"f5", "r"}, "top": {"z z"}, "left": {"left"}, "hide": {}, "audit": {}}})
	defer e.close()
	for text, want := range map[string]string{
		"{reload} loads, {back} goes back": "f5 loads, esc goes back",
		"{top}, {left}":                    "zz, ←",
		"no key":                           "no key",
		"{hide} shows":                     "ctrl+p deleted shows", // unbound: the finder still does it
		"an open { brace":                  "an open { brace",
		"":                                 "",
	} {
		if got := e.keys(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	e2 := newEnv(Start{Keys: map[string][]string{"hide": {}, "find": {}}})
	defer e2.close()
	if got := e2.keys("{hide} shows"); got != "deleted (not bound) shows" {
		t.Errorf("%q", got)
	}
}

// pressed are all presses of the table, as texts name them.
func pressed() (out []string) {
	for _, k := range keyTable {
		for _, p := range k.Press {
			if p == ":" { // in a sentence it is none
				continue
			}
			out = append(out, regexp.QuoteMeta(p), regexp.QuoteMeta(ui.PressName(p)))
		}
	}
	return out
}

// namesAKey finds a press in a text: "r loads it", "Press r", "(r)", "(r: load)". The
// article "a" and an arrow in a drawing are none.
var namesAKey = regexp.MustCompile(`(?:(?:^|[\s;:,.(])(?:` + strings.Join(pressed(), "|") + `) (?:again|\w+[^s\W]s)\b|[Pp]ress (?:` + strings.Join(pressed(), "|") + `)(?:$|\W)|\((?:` + strings.Join(pressed(), "|") + `)(?:\)|: ))`)

// No text of the program names a key by its press: each goes through env.keys, so that
// it is the person's own. And each ID that a text names is in the table.
func TestNoTextNamesAPress(t *testing.T) {
	// Keys that cannot be bound anew, as those of a form.
	fixed := map[string]bool{
		"the pasted text names this object; enter tells what became of it":                  true,
		"the pasted text is about this commit; enter opens it":                              true,
		"enter looks for the folder of this commit, and opens it":                           true,
		"the pasted text names this folder; enter goes there":                               true,
		"the text names no folder: enter looks below those that are known":                  true,
		"No folder that is known has these letters; it is looked for when you press enter.": true,
		"what can be done here: type to narrow it, enter does what is picked":               true, // in the help
		" (esc cancels)": true, // in the command line
		"type a command, such as :log sales/2026; tab completes it": true,
	}
	ids := map[string]bool{}
	for _, k := range keyTable {
		ids[k.ID] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`\{(\w*)\}`).FindAllStringSubmatch(text, -1) {
				named++
				if !ids[m[1]] {
					t.Errorf("%s: %q names no key of the table in %q", name, m[1], text)
				}
			}
			if m := namesAKey.FindString(text); m != "" && !fixed[text] {
				t.Errorf("%s: %q names a press: %q", name, text, strings.TrimSpace(m))
			}
			return true
		})
	}
	if named < 50 {
		t.Errorf("only %d keys were seen in texts", named)
	}
}

// otherKeys binds every key anew, each to a press of its own that nothing had, and gives
// what to press for an old one on a screen.
func otherKeys(t *testing.T) (own map[string][]string, now func(kind, old string) string) {
	own = map[string][]string{}
	spare := []string{}
	for r := 'a'; r <= 'z'; r++ {
		spare = append(spare, "alt+"+string(r), "alt+"+strings.ToUpper(string(r)))
	}
	for i := range 10 {
		spare = append(spare, "alt+"+strconv.Itoa(i))
	}
	for _, k := range keyTable {
		if own[k.ID] == nil {
			if len(spare) == 0 {
				t.Fatal("no spare presses are left")
			}
			own[k.ID], spare = spare[:1], spare[1:]
		}
	}
	return own, func(kind, old string) string {
		for _, k := range keyTable.Bound(kind, old) {
			return own[k.ID][0]
		}
		t.Fatalf("%s has no key %s", kind, old)
		return ""
	}
}

// Through all screens with every key bound anew: no line names an old one, and the old
// ones do nothing.
func TestTextsFollowTheKeys(t *testing.T) {
	f, _ := damaged(t)
	own, now := otherKeys(t)
	if wrong := CheckKeys(own); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		s := f.start("sales/2026")
		s.Keys = own
		d := newDriver(t, s, size[0], size[1])
		seen := map[string]bool{}
		look := func() {
			t.Helper()
			kind := d.m.stack.top().kind()
			seen[kind] = true
			for _, line := range strings.Split(d.text(), "\n") {
				if m := namesAKey.FindString(line); m != "" {
					t.Errorf("%s: an old key %q in %q", kind, strings.TrimSpace(m), line)
				}
			}
		}
		press := func(old ...string) {
			t.Helper()
			for _, o := range old {
				d.press(now(d.m.stack.top().kind(), o))
				look()
			}
		}
		look()
		d.press("r", "l", "a", "esc", "q") // which mean nothing now
		if d.m.stack.top().kind() != onFolder || len(d.m.stack) != 1 {
			t.Fatal("an old key still works")
		}
		press("tab", "s", "S", "x", "x", "M", "M", "y", "n", "t")
		press("l", "space", "enter", "d", "esc", "D", "esc", "enter", "w", "esc")
		press("p", "esc", "esc", "p", "esc")
		press("a", "tab", "down", "esc", "R", "esc", "esc")
		press("esc", "b")
		if want := []string{onFolder, onLog, onCommit, onDiff, onPin, onAudit, onRequests, onBuckets}; true {
			for _, kind := range want {
				if !seen[kind] {
					t.Errorf("%dx%d: the screen %q was not seen", size[0], size[1], kind)
				}
			}
		}
	}
}
