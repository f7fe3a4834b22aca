package s3

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"provcat-tui/bucket"
)

// A pager asks for one page of a version listing after the other, and refuses
// every answer that would end the listing early, repeat a part of it or keep it
// going in a circle.
type pager struct {
	b         *store
	prefix    string
	delimiter string
	size      int

	// What the next page is asked with. keyMarker alone means: after all
	// versions of that key; both: after that version of it.
	keyMarker, idMarker string
	// asked holds the version markers asked with while keyMarker stays the same:
	// the only progress that the keys do not show.
	asked map[string]bool
	// empty is how many pages in a row held nothing.
	empty int
	// last is the greatest name seen so far: of a key or a folder. The next one
	// may not be smaller, and not equal unless more of the key's versions follow.
	last []byte
	some bool // there is a last

	// sum has the page hashed, raw has it not decoded.
	sum, raw bool

	page *page
}

// mostEmpty is how many pages may follow each other that hold nothing: a store passes
// over what it has removed, but not for ever.
const mostEmpty = 2000

const (
	orderHint  = "nothing can be concluded from a listing out of order: the store differs from S3 here, tell whoever runs it"
	pagingHint = "nothing can be concluded from a listing without its end: the store differs from S3 here, tell whoever runs it"
)

// pages are kept between listings for their memory.
var pages = sync.Pool{New: func() any { return new(page) }}

// pageKeep is the largest body that is kept: a page of 1,000 usual entries.
const pageKeep = 1 << 20

func (p *pager) release() {
	if p.page != nil && cap(p.page.body) <= pageKeep {
		pages.Put(p.page)
	}
	p.page = nil
}

func (p *pager) call() call {
	return call{op: "list versions of", prefix: p.prefix, permission: "s3:ListBucketVersions"}
}

// fetch gets the page at the markers into p.page and checks what can be known
// before its entries are looked at.
func (p *pager) fetch(ctx context.Context) error {
	if p.page == nil {
		p.page = pages.Get().(*page)
	}
	in := &awss3.ListObjectVersionsInput{
		Bucket:       &p.b.name,
		EncodingType: types.EncodingTypeUrl,
		RequestPayer: p.b.requestPayer(),
	}
	if p.prefix != "" {
		in.Prefix = &p.prefix
	}
	if p.delimiter != "" {
		in.Delimiter = &p.delimiter
	}
	if p.keyMarker != "" {
		in.KeyMarker = &p.keyMarker
	}
	if p.idMarker != "" {
		in.VersionIdMarker = &p.idMarker
	}
	if p.size > 0 {
		in.MaxKeys = aws.Int32(int32(min(p.size, 1000)))
	}
	p.page.key, p.page.raw = nil, p.raw
	if p.sum {
		p.page.key = &p.b.hash
	}
	c := p.call()
	if _, err := p.b.client.ListObjectVersions(c.in(ctx), in, into(p.page)); err != nil {
		return err
	}
	pg := p.page
	if p.raw {
		return nil
	}
	if len(pg.name) > 0 && string(pg.name) != p.b.name && !p.b.alias() {
		return &badAnswer{Text: fmt.Sprintf("the listing is of another bucket: %.80q", pg.name)}
	}
	if string(pg.prefix) != p.prefix && (pg.hasPrefix || p.prefix != "") {
		return &badAnswer{Text: fmt.Sprintf("the listing is of another prefix: %.80q", pg.prefix)}
	}
	return nil
}

// alias says that the bucket is named by an access point, whose listing may
// give another name.
func (b *store) alias() bool {
	return strings.HasPrefix(b.name, "arn:") || strings.HasSuffix(b.name, "-s3alias")
}

// follow checks that name may come after what came before.
func (p *pager) follow(name []byte) error {
	if !bytes.HasPrefix(name, []byte(p.prefix)) {
		return &badAnswer{Text: fmt.Sprintf("the listing holds %.80q, which is outside the prefix", name)}
	}
	if p.some && bytes.Compare(name, p.last) < 0 {
		return &badAnswer{Text: fmt.Sprintf("the store lists keys out of order: %.80q after %.80q", name, p.last), Hint: orderHint}
	}
	p.last, p.some = append(p.last[:0], name...), true
	return nil
}

