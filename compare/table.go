package compare

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// The most columns and records that a text may have to be taken for a table.
const (
	maxColumns = 500
	maxRecords = 200_000
)

// Records reads a table: lines of cells between separators, quoted or not. Empty lines
// are none. cut says that the text goes on: then its last record, which may be half of
// one, is left out. It fails where the text has no record or is larger than can be
// shown.
func Records(text string, comma rune, cut bool) ([][]string, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = comma
	r.FieldsPerRecord = -1
	r.LazyQuotes = true
	var out [][]string
	for {
		rec, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		switch {
		case err != nil:
			return nil, err
		case len(rec) > maxColumns:
			return nil, errors.New("it has more columns than can be shown as a table")
		case len(out) == maxRecords:
			return nil, errors.New("it has more records than can be shown as a table")
		}
		out = append(out, rec)
	}
	if n := len(out); cut && n > 1 {
		out = out[:n-1]
	}
	if len(out) == 0 {
		return nil, errors.New("it has no records")
	}
	return out, nil
}

// Comma is the separator of a table by its name and its start: a tab for .tsv, else of
// comma, semicolon, tab and bar the one that stands most often in the first line.
func Comma(name, text string) rune {
	if strings.HasSuffix(strings.ToLower(name), ".tsv") {
		return '\t'
	}
	line, _, _ := strings.Cut(text, "\n")
	best, most := ',', 0
	for _, c := range ",;\t|" {
		if n := strings.Count(line, string(c)); n > most {
			best, most = c, n
		}
	}
	return best
}

// A Column of two tables: its name, empty where the tables have none, and where it
// stands in each; -1: it is not there.
type Column struct {
	Name string
	A, B int
}

// A Grid is what two tables have to do with each other.
type Grid struct {
	Columns []Column
	// Headed says that the first record of each is its header, which is in no pair.
	Headed bool
	// Key is the column whose cell names a record, of Columns; -1: records are told
	// apart by their places and what is in them.
	Key int
	// Pairs are the records in the order of B, those that only A has in their places
	// among them. With a key a record may have moved. Two are the same if their cells
	// are, in all columns that both tables have and past the header's.
	Pairs []Pair
	// Moved is how many records stand elsewhere in the order.
	Moved int
}

// Tables compares two lists of records.
func Tables(a, b [][]string) Grid {
	g := Grid{Key: -1}
	g.Headed = len(a) > 0 && len(b) > 0 && isHeader(a[0]) && isHeader(b[0])
	first := 0
	if g.Headed {
		first = 1
		g.Columns = columns(a[0], b[0])
	} else {
		for i := range max(widest(a), widest(b)) {
			g.Columns = append(g.Columns, Column{A: i, B: i})
		}
	}
	if g.Headed {
		g.Key = g.key(a[1:], b[1:])
	}
	if g.Key >= 0 {
		g.byKey(a, b)
		return g
	}
	blocks := Lines(g.joined(a, first, false), g.joined(b, first, true))
	g.Pairs = Pairs(blocks, func(i, j int) int { return g.alike(a[i+first], b[j+first]) })
	for i := range g.Pairs {
		p := &g.Pairs[i]
		if p.A >= 0 {
			p.A += int32(first)
		}
		if p.B >= 0 {
			p.B += int32(first)
		}
	}
	return g
}

func widest(recs [][]string) (n int) {
	for _, r := range recs {
		n = max(n, len(r))
	}
	return n
}

// isHeader says whether a record reads like the names of columns: none is empty, a
// number, or there twice.
func isHeader(rec []string) bool {
	seen := make(map[string]bool, len(rec))
	for _, c := range rec {
		if _, err := strconv.ParseFloat(c, 64); err == nil || c == "" || seen[c] {
			return false
		}
		seen[c] = true
	}
	return true
}

// columns puts the columns of two headers together by their names. Names stay in
// order; where a name is gone its column stands before what came for it. A name that
// both have, at other places, is one column.
func columns(a, b []string) []Column {
	inA := map[string]int{}
	for i, n := range a {
		inA[n] = i
	}
	var out []Column
	for _, bl := range Lines(a, b) {
		for i := bl.A0; i < bl.A1 && !bl.Same; i++ {
			if !slices.Contains(b, a[i]) {
				out = append(out, Column{a[i], i, -1})
			}
		}
		for j := bl.B0; j < bl.B1; j++ {
			c := Column{b[j], -1, j}
			if i, ok := inA[b[j]]; ok {
				c.A = i
			}
			out = append(out, c)
		}
	}
	return out
}

// cell is a record's cell at a place; empty where the record is shorter.
func cell(rec []string, at int) string {
	if at < 0 || at >= len(rec) {
		return ""
	}
	return rec[at]
}

