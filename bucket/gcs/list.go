package gcs

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"unicode/utf8"

	"google.golang.org/api/googleapi"

	"provcat-tui/bucket"
	"provcat-tui/bucket/remote"
)

// A pager asks for one page of a listing after the other, and refuses every answer
// that would end it early, repeat a part of it or keep it going in a circle.
type pager struct {
	b         *store
	prefix    string
	delimiter string
	size      int
	// Names at or after start and before end; empty: no bound.
	start, end string
	soft       bool // soft-deleted objects instead

	token string
	// asked holds the tokens asked with since the names last went on. A page may be
	// empty and have a token.
	asked map[string]bool
	empty int    // pages in a row that held nothing
	last  string // the greatest name seen so far, of a key or a folder

	page *page
}

// mostEmpty is how many pages may follow each other that hold nothing: the service passes
// over what it has removed, but not for ever.
const mostEmpty = 2000

const (
	orderHint  = "nothing can be concluded from a listing out of order: the store differs from Cloud Storage here, tell whoever runs it"
	pagingHint = "nothing can be concluded from a listing without its end: the store differs from Cloud Storage here, tell whoever runs it"
)

// pages are kept between listings for their memory.
var pages = sync.Pool{New: func() any { return new(page) }}

func (p *pager) release() {
	if p.page != nil {
		pages.Put(p.page)
	}
	p.page = nil
}

func (p *pager) call() *call {
	c := &call{op: "list versions of", name: opList, prefix: p.prefix, permission: "storage.objects.list"}
	if p.soft {
		c.op = "list the soft-deleted objects of"
	}
	return c
}

// fetch gets the page at the token into p.page.
func (p *pager) fetch(ctx context.Context) error {
	if p.page == nil {
		p.page = pages.Get().(*page)
	}
	// versions has to be repeated with each token.
	in := p.b.api.Objects.List(p.b.name).Projection("noAcl").Fields(googleapi.Field(fields))
	if p.soft {
		in.SoftDeleted(true).Fields(googleapi.Field(softFields))
	} else {
		in.Versions(true)
	}
	if p.prefix != "" {
		in.Prefix(p.prefix)
	}
	if p.delimiter != "" {
		in.Delimiter(p.delimiter)
	}
	if p.start != "" {
		in.StartOffset(p.start)
	}
	if p.end != "" {
		in.EndOffset(p.end)
	}
	if p.size > 0 {
		in.MaxResults(int64(min(p.size, 1000)))
	}
	if p.token != "" {
		in.PageToken(p.token)
	}
	if p.b.billing != "" {
		in.UserProject(p.b.billing)
	}
	c := p.call()
	c.page = p.page
	if p.token != "" {
		c.after = p.last
	} else {
		c.after = p.start
	}
	return p.b.do(ctx, c, func(ctx context.Context) error {
		_, err := in.Context(ctx).Do()
		return err
	})
}

// follow checks that name may come after what came before.
func (p *pager) follow(name string) error {
	switch {
	case !strings.HasPrefix(name, p.prefix):
		return &remote.BadAnswer{Text: fmt.Sprintf("the listing holds %.80q, which is outside the prefix", name)}
	case name < p.last:
		return &remote.BadAnswer{Text: fmt.Sprintf("the store lists names out of order: %.80q after %.80q", name, p.last), Hint: orderHint}
	case name < p.start || p.end != "" && name >= p.end:
		return &remote.BadAnswer{Text: fmt.Sprintf("the listing holds %.80q, which is outside of what was asked for", name)}
	}
	if name > p.last {
		p.last = name
		clear(p.asked)
	}
	return nil
}

// advance sets the token of the next page, and says whether there is one.
func (p *pager) advance() (bool, error) {
	if p.empty++; len(p.page.items) > 0 || len(p.page.folders) > 0 {
		p.empty = 0
	}
	switch token := p.page.token; {
	case token == "":
		return false, nil
	case p.empty > mostEmpty:
		return false, &remote.BadAnswer{Text: fmt.Sprintf("%d pages in a row hold nothing, and more is said to follow", p.empty), Hint: pagingHint}
	case token == p.token || p.asked[token]:
		return false, &remote.BadAnswer{Text: fmt.Sprintf("the listing goes in a circle after %.80q", p.last), Hint: pagingHint}
	default:
		if p.asked == nil {
			p.asked = map[string]bool{}
		}
		p.asked[token] = true
		p.token = token
		return true, nil
	}
}

