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
	parts  []part   // with keep
}

// listed is what a listing counts.
type listed struct {
	versions, live, bytes int64
}

// A part is the live files of one range.
type part struct {
	after string
	files []File
}

// markEvery is how many versions lie between two marks: four pages.
const markEvery = 4000

func (l *listing) read(ctx context.Context, b bucket.Bucket) error {
	o := bucket.WalkOptions{Concurrency: l.side, Cuts: l.cuts}
	err := bucket.Walk(ctx, b, bucket.Range{Prefix: l.prefix}, o, func(_ context.Context, p *bucket.Part) error { return l.visit(b, p) })
	l.seen(l.versions)
	return err
}

// visit reads one range.
func (l *listing) visit(b bucket.Bucket, p *bucket.Part) error {
	var n, told listed
	sum := digest{secret: l.digest.secret}
	var marks []string
	var files []File
	var key string
	var record []byte // of the versions of key
	tell := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.versions += n.versions - told.versions
		l.live += n.live - told.live
		l.bytes += n.bytes - told.bytes
		told = n
		l.seen(l.versions)
	}
	for v, err := range p.Versions() {
		if err != nil {
			return err
		}
		if strings.HasPrefix(v.Key, Root) {
			continue
		}
		if !strings.HasPrefix(v.Key, l.prefix) {
			return strayKey(b, l.prefix, v.Key)
		}
		if v.Key != key {
			sum.add(record)
			key, record = v.Key, appendText(append(record[:0], sum.secret[:]...), v.Key)
		}
		record = appendVersion(record, v)
		n.versions++
		if n.versions%markEvery == 0 {
			marks = append(marks, strings.Clone(v.Key))
		}
		if v.Live() {
			n.live++
			n.bytes += v.Size
			if l.keep {
				files = append(files, liveFile(v, l.prefix))
			}
		}
		if n.versions%256 == 0 {
			tell()
		}
	}
	sum.add(record)
	tell()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.digest.join(sum)
	l.marks = append(l.marks, marks...)
	if l.keep {
		l.parts = append(l.parts, part{p.After(), files})
	}
	return nil
}

// files gives all files in order, and gives up the parts.
func (l *listing) files() []File {
	slices.SortFunc(l.parts, func(a, b part) int { return strings.Compare(a.after, b.after) })
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
	sum    [4]uint64
}

func (d *digest) begin() error {
	if _, err := rand.Read(d.secret[:]); err != nil {
		return fmt.Errorf("begin a snapshot: no random numbers: %w", err)
	}
	return nil
}

// add takes in the record of a key; an empty one is none.
func (d *digest) add(record []byte) {
	if len(record) == 0 {
		return
	}
	h := sha256.Sum256(record)
	var x digest
	for i := range x.sum {
		x.sum[i] = binary.BigEndian.Uint64(h[8*i:])
	}
	d.join(x)
}

// join takes in what another digest took in.
func (d *digest) join(x digest) {
	var carry uint64
	for i := range d.sum {
		d.sum[i], carry = bits.Add64(d.sum[i], x.sum[i], carry)
	}
}
