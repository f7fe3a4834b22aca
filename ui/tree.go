package ui

// A Node of a tree. Its children are loaded when it is opened for the first time.
type Node struct {
	Name     string // as it came
	Value    any    // the owner's
	Parent   *Node
	Children []*Node
	Open     bool
	// Loaded says that Children is all there is; Loading that it is being found out.
	Loaded, Loading bool
	// Leaf says that there is nothing to open.
	Leaf bool
	Tone Tone
}

// A Tree shows nodes that can be opened and closed, with a cursor. Only lines on
// the screen are drawn; opened nodes are kept in a flat list.
type Tree struct {
	Root *Node
	// Sign gives a node's mark, at most two columns at the right; nil: there are none.
	// It is asked for lines on the screen only.
	Sign  func(*Node) (Tone, string)
	table Table
	flat  []*Node
	depth []int
}

// NewTree makes a tree with its root opened.
func NewTree(root *Node) *Tree {
	t := &Tree{Root: root}
	t.table.NoTitles = true
	t.table.Columns = []Column{{Min: 4, Weight: 1}}
	t.Refresh()
	return t
}

// Refresh must be called after nodes were changed.
func (t *Tree) Refresh() {
	at := t.Selected()
	t.flat, t.depth = t.flat[:0], t.depth[:0]
	var walk func(n *Node, d int)
	walk = func(n *Node, d int) {
		t.flat = append(t.flat, n)
		t.depth = append(t.depth, d)
		if n.Open {
			for _, c := range n.Children {
				walk(c, d+1)
			}
		}
	}
	walk(t.Root, 0)
	t.Select(at)
}

// Selected is the node under the cursor.
func (t *Tree) Selected() *Node {
	if t.table.Cursor < len(t.flat) {
		return t.flat[t.table.Cursor]
	}
	return nil
}

// Select moves the cursor to a node, or to the nearest one above it that is shown.
func (t *Tree) Select(n *Node) {
	for ; n != nil; n = n.Parent {
		for i, x := range t.flat {
			if x == n {
				t.table.Cursor = i
				return
			}
		}
	}
	t.table.Clamp(len(t.flat))
}

// Move handles the movements of a list.
func (t *Tree) Move(id string) bool { return t.table.Move(id, len(t.flat)) }

// Toggle opens or closes the selected node.
func (t *Tree) Toggle() {
	if n := t.Selected(); n != nil && !n.Leaf {
		n.Open = !n.Open
		t.Refresh()
	}
}

// Len is the number of nodes shown; Row draws one. They make a Tree its own Rows.
func (t *Tree) Len() int { return len(t.flat) }

// Row fills the row of node i.
func (t *Tree) Row(i int, r *Row) {
	n := t.flat[i]
	mark := "▸ "
	switch {
	case n.Leaf:
		mark = "  "
	case n.Open:
		mark = "▾ "
	}
	text := Spaces(2*t.depth[i]) + mark + n.Name
	if n.Loading {
		text += " …"
	}
	r.Add(n.Tone, text)
	if t.Sign != nil {
		r.Add(t.Sign(n))
	}
}

// View gives h lines of w columns.
func (t *Tree) View(w, h int, focused bool, th *Theme) []string {
	t.table.Focused = focused
	if t.Sign != nil && len(t.table.Columns) == 1 {
		t.table.Columns = append(t.table.Columns, Column{Min: 2})
	}
	return t.table.View(t, w, h, th)
}
