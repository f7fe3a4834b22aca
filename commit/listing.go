package commit

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"provcat-tui/bucket"
)

// A listing is one pass over a folder, ranges of it side by side.
type listing struct {
	prefix string
	keep   bool // the files are kept, else only counted
	side   int  // requests side by side
	cuts   []string
	seen   func(versions int64)

	mu sync.Mutex // guards what follows
	listed
	digest digest
	marks  []string // keys, each some thousand versions after another
	parts  []part
}

// listed is what a listing counts.
type listed struct {
	versions, live, bytes int64
}

// A part is what a listing holds after one key, and through another (empty: to the
// end). Parts adjoin and together are the listing.
type part struct {
	after, through string
	listed
	sum   sum
	files []File // live ones, with keep
	// pages are those that hold every version of the part. None: they cannot be asked
	// for again.
	pages []bucket.Page
	// odd is a key of which the first version is not called the latest; empty: none.
	odd string
}

// markEvery is how many versions lie between two marks: four pages.
const markEvery = 4000

// read lists the whole folder.
func (l *listing) read(ctx context.Context, b bucket.Bucket) error {
	err := l.walk(ctx, b, bucket.Range{Prefix: l.prefix}, bucket.WalkOptions{Concurrency: l.side, Cuts: l.cuts})
	l.seen(l.versions)
	return err
}

// walk lists a range of it.
func (l *listing) walk(ctx context.Context, b bucket.Bucket, r bucket.Range, o bucket.WalkOptions) error {
	return bucket.Walk(ctx, b, r, o, func(_ context.Context, p *bucket.Part) error {
		v := visit{l: l, part: part{after: p.After()}}
		p.OnPage = func(page bucket.Page) { v.coming = append(v.coming, page) }
		for x, err := range p.Versions() {
			if err != nil {
				return err
			}
			if err := v.take(b, x); err != nil {
				return err
			}
		}
		v.end(p.Through())
		return nil
	})
}

// A visit is the reading of one range of a walk.
type visit struct {
	l *listing
	part
	done   []part
	coming []bucket.Page // that were asked for, and of which no version has come yet
	key    string
	record []byte // of the versions of key
	marks  []string
	all    listed // of all parts
	told   listed // of these, what the listing knows
}

func (v *visit) take(b bucket.Bucket, x bucket.Version) error {
	if len(v.coming) > 0 {
		// A part ends where a page begins, unless that is within a key.
		if at := v.coming[0].After; len(v.pages) > 0 && x.Key > at {
			v.close(at)
		}
		v.pages = append(v.pages, v.coming...)
		v.coming = v.coming[:0]
	}
	if strings.HasPrefix(x.Key, Root) {
		return nil
	}
	if !strings.HasPrefix(x.Key, v.l.prefix) {
		return strayKey(b, v.l.prefix, x.Key)
	}
	if x.Key != v.key {
		v.sum.add(v.record)
		if !x.Latest {
			v.odd = strings.Clone(x.Key)
		}
		v.key, v.record = x.Key, appendText(append(v.record[:0], v.l.digest.secret[:]...), x.Key)
	}
	v.record = appendVersion(v.record, x)
	one := listed{versions: 1}
	if x.Live() {
		one.live, one.bytes = 1, x.Size
		if v.l.keep {
			v.files = append(v.files, liveFile(x, v.l.prefix))
		}
	}
	v.listed.join(one)
	v.all.join(one)
	if v.all.versions%markEvery == 0 {
		v.marks = append(v.marks, strings.Clone(x.Key))
	}
	if v.all.versions%256 == 0 {
		v.l.mu.Lock()
		defer v.l.mu.Unlock()
		v.tell()
	}
	return nil
}

// close ends the part that is under way, and begins the next.
func (v *visit) close(through string) {
	v.sum.add(v.record)
	v.record, v.key = v.record[:0], ""
	v.part.through = through
	v.files = slices.Clip(v.files)
	v.done = append(v.done, v.part)
	v.part = part{after: through}
}

