package views

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/ui"
)

var update = flag.Bool("update", false, "write the golden frames anew")

// frames is where the golden frames are, whatever folder a test goes to.
var frames string

func TestMain(m *testing.M) {
	pace, settleTime, deafFor = 10*time.Millisecond, 5*time.Millisecond, 0
	frames, _ = filepath.Abs("testdata") // fails only without a working folder
	os.Exit(m.Run())
}

// A driver presses keys on the program and waits until it is idle, like a person
// who watches the screen. It checks every frame that it sees.
type driver struct {
	t    testing.TB
	m    *app
	msgs chan tea.Msg
	w, h int
	quit bool
}

func newDriver(t testing.TB, s Start, w, h int) *driver {
	t.Helper()
	d := newDriverBusy(t, s, w, h)
	d.idle()
	return d
}

// newDriverBusy is newDriver without waiting for what the program begins with.
func newDriverBusy(t testing.TB, s Start, w, h int) *driver {
	t.Helper()
	d := &driver{t: t, m: newApp(s), msgs: make(chan tea.Msg, 1024), w: w, h: h}
	t.Cleanup(d.m.close)
	d.run(d.m.Init())
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
	return d
}

// run executes a command as Bubble Tea would: aside.
func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		if msg := cmd(); msg != nil {
			d.msgs <- msg
		}
	}()
}

func (d *driver) send(msg tea.Msg) {
	d.t.Helper()
	switch msg := msg.(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
		return
	case tea.QuitMsg:
		d.quit = true
		return
	case tea.WindowSizeMsg:
		d.w, d.h = msg.Width, msg.Height
	}
	_, cmd := d.m.Update(msg)
	d.run(cmd)
	d.check(d.m.View().Content)
}

// idle waits until no task is busy and nothing is left to be told.
func (d *driver) idle() {
	d.t.Helper()
	var since time.Time // a task that waits for the person may have news on the way
	d.until("idle", func() bool {
		for _, t := range d.m.tasks {
			if t.busy() {
				since = time.Time{}
				return false
			}
		}
		if len(d.m.tasks) == 0 {
			return true
		}
		if since.IsZero() {
			since = time.Now()
		}
		return time.Since(since) > 3*pace
	})
}

// until takes messages until the program is as wanted.
func (d *driver) until(what string, ok func() bool) {
	d.t.Helper()
	deadline := time.After(90 * time.Second) // a machine under load is slow, and no test waits for this
	for {
		if len(d.msgs) == 0 && ok() {
			return
		}
		select {
		case msg := <-d.msgs:
			d.send(msg)
		case <-time.After(5 * time.Millisecond):
		case <-deadline:
			d.t.Fatalf("not %s after 90 s:\n%s", what, d.text())
		}
	}
}

// press gives keys by name and waits after each.
func (d *driver) press(keys ...string) {
	d.t.Helper()
	for _, k := range keys {
		d.send(keyMsg(k))
		d.idle()
	}
}

// write types a text.
func (d *driver) write(text string) {
	d.t.Helper()
	for _, r := range text {
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	d.idle()
}

var codes = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"home": tea.KeyHome, "end": tea.KeyEnd, "space": tea.KeySpace, "backspace": tea.KeyBackspace,
}

func keyMsg(name string) tea.KeyPressMsg {
	if c, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: []rune(c)[0], Mod: tea.ModCtrl}
	}
	if c, ok := codes[name]; ok {
		if name == "space" {
			return tea.KeyPressMsg{Code: c, Text: " "}
		}
		return tea.KeyPressMsg{Code: c}
	}
	r := []rune(name)[0]
	return tea.KeyPressMsg{Code: r, Text: name}
}

// text is the screen without styles.
func (d *driver) text() string { return ui.Plainly(d.m.View().Content) }

// sees fails unless all of the texts are on the screen.
func (d *driver) sees(texts ...string) {
	d.t.Helper()
	screen := d.text()
	for _, want := range texts {
		if !strings.Contains(screen, want) {
			d.t.Errorf("%q is not on the screen:\n%s", want, screen)
		}
	}
}

func (d *driver) seesNot(texts ...string) {
	d.t.Helper()
	screen := d.text()
	for _, want := range texts {
		if strings.Contains(screen, want) {
			d.t.Errorf("%q is on the screen:\n%s", want, screen)
		}
	}
}

var sgr = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// check is what holds for every frame: as many lines as the screen has, each
// exactly as wide, and nothing but colours that is not seen: no control, no mark of
// direction, no joiner, no byte that is not UTF-8.
func (d *driver) check(frame string) {
	d.t.Helper()
	if d.m.quitting {
		return
	}
	lines := strings.Split(frame, "\n")
	if len(lines) != d.h {
		d.t.Fatalf("%d lines on a screen of %d:\n%s", len(lines), d.h, ui.Plainly(frame))
	}
	for i, l := range lines {
		bare := sgr.ReplaceAllString(l, "")
		for _, r := range bare {
			if unicode.Is(unicode.C, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) || r == unicode.ReplacementChar {
				d.t.Fatalf("line %d holds the raw character %U: %q", i, r, l)
			}
		}
		if n := ui.Width(bare); n != d.w {
			d.t.Fatalf("line %d is %d wide on a screen of %d×%d: %q", i, n, d.w, d.h, bare)
		}
	}
}

// golden compares the screen with a kept frame.
func (d *driver) golden(name string, styled bool) {
	d.t.Helper()
	got := d.m.View().Content
	if !styled {
		lines := strings.Split(ui.Plainly(got), "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " ")
		}
		got = strings.Join(lines, "\n")
	}
	d.kept(name, got+"\n")
}

// kept compares a text with the kept one of that name.
func (d *driver) kept(name, got string) {
	d.t.Helper()
	path := filepath.Join(frames, name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			d.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			d.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	if got != string(want) {
		d.t.Errorf("%s is not as kept (run with -update if it should change); now:\n%s", name, diffLines(string(want), got))
	}
}

func diffLines(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	var b strings.Builder
	for i := range max(len(w), len(g)) {
		x, y := "", ""
		if i < len(w) {
			x = w[i]
		}
		if i < len(g) {
			y = g[i]
		}
		if x != y {
			fmt.Fprintf(&b, "line %d\n  kept %q\n  now  %q\n", i, x, y)
		}
	}
	return b.String()
}
