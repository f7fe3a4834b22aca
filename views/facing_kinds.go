package views

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"provcat-tui/compare"
	"provcat-tui/ui"
)

// tableFacing shows CSV: records by their key, else by their places.
func tableFacing(name string, a, b *content) (*facing, error) {
	var recs [2][][]string
	cut := [2]bool{}
	comma := compare.Comma(name, string(dataOf(b)))
	if len(dataOf(b)) == 0 {
		comma = compare.Comma(name, string(dataOf(a)))
	}
	for i, c := range []*content{a, b} {
		if c == nil || len(c.data) == 0 {
			continue
		}
		var err error
		if recs[i], err = compare.Records(string(c.data), comma, c.cut); err != nil {
			return nil, err
		}
		cut[i] = c.cut
	}
	// Alone, a table has its own header.
	x, y := recs[0], recs[1]
	if x == nil {
		x = y[:1]
	}
	if y == nil {
		y = x[:1]
	}
	g := compare.Tables(x, y)
	if recs[0] == nil || recs[1] == nil {
		g.Pairs = nil
		for i := range max(len(recs[0]), len(recs[1])) {
			switch {
			case i == 0 && g.Headed:
			case recs[0] == nil:
				g.Pairs = append(g.Pairs, compare.Pair{A: -1, B: int32(i)})
			default:
				g.Pairs = append(g.Pairs, compare.Pair{A: int32(i), B: -1})
			}
		}
	}
	t := newGridText(g, [2][][]string{x, y})
	s := &facing{
		as: "a table", unit: "row", pairs: g.Pairs, head: t.head(),
		text:  func(side, i int) string { l, _ := t.line(side, i); return l },
		words: t.words, width: digits(max(len(x), len(y))),
		number: func(_, i int) string {
			if g.Headed {
				return strconv.Itoa(i)
			}
			return strconv.Itoa(i + 1)
		},
	}
	if recs[0] != nil && recs[1] != nil {
		s.by = "by their place"
		if g.Key >= 0 {
			s.by = "by " + g.Columns[g.Key].Name
		}
	}
	if g.Moved > 0 {
		s.note = plural(int64(g.Moved), "row") + " moved"
	}
	for _, c := range g.Columns {
		if c.A < 0 || c.B < 0 {
			s.note = strings.TrimPrefix(s.note+", columns differ", ", ")
			break
		}
	}
	switch {
	case !cut[0] && !cut[1]:
	case g.Key < 0:
		s.unsure = unsureTail(s.pairs, cut[0], cut[1])
	default: // anywhere in what was not read there may be one with that key
		s.unsure = func(k int) bool { p := g.Pairs[k]; return p.A < 0 && cut[0] || p.B < 0 && cut[1] }
	}
	return s, nil
}

// jsonFacing shows JSON by paths.
func jsonFacing(a, b *content, lines bool) (*facing, error) {
	var trees [2]*compare.Tree
	for i, c := range []*content{a, b} {
		if c == nil || len(strings.TrimSpace(string(c.data))) == 0 {
			continue
		}
		var err error
		if lines {
			trees[i], err = compare.JSONLines(c.data, c.cut)
		} else {
			trees[i], err = compare.JSON(c.data)
		}
		if err != nil {
			return nil, err
		}
	}
	var leaves [2][]compare.Leaf
	var pairs []compare.Pair
	var err error
	switch {
	case trees[0] != nil && trees[1] != nil:
		leaves[0], leaves[1], pairs, err = compare.Trees(trees[0], trees[1])
	case trees[0] != nil:
		leaves[0], _, pairs, err = compare.Trees(trees[0], trees[0])
		for i := range pairs {
			pairs[i].B, pairs[i].Same = -1, false
		}
	case trees[1] != nil:
		_, leaves[1], pairs, err = compare.Trees(trees[1], trees[1])
		for i := range pairs {
			pairs[i].A, pairs[i].Same = -1, false
		}
	}
	if err != nil {
		return nil, err
	}
	s := &facing{
		as: "JSON", unit: "value", by: "by path", pairs: pairs,
		text:  func(side, i int) string { return leaves[side][i].String() },
		looks: func(side, i int) []ui.Stretch { return leafLooks(leaves[side][i]) },
		words: func(i, j int) (x, y []compare.Span) {
			return compare.Words(leaves[0][i].String(), leaves[1][j].String())
		},
	}
	if lines && (a != nil && a.cut || b != nil && b.cut) {
		s.unsure = unsureTail(pairs, a != nil && a.cut, b != nil && b.cut)
	}
	return s, nil
}

