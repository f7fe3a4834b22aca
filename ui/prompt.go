package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// A Suggestion is something that may stand in the place of the word at the cursor.
type Suggestion struct {
	Insert string // what is put into the line
	Text   string // what is shown for it; empty: Insert
	About  string // what it is
	Note   string // at the right, such as the key that does the same
	Marks  []int  // the bytes of Text that what was typed was found at
	// Open says that the word goes on after it, as a folder does: no space follows.
	Open bool
}

// Prompted is what a key in a prompt meant.
type Prompted int

// The meanings.
const (
	PromptNone   Prompted = iota
	PromptText            // the text is another: suggest anew
	PromptRun             // enter
	PromptCancel          // esc
)

// A Prompt is a line for commands: with suggestions over it that tab puts in one
// after another, and with what was typed before. Its owner calls Suggest whenever
// Update says that the text is another.
type Prompt struct {
	Sign string // before the line: ":"
	// History is what was typed before, the oldest first.
	History []string

	input    *Input
	table    Table
	from, to int // the bytes of the text that a suggestion replaces
	offered  []Suggestion
	typed    string // the text before a suggestion was put in
	chosen   int    // the suggestion that is in the line; -1: none

	past   int    // how many steps back in the history the line is; 0: it is new
	draft  string // the new line, while an old one is shown
	seek   *Input // what is searched for in the history; nil: nothing
	hits   []int  // of History, the newest first
	before string // the line, before the search
}

// promptLimit bounds what is typed, in characters: a key has up to 1,024 bytes.
const promptLimit = 4096

// NewPrompt makes one that holds a text.
func NewPrompt(sign, text string, history []string) *Prompt {
	p := &Prompt{Sign: sign, History: history, input: NewInput(text, promptLimit), chosen: -1}
	p.table = Table{NoTitles: true, Focused: true}
	return p
}

// Text is what stands in the line.
func (p *Prompt) Text() string { return p.input.Value() }

// Set puts another text there, and the cursor at its end.
func (p *Prompt) Set(text string) {
	p.input.Set(text)
	p.chosen = -1
}

// Typed is the text without the suggestion that is tried in it, and the byte of it
// before which the cursor stands: what suggestions are for.
func (p *Prompt) Typed() (text string, cursor int) {
	if p.chosen >= 0 {
		return p.typed, p.to
	}
	return p.Text(), p.input.Cursor()
}

// Searching says that the history is searched.
func (p *Prompt) Searching() bool { return p.seek != nil }

// Choosing says that a suggestion is in the line, and the arrows go to others.
func (p *Prompt) Choosing() bool { return p.chosen >= 0 }

// Chosen is the suggestion that is in the line; the zero one: none is.
func (p *Prompt) Chosen() Suggestion {
	if p.chosen < 0 || p.chosen >= len(p.offered) {
		return Suggestion{}
	}
	return p.offered[p.chosen]
}

// Suggest offers what may stand in the place of the bytes from..to of the text.
func (p *Prompt) Suggest(from, to int, s []Suggestion) {
	if p.chosen >= 0 && p.chosen < len(p.offered) { // more came while the person chooses
		was := p.offered[p.chosen].Insert
		if i := slices.IndexFunc(s, func(x Suggestion) bool { return x.Insert == was }); i >= 0 && from == p.from {
			p.offered, p.chosen = s, i
			p.table.Cursor = i
			return
		}
		return
	}
	p.from, p.to, p.offered, p.chosen = from, to, s, -1
	p.table.Cursor = 0
}

