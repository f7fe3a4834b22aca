package s3

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"provcat-tui/bucket"
)

// Level merges the two lists of each page, keys and common prefixes, by name.
// S3 gives a page's share of both, so that the merged pages follow each other.
func (b *store) Level(ctx context.Context, prefix string) iter.Seq2[bucket.Item, error] {
	return func(yield func(bucket.Item, error) bool) {
		p := &pager{b: b, prefix: prefix, delimiter: "/"}
		defer p.release()
		m := &merger{p: p}
		for {
			if err := p.fetch(ctx); err != nil {
				yield(bucket.Item{}, b.fail(p.call(), err))
				return
			}
			if more, err := m.merge(yield); err != nil {
				yield(bucket.Item{}, b.fail(p.call(), err))
				return
			} else if !more {
				return
			}
			more, err := p.advance()
			if err != nil {
				yield(bucket.Item{}, b.fail(p.call(), err))
				return
			}
			if !more {
				return
			}
		}
	}
}

// merger is the state of Level between pages.
type merger struct {
	p       *pager
	folder  string // the last folder yielded
	last    bucket.Version
	scratch []byte
}

// merge yields the page's items; false means that the caller wants no more.
func (m *merger) merge(yield func(bucket.Item, error) bool) (bool, error) {
	entries, folders := m.p.page.entries, m.p.page.folders
	for i, f := 0, 0; i < len(entries) || f < len(folders); {
		if f < len(folders) && (i == len(entries) || bytes.Compare(folders[f], entries[i].key) < 0) {
			name := folders[f]
			f++
			if err := m.p.follow(name); err != nil {
				return false, err
			}
			if rest := name[len(m.p.prefix):]; bytes.IndexByte(rest, '/') != len(rest)-1 {
				return false, &badAnswer{Text: fmt.Sprintf("%.80q is no folder of this level", name), Hint: orderHint}
			}
			if string(name) == m.folder {
				continue // it was on the page before
			}
			m.folder = string(name)
			if !yield(bucket.Item{Folder: m.folder}, nil) {
				return false, nil
			}
			continue
		}
		e := &entries[i]
		if err := m.p.fits(i); err != nil {
			return false, err
		}
		i++
		if err := m.p.follow(e.key); err != nil {
			return false, err
		}
		if bytes.IndexByte(e.key[len(m.p.prefix):], '/') >= 0 {
			return false, &badAnswer{Text: fmt.Sprintf("%.80q is not on this level: the store does not group keys by folder", e.key), Hint: orderHint}
		}
		m.last = e.version(m.last.Key, &m.scratch)
		if !yield(bucket.Item{Version: m.last}, nil) {
			return false, nil
		}
	}
	return true, nil
}