// leafLooks are those of a path and its value.
func leafLooks(l compare.Leaf) []ui.Stretch {
	var out []ui.Stretch
	at := 0
	if l.Path != "" {
		at = len(l.Path)
		out = append(out, ui.Stretch{To: int32(at), Look: ui.Name}, ui.Stretch{To: int32(at + len(" = "))})
		at += len(" = ")
	}
	look := ui.Number
	switch {
	case strings.HasPrefix(l.Value, `"`):
		look = ui.String
	case strings.HasPrefix(l.Value, "{"), strings.HasPrefix(l.Value, "["):
		look = ui.Bare
	}
	return append(out, ui.Stretch{To: int32(at + len(l.Value)), Look: look})
}

// dumped is how many bytes of each side are shown as bytes.
const dumped = 64 << 10

// bytesFacing shows the first bytes in hexadecimal, place by place.
func bytesFacing(a, b *content) *facing {
	return bytesIn(16, a, b)
}

// wideDump is the least width of a side for 16 bytes in a row.
const wideDump = 80

func bytesIn(per int, a, b *content) *facing {
	data := [2][]byte{dataOf(a), dataOf(b)}
	s := &facing{as: "bytes", unit: "row", by: "place by place", width: 8}
	for i, c := range []*content{a, b} {
		if len(data[i]) > dumped || c != nil && c.cut {
			data[i] = data[i][:min(len(data[i]), dumped)]
			s.note = "the first " + size(dumped)
		}
	}
	row := func(side, i int) []byte { return data[side][i*per : min((i+1)*per, len(data[side]))] }
	rows := func(side int) int { return (len(data[side]) + per - 1) / per }
	for i := range max(rows(0), rows(1)) {
		p := compare.Pair{A: int32(i), B: int32(i)}
		switch {
		case i >= rows(0):
			p.A = -1
		case i >= rows(1):
			p.B = -1
		default:
			p.Same = string(row(0, i)) == string(row(1, i))
		}
		s.pairs = append(s.pairs, p)
	}
	s.text = func(side, i int) string { return dumpRow(row(side, i), per) }
	s.number = func(_, i int) string { return fmt.Sprintf("%08x", i*per) }
	s.words = func(i, j int) (x, y []compare.Span) {
		x, y = compare.Bytes(row(0, i), row(1, j))
		return dumpSpans(x, per), dumpSpans(y, per)
	}
	s.refit = func(w int) *facing {
		n := 16
		if w < wideDump {
			n = 8
		}
		if n == per {
			return nil
		}
		out := bytesIn(n, a, b)
		out.alone = s.alone
		return out
	}
	return s
}

// dumpRow is a row of bytes: `50 41 52 31 15  PAR1.`.
func dumpRow(data []byte, per int) string {
	var b strings.Builder
	for i, c := range data {
		if i == 8 {
			b.WriteByte(' ')
		}
		b.WriteString(hex.EncodeToString([]byte{c}))
		b.WriteByte(' ')
	}
	b.WriteString(ui.Spaces(dumpText(per) - b.Len()))
	for _, c := range data {
		if c < 0x20 || c >= 0x7f || c == '\\' {
			c = '.'
		}
		b.WriteByte(c)
	}
	return b.String()
}

// dumpText is where the letters of a row begin, dumpHex where byte i is.
func dumpText(per int) int { return dumpHex(per-1) + len("00  ") }

func dumpHex(i int) int {
	if i >= 8 {
		return 3*i + 1
	}
	return 3 * i
}

// dumpSpans are stretches of bytes as they stand in a row.
func dumpSpans(in []compare.Span, per int) []compare.Span {
	var out, letters []compare.Span
	for _, x := range in {
		out = append(out, compare.Span{From: dumpHex(x.From), To: dumpHex(x.To-1) + 2})
		letters = append(letters, compare.Span{From: dumpText(per) + x.From, To: dumpText(per) + x.To})
	}
	return append(out, letters...)
}