// walk yields the items of all pages: folders, and the history of each key as soon
// as all its generations are there. It holds one page and the generations of one key.
//
// again is told of a page that failed, as bucket.Range.Again is.
func (p *pager) walk(ctx context.Context, again func(error) error, yield func(bucket.Item, error) bool) {
	w := &walker{pager: p, ctx: ctx, yield: yield}
	defer p.release()
	for more := true; more; {
		err := p.fetch(ctx)
		if err != nil {
			if err = again(p.b.fail(p.call(), err)); err == nil {
				continue
			}
			yield(bucket.Item{}, err)
			return
		}
		err = w.take()
		if err == nil && !w.stopped {
			more, err = p.advance()
		}
		if err == nil && !more {
			err = w.flush()
		}
		if err != nil && !w.stopped {
			yield(bucket.Item{}, p.b.fail(p.call(), err))
		}
		if err != nil || w.stopped {
			return
		}
	}
}

// A walker is the state of walk between pages.
type walker struct {
	*pager
	ctx     context.Context
	yield   func(bucket.Item, error) bool
	folder  string       // the last one yielded
	gens    []generation // of the key under way
	out     []bucket.Version
	stopped bool // the caller wants no more
}

// take merges the two lists of a page, objects and prefixes, by name. The store gives
// a page's share of both, so that the merged pages follow each other.
func (w *walker) take() error {
	items, folders := w.page.items, w.page.folders
	if len(folders) > 0 && w.delimiter == "" {
		return &remote.BadAnswer{Text: "the listing holds folders, which were not asked for"}
	}
	for i, f := 0, 0; (i < len(items) || f < len(folders)) && !w.stopped; {
		if f < len(folders) && (i == len(items) || folders[f] < items[i].Key) {
			name := folders[f]
			f++
			if err := w.follow(name); err != nil {
				return err
			}
			if strings.IndexByte(name[len(w.prefix):], '/') != len(name)-len(w.prefix)-1 {
				return &remote.BadAnswer{Text: fmt.Sprintf("%.80q is no folder of this level", name), Hint: orderHint}
			}
			if name == w.folder {
				continue // it was on the page before
			}
			if err := w.flush(); err != nil || w.stopped {
				return err
			}
			w.folder = name
			w.stopped = !w.yield(bucket.Item{Folder: name}, nil)
			continue
		}
		g := &items[i]
		i++
		if err := w.follow(g.Key); err != nil {
			return err
		}
		if w.delimiter != "" && strings.Contains(g.Key[len(w.prefix):], "/") {
			return &remote.BadAnswer{Text: fmt.Sprintf("%.80q is not on this level: the store does not group names by folder", g.Key), Hint: orderHint}
		}
		if len(w.gens) > 0 && w.gens[0].Key != g.Key {
			if err := w.flush(); err != nil {
				return err
			}
		}
		w.gens = append(w.gens, *g)
	}
	return nil
}

// flush yields the history of the key under way.
func (w *walker) flush() error {
	if len(w.gens) == 0 || w.stopped {
		return nil
	}
	var err error
	if w.out, err = history(w.out[:0], w.gens); err != nil {
		return err
	}
	w.gens = w.gens[:0]
	for _, v := range w.out {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if !w.yield(bucket.Item{Version: v}, nil) {
			w.stopped = true
			return nil
		}
	}
	return nil
}

// Versions starts a page at After itself and leaves its generations out: the API's
// lower bound is inclusive, and its upper one is not.
func (b *store) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		if r.Through != "" && (r.Through <= r.After || r.Through < r.Prefix) {
			return
		}
		p := &pager{b: b, prefix: r.Prefix, size: r.PageSize, start: valid(r.After), end: beyond(r.Through)}
		p.walk(ctx, r.Again, func(i bucket.Item, err error) bool {
			switch {
			case err != nil:
				return yield(bucket.Version{}, err)
			case i.Version.Key <= r.After && r.After != "":
				return true
			case r.Through != "" && i.Version.Key > r.Through:
				return false
			}
			return yield(i.Version, nil)
		})
	}
}

// valid is the longest start of s that is UTF-8: a bound need not be a whole key.
func valid(s string) string {
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)) {
			return s[:i]
		}
	}
	return s
}

// beyond is a bound right after s, or none where there can be none: names have at
// most 1,024 bytes. What comes too much is left out by the caller.
func beyond(s string) string {
	if s == "" || len(s) >= 1024 || !utf8.ValidString(s) {
		return ""
	}
	return s + "\x01"
}

// Level lists one level. Objects and folders of a page are merged by name.
func (b *store) Level(ctx context.Context, prefix string) iter.Seq2[bucket.Item, error] {
	return func(yield func(bucket.Item, error) bool) {
		(&pager{b: b, prefix: prefix, delimiter: "/"}).walk(ctx, bucket.Range{}.Again, yield)
	}
}
