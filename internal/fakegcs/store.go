package fakegcs

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxPage is the most entries in a page of a listing (objects.list, maxResults).
const maxPage = 1000

// A bucket's lock makes one line of all that happens to it.
type bucket struct {
	mu      sync.Mutex
	name    string
	project string
	created time.Time
	updated time.Time
	metagen int64
	set     settings
	denied  map[string]bool // permissions that the caller lacks
	order   Order
	step    int64 // bytes of each call of a rewrite into the bucket; 0: one call does

	objects []*object // ascending by name; none without a generation
	last    time.Time // of the last change
	lastGen int64
}

// An object is all that has one name.
type object struct {
	name string
	gens []*generation // ascending by number: the live one and the noncurrent ones
	soft []*generation // soft-deleted, ascending by number
}

// A generation is one version of an object.
type generation struct {
	number, metagen  int64
	created, updated time.Time
	deleted          time.Time // when it became noncurrent; zero: it is live
	soft, hard       time.Time // soft delete and hard delete; zero: not soft-deleted

	body        []byte
	size        int64
	md5, crc32c string // base64
	etag        string // shown instead of the one that number and metagen give

	class        string
	classUpdated time.Time
	contentType  string
	encoding     string
	cacheControl string
	disposition  string
	language     string
	customTime   time.Time
	metadata     map[string]string

	temporary, eventBased bool      // holds
	mode                  string    // "Locked", "Unlocked" or empty: no retention of its own
	until                 time.Time // of the retention
	eventReleased         time.Time // when the event-based hold was released
}

func (g *generation) live() bool { return g.deleted.IsZero() && g.soft.IsZero() }

// live is the generation that a plain read meets; nil: none.
func (o *object) live() *generation {
	for _, g := range slices.Backward(o.gens) {
		if g.live() {
			return g
		}
	}
	return nil
}

func find(list []*generation, number int64) int {
	return slices.IndexFunc(list, func(g *generation) bool { return g.number == number })
}

func insert(list []*generation, g *generation) []*generation {
	i, _ := slices.BinarySearchFunc(list, g.number, func(g *generation, n int64) int {
		switch {
		case g.number < n:
			return -1
		case g.number > n:
			return 1
		}
		return 0
	})
	return slices.Insert(list, i, g)
}

// search is the place of name in b.objects, or where it would be.
func (b *bucket) search(name string) (int, bool) {
	return slices.BinarySearchFunc(b.objects, name, func(o *object, name string) int {
		return strings.Compare(o.name, name)
	})
}

// object is the object of that name; nil: there is none.
func (b *bucket) object(name string) *object {
	if i, ok := b.search(name); ok {
		return b.objects[i]
	}
	return nil
}

// live is the live generation of a name; nil: none.
func (b *bucket) live(name string) *generation {
	if o := b.object(name); o != nil {
		return o.live()
	}
	return nil
}

// get is a generation that is live or noncurrent, or with number 0 the live one;
// nil: none.
func (b *bucket) get(name string, number int64) *generation {
	o := b.object(name)
	if o == nil {
		return nil
	}
	if number == 0 {
		return o.live()
	}
	if i := find(o.gens, number); i >= 0 {
		return o.gens[i]
	}
	return nil
}

// make gives the object of that name, a new one where there is none.
func (b *bucket) make(name string) *object {
	i, ok := b.search(name)
	if !ok {
		b.objects = slices.Insert(b.objects, i, &object{name: name})
	}
	return b.objects[i]
}

// drop takes an object out that has no generation left.
func (b *bucket) drop(o *object) {
	if len(o.gens)+len(o.soft) == 0 {
		if i, ok := b.search(o.name); ok {
			b.objects = slices.Delete(b.objects, i, i+1)
		}
	}
}

// tick is the time of the next change.
func (s *Server) tick(b *bucket) time.Time {
	t := s.now()
	if !s.o.SameTimes && !t.After(b.last) {
		t = b.last.Add(time.Millisecond)
	}
	if t.After(b.last) {
		b.last = t
	}
	return t
}

// add makes g the live generation of name. What was live becomes noncurrent at
// that very time ("Object Versioning"), or without versioning is gone or
// soft-deleted. The number is a time in microseconds, as the service's look;
// documented is only that a newer one is larger.
func (s *Server) add(b *bucket, name string, g *generation) {
	t := s.tick(b)
	g.created, g.updated, g.classUpdated, g.metagen = t, t, t, 1
	o := b.make(name)
	g.number = s.nextNumber(b, o, t)
	if old := o.live(); old != nil {
		s.replaced(b, o, old, t)
	}
	o.gens = insert(o.gens, g)
}

func (s *Server) nextNumber(b *bucket, o *object, t time.Time) int64 {
	number := max(t.UnixMicro(), b.lastGen+1)
	for _, list := range [][]*generation{o.gens, o.soft} {
		if n := len(list); n > 0 {
			number = max(number, list[n-1].number+1)
		}
	}
	b.lastGen = max(b.lastGen, number)
	return number
}

// replaced ends a live generation at t: by an overwrite or a deletion.
func (s *Server) replaced(b *bucket, o *object, g *generation, t time.Time) {
	if b.set.Versioning.Enabled {
		o.change(g, func(g *generation) { g.deleted = t })
		return
	}
	s.destroy(b, o, g, t)
}

// change puts a changed copy of a generation into its place: one that was handed
// out never changes.
func (o *object) change(g *generation, f func(*generation)) *generation {
	changed := *g
	f(&changed)
	for _, list := range [][]*generation{o.gens, o.soft} {
		if i := find(list, g.number); i >= 0 && list[i] == g {
			list[i] = &changed
		}
	}
	return &changed
}

// destroy takes a generation away for good: with a soft delete policy it goes
// among the soft-deleted ("Soft delete").
func (s *Server) destroy(b *bucket, o *object, g *generation, t time.Time) {
	if i := find(o.gens, g.number); i >= 0 {
		o.gens = slices.Delete(o.gens, i, i+1)
	}
	if keep := b.set.softFor(); keep > 0 {
		changed := *g
		changed.soft, changed.hard = t, t.Add(keep)
		o.soft = insert(o.soft, &changed)
	}
}

// newGeneration is a generation with everything but its number and its times.
func newGeneration(body []byte) *generation {
	sum := md5.Sum(body)
	return &generation{body: body, size: int64(len(body)), class: "STANDARD",
		md5: base64.StdEncoding.EncodeToString(sum[:]), crc32c: crcOf(body)}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// crcOf is the crc32c of the object resource: base64 of its four bytes, big-endian.
func crcOf(body []byte) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.Checksum(body, castagnoli)))
}

// tag is the resource's etag. No page tells its form; the service's is a protocol
// buffer of generation and metageneration, which is what this is.
func (g *generation) tag() string {
	if g.etag != "" {
		return g.etag
	}
	raw := binary.AppendUvarint([]byte{0x08}, uint64(g.number))
	raw = binary.AppendUvarint(append(raw, 0x10), uint64(g.metagen))
	return base64.StdEncoding.EncodeToString(raw)
}
