package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The bounds of a JSON value that is compared path by path.
const (
	maxDepth  = 64       // levels of objects and arrays
	maxLeaves = 64 << 20 // bytes of all leaves with their paths, of one side
)

var (
	errJSON  = errors.New("it is not JSON")
	errDeep  = errors.New("its values are nested more than 64 deep")
	errTwice = errors.New("an object has a name twice, of which JSON does not say which counts")
	errWide  = errors.New("its paths are too long to be shown")
)

// A Leaf is a value with nothing in it, and the path to it: `orders[3].id`. The
// canonical form of a value is its leaves, objects sorted by name.
type Leaf struct{ Path, Value string }

func (l Leaf) String() string {
	if l.Path == "" {
		return l.Value
	}
	return l.Path + " = " + l.Value
}

// A Tree is a JSON value that was read.
type Tree struct {
	root  *node
	lines bool // of JSON lines: the root is an array of them
}

// A node is a value: a leaf with its text, an object with names, or an array.
type node struct {
	kind  byte // '{', '[' or 0
	text  string
	names []string
	kids  []*node
	line  int // of a value among JSON lines, from 1
	// id is equal for equal values, leaves is how many leaves it has.
	id     int32
	leaves int
}

// JSON reads one JSON value. Numbers are kept as they are written: 1.0 is not 1.
func JSON(data []byte) (*Tree, error) {
	if !json.Valid(data) {
		return nil, errJSON
	}
	p := parser{data: data}
	root, err := p.value(0)
	if err != nil {
		return nil, err
	}
	return &Tree{root: root}, nil
}

// JSONLines reads a JSON value from each line that is not empty. cut says that the
// text goes on: then what follows the last newline is left out.
func JSONLines(data []byte, cut bool) (*Tree, error) {
	if end := bytes.LastIndexByte(data, '\n'); cut && end >= 0 {
		data = data[:end]
	}
	root := &node{kind: '['}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		t, err := JSON(line)
		if err != nil {
			return nil, err
		}
		t.root.line = number
		root.kids = append(root.kids, t.root)
	}
	if len(root.kids) == 0 {
		return nil, errJSON
	}
	return &Tree{root, true}, nil
}

// A parser reads what json.Valid has found to be valid.
type parser struct {
	data []byte
	at   int
}

func (p *parser) skip() {
	for p.at < len(p.data) && strings.IndexByte(" \t\r\n,:", p.data[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) value(depth int) (*node, error) {
	p.skip()
	from := p.at
	switch c := p.data[p.at]; c {
	case '"':
		return &node{text: p.quoted()}, nil
	case '{', '[':
		if depth == maxDepth {
			return nil, errDeep
		}
		n := &node{kind: c}
		p.at++
		for p.skip(); p.data[p.at] != c+2; p.skip() { // its end: } is { + 2, ] is [ + 2
			if c == '{' {
				n.names = append(n.names, p.quoted())
			}
			kid, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.kids = append(n.kids, kid)
		}
		p.at++
		return n, n.sort()
	default:
		for p.at < len(p.data) && strings.IndexByte(" \t\r\n,:]}", p.data[p.at]) < 0 {
			p.at++
		}
		return &node{text: string(p.data[from:p.at])}, nil
	}
}

// quoted reads a string and gives it as JSON, with nothing escaped that need not be.
func (p *parser) quoted() string {
	from := p.at
	for p.at++; p.data[p.at] != '"'; p.at++ {
		if p.data[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
	raw := p.data[from:p.at]
	var s string
	// Half of a surrogate pair becomes U+FFFD, as any other half does: it stays as it is.
	if bytes.IndexByte(raw, '\\') < 0 || json.Unmarshal(raw, &s) != nil || strings.ContainsRune(s, utf8.RuneError) {
		return string(raw)
	}
	return quote(s)
}

func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil { // no string fails
		return strconv.Quote(s)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// sort puts the members of an object into the order of their names.
func (n *node) sort() error {
	if n.kind != '{' {
		return nil
	}
	order := make([]int, len(n.names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(n.names[i], n.names[j]) })
	names, kids := make([]string, len(order)), make([]*node, len(order))
	for to, from := range order {
		names[to], kids[to] = n.names[from], n.kids[from]
		if to > 0 && names[to] == names[to-1] {
			return errTwice
		}
	}
	n.names, n.kids = names, kids
	return nil
}