// key finds the column whose cells name the records: the first one that both have,
// in which no cell is empty or there twice, and of whose cells enough are on both
// sides: half of them in the first column or one with the name of a key, nine of ten
// in any other, whose cells may be distinct by chance.
func (g *Grid) key(a, b [][]string) int {
	if len(a) == 0 || len(b) == 0 {
		return -1
	}
	for k, c := range g.Columns {
		if c.A < 0 || c.B < 0 {
			continue
		}
		inA, ok := distinct(a, c.A)
		if !ok {
			continue
		}
		inB, ok := distinct(b, c.B)
		if !ok {
			continue
		}
		both := 0
		for v := range inA {
			if _, ok := inB[v]; ok {
				both++
			}
		}
		need := 9
		if k == 0 || keyName(c.Name) {
			need = 5
		}
		if 10*both >= need*min(len(a), len(b)) {
			return k
		}
	}
	return -1
}

// keyName says whether a column is called as keys are.
func keyName(name string) bool {
	name = strings.ToLower(name)
	for _, end := range []string{"id", "key", "code", "sku", "name"} {
		if rest, ok := strings.CutSuffix(name, end); ok && (rest == "" || strings.HasSuffix(rest, "_") || strings.HasSuffix(rest, "-") || strings.HasSuffix(rest, " ") || name == "uuid" || name == "guid") {
			return true
		}
	}
	return false
}

// distinct gives the record of each cell of a column; false: one is empty or there
// twice.
func distinct(recs [][]string, at int) (map[string]int, bool) {
	out := make(map[string]int, len(recs))
	for i, r := range recs {
		v := cell(r, at)
		if _, twice := out[v]; twice || v == "" {
			return nil, false
		}
		out[v] = i
	}
	return out, true
}

// byKey pairs the records by the cells of their key.
func (g *Grid) byKey(a, b [][]string) {
	k := g.Columns[g.Key]
	inA, _ := distinct(a[1:], k.A) // they are: see key
	inB, _ := distinct(b[1:], k.B)
	names := func(recs [][]string, at int) []string {
		out := make([]string, len(recs)-1)
		for i, r := range recs[1:] {
			out[i] = cell(r, at)
		}
		return out
	}
	both := func(i, j int) { g.Pairs = append(g.Pairs, Pair{int32(i), int32(j), g.Same(a[i], b[j])}) }
	for _, bl := range Lines(names(a, k.A), names(b, k.B)) {
		if bl.Same {
			for i := range bl.A1 - bl.A0 {
				both(bl.A0+i+1, bl.B0+i+1)
			}
			continue
		}
		for i := bl.A0 + 1; i <= bl.A1; i++ {
			if _, moved := inB[cell(a[i], k.A)]; !moved {
				g.Pairs = append(g.Pairs, Pair{int32(i), -1, false})
			}
		}
		for j := bl.B0 + 1; j <= bl.B1; j++ {
			if i, moved := inA[cell(b[j], k.B)]; moved {
				g.Moved++
				both(i+1, j)
			} else {
				g.Pairs = append(g.Pairs, Pair{-1, int32(j), false})
			}
		}
	}
}

// Same says whether a record of A and one of B are the same.
func (g *Grid) Same(a, b []string) bool {
	for _, c := range g.Columns {
		if c.A >= 0 && c.B >= 0 && cell(a, c.A) != cell(b, c.B) {
			return false
		}
	}
	return slices.Equal(g.rest(a, false), g.rest(b, true))
}

// rest are a record's cells past the columns that have a name.
func (g *Grid) rest(rec []string, ofB bool) []string {
	named := 0
	for _, c := range g.Columns {
		at := c.A
		if ofB {
			at = c.B
		}
		named = max(named, at+1)
	}
	return rec[min(named, len(rec)):]
}

// joined gives each record as one text, of the columns that both tables have.
func (g *Grid) joined(recs [][]string, first int, ofB bool) []string {
	out := make([]string, len(recs)-min(first, len(recs)))
	var s strings.Builder
	for i := range out {
		s.Reset()
		put := func(c string) {
			s.WriteString(strconv.Itoa(len(c))) // so that no two records give one text
			s.WriteByte(':')
			s.WriteString(c)
		}
		rec := recs[i+first]
		for _, c := range g.Columns {
			switch {
			case c.A < 0 || c.B < 0:
			case ofB:
				put(cell(rec, c.B))
			default:
				put(cell(rec, c.A))
			}
		}
		for _, c := range g.rest(rec, ofB) {
			put(c)
		}
		out[i] = s.String()
	}
	return out
}

// alike is how many of the cells of two records are the same, in thousandths; less
// than a third of them is 0.
func (g *Grid) alike(a, b []string) int {
	same, n := 0, 0
	for _, c := range g.Columns {
		if c.A < 0 || c.B < 0 {
			continue
		}
		n++
		if cell(a, c.A) == cell(b, c.B) {
			same++
		}
	}
	if n == 0 || 3*same < n {
		return 0
	}
	return 1000 * same / n
}