// Update takes a key or a paste.
func (p *Prompt) Update(msg tea.Msg) Prompted {
	if p.seek != nil {
		return p.search(msg)
	}
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch k.String() {
		case "enter":
			return PromptRun
		case "esc":
			return PromptCancel
		case "tab":
			return p.tab()
		case "shift+tab":
			return p.choose(p.chosen - 1)
		case "down", "ctrl+n":
			if p.past > 0 {
				return p.recall(-1)
			}
			return p.choose(p.chosen + 1)
		case "up", "ctrl+p":
			if p.chosen >= 0 {
				return p.choose(p.chosen - 1)
			}
			return p.recall(1)
		case "pgdown", "pgup":
			if len(p.offered) == 0 {
				return PromptNone
			}
			p.table.Cursor = max(p.chosen, 0)
			p.table.Move(map[string]string{"pgdown": "pagedown", "pgup": "pageup"}[k.String()], len(p.offered))
			return p.choose(p.table.Cursor)
		case "ctrl+r":
			p.seek, p.before = NewInput("", promptLimit), p.Text()
			p.look()
			return PromptNone
		case "backspace":
			if p.Text() == "" { // as vim does
				return PromptCancel
			}
		}
	}
	before, at := p.Text(), p.input.Cursor()
	p.input.Update(msg)
	if p.Text() == before && p.input.Cursor() == at {
		return PromptNone
	}
	p.chosen, p.past = -1, 0
	return PromptText
}

// tab puts in what all suggestions begin with, else one after another.
func (p *Prompt) tab() Prompted {
	switch {
	case len(p.offered) == 0:
		return PromptNone
	case p.chosen >= 0:
		return p.choose(p.chosen + 1)
	case len(p.offered) == 1:
		return p.take(0)
	}
	typed := p.Text()[p.from:p.to]
	begins := -1
	for i, s := range p.offered {
		if !strings.HasPrefix(s.Insert, typed) {
			continue
		}
		if begins >= 0 {
			begins = -1
			break
		}
		begins = i
	}
	if begins >= 0 && typed != "" { // the only one that begins so
		return p.take(begins)
	}
	if common := commonStart(p.offered); len(common) > len(typed) && strings.HasPrefix(strings.ToLower(common), strings.ToLower(typed)) {
		p.put(common)
		return PromptText
	}
	if p.offered[0].Insert == typed { // it is there already
		return p.choose(1)
	}
	return p.choose(0)
}

// take puts a suggestion in for good, with the space after it.
func (p *Prompt) take(i int) Prompted {
	s := p.offered[i]
	text := s.Insert
	if !s.Open && !strings.HasPrefix(p.Text()[p.to:], " ") {
		text += " "
	}
	p.put(text)
	return PromptText
}

// commonStart is what the texts of all suggestions begin with, up to a whole character.
func commonStart(s []Suggestion) string {
	common := []rune(s[0].Insert)
	for _, x := range s[1:] {
		r := []rune(x.Insert)
		n := 0
		for n < len(common) && n < len(r) && common[n] == r[n] {
			n++
		}
		common = common[:n]
	}
	if strings.ContainsAny(string(common), `'"\$`) {
		return "" // half of a quoted word would not be one
	}
	return string(common)
}

// put replaces the word at the cursor.
func (p *Prompt) put(text string) {
	whole := p.Text()
	p.input.Set(whole[:p.from] + text + whole[p.to:])
	p.input.SetCursor(p.from + len(text))
	p.chosen, p.past = -1, 0
}

// choose puts suggestion i into the line, or takes back what was typed.
func (p *Prompt) choose(i int) Prompted {
	n := len(p.offered)
	if n == 0 {
		return PromptNone
	}
	if p.chosen < 0 {
		p.typed = p.Text()
	}
	switch {
	case i >= n: // round, over what was typed
		i = 0
	case i == -1 && p.chosen < 0, i < -1:
		i = n - 1
	}
	p.past = 0
	to := p.to
	if p.chosen >= 0 {
		p.input.Set(p.typed)
	}
	p.chosen = i
	if i < 0 {
		p.input.SetCursor(to)
		p.table.Cursor = 0
		return PromptNone
	}
	text := p.offered[i].Insert
	p.input.Set(p.typed[:p.from] + text + p.typed[to:])
	p.input.SetCursor(p.from + len(text))
	p.table.Cursor = i
	return PromptNone
}

