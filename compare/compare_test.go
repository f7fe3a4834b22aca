package compare

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func lines(s string) []string { return strings.Split(s, "") }

// told is a list of pairs as a person would write them.
func told(pairs []Pair, a, b func(i int) string) string {
	var out []string
	for _, p := range pairs {
		switch {
		case p.Same:
			out = append(out, "="+b(int(p.B)))
		case p.B < 0:
			out = append(out, "-"+a(int(p.A)))
		case p.A < 0:
			out = append(out, "+"+b(int(p.B)))
		default:
			out = append(out, "~"+a(int(p.A))+">"+b(int(p.B)))
		}
	}
	return strings.Join(out, " ")
}

func TestLinesAreTheShortestDifference(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"", "", ""},
		{"abc", "abc", "=a =b =c"},
		{"abc", "axc", "=a -b +x =c"},
		{"abc", "abxc", "=a =b +x =c"},
		{"abcd", "bcda", "-a =b =c =d +a"},
		{"", "ab", "+a +b"},
		{"ab", "", "-a -b"},
	} {
		a, b := lines(c.a), lines(c.b)
		pairs := Pairs(Lines(a, b), func(int, int) int { return 0 })
		if got := told(pairs, func(i int) string { return a[i] }, func(i int) string { return b[i] }); got != c.want {
			t.Errorf("%q to %q: %s, want %s", c.a, c.b, got, c.want)
		}
	}
}

// whole fails unless the pairs tell how to make B of A: each line stands in exactly
// one pair, in order on the side that is asked for, and same ones are the same.
func whole(t *testing.T, pairs []Pair, a, b int, ordered bool, same func(i, j int) bool) {
	t.Helper()
	sawA, sawB := make([]bool, a), make([]bool, b)
	lastA, lastB := int32(-1), int32(-1)
	for _, p := range pairs {
		if p.A < 0 && p.B < 0 {
			t.Fatal("a pair of nothing")
		}
		if p.A >= 0 {
			if sawA[p.A] || ordered && p.A < lastA {
				t.Fatalf("line %d of A is out of place", p.A)
			}
			sawA[p.A], lastA = true, p.A
		}
		if p.B >= 0 {
			if sawB[p.B] || p.B < lastB {
				t.Fatalf("line %d of B is out of place", p.B)
			}
			sawB[p.B], lastB = true, p.B
		}
		if p.Same != (p.A >= 0 && p.B >= 0 && same(int(p.A), int(p.B))) {
			t.Fatalf("pair %+v is told to be the same: %v", p, p.Same)
		}
	}
	if slices.Contains(sawA, false) || slices.Contains(sawB, false) {
		t.Fatalf("lines are missing: A %v, B %v", sawA, sawB)
	}
}

func FuzzLines(f *testing.F) {
	f.Add("a\nb\nc", "a\nx\nc")
	f.Add("", "\n\n")
	f.Add(strings.Repeat("x\ny\n", 80), strings.Repeat("y\nx\n", 90))
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
		blocks := Lines(x, y)
		var made []string // A with the differences applied
		atA, atB := 0, 0
		for i, bl := range blocks {
			if bl.A0 != atA || bl.B0 != atB || bl.A1 < bl.A0 || bl.B1 < bl.B0 || i > 0 && bl.Same == blocks[i-1].Same {
				t.Fatalf("block %d of %v does not follow the one before", i, blocks)
			}
			atA, atB = bl.A1, bl.B1
			if bl.Same {
				made = append(made, x[bl.A0:bl.A1]...)
			} else {
				made = append(made, y[bl.B0:bl.B1]...)
			}
		}
		if atA != len(x) || !slices.Equal(made, y) {
			t.Fatalf("%v makes %q of %q, not %q", blocks, made, x, y)
		}
		whole(t, Pairs(blocks, func(i, j int) int { return Alike(x[i], y[j]) }), len(x), len(y), true, func(i, j int) bool { return x[i] == y[j] })
	})
}

// What differs little is found in little time, however often its lines are repeated.
func TestLinesOfBadInputEndSoon(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 100_000
	few := func() []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprint(r.IntN(3))
		}
		return out
	}
	own := make([]string, n)
	for i := range own {
		own[i] = fmt.Sprint("line ", i)
	}
	turned := slices.Clone(own)
	slices.Reverse(turned)
	for name, ab := range map[string][2][]string{"few lines over and over": {few(), few()}, "turned round": {own, turned}} {
		start := time.Now()
		Pairs(Lines(ab[0], ab[1]), func(i, j int) int { return Alike(ab[0][i], ab[1][j]) })
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}

