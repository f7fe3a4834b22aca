package views

import (
	"slices"
	"strings"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/ui"
)

// The table itself: every press can come, and means one thing on a screen but where
// a key is an alternative to another.
func TestKeysAreSound(t *testing.T) {
	for _, k := range keyTable {
		if k.ID == "" || k.Label == "" || k.Help == "" || k.Group == "" || len(k.Press) == 0 {
			t.Errorf("%+v: something is missing", k)
		}
		for _, p := range k.Press {
			if why := ui.CheckPress(p); why != "" {
				t.Errorf("%s: %s", k.ID, why)
			}
		}
		for _, other := range keyTable {
			if why := clash(k, other, true); k.ID != other.ID && why != "" {
				t.Errorf("%s and %s: %s", k.ID, other.ID, why)
			}
			if k.ID == other.ID && !slices.Equal(k.Press, other.Press) {
				t.Errorf("%s has other presses on other screens, which one override cannot keep", k.ID)
			}
		}
	}
	// Those that mean two things, each where it works; the screens tell them apart.
	pairs := map[string]bool{}
	for i, a := range keyTable {
		for _, b := range keyTable[i+1:] {
			if a.ID != b.ID && together(a, b) != "" && alternatives(a, b) {
				pairs[a.ID+" "+b.ID] = true
			}
		}
	}
	for p := range pairs {
		if on := strings.Fields(p); !slices.Contains([]string{"up walk", "down walk", "leave fold", "follow unfold", "acknowledge takeback"}, p) {
			t.Errorf("%v have the same press on the same screen", on)
		}
	}
}

func TestCheckKeys(t *testing.T) {
	for _, good := range []map[string][]string{
		nil,
		{"reload": {"f5", "r"}},
		{"quit": {"Q"}},
		{"mouse": {}},
		{"reload": {"l"}, "log": {"r"}}, // swapped
		{"top": {"home", "g"}, "bottom": {"end", "G"}},
		{"log": {"g l"}},
		{"acknowledge": {"m"}}, // as takeback has it today
		{"walk": {"down", "up"}},
		{"commit": {"d"}, "diff": {"ctrl+d"}},
	} {
		if wrong := CheckKeys(good); len(wrong) > 0 {
			t.Errorf("%v: %v", good, wrong)
		}
	}
	for _, c := range []struct {
		keys map[string][]string
		id   string
		want string
	}{
		{map[string][]string{"relaod": {"r"}}, "relaod", `did you mean "reload"?`},
		{map[string][]string{"frobnicate": {"r"}}, "frobnicate", "docs/keys.md"},
		{map[string][]string{"reload": {"gg"}}, "reload", `"g g"`},
		{map[string][]string{"reload": {"l"}}, "reload", `"l" is also log on the screen "folder"`},
		{map[string][]string{"reload": {"f5"}, "log": {"f5"}}, "log", `"f5" is also reload`},
		{map[string][]string{"reload": {"f5"}, "log": {"f5"}}, "reload", `"f5" is also log`},
		{map[string][]string{"reload": {"g"}}, "reload", `"g" begins "g g", which is top`},
		{map[string][]string{"top": {"g", "g g"}}, "top", `"g" begins "g g"`},
		{map[string][]string{"reload": {"l x"}}, "reload", `begins with "l", which is log`},
		{map[string][]string{"quit": {}}, "quit", "cannot be unbound"},
		{map[string][]string{"help": nil}, "help", "cannot be unbound"},
		{map[string][]string{"back": {}}, "back", "cannot be unbound"},
		{map[string][]string{"reload": {"r", "r"}}, "reload", "twice"},
		{map[string][]string{"reload": {"g  r"}}, "reload", "one space"},
		{map[string][]string{"fold": {"m"}}, "fold", `"m" is also acknowledge`},
	} {
		if got := CheckKeys(c.keys)[c.id]; !strings.Contains(got, c.want) {
			t.Errorf("%v: %q, want %q in it", c.keys, got, c.want)
		}
	}
}

func TestOwnPresses(t *testing.T) {
	f, _ := small(t)
	s := f.start("sales/2026")
	s.Keys = map[string][]string{"log": {"o l"}, "audit": {"o a"}, "help": {"f1"}, "at": {}}
	d := newDriver(t, s, 120, 24)
	d.sees("ol log")
	d.seesNot(" l log", "@ at commit", "? keys")
	d.press("l")
	d.seesNot("Log of sales/2026")
	d.press("o")
	d.sees("a audit", "l log", "esc no more")
	d.press("esc")
	d.seesNot("no more")
	d.press("o", "x")
	d.seesNot("no more")
	d.sees("ox is not bound")
	d.press("o", "l")
	d.sees("Log of sales/2026")
}

func TestGGGoesToTheFirstLine(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start("sales/2026"), 80, 24)
	top := d.text()
	d.press("l", "G")
	at := func() int { return d.m.stack.top().(*logScreen).list.table.Cursor }
	if at() == 0 {
		t.Fatal("G did not move")
	}
	d.press("g")
	d.sees("g first")
	if at() == 0 {
		t.Error("g alone went to the first line")
	}
	d.press("g")
	if at() != 0 {
		t.Error("g g did not go to the first line")
	}
	d.press("g", "esc")
	d.sees("Log of sales/2026") // esc ended the sequence only
	d.press("esc")
	if d.text() != top {
		t.Error("esc did not go back")
	}
}

func TestReadOnlyPlaces(t *testing.T) {
	f, _ := small(t)
	s := f.start("sales/2026")
	s.ReadOnlyAt = func(l bucket.Location) bool { return strings.HasPrefix(l.Path, "sales") }
	d := newDriver(t, s, 80, 24)
	d.sees("READ-ONLY")
	d.press("c")
	d.sees("Opened read-only", "config")
	d.press("l", "c")
	d.sees("READ-ONLY", "Log of", "Opened read-only")
	d.press("ctrl+p")
	d.seesNot("commit the folder:")
	d.press("esc", "esc", "left", "left", "left")
	d.press("left")
	d.seesNot("READ-ONLY")
	d.sees("c commit")
}
