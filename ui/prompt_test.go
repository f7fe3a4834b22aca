package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func typed(p *Prompt, names ...string) Prompted {
	codes := map[string]tea.KeyPressMsg{
		"tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "ctrl+r": {Code: 'r', Mod: tea.ModCtrl}, "backspace": {Code: tea.KeyBackspace},
		"left": {Code: tea.KeyLeft},
	}
	var last Prompted
	for _, n := range names {
		k, ok := codes[n]
		if !ok {
			k = tea.KeyPressMsg{Code: rune(n[0]), Text: n}
		}
		last = p.Update(k)
	}
	return last
}

func TestPromptCompletes(t *testing.T) {
	p := NewPrompt(":", "cd s", nil)
	three := []Suggestion{{Insert: "sales/", Open: true}, {Insert: "salads/", Open: true}, {Insert: "sugar"}}
	p.Suggest(3, 4, three)
	typed(p, "tab", "tab")
	if p.Text() != "cd salads/" || !p.Choosing() {
		t.Errorf("%q", p.Text())
	}
	typed(p, "tab", "tab")
	if p.Text() != "cd sales/" { // round
		t.Errorf("%q", p.Text())
	}
	typed(p, "up")
	if p.Text() != "cd s" || p.Choosing() {
		t.Errorf("%q: what was typed is not there again", p.Text())
	}
	typed(p, "shift+tab")
	if p.Text() != "cd sugar" {
		t.Errorf("%q", p.Text())
	}
	if typed(p, "x") != PromptText || p.Text() != "cd sugarx" {
		t.Errorf("%q", p.Text())
	}
	// What all begin with comes first, and the only one whole.
	p = NewPrompt(":", "cd s", nil)
	p.Suggest(3, 4, three[:2])
	typed(p, "tab")
	if p.Text() != "cd sal" {
		t.Errorf("%q", p.Text())
	}
	p = NewPrompt(":", "cd su x", nil)
	typed(p, "left", "left")
	p.Suggest(3, 5, three[2:])
	typed(p, "tab")
	if p.Text() != "cd sugar x" {
		t.Errorf("%q", p.Text())
	}
	if typed(p, "enter") != PromptRun || typed(p, "esc") != PromptCancel {
		t.Error("enter runs, esc closes")
	}
	p = NewPrompt(":", "", nil)
	if typed(p, "backspace") != PromptCancel {
		t.Error("backspace on an empty line closes")
	}
}

func TestPromptHistory(t *testing.T) {
	th := NewTheme(true, true)
	p := NewPrompt(":", "d", []string{"diff 1 2", "log", "diff 3 4"})
	typed(p, "up", "up")
	if p.Text() != "diff 1 2" {
		t.Errorf("%q", p.Text())
	}
	typed(p, "up") // there is none before
	if p.Text() != "diff 1 2" {
		t.Errorf("%q", p.Text())
	}
	typed(p, "down", "down")
	if p.Text() != "d" {
		t.Errorf("%q", p.Text())
	}
	typed(p, "ctrl+r", "l", "o")
	if got := Plainly(strings.Join(p.List(40, 3, th), "\n") + p.Line(40, th)); !strings.Contains(got, "log") || strings.Contains(got, "diff") || !strings.Contains(got, "history: lo") {
		t.Errorf("%s", got)
	}
	typed(p, "esc")
	if p.Text() != "d" {
		t.Errorf("%q", p.Text())
	}
	typed(p, "ctrl+r", "ctrl+r", "enter")
	if p.Text() != "log" {
		t.Errorf("%q", p.Text())
	}
}