// fits checks that entry i of the page may be the latest of its key, and that it is not
// the one behind which the page was to begin. Only entries of one page are compared:
// between two pages the key may have changed.
func (p *pager) fits(i int) error {
	e := &p.page.entries[i]
	if p.idMarker != "" && string(e.id) == p.idMarker && string(e.key) == p.keyMarker {
		return &badAnswer{Text: fmt.Sprintf("the listing goes back: it has version %.80q of %.80q again", e.id, e.key), Hint: pagingHint}
	}
	if e.latest && i > 0 && bytes.Equal(p.page.entries[i-1].key, e.key) {
		return &badAnswer{Text: fmt.Sprintf("the store lists the latest version of %.80q after an older one", e.key), Hint: orderHint}
	}
	return nil
}

// advance sets the markers of the next page, and says whether there is one.
func (p *pager) advance() (bool, error) {
	pg := p.page
	if !pg.truncated {
		return false, nil
	}
	key, id := string(pg.nextKey), string(pg.nextID)
	if p.empty++; len(pg.entries) > 0 || len(pg.folders) > 0 {
		p.empty = 0
	}
	switch {
	case p.empty > mostEmpty:
		return false, &badAnswer{Text: fmt.Sprintf("%d pages in a row hold nothing, and more is said to follow", p.empty), Hint: pagingHint}
	case key == "":
		return false, &badAnswer{Text: "the page says that more follows, but not where (no NextKeyMarker)", Hint: pagingHint}
	case key < p.keyMarker || p.some && key < string(p.last):
		return false, &badAnswer{Text: fmt.Sprintf("the listing goes back: the next page is said to start at %.80q, after %.80q", key, p.last), Hint: pagingHint}
	case id == "" && len(pg.entries) > 0 && string(pg.entries[len(pg.entries)-1].key) == key:
		// Asked for without it, the rest of the key's versions would be left out.
		return false, &badAnswer{Text: fmt.Sprintf("the page ends at a version of %.80q, but does not say at which (no NextVersionIdMarker)", key), Hint: pagingHint}
	case key == p.keyMarker && (id == "" || id == p.idMarker || p.asked[id]):
		return false, &badAnswer{Text: fmt.Sprintf("the listing goes in a circle at %.80q", key), Hint: pagingHint}
	}
	if key != p.keyMarker || p.asked == nil {
		p.asked = map[string]bool{}
	}
	p.asked[id] = true
	p.keyMarker, p.idMarker = key, id
	return true, nil
}

func (b *store) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		if r.Through != "" && (r.Through <= r.After || r.Through < r.Prefix) {
			return
		}
		p := &pager{b: b, prefix: r.Prefix, size: r.PageSize, keyMarker: r.After, sum: r.OnPage != nil}
		defer p.release()
		var v bucket.Version
		var scratch []byte
		for {
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
			for i := range p.page.entries {
				e := &p.page.entries[i]
				err := p.fits(i)
				if i == 0 || !bytes.Equal(e.key, p.page.entries[i-1].key) {
					err = p.follow(e.key)
					if err == nil && r.After != "" && string(e.key) <= r.After {
						err = &badAnswer{Text: fmt.Sprintf("the listing starts at %.80q, before what was asked for", e.key)}
					}
				}
				if err != nil {
					yield(bucket.Version{}, b.fail(p.call(), err))
					return
				}
				if r.Through != "" && string(e.key) > r.Through {
					return
				}
				v = e.version(v.Key, &scratch)
				if !yield(v, nil) {
					return
				}
			}
			if len(p.page.folders) > 0 {
				yield(bucket.Version{}, b.fail(p.call(), &badAnswer{Text: "the listing holds folders, which were not asked for"}))
				return
			}
			more, err := p.advance()
			if err != nil {
				yield(bucket.Version{}, b.fail(p.call(), err))
				return
			}
			if !more {
				return
			}
		}
	}
}