func TestLinesThatAreAlikeStandBesideEachOther(t *testing.T) {
	a := []string{"alpha = 1", "beta = 22", "gone"}
	b := []string{"put in before", "alpha = 2", "beta = 23"}
	pairs := Pairs(Lines(a, b), func(i, j int) int { return Alike(a[i], b[j]) })
	want := "+put in before ~alpha = 1>alpha = 2 ~beta = 22>beta = 23 -gone"
	if got := told(pairs, func(i int) string { return a[i] }, func(i int) string { return b[i] }); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func cut(s string, spans []Span) (out []string) {
	for _, x := range spans {
		out = append(out, s[x.From:x.To])
	}
	return out
}

func TestWordsOfALine(t *testing.T) {
	for _, c := range []struct {
		a, b     string
		inA, inB []string
	}{
		{a: "the red fox", b: "the blue fox", inA: []string{"red"}, inB: []string{"blue"}},
		{a: "total=10", b: "total=100", inA: []string{"10"}, inB: []string{"100"}},
		{a: "same", b: "same"},
		{a: "abc", b: "xyz"}, // nothing in common
		{a: "naïve café one", b: "naïve café two", inA: []string{"one"}, inB: []string{"two"}},
	} {
		inA, inB := Words(c.a, c.b)
		if !slices.Equal(cut(c.a, inA), c.inA) || !slices.Equal(cut(c.b, inB), c.inB) {
			t.Errorf("%q to %q: %q and %q", c.a, c.b, cut(c.a, inA), cut(c.b, inB))
		}
	}
}

// Without what is marked both lines are the same.
func FuzzWords(f *testing.F) {
	f.Add("the red fox", "the blue fox")
	f.Add("é", "è")
	f.Add(strings.Repeat("a b ", 2000), strings.Repeat("a c ", 2000))
	f.Fuzz(func(t *testing.T, a, b string) {
		inA, inB := Words(a, b)
		if inA == nil && inB == nil {
			return
		}
		left := func(s string, spans []Span) string {
			var out strings.Builder
			at := 0
			for _, x := range spans {
				if x.From < at || x.To <= x.From || x.To > len(s) {
					t.Fatalf("spans %v of %q", spans, s)
				}
				out.WriteString(s[at:x.From])
				at = x.To
			}
			return out.String() + s[at:]
		}
		if left(a, inA) != left(b, inB) {
			t.Fatalf("%q and %q: without %v and %v they still differ", a, b, inA, inB)
		}
	})
}

func TestBytesPlaceByPlace(t *testing.T) {
	inA, inB := Bytes([]byte("abcdef"), []byte("axcdyfgh"))
	if want := []Span{{1, 2}, {4, 5}}; !slices.Equal(inA, want) {
		t.Errorf("A: %v", inA)
	}
	if want := []Span{{1, 2}, {4, 5}, {6, 8}}; !slices.Equal(inB, want) {
		t.Errorf("B: %v", inB)
	}
	if a, b := Bytes([]byte("ab"), []byte("ax")); !slices.Equal(a, []Span{{1, 2}}) || !slices.Equal(b, []Span{{1, 2}}) {
		t.Errorf("the last one: %v %v", a, b)
	}
}

func table(s string) [][]string {
	recs, err := Records(s, ',', false)
	if err != nil {
		panic(err)
	}
	return recs
}

func TestTables(t *testing.T) {
	for name, c := range map[string]struct {
		a, b    string
		columns []Column
		key     int
		want    string
		moved   int
	}{
		"a cell, a row more, a row less": {
			"id,eur\n1,10\n2,20\n3,30\n", "id,eur\n1,10\n2,25\n4,40\n",
			[]Column{{"id", 0, 0}, {"eur", 1, 1}}, 0, "=1,10 ~2,20>2,25 -3,30 +4,40", 0,
		},
		"another order": {
			"id,eur\n1,10\n2,20\n3,30\n", "id,eur\n3,30\n1,10\n2,21\n",
			[]Column{{"id", 0, 0}, {"eur", 1, 1}}, 0, "=3,30 =1,10 ~2,20>2,21", 1,
		},
		"a column more, one less, one moved": {
			"id,old,x,y\n1,o,7,8\n", "id,y,x,new\n1,8,7,n\n",
			[]Column{{"id", 0, 0}, {"old", 1, -1}, {"y", 3, 1}, {"x", 2, 2}, {"new", -1, 3}}, 0, "=1,8,7,n", 0,
		},
		"no key: by place": {
			"day,eur\nmo,1\nmo,2\ntu,3\n", "day,eur\nmo,1\nmo,9\ntu,3\n",
			[]Column{{"day", 0, 0}, {"eur", 1, 1}}, -1, "=mo,1 ~mo,2>mo,9 =tu,3", 0,
		},
		"no header": {
			"1,10\n2,20\n", "1,10\n2,21\n",
			[]Column{{"", 0, 0}, {"", 1, 1}}, -1, "=1,10 ~2,20>2,21", 0,
		},
		"the second column is the key": {
			"kind,sku\na,1\na,2\n", "kind,sku\na,1\nb,2\n",
			[]Column{{"kind", 0, 0}, {"sku", 1, 1}}, 1, "=a,1 ~a,2>b,2", 0,
		},
		"rows longer than the header": {
			"id\n1,x\n", "id\n1,y\n",
			[]Column{{"id", 0, 0}}, 0, "~1,x>1,y", 0,
		},
	} {
		a, b := table(c.a), table(c.b)
		g := Tables(a, b)
		row := func(recs [][]string) func(int) string {
			return func(i int) string { return strings.Join(recs[i], ",") }
		}
		if got := told(g.Pairs, row(a), row(b)); got != c.want || g.Key != c.key || g.Moved != c.moved || !slices.Equal(g.Columns, c.columns) {
			t.Errorf("%s: %s, key %d, %d moved, columns %v\nwant %s, key %d, %d, %v", name, got, g.Key, g.Moved, g.Columns, c.want, c.key, c.moved, c.columns)
		}
	}
}

func TestRecords(t *testing.T) {
	if got := table("a,\"b,\nc\"\r\n\r\nd\n"); !reflect.DeepEqual(got, [][]string{{"a", "b,\nc"}, {"d"}}) {
		t.Errorf("%q", got)
	}
	if got, _ := Records("a;b\n1;2\n3;", ';', true); !reflect.DeepEqual(got, [][]string{{"a", "b"}, {"1", "2"}}) {
		t.Errorf("cut: %q", got)
	}
	for _, bad := range []string{"", "\n\n", strings.Repeat(",", maxColumns)} {
		if _, err := Records(bad, ',', false); err == nil {
			t.Errorf("%.10q is taken for a table", bad)
		}
	}
	for text, want := range map[string]rune{"a;b;c\n1,2": ';', "a\tb": '\t', "a|b": '|', "a": ','} {
		if got := Comma("x.csv", text); got != want {
			t.Errorf("separator of %q: %q", text, got)
		}
	}
	if Comma("x.TSV", "a,b") != '\t' {
		t.Error("a .tsv has no tabs")
	}
}

func FuzzTables(f *testing.F) {
	f.Add("id,eur\n1,10\n2,20\n", "id,eur\n2,20\n1,11\n3,3\n")
	f.Add("a,a\n", "\"x\ny\",b\n1\n")
	f.Add("k\n1\n2\n3\n4\n", "k\n4\n3\n2\n1\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, errX := Records(a, ',', false)
		y, errY := Records(b, ',', false)
		if errX != nil || errY != nil {
			return
		}
		g := Tables(x, y)
		first := 0
		if g.Headed {
			first = 1
		}
		pairs := slices.Clone(g.Pairs)
		for i := range pairs {
			if pairs[i].A >= 0 {
				pairs[i].A -= int32(first)
			}
			if pairs[i].B >= 0 {
				pairs[i].B -= int32(first)
			}
		}
		whole(t, pairs, len(x)-first, len(y)-first, g.Key < 0, func(i, j int) bool { return g.Same(x[i+first], y[j+first]) })
		// Two tables are the same if nothing differs, whatever their columns are called.
		if slices.EqualFunc(x, y, slices.Equal) && slices.ContainsFunc(g.Pairs, func(p Pair) bool { return !p.Same }) {
			t.Fatalf("a table differs from itself: %v", g.Pairs)
		}
	})
}

