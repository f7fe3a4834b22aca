package views

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

var hostile = []string{
	"a\x1b[2J\x1b[31mred", "new\nline\r\ttab", "\u202egnp.exe", "日本語のファイル名.csv", "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301x",
	"\x1b]0;title\x07", "👨\u200d👩\u200d👧\u200d👦 family", "🇩🇪🇫🇷", "❤\ufe0f", "zero\u200bwidth", "\u009b31mC1", "back\\slash", "\u0301leading", "คำ ไทย", "\x7f\x00\x01",
	strings.Repeat("long", 100),
}

// hostileBucket has such keys, authors and messages.
func hostileBucket(t testing.TB) *fixture {
	f := newFixture(t)
	for i, h := range hostile {
		f.put("evil/"+h, "body "+h)
		f.put(fmt.Sprintf("evil/%s/below/%d", h, i), "\x1b[31m binary \x00 "+h)
		f.commit("evil", h, strings.Repeat(h+"\n", 3))
		f.day()
	}
	return f
}

// Nothing of a hostile bucket reaches the screen raw, and no line is too wide: the
// driver checks every frame.
func TestHostileBucket(t *testing.T) {
	f := hostileBucket(t)
	for _, size := range [][2]int{{60, 15}, {80, 24}, {200, 60}} {
		d := newDriver(t, f.start("evil"), size[0], size[1])
		d.press("right", "right")
		for range 2 * len(hostile) {
			d.press("down")
		}
		for range len(hostile) + 2 {
			d.press("down", "enter", "tab", "down", "esc", "esc")
		}
		d.press("left", "l")
		for range hostile {
			d.press("enter", "d", "esc", "esc", "down")
		}
		d.press("space", "home", "space", "d", "end", "enter", "esc", "esc", "esc", "c", "pgdown", "esc", "R", "end", "home", "R")
	}
}

func TestHostileBucketIsSeenAsEscapes(t *testing.T) {
	f := hostileBucket(t)
	d := newDriver(t, f.start("evil"), 200, 60)
	d.sees(`a\x1b[2J\x1b[31mred`, `new\nline\r\ttab`, `\u202egnp.exe`, "日本語のファイル名.csv", `back\\slash`)
}

// Random keys at random sizes: nothing panics, and every frame is whole.
func TestRandomKeys(t *testing.T) {
	f, _ := damaged(t)
	f.put("sales/2026/日本\x1b[31m", "x")
	keys := []string{"up", "down", "left", "right", "enter", "esc", "tab", "space", "/", "?", "@", "a", "b", "c", "d", "g", "g", "G", "h", "j", "k", "l", "m", "e", "y", "p", "r",
		"pgup", "pgdown", "home", "end", "q", "x", "t", "1", ":", ":", "tab", "日", "backspace"}
	t.Chdir(t.TempDir()) // an export may be written
	runs := 60
	if testing.Short() {
		runs = 10
	}
	for seed := range runs {
		rnd := rand.New(rand.NewPCG(uint64(seed), 7))
		s := f.start([]string{"", "sales/2026", "sales"}[seed%3])
		s.ReadOnly = true // the bucket stays as it is for the other runs
		d := newDriver(t, s, 1+rnd.IntN(200), 1+rnd.IntN(60))
		var pressed []string
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			d.t = t
			for range 60 {
				if d.quit {
					break
				}
				if rnd.IntN(8) == 0 {
					d.send(tea.WindowSizeMsg{Width: 1 + rnd.IntN(200), Height: 1 + rnd.IntN(60)})
				}
				k := keys[rnd.IntN(len(keys))]
				pressed = append(pressed, k)
				d.send(keyMsg(k))
				if rnd.IntN(3) > 0 { // else the next key comes before the answer
					d.idle()
				}
			}
			if t.Failed() {
				t.Logf("keys: %s", strings.Join(pressed, " "))
			}
		})
	}
}

// Each screen at every size, from one cell on.
func TestEverySize(t *testing.T) {
	f, _ := damaged(t)
	for _, way := range [][]string{{}, {"l"}, {"l", "end", "enter"}, {"l", "end", "enter", "enter"}, {"l", "d"}, {"tab", "enter"}, {"c"}, {"?"}, {"@"}, {"a"}, {"a", "tab", "down"}, {"a", "m"}, {"a", "e"}, {"b"}, {"R"}, {":"}, {":", "x", "enter"}} {
		d := newDriver(t, f.start("sales/2026"), 80, 24)
		d.press(way...)
		for _, w := range []int{1, 2, 3, 10, 59, 60, 61, 70, 79, 90, 120, 149, 150, 151, 200} {
			for _, h := range []int{1, 2, 3, 14, 15, 16, 20, 24, 40, 60} {
				d.send(tea.WindowSizeMsg{Width: w, Height: h})
			}
		}
	}
}

func TestTooSmallSaysSo(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start(""), 80, 24)
	for _, s := range [][2]int{{59, 15}, {60, 14}} {
		d.send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
		d.sees("The terminal is too small", "needs 60×15")
	}
	d.send(tea.WindowSizeMsg{Width: 60, Height: 15})
	d.seesNot("too small")
	d.sees("README.md")
}

// Of a commit object that is too large the screens show what its first kilobytes tell,
// and that the rest was not read; nothing of it counts as damage.
func TestTooLargeCommitOnScreen(t *testing.T) {
	f, _ := small(t)
	f.put("sales/one", "1")
	f.commit("sales", "a commit of sales", "")
	s := f.start("sales")
	s.MaxCommit = 20
	d := newDriver(t, s, 150, 40)
	d.press("l", "enter")
	d.sees("? not checked: the commit object is larger than --max-commit-size", "more than 20 bytes are not read", "by")
	d.seesNot("damage", "wrong", "gone")
	s = f.start("sales")
	d = newDriver(t, s, 150, 40)
	d.press("l", "enter")
	d.sees("● right")
}