// recall goes back in the history (1), or forth (-1), among the lines that begin
// with what was typed.
func (p *Prompt) recall(by int) Prompted {
	if p.past == 0 {
		p.draft = p.Text()
	}
	for i := p.past + by; ; i += by {
		if i == 0 {
			p.past = 0
			p.Set(p.draft)
			return PromptText
		}
		if i < 0 || i > len(p.History) {
			return PromptNone
		}
		if line := p.History[len(p.History)-i]; strings.HasPrefix(line, p.draft) && line != p.Text() {
			p.past = i
			p.Set(line)
			return PromptText
		}
	}
}

// search takes a key while the history is searched.
func (p *Prompt) search(msg tea.Msg) Prompted {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch k := k.String(); k {
		case "esc":
			p.seek = nil
			p.Set(p.before)
			return PromptText
		case "enter", "tab", "right":
			i := p.table.Cursor
			p.seek = nil
			if i < len(p.hits) {
				p.Set(p.History[p.hits[i]])
			}
			return PromptText
		case "ctrl+r":
			p.table.Move("down", len(p.hits))
			return PromptNone
		}
		if id := pickMoves[k.String()]; id != "" {
			p.table.Move(id, len(p.hits))
			return PromptNone
		}
	}
	before := p.seek.Value()
	p.seek.Update(msg)
	if p.seek.Value() != before {
		p.look()
	}
	return PromptNone
}

// look finds the lines of the history that have all words of the search.
func (p *Prompt) look() {
	words := strings.Fields(strings.ToLower(p.seek.Value()))
	p.hits, p.table.Cursor = nil, 0
	seen := map[string]bool{}
	for i := len(p.History) - 1; i >= 0; i-- {
		line := strings.ToLower(p.History[i])
		if !seen[line] && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) }) {
			p.hits = append(p.hits, i)
			seen[line] = true
		}
	}
}

// Point puts the suggestion into the line that a click pointed at.
func (p *Prompt) Point() Prompted {
	if p.seek != nil || p.table.Cursor == p.chosen || p.table.Cursor >= len(p.offered) {
		return PromptNone
	}
	return p.choose(p.table.Cursor)
}

// Offered is how many lines there are to choose from.
func (p *Prompt) Offered() int { return p.Len() }

// Len and Row make a prompt the rows of its own table.
func (p *Prompt) Len() int {
	if p.seek != nil {
		return len(p.hits)
	}
	return len(p.offered)
}

// Row draws a suggestion, or a line of the history.
func (p *Prompt) Row(i int, r *Row) {
	if p.seek != nil {
		r.Add(Plain, p.History[p.hits[i]])
		r.Wide = true
		return
	}
	s := p.offered[i]
	text := s.Text
	if text == "" {
		text = s.Insert
	}
	r.Cells = append(r.Cells, Cell{Text: text, Tone: Accent, Marks: s.Marks})
	r.Add(Plain, s.About)
	r.Add(Dim, s.Note)
}

// List gives h lines of w columns: what there is to choose from.
func (p *Prompt) List(w, h int, th *Theme) []string {
	text, note := 8, 0
	for _, s := range p.offered {
		shown := s.Text
		if shown == "" {
			shown = s.Insert
		}
		if text < w/2 {
			text = max(text, min(Width(Clean(shown)), w/2))
		}
		if note < w/4 {
			note = max(note, min(Width(Clean(s.Note)), w/4))
		}
	}
	p.table.Columns = []Column{{Min: text}, {Min: 1, Weight: 1}}
	if note > 0 {
		p.table.Columns = append(p.table.Columns, Column{Min: note, Align: Right})
	}
	p.table.Relayout()
	// Nothing is chosen before tab: then no line looks so.
	p.table.Focused = p.seek != nil || p.chosen >= 0
	return p.table.View(p, w, h, th)
}

// Line is the line itself, w columns.
func (p *Prompt) Line(w int, th *Theme) string {
	sign, in := p.Sign, p.input
	if p.seek != nil {
		sign, in = "history: ", p.seek
	}
	return Pad(th.Paint(Accent, sign)+in.View(w-Width(sign), true, th), w)
}