func (v *visit) end(through string) {
	v.pages = append(v.pages, v.coming...)
	v.close(through)
	v.l.mu.Lock()
	defer v.l.mu.Unlock()
	v.tell()
	v.l.marks = append(v.l.marks, v.marks...)
	for _, p := range v.done {
		v.l.digest.join(p.sum)
		v.l.parts = append(v.l.parts, p)
	}
}

// tell has the listing know of what came. v.l.mu is held.
func (v *visit) tell() {
	v.l.listed.join(v.all)
	v.l.listed.less(v.told)
	v.told = v.all
	v.l.seen(v.l.versions)
}

func (n *listed) join(x listed) {
	n.versions += x.versions
	n.live += x.live
	n.bytes += x.bytes
}

func (n *listed) less(x listed) {
	n.versions -= x.versions
	n.live -= x.live
	n.bytes -= x.bytes
}

// inOrder sorts the parts.
func (l *listing) inOrder() {
	slices.SortFunc(l.parts, func(a, b part) int { return strings.Compare(a.after, b.after) })
}

// odd gives a key of which no version is called the latest, or not the newest. SeaweedFS
// shows that for some milliseconds; such a listing tells of the key neither that it is
// there nor that it is deleted.
func (l *listing) odd() string {
	for i := range l.parts {
		if l.parts[i].odd != "" {
			return l.parts[i].odd
		}
	}
	return ""
}

// files gives all files in order, and gives up the parts.
func (l *listing) files() []File {
	l.inOrder()
	if len(l.parts) == 1 {
		return l.parts[0].files
	}
	out := make([]File, 0, l.live)
	for i := range l.parts {
		out = append(out, l.parts[i].files...)
		l.parts[i].files = nil
	}
	return out
}

// even gives keys where the next listing can be cut from the start, at most two parts
// for each request side by side.
func (l *listing) even() []string {
	slices.Sort(l.marks)
	n := min(len(l.marks), 2*l.side)
	out := make([]string, 0, n)
	for i := range n {
		out = append(out, l.marks[i*len(l.marks)/n])
	}
	return out
}

// appendVersion appends what a listing says of a version, but for its key and time.
func appendVersion(r []byte, v bucket.Version) []byte {
	r = appendText(appendText(r, v.ID), v.ETag)
	r = binary.AppendVarint(r, v.Size)
	var flags byte
	if v.Latest {
		flags |= 1
	}
	if v.DeleteMarker {
		flags |= 2
	}
	return append(r, flags)
}

// appendText appends a string with its length before it: no two lists of strings have
// one record.
func appendText(r []byte, s string) []byte {
	return append(binary.AppendUvarint(r, uint64(len(s))), s...)
}

// A digest tells listings apart, whatever the ranges in which they were read: the sum
// of the SHA-256 of every key with its versions, in the listing's order of them. The
// keys of a listing are a set, in ascending order, so no order of them is lost. Each
// hash begins with a secret of this process: nobody can choose keys whose sums meet.
type digest struct {
	secret [32]byte
	sum
}

func (d *digest) begin() error {
	if _, err := rand.Read(d.secret[:]); err != nil {
		return fmt.Errorf("begin a snapshot: no random numbers: %w", err)
	}
	return nil
}

// A sum is one of SHA-256s.
type sum [4]uint64

// add takes in the record of a key; an empty one is none.
func (s *sum) add(record []byte) {
	if len(record) == 0 {
		return
	}
	h := sha256.Sum256(record)
	var x sum
	for i := range x {
		x[i] = binary.BigEndian.Uint64(h[8*i:])
	}
	s.join(x)
}

// join takes in what another sum took in.
func (s *sum) join(x sum) {
	var carry uint64
	for i := range s {
		s[i], carry = bits.Add64(s[i], x[i], carry)
	}
}
