package s3

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"provcat-tui/bucket"
)

func (b *store) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		if r.Through != "" && (r.Through <= r.After || r.Through < r.Prefix) {
			return
		}
		p := &pager{b: b, prefix: r.Prefix, size: r.PageSize, keyMarker: r.After, sum: r.OnPage != nil}
		defer p.release()
		var v bucket.Version
		var scratch []byte
		for more := true; more; {
			if err := p.fetch(ctx); err != nil {
				if err = r.Again(b.fail(p.call(), err)); err == nil {
					continue
				}
				yield(bucket.Version{}, err)
				return
			}
			if r.OnPage != nil {
				r.OnPage(bucket.Page{After: p.keyMarker, Version: p.idMarker, Size: r.PageSize, Sum: p.page.sum})
			}
			var n int
			var err error
			n, more, err = p.check(r)
			if more && r.Ahead {
				p.askAhead(ctx)
			}
			for i := range p.page.entries[:n] {
				v = p.page.entries[i].version(v.Key, &scratch)
				if !yield(v, nil) {
					return
				}
			}
			if err != nil {
				yield(bucket.Version{}, b.fail(p.call(), err))
				return
			}
		}
	}
}

// check looks at the whole page before any of it is told. It gives how many of its
// entries may be, whether another page is to follow them, whose markers are then set,
// and else the error that does; nil: the range ends there.
func (p *pager) check(r bucket.Range) (n int, more bool, err error) {
	entries := p.page.entries
	for i := range entries {
		key := entries[i].key
		if err := p.fits(i); err != nil {
			return i, false, err
		}
		if i > 0 && bytes.Equal(key, entries[i-1].key) {
			continue
		}
		if err := p.follow(key); err != nil {
			return i, false, err
		}
		if r.After != "" && string(key) <= r.After {
			return i, false, &badAnswer{Text: fmt.Sprintf("the listing starts at %.80q, before what was asked for", key)}
		}
		if r.Through != "" && string(key) > r.Through {
			return i, false, nil
		}
	}
	if len(p.page.folders) > 0 {
		return len(entries), false, &badAnswer{Text: "the listing holds folders, which were not asked for"}
	}
	more, err = p.advance()
	return len(entries), more, err
}

// An ahead is a page that was asked for while the one before it is taken.
type ahead struct {
	cancel context.CancelFunc
	done   chan struct{} // closed once page and err are there
	page   *page
	err    error
}

// askAhead asks for the page at the markers, which stay as they are until fetch has
// given it.
func (p *pager) askAhead(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	a := &ahead{cancel: cancel, done: make(chan struct{}), page: pages.Get().(*page)}
	p.ahead = a
	go func() {
		defer close(a.done)
		a.err = p.ask(ctx, a.page)
	}()
}

// arrived waits for the page that was asked for ahead, and makes it p.page. Where it
// failed nothing is asked for ahead any more: the next fetch asks at the same markers.
func (p *pager) arrived(ctx context.Context) error {
	a := p.ahead
	<-a.done
	a.cancel()
	p.ahead = nil
	keep(p.page)
	p.page = a.page
	if err := ctx.Err(); err != nil {
		return err // the page may have come before
	}
	return a.err
}
