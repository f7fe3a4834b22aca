package compare

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// Trees compares two JSON values. It gives the leaves of both and which of them stand
// beside each other: members of objects by their names, elements of arrays and JSON
// lines by what is in them. It fails where the paths are too long to be shown.
func Trees(a, b *Tree) (inA, inB []Leaf, pairs []Pair, err error) {
	number(map[string]int32{}, a.root, b.root)
	d := treeDiffer{a: leaves{lines: a.lines}, b: leaves{lines: b.lines}}
	if a.lines == b.lines {
		d.both(a.root, b.root)
	} else {
		d.onlyA(a.root)
		d.onlyB(b.root)
	}
	if max(d.a.size, d.b.size) > maxLeaves {
		return nil, nil, nil, errWide
	}
	return d.a.all, d.b.all, d.pairs, nil
}

// number gives each of the values an id that only its equals have, and counts leaves.
func number(ids map[string]int32, roots ...*node) {
	for _, n := range roots {
		key := []byte{n.kind}
		if n.kind == 0 {
			key = append(key, n.text...)
		}
		n.leaves = 0
		for i, kid := range n.kids {
			number(ids, kid)
			n.leaves += kid.leaves
			if n.kind == '{' {
				key = binary.AppendUvarint(key, uint64(len(n.names[i])))
				key = append(key, n.names[i]...)
			}
			key = binary.AppendUvarint(key, uint64(kid.id))
		}
		if len(n.kids) == 0 {
			n.leaves = 1
		}
		id, ok := ids[string(key)]
		if !ok {
			id = int32(len(ids))
			ids[string(key)] = id
		}
		n.id = id
	}
}

// leaves are those of one side, and the path to where it is.
type leaves struct {
	all   []Leaf
	path  []byte
	lines bool
	size  int
}

// within adds the leaves below the i-th value of n.
func (l *leaves) within(n *node, i int, do func(kid *node)) {
	was := len(l.path)
	switch {
	case n.kind == '{' && plainName(n.names[i]):
		if was > 0 {
			l.path = append(l.path, '.')
		}
		l.path = append(l.path, n.names[i][1:len(n.names[i])-1]...)
	case n.kind == '{':
		l.path = append(append(append(l.path, '['), n.names[i]...), ']')
	case l.lines && n.kids[i].line > 0 && was == 0:
		l.path = append(strconv.AppendInt(append(l.path, "line "...), int64(n.kids[i].line), 10), ':')
	default:
		l.path = append(strconv.AppendInt(append(l.path, '['), int64(i), 10), ']')
	}
	do(n.kids[i])
	l.path = l.path[:was]
}

// plainName says whether a name, in its quotes, may stand in a path without them.
func plainName(quoted string) bool {
	for i := 1; i < len(quoted)-1; i++ {
		c := quoted[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-' || c >= 0x80 || c >= '0' && c <= '9' && i > 1) || c == '\\' {
			return false
		}
	}
	return len(quoted) > 2
}

// add appends all leaves of a value.
func (l *leaves) add(n *node) {
	if len(n.kids) == 0 {
		text := n.text
		if n.kind != 0 {
			text = string([]byte{n.kind, n.kind + 2})
		}
		// What is too much is counted and not kept: Trees refuses it.
		if l.size += len(l.path) + len(text); l.size > maxLeaves {
			l.all = append(l.all, Leaf{})
			return
		}
		l.all = append(l.all, Leaf{string(l.path), text})
		return
	}
	for i := range n.kids {
		l.within(n, i, l.add)
	}
}

type treeDiffer struct {
	a, b  leaves
	pairs []Pair
}

func (d *treeDiffer) onlyA(n *node) {
	from := len(d.a.all)
	d.a.add(n)
	for i := from; i < len(d.a.all); i++ {
		d.pairs = append(d.pairs, Pair{int32(i), -1, false})
	}
}

func (d *treeDiffer) onlyB(n *node) {
	from := len(d.b.all)
	d.b.add(n)
	for i := from; i < len(d.b.all); i++ {
		d.pairs = append(d.pairs, Pair{-1, int32(i), false})
	}
}

// both compares two values that stand at the same place.
func (d *treeDiffer) both(a, b *node) {
	switch {
	case a.id == b.id:
		i, j := len(d.a.all), len(d.b.all)
		d.a.add(a)
		d.b.add(b)
		for k := range len(d.a.all) - i {
			d.pairs = append(d.pairs, Pair{int32(i + k), int32(j + k), true})
		}
	case a.kind != b.kind || len(a.kids) == 0 || len(b.kids) == 0:
		if len(a.kids) == 0 && len(b.kids) == 0 {
			d.a.add(a)
			d.b.add(b)
			d.pairs = append(d.pairs, Pair{int32(len(d.a.all) - 1), int32(len(d.b.all) - 1), false})
			return
		}
		d.onlyA(a)
		d.onlyB(b)
	case a.kind == '{':
		d.members(a, b)
	default:
		d.elements(a, b)
	}
}

// step goes on to the i-th value of a and the j-th of b; -1: there is none.
func (d *treeDiffer) step(a, b *node, i, j int) {
	switch {
	case j < 0:
		d.a.within(a, i, d.onlyA)
	case i < 0:
		d.b.within(b, j, d.onlyB)
	default:
		d.a.within(a, i, func(x *node) { d.b.within(b, j, func(y *node) { d.both(x, y) }) })
	}
}

func (d *treeDiffer) members(a, b *node) {
	i, j := 0, 0
	for i < len(a.names) || j < len(b.names) {
		switch {
		case j == len(b.names) || i < len(a.names) && a.names[i] < b.names[j]:
			d.step(a, b, i, -1)
			i++
		case i == len(a.names) || b.names[j] < a.names[i]:
			d.step(a, b, -1, j)
			j++
		default:
			d.step(a, b, i, j)
			i, j = i+1, j+1
		}
	}
}

func (d *treeDiffer) elements(a, b *node) {
	ids := map[int32]int32{} // the numbers of numbers begin at 0
	short := func(n *node) []int32 {
		out := make([]int32, len(n.kids))
		for i, kid := range n.kids {
			id, ok := ids[kid.id]
			if !ok {
				id = int32(len(ids))
				ids[kid.id] = id
			}
			out[i] = id
		}
		return out
	}
	x, y := short(a), short(b)
	for _, p := range Pairs(numbers(x, y, len(ids)), func(i, j int) int { return a.kids[i].alike(b.kids[j]) }) {
		d.step(a, b, int(p.A), int(p.B))
	}
}

// alike is how much two values have in common, in thousandths: of objects the members,
// those that could be their names counted many times over; 0: too little.
func (n *node) alike(o *node) int {
	switch {
	case n.kind != o.kind:
		return 0
	case n.kind == 0:
		return max(Alike(n.text, o.text), 1)
	case n.kind == '[':
		return 500
	}
	same, all, i, j := 0, 0, 0, 0
	for i < len(n.names) && j < len(o.names) {
		c := strings.Compare(n.names[i], o.names[j])
		weight := 1
		if name := n.names[i]; c == 0 && (name == `"id"` || name == `"_id"` || name == `"key"` || name == `"name"`) {
			weight = 1 + len(n.names)
		}
		all += weight
		if c == 0 && n.kids[i].id == o.kids[j].id {
			same += weight
		}
		if c <= 0 {
			i++
		}
		if c >= 0 {
			j++
		}
	}
	all += len(n.names) - i + len(o.names) - j
	if 3*same < all {
		return 0
	}
	return max(1000*same/max(all, 1), 1)
}
