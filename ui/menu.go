package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// A MenuItem is something that can be picked from a menu, or only read there.
type MenuItem struct {
	Group string
	Key   string // what stands before it, such as its presses
	Text  string
	Also  string // what finds it besides
	Off   bool   // it cannot be picked now
	Why   string // why not
	Read  bool   // it is there to be read alone
}

// A Menu lists items by group and narrows them to those that have all words that are
// typed. A long text takes several lines.
type Menu struct {
	Items []MenuItem
	Intro string // above the items, while nothing is typed
	input *Input
	at    int // of the shown items
	top   int // the first line on the screen
	page  int
}

// NewMenu makes one that is narrowed already.
func NewMenu(query string) *Menu { return &Menu{input: NewInput(query, 200)} }

// Query is what is typed.
func (m *Menu) Query() string { return m.input.Value() }

// Clear shows everything again.
func (m *Menu) Clear() { m.input.Set(""); m.at, m.top = 0, 0 }

// shown are the items that have what is typed; the one whose key it is comes first.
func (m *Menu) shown() []int {
	words := strings.Fields(strings.ToLower(m.Query()))
	var out, exact []int
	for i, it := range m.Items {
		text := strings.ToLower(it.Group + " " + it.Key + " " + it.Text + " " + it.Also)
		switch {
		case slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }):
		case len(words) > 0 && slices.Contains(strings.Fields(it.Key), strings.TrimSpace(m.Query())):
			exact = append(exact, i)
		default:
			out = append(out, i)
		}
	}
	return append(exact, out...)
}

// Picked is the item under the cursor; nil: there is none.
func (m *Menu) Picked() *MenuItem {
	s := m.shown()
	if m.at < 0 || m.at >= len(s) {
		return nil
	}
	return &m.Items[s[m.at]]
}

// Update takes a key or a paste.
func (m *Menu) Update(msg tea.Msg) Picked {
	n := len(m.shown())
	if k, ok := msg.(tea.KeyPressMsg); ok {
		step := 0
		switch k.String() {
		case "up", "ctrl+p", "shift+tab":
			step = -1
		case "down", "ctrl+n", "tab":
			step = 1
		case "pgup":
			step = -max(m.page/2, 1)
		case "pgdown":
			step = max(m.page/2, 1)
		case "home":
			step = -n
		case "end":
			step = n
		case "enter":
			return PickThis
		case "esc":
			return PickCancel
		}
		if step != 0 {
			m.at = max(min(m.at+step, n-1), 0)
			if m.at == 0 {
				m.top = 0 // the introduction too
			}
			return PickNone
		}
	}
	before := m.Query()
	m.input.Update(msg)
	if m.Query() != before {
		m.at, m.top = 0, 0
		return PickQuery
	}
	return PickNone
}

// menuKeys is the width of the items' keys.
const menuKeys = 16

// View gives h lines of w columns: what is typed, and under it the items.
func (m *Menu) View(w, h int, th *Theme) []string {
	if h <= 0 || w <= 0 {
		return Block(nil, w, h)
	}
	shown := m.shown()
	m.at = max(min(m.at, len(shown)-1), 0)
	count := fmt.Sprintf(" %d of %d", len(shown), len(m.Items))
	line := th.Paint(Accent, "› ")
	if m.Query() == "" {
		line += reverseSGR + " " + closeSGR + th.Paint(Dim, " type to narrow")
	} else {
		line += m.input.View(max(w-2-Width(count), 4), true, th)
	}
	out := []string{Pad(Pad(line, max(w-Width(count), 0))+th.Paint(Dim, count), w), Rule("", w, false, th)}
	lines, from, to := m.lines(shown, w, th)
	m.page = max(h-len(out), 1)
	if from < m.top {
		m.top = from
	}
	if to > m.top+m.page {
		m.top = to - m.page
	}
	m.top = max(min(m.top, len(lines)-m.page), 0)
	return Block(append(out, lines[m.top:min(m.top+m.page, len(lines))]...), w, h)
}

// lines are all lines of the items, and from which to which the picked one stands,
// with its heading.
func (m *Menu) lines(shown []int, w int, th *Theme) (out []string, from, to int) {
	if m.Query() == "" && m.Intro != "" {
		out = append(th.Paragraph(Plain, m.Intro, w), "")
	}
	if len(shown) == 0 {
		return th.Paragraph(Dim, "Nothing here has these words. Esc shows everything again.", w), 0, 1
	}
	group := ""
	for n, i := range shown {
		it := m.Items[i]
		start := len(out)
		if it.Group != group {
			if group != "" {
				out = append(out, "")
			}
			group = it.Group
			out = append(out, th.Paint(Strong, Fit(group, w, Left)))
		}
		if n == m.at {
			from = start
		}
		text := it.Text
		if it.Off && it.Why != "" {
			text += " (not now: " + it.Why + ")"
		}
		for l, part := range Wrap(text, max(w-menuKeys-2, 8)) {
			key := ""
			if l == 0 {
				key = it.Key
			}
			key, part = Fit(key, menuKeys, Left), Fit(part, max(w-menuKeys-2, 0), Left)
			switch {
			case n == m.at:
				sign := "  "
				if l == 0 {
					sign = "› "
				}
				out = append(out, Pad(th.Selected(Pad(sign+key+part, w)), w))
			case it.Off:
				out = append(out, Pad(th.Paint(Dim, "  "+key+part), w))
			default:
				out = append(out, Pad("  "+th.Paint(Accent, key)+part, w))
			}
		}
		if n == m.at {
			to = len(out)
		}
	}
	return out, from, to
}
