package s3

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
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

	page  *page
	ahead *ahead // nil: nothing was asked for ahead
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

// release ends the request that is under way, if there is one, and gives the memory back.
func (p *pager) release() {
	if p.ahead != nil {
		p.ahead.cancel()
		<-p.ahead.done
		keep(p.ahead.page)
		p.ahead = nil
	}
	keep(p.page)
	p.page = nil
}

func keep(pg *page) {
	if pg != nil && cap(pg.body) <= pageKeep {
		pages.Put(pg)
	}
}

func (p *pager) call() call {
	return call{op: "list versions of", prefix: p.prefix, permission: "s3:ListBucketVersions"}
}

// fetch gets the page at the markers into p.page and checks what can be known
// before its entries are looked at.
func (p *pager) fetch(ctx context.Context) error {
	if p.ahead != nil {
		return p.arrived(ctx)
	}
	if p.page == nil {
		p.page = pages.Get().(*page)
	}
	return p.ask(ctx, p.page)
}

// ask is fetch into a page. It changes nothing of p.
func (p *pager) ask(ctx context.Context, pg *page) error {
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
	pg.key, pg.raw = nil, p.raw
	if p.sum {
		pg.key = &p.b.hash
	}
	c := p.call()
	if _, err := p.b.client.ListObjectVersions(c.in(ctx), in, into(pg)); err != nil {
		return err
	}
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