func tree(t *testing.T, s string, jsonl bool) *Tree {
	t.Helper()
	read := JSON
	if jsonl {
		read = func(data []byte) (*Tree, error) { return JSONLines(data, false) }
	}
	v, err := read([]byte(s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

func TestTrees(t *testing.T) {
	for name, c := range map[string]struct {
		a, b  string
		lines bool
		want  string
	}{
		"order and white space": {`{"b":1,"a":[true,null]}`, "{ \"a\": [true, null],\n \"b\": 1 }", false, "=a[0] = true|=a[1] = null|=b = 1"},
		"a value":               {`{"a":{"b":1,"c":2}}`, `{"a":{"b":1,"c":3}}`, false, "=a.b = 1|~a.c = 2>a.c = 3"},
		"a member more, one less": {
			`{"a":1,"b":{"x":1,"y":2}}`, `{"a":1,"c":[]}`, false,
			"=a = 1|-b.x = 1|-b.y = 2|+c = []",
		},
		"an element put in": {
			`[{"id":1,"n":"a"},{"id":2,"n":"b"}]`, `[{"id":9,"n":"z"},{"id":1,"n":"a"},{"id":2,"n":"c"}]`, false,
			`+[0].id = 9|+[0].n = "z"|=[1].id = 1|=[1].n = "a"|=[2].id = 2|~[1].n = "b">[2].n = "c"`,
		},
		"another kind":    {`{"a":1}`, `{"a":{"b":1}}`, false, "-a = 1|+a.b = 1"},
		"escapes":         {`{"\u0061":"\u00e9\n"}`, `{"a":"é\n"}`, false, `=a = "é\n"`},
		"names with dots": {`{"a.b":1}`, `{"a.b":2}`, false, `~["a.b"] = 1>["a.b"] = 2`},
		"numbers":         {`1.0`, `1`, false, `~1.0>1`},
		"halves of pairs": {`"\ud800"`, `"\ud801"`, false, `~"\ud800">"\ud801"`},
		"lines": {
			"{\"id\":1}\n\n{\"id\":2,\"n\":1}\n", "{\"id\":1}\n{\"id\":2,\"n\":2}\n{\"id\":3}", true,
			"=line 1:.id = 1|=line 2:.id = 2|~line 3:.n = 1>line 2:.n = 2|+line 3:.id = 3",
		},
	} {
		a, b, pairs, err := Trees(tree(t, c.a, c.lines), tree(t, c.b, c.lines))
		if err != nil {
			t.Fatal(err)
		}
		got := told(pairs, func(i int) string { return a[i].String() + "|" }, func(i int) string { return b[i].String() + "|" })
		got = strings.ReplaceAll(strings.ReplaceAll(strings.TrimSuffix(got, "|"), "| ", "|"), "|>", ">")
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestJSONThatIsNotCompared(t *testing.T) {
	for text, want := range map[string]error{
		`{"a":1,"a":2}`:      errTwice,
		`{"a":1,"\u0061":2}`: errTwice,
		strings.Repeat("[", 65) + strings.Repeat("]", 65): errDeep,
		`{"a":`: errJSON,
		``:      errJSON,
	} {
		if _, err := JSON([]byte(text)); err != want {
			t.Errorf("%.20s: %v, want %v", text, err, want)
		}
	}
	if _, err := JSON([]byte(strings.Repeat("[", 64) + strings.Repeat("]", 64))); err != nil {
		t.Errorf("64 deep: %v", err)
	}
	long := `{"` + strings.Repeat("n", 100_000) + `":[` + strings.Repeat("1,", 1000) + `1]}`
	v := tree(t, long, false)
	if _, _, _, err := Trees(v, tree(t, `1`, false)); err != errWide {
		t.Errorf("long paths: %v", err)
	}
}

func FuzzTrees(f *testing.F) {
	f.Add(`{"b":1,"a":[true,null,{"c":"d"}]}`, `{"a":[null,{"c":"e"}],"b":[1]}`)
	f.Add(`[[1,2],[3]]`, `[[1],[2,3],{}]`)
	f.Add("1", "\"\\ud800\"")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, errX := JSON([]byte(a))
		y, errY := JSON([]byte(b))
		if errX != nil || errY != nil {
			return
		}
		la, lb, pairs, err := Trees(x, y)
		if err != nil {
			return
		}
		whole(t, pairs, len(la), len(lb), true, func(i, j int) bool {
			return x.root.id == y.root.id || la[i].Value == lb[j].Value && slices.Contains(pairs, Pair{int32(i), int32(j), true})
		})
		var va, vb any
		if json.Unmarshal([]byte(a), &va) != nil || json.Unmarshal([]byte(b), &vb) != nil {
			return // a number that is too large
		}
		same := !slices.ContainsFunc(pairs, func(p Pair) bool { return !p.Same })
		if same && !reflect.DeepEqual(va, vb) {
			t.Fatalf("%s and %s are told to be the same", a, b)
		}
	})
}
