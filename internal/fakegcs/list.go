package fakegcs

import (
	"encoding/base64"
	"encoding/json"
	"hash/fnv"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// An Order is how a listing orders the generations of one name. No page says how
// the service does; with Ascending it is as it is seen to be.
type Order int

// The orders. Pages follow each other rightly in all of them.
const (
	Ascending  Order = iota // by number, the oldest first
	Descending              // the newest first
	Shuffled                // neither, but the same each time
)

func (o Order) rank(number int64) uint64 {
	switch o {
	case Descending:
		return ^uint64(number)
	case Shuffled:
		h := fnv.New64a()
		_, _ = h.Write(strconv.AppendInt(nil, number, 10)) // a hash never fails
		return h.Sum64()
	}
	return uint64(number)
}

// A token is where a page ended: behind a prefix, or behind a generation of a
// name. In the service it is opaque too.
type token struct {
	Prefix bool   `json:"p,omitempty"`
	Name   string `json:"n"`
	Number int64  `json:"g,omitempty"`
}

func (t token) String() string {
	raw, err := json.Marshal(t)
	if err != nil {
		panic(err) // strings and numbers
	}
	return base64.URLEncoding.EncodeToString(raw)
}

func parseToken(text string) (*token, bool) {
	if text == "" {
		return nil, true
	}
	raw, err := base64.URLEncoding.DecodeString(text)
	t := &token{}
	if err != nil || json.Unmarshal(raw, t) != nil {
		return nil, false
	}
	return t, true
}

// A listing is a question for a page, and the page.
type listing struct {
	prefix, delimiter string
	start, end        string
	trailing          bool // includeTrailingDelimiter
	versions, soft    bool
	after             *token
	max               int

	rows []row
	more bool
}

// A row is a generation, or a prefix.
type row struct {
	prefix string
	name   string
	g      *generation
}

func (x *exchange) listObjects(b *bucket) *answer {
	if a := x.withACL(b); a != nil {
		return a
	}
	q := x.query
	l := &listing{prefix: q.Get("prefix"), delimiter: q.Get("delimiter"), start: q.Get("startOffset"), end: q.Get("endOffset"),
		trailing: q.Get("includeTrailingDelimiter") == "true", versions: q.Get("versions") == "true", soft: q.Get("softDeleted") == "true"}
	if q.Get("matchGlob") != "" || q.Get("filter") != "" || q.Get("includeFoldersAsPrefixes") == "true" {
		return x.fail(501, "notImplemented", "fakegcs has no matchGlob, no filter and no folders.")
	}
	if l.soft && l.versions {
		// Google's storage-testbench refuses both too; the reference doesn't tell.
		return x.invalid("softDeleted and versions cannot both be true.")
	}
	if l.soft && b.set.SoftDeletePolicy == nil {
		return x.noPolicy()
	}
	var ok bool
	if l.after, ok = parseToken(q.Get("pageToken")); !ok {
		return x.parameter("pageToken", q.Get("pageToken"))
	}
	most, a := x.number("maxResults")
	if a != nil {
		return a
	}
	l.max = x.s.o.PageCap
	if most > 0 {
		l.max = int(min(most, int64(l.max)))
	}
	if x.pageSize > 0 {
		l.max = min(l.max, x.pageSize)
	}
	l.fill(b, x.s)
	p := l.page(x, b)
	for _, f := range x.reshape {
		f(p)
	}
	return x.reply(200, p)
}

// A Page is a listing's answer, as it goes out and as Reshape may change it.
type Page struct {
	Kind          string      `json:"kind"`
	NextPageToken string      `json:"nextPageToken,omitempty"`
	Prefixes      []string    `json:"prefixes,omitempty"`
	Items         []*resource `json:"items,omitempty"`

	asked string // the page token of the request
}

func (l *listing) page(x *exchange, b *bucket) *Page {
	p := &Page{Kind: "storage#objects", asked: x.query.Get("pageToken")}
	for _, r := range l.rows {
		if r.g == nil {
			p.Prefixes = append(p.Prefixes, r.prefix)
		} else {
			p.Items = append(p.Items, x.resource(b, r.name, r.g))
		}
	}
	if l.more {
		last := l.rows[len(l.rows)-1]
		t := token{Prefix: true, Name: last.prefix}
		if last.g != nil {
			t = token{Name: last.name, Number: last.g.number}
		}
		p.NextPageToken = t.String()
	}
	return p
}

// fill walks the names until the page is full; one row more than fits tells that
// there are more. A name that only has generations that are not asked for makes no
// prefix either. startOffset and endOffset are about names: a prefix is given for
// every name within them (that the offsets are not compared with the prefix itself
// follows from the reference's words, which speak of objects' names).
func (l *listing) fill(b *bucket, s *Server) {
	from := max(l.prefix, l.start)
	if l.after != nil {
		from = max(from, l.after.Name)
	}
	for i, _ := b.search(from); i < len(b.objects); {
		o := b.objects[i]
		if !strings.HasPrefix(o.name, l.prefix) || l.end != "" && o.name >= l.end {
			return
		}
		list := l.visible(o, b.order, s)
		if len(list) == 0 {
			i++
			continue
		}
		common := l.common(o.name)
		if common != "" && !l.shown(common) && !l.add(row{prefix: common}) {
			return
		}
		if common == "" || l.trailing && o.name == common {
			for _, g := range list {
				if l.passed(o.name, g, b.order) {
					continue
				}
				if !l.add(row{name: o.name, g: g}) {
					return
				}
			}
		}
		if common != "" {
			i = b.past(common)
		} else {
			i++
		}
	}
}

// add puts a row on the page, unless it is full.
func (l *listing) add(r row) bool {
	if len(l.rows) == l.max {
		l.more = true
		return false
	}
	l.rows = append(l.rows, r)
	return true
}

// visible are the generations of o that the listing is about, in order.
func (l *listing) visible(o *object, order Order, s *Server) []*generation {
	var list []*generation
	switch {
	case l.soft:
		now := s.now()
		for _, g := range o.soft {
			if now.Before(g.hard) {
				list = append(list, g)
			}
		}
	case l.versions:
		list = o.gens
	default:
		if g := o.live(); g != nil {
			list = []*generation{g}
		}
	}
	if order != Ascending {
		list = slices.Clone(list)
		slices.SortFunc(list, func(a, b *generation) int {
			if order.rank(a.number) < order.rank(b.number) {
				return -1
			}
			return 1
		})
	}
	return list
}

// passed says that the page before ended at this generation or behind it.
func (l *listing) passed(name string, g *generation, order Order) bool {
	return l.after != nil && !l.after.Prefix && l.after.Name == name && order.rank(g.number) <= order.rank(l.after.Number)
}

// shown says that a page before had this prefix.
func (l *listing) shown(prefix string) bool {
	if l.after == nil {
		return false
	}
	if l.after.Prefix {
		return l.after.Name == prefix
	}
	return l.common(l.after.Name) == prefix
}

// common is the prefix that a name falls under: through the first delimiter behind
// the listing's prefix; empty: none.
func (l *listing) common(name string) string {
	if l.delimiter == "" {
		return ""
	}
	if n := strings.Index(name[len(l.prefix):], l.delimiter); n >= 0 {
		return name[:len(l.prefix)+n+len(l.delimiter)]
	}
	return ""
}

// past is the place behind all names with a prefix.
func (b *bucket) past(prefix string) int {
	i, _ := b.search(prefix)
	return i + sort.Search(len(b.objects)-i, func(n int) bool { return !strings.HasPrefix(b.objects[i+n].name, prefix) })
}
