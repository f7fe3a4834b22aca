package ui

import (
	tea "charm.land/bubbletea/v2"
)

// An Entry is one candidate of a palette, as it came.
type Entry struct {
	Text  string
	Marks []int  // the bytes of Text that the query was found at
	Note  string // at the right: its group, or the key that does the same
	Tone  Tone
	Tail  bool // a path: its end stays seen
}

// Entries is what a palette shows. Only those on the screen are asked for.
type Entries interface {
	Len() int
	Entry(i int) Entry
}

// Picked is what a key in a palette meant.
type Picked int

// The meanings.
const (
	PickNone  Picked = iota // the cursor moved, or nothing happened
	PickQuery               // the query is another
	PickThis                // the selected entry was chosen
	PickTab                 // tab: the palette's owner says what it does
	PickCancel
)

// A Palette is a line to type a query into, over the candidates that its owner
// found for it. The owner sets Entries, Count and Foot.
type Palette struct {
	Entries Entries
	// Count tells how many there are, at the right of the query; Foot is a line under
	// the candidates, empty: none; Empty stands where there is no candidate.
	Count, Foot, Empty string
	input              *Input
	table              Table
}

// pickLimit is the longest query in characters: room for a pasted error message.
const pickLimit = 4000

// NewPalette makes one with a query.
func NewPalette(query string) *Palette {
	p := &Palette{input: NewInput(query, pickLimit)}
	p.table = Table{NoTitles: true, Focused: true, Columns: []Column{
		{Min: 10, Weight: 1}, {Min: 8, Align: Right},
	}}
	return p
}

// Query is what is typed.
func (p *Palette) Query() string { return p.input.Value() }

// Set types another query.
func (p *Palette) Set(query string) { p.input.Set(query) }

// Top puts the cursor on the first candidate.
func (p *Palette) Top() { p.table.Cursor = 0 }

// Go puts it on candidate i.
func (p *Palette) Go(i int) {
	p.table.Cursor = i
	p.table.Clamp(p.len())
}

// Selected is the index of the candidate under the cursor; -1: there is none.
func (p *Palette) Selected() int {
	if n := p.len(); n == 0 || p.table.Cursor >= n {
		return -1
	}
	return p.table.Cursor
}

func (p *Palette) len() int {
	if p.Entries == nil {
		return 0
	}
	return p.Entries.Len()
}

// pickMoves are the movements among the candidates.
var pickMoves = map[string]string{
	"up": "up", "ctrl+p": "up", "down": "down", "ctrl+n": "down",
	"pgup": "pageup", "pgdown": "pagedown",
}

// Update takes a key or a paste.
func (p *Palette) Update(msg tea.Msg) Picked {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		k := k.String()
		if id := pickMoves[k]; id != "" {
			p.table.Move(id, p.len())
			return PickNone
		}
		switch k {
		case "enter":
			if p.Selected() < 0 {
				return PickNone
			}
			return PickThis
		case "tab":
			return PickTab
		case "esc":
			return PickCancel
		}
	}
	before := p.input.Value()
	p.input.Update(msg)
	if p.input.Value() == before {
		return PickNone
	}
	return PickQuery
}

// Len and Row make a palette the rows of its own table.
func (p *Palette) Len() int { return p.len() }

// Row draws a candidate.
func (p *Palette) Row(i int, r *Row) {
	e := p.Entries.Entry(i)
	r.Cells = append(r.Cells, Cell{Text: e.Text, Tone: e.Tone, Marks: e.Marks, Tail: e.Tail})
	r.Add(Dim, e.Note)
}

// View gives h lines of w columns: the query, a rule, the candidates, the foot.
func (p *Palette) View(w, h int, th *Theme) []string {
	if w <= 0 || h <= 0 {
		return Block(nil, w, h)
	}
	count := " " + Clean(p.Count)
	out := []string{Pad(th.Paint(Accent, "› ")+p.input.View(max(w-2-Width(count), 4), true, th)+th.Paint(Dim, count), w), Rule("", w, false, th)}
	room := h - len(out)
	if p.Foot != "" {
		room--
	}
	note := 8
	from, to := p.table.Window(p.len())
	for i := from; i < min(to+1, p.len()); i++ {
		note = max(note, min(Width(p.Entries.Entry(i).Note), w/2))
	}
	if p.table.Columns[1].Min != note {
		p.table.Columns[1].Min = note
		p.table.Relayout()
	}
	if p.len() == 0 && p.Empty != "" {
		out = append(out, Block(th.Paragraph(Dim, p.Empty, w-2), w, room)...)
	} else {
		out = append(out, p.table.View(p, w, room, th)...)
	}
	if p.Foot != "" {
		out = append(out, th.Paint(Dim, Fit(p.Foot, w, Left)))
	}
	return Block(out, w, h)
}
