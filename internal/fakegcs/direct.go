package fakegcs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What follows plants and reads states without HTTP: no request is logged, no
// fault fires, nothing is refused for a hold or a retention. All of it panics when
// the bucket isn't there: a test's mistake.

// CreateBucket makes an empty bucket in Options.Project, with the soft delete
// policy of a new bucket: seven days. It panics if the bucket is there.
func (s *Server) CreateBucket(name string, versioning bool) {
	set, err := settings{}.with(map[string]json.RawMessage{
		"versioning": json.RawMessage(`{"enabled":` + strconv.FormatBool(versioning) + `}`), "softDeletePolicy": json.RawMessage(defaultSoftDelete)}, s.now())
	if err != nil {
		panic(err) // our own text
	}
	if s.newBucket(name, s.o.Project, set) == nil {
		panic(fmt.Sprintf("fakegcs: bucket %q is there already", name))
	}
}

// newBucket is nil where one of that name is there.
func (s *Server) newBucket(name, project string, set settings) *bucket {
	b := &bucket{name: name, project: project, created: s.now(), updated: s.now(), metagen: 1, set: set, denied: map[string]bool{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.buckets[name] != nil {
		return nil
	}
	s.buckets[name] = b
	return b
}

// bucket is the bucket with that name, or nil.
func (s *Server) bucket(name string) *bucket {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buckets[name]
}

// with locks a bucket for f.
func (s *Server) with(name string, f func(*bucket)) {
	b := s.bucket(name)
	if b == nil {
		panic(fmt.Sprintf("fakegcs: there is no bucket %q", name))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	f(b)
}

// Set sets a member of the bucket resource, such as "lifecycle", as JSON; "null"
// takes it away. It panics on what the API refuses as malformed.
func (s *Server) Set(bucketName, member, value string) {
	if !slices.Contains(settable, member) {
		panic(fmt.Sprintf("fakegcs: there is no member %q to set", member))
	}
	s.with(bucketName, func(b *bucket) {
		set, err := b.set.with(map[string]json.RawMessage{member: json.RawMessage(value)}, s.now())
		if err != nil {
			panic(fmt.Sprintf("fakegcs: %s of %q: %v", member, bucketName, err))
		}
		b.set, b.updated = set, s.now()
		b.metagen++
	})
}

// SetVersioning switches Object Versioning on or off.
func (s *Server) SetVersioning(bucketName string, on bool) {
	s.Set(bucketName, "versioning", `{"enabled":`+strconv.FormatBool(on)+`}`)
}

// SetLifecycle sets the rules, such as
// `[{"action":{"type":"Delete"},"condition":{"age":30}}]`; empty: none.
func (s *Server) SetLifecycle(bucketName, rules string) {
	if rules == "" {
		s.Set(bucketName, "lifecycle", "null")
		return
	}
	s.Set(bucketName, "lifecycle", `{"rule":`+rules+`}`)
}

// SetSoftDelete sets how long soft-deleted objects are kept, in whole seconds: 0
// switches soft delete off, a negative value takes the policy out of the bucket
// resource, as an emulator has it. What is soft-deleted already stays as it is.
func (s *Server) SetSoftDelete(bucketName string, keep time.Duration) {
	if keep < 0 {
		s.Set(bucketName, "softDeletePolicy", "null")
		return
	}
	s.Set(bucketName, "softDeletePolicy", fmt.Sprintf(`{"retentionDurationSeconds":"%d"}`, int64(keep.Seconds())))
}

// SetRetention sets the bucket's retention policy, in whole seconds; 0: none.
func (s *Server) SetRetention(bucketName string, period time.Duration, locked bool) {
	if period == 0 {
		s.Set(bucketName, "retentionPolicy", "null")
		return
	}
	s.Set(bucketName, "retentionPolicy", fmt.Sprintf(`{"retentionPeriod":"%d","isLocked":%v}`, int64(period.Seconds()), locked))
}

// SetRequesterPays refuses requests without a project to bill.
func (s *Server) SetRequesterPays(bucketName string, on bool) {
	s.Set(bucketName, "billing", `{"requesterPays":`+strconv.FormatBool(on)+`}`)
}

// SetOrder sets how listings order the generations of one name.
func (s *Server) SetOrder(bucketName string, o Order) {
	s.with(bucketName, func(b *bucket) { b.order = o })
}

// SetRewriteStep makes rewrites into the bucket take several calls, each of so
// many bytes; 0: one call does.
func (s *Server) SetRewriteStep(bucketName string, bytes int64) {
	s.with(bucketName, func(b *bucket) { b.step = bytes })
}

// Deny takes IAM permissions on a bucket from the caller, such as
// "storage.objects.list"; Allow gives them back.
func (s *Server) Deny(bucketName string, permissions ...string) {
	s.with(bucketName, func(b *bucket) {
		for _, p := range permissions {
			b.denied[p] = true
		}
	})
}

// Allow gives back what Deny took.
func (s *Server) Allow(bucketName string, permissions ...string) {
	s.with(bucketName, func(b *bucket) {
		for _, p := range permissions {
			delete(b.denied, p)
		}
	})
}

// DenyBuckets takes storage.buckets.list on a project from the caller, or gives it
// back.
func (s *Server) DenyBuckets(project string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deniedLists[project] = on
}

// A Planted generation becomes the live one of its name just as it is given; what
// was live becomes noncurrent at its Created, also without versioning.
type Planted struct {
	Key string
	// Marker plants no generation: the live one becomes noncurrent at Created, as a
	// deletion does. Without a live one nothing happens.
	Marker bool
	// Generation is its number; 0: a new one, larger than all of its name. A number
	// that the name has already panics.
	Generation int64
	Body       []byte // kept, not copied
	// Created zero: now, a millisecond after the last change. In milliseconds.
	Created time.Time
	// Deleted, where it is set, makes it a noncurrent generation from the start.
	Deleted time.Time
	// SoftDeleted, where it is set, makes it a soft-deleted one; HardDelete is when
	// it goes for good, zero: after the bucket's policy.
	SoftDeleted, HardDelete time.Time
	Metageneration          int64 // 0: 1
	// Class empty: "STANDARD".
	Class string
	// ContentEncoding "gzip": reads decompress it on its way.
	ContentEncoding, ContentType, CacheControl string
	Metadata                                   map[string]string
	CustomTime                                 time.Time
	TemporaryHold, EventBasedHold              bool
	// RetainUntil is its own retention, of mode Locked; zero: none.
	RetainUntil time.Time
	// NoMD5 leaves md5Hash out, as composite objects have it.
	NoMD5 bool
	// ETag, where it is set, is shown instead of the one that the server makes.
	ETag string
	// Size, where it is not 0, is shown instead of the body's; reads of such a
	// generation are not possible.
	Size int64
}

// Plant puts generations into a bucket, in the order given, under one lock. It
// gives their numbers, 0 for markers. Where names come in ascending order it takes
// constant time for each.
func (s *Server) Plant(bucketName string, list ...Planted) []int64 {
	numbers := make([]int64, 0, len(list))
	s.with(bucketName, func(b *bucket) {
		for _, p := range list {
			numbers = append(numbers, s.plant(b, p))
		}
	})
	return numbers
}

func (s *Server) plant(b *bucket, p Planted) int64 {
	t := p.Created.UTC().Truncate(time.Millisecond)
	if p.Created.IsZero() {
		t = s.tick(b)
	}
	if p.Marker {
		if o := b.object(p.Key); o != nil && o.live() != nil {
			o.change(o.live(), func(g *generation) { g.deleted = t })
		}
		return 0
	}
	g := newGeneration(p.Body)
	g.created, g.updated, g.classUpdated, g.metagen = t, t, t, max(1, p.Metageneration)
	g.deleted, g.soft, g.hard = p.Deleted.UTC(), p.SoftDeleted.UTC(), p.HardDelete.UTC()
	if !g.soft.IsZero() && g.hard.IsZero() {
		g.hard = g.soft.Add(b.set.softFor())
	}
	g.encoding, g.contentType, g.cacheControl, g.customTime, g.metadata = p.ContentEncoding, p.ContentType, p.CacheControl, p.CustomTime.UTC(), maps.Clone(p.Metadata)
	g.temporary, g.eventBased, g.etag = p.TemporaryHold, p.EventBasedHold, p.ETag
	if !p.RetainUntil.IsZero() {
		g.mode, g.until = "Locked", p.RetainUntil.UTC()
	}
	if p.Class != "" {
		g.class = p.Class
	}
	if p.NoMD5 {
		g.md5 = ""
	}
	if p.Size != 0 {
		g.size = p.Size
	}
	o := b.make(p.Key)
	if g.number = p.Generation; g.number == 0 {
		g.number = s.nextNumber(b, o, t)
	}
	if find(o.gens, g.number) >= 0 || find(o.soft, g.number) >= 0 {
		panic(fmt.Sprintf("fakegcs: %q has a generation %d already", p.Key, g.number))
	}
	if !g.soft.IsZero() {
		o.soft = insert(o.soft, g)
		return g.number
	}
	if live := o.live(); live != nil && g.live() {
		o.change(live, func(g *generation) { g.deleted = t })
	}
	o.gens = insert(o.gens, g)
	return g.number
}

// Fill puts n generations into a bucket: f gives each. Any order of names is quick.
func (s *Server) Fill(bucketName string, n int, f func(i int) Planted) {
	list := make([]Planted, n)
	for i := range list {
		list[i] = f(i)
	}
	s.with(bucketName, func(b *bucket) {
		b.makeRoom(list)
		for _, p := range list {
			s.plant(b, p)
		}
		b.objects = slices.DeleteFunc(b.objects, func(o *object) bool { return len(o.gens)+len(o.soft) == 0 })
	})
}

// makeRoom makes the objects for new names, all at once: one by one each would
// push the others along.
func (b *bucket) makeRoom(list []Planted) {
	for _, p := range list {
		b.objects = append(b.objects, &object{name: p.Key})
	}
	slices.SortStableFunc(b.objects, func(a, b *object) int { return strings.Compare(a.name, b.name) }) // those that were there stay first
	b.objects = slices.CompactFunc(b.objects, func(a, b *object) bool { return a.name == b.name })
}

// Put writes an object, as an insert does, and gives the generation's number.
func (s *Server) Put(bucketName, key string, body []byte) (number int64) {
	s.with(bucketName, func(b *bucket) {
		g := newGeneration(body)
		g.class, g.eventBased = b.class(), b.set.DefaultEventBasedHold
		s.add(b, key, g)
		number = g.number
	})
	return number
}

// Delete ends the live generation, as a delete without a number does. It says
// whether there was one.
func (s *Server) Delete(bucketName, key string) (there bool) {
	s.with(bucketName, func(b *bucket) {
		if o := b.object(key); o != nil && o.live() != nil {
			there = true
			s.replaced(b, o, o.live(), s.tick(b))
			b.drop(o)
		}
	})
	return there
}

// DeleteGeneration takes a generation away, a protected one too: among the
// soft-deleted ones if the bucket has a policy. It says whether it was there.
func (s *Server) DeleteGeneration(bucketName, key string, number int64) (there bool) {
	s.with(bucketName, func(b *bucket) {
		if o := b.object(key); o != nil && find(o.gens, number) >= 0 {
			there = true
			s.destroy(b, o, o.gens[find(o.gens, number)], s.tick(b))
			b.drop(o)
		}
	})
	return there
}

// Forgotten takes a soft-deleted generation away, as the service does at its hard
// delete time. It says whether it was there.
func (s *Server) Forgotten(bucketName, key string, number int64) (there bool) {
	s.with(bucketName, func(b *bucket) {
		if o := b.object(key); o != nil && find(o.soft, number) >= 0 {
			there = true
			i := find(o.soft, number)
			o.soft = slices.Delete(o.soft, i, i+1)
			b.drop(o)
		}
	})
	return there
}

// Restore makes a new live generation out of a soft-deleted one and gives its
// number. It panics if there is none.
func (s *Server) Restore(bucketName, key string, number int64) (restored int64) {
	s.with(bucketName, func(b *bucket) {
		o := b.object(key)
		if o == nil || find(o.soft, number) < 0 {
			panic(fmt.Sprintf("fakegcs: %q has no soft-deleted generation %d", key, number))
		}
		restored = s.restore(b, o, o.soft[find(o.soft, number)]).number
	})
	return restored
}

// Protect sets what keeps a generation from being deleted: a temporary hold, and a
// retention of its own of mode Locked (zero: none). It panics if there is none.
func (s *Server) Protect(bucketName, key string, number int64, until time.Time, hold bool) {
	s.with(bucketName, func(b *bucket) {
		g := b.get(key, number)
		if g == nil {
			panic(fmt.Sprintf("fakegcs: %q has no generation %d", key, number))
		}
		b.object(key).change(g, func(g *generation) {
			g.temporary, g.mode, g.until = hold, "", until.UTC()
			if !until.IsZero() {
				g.mode = "Locked"
			}
			g.metagen++
		})
	})
}

// An Entry is a generation as it lies in a bucket.
type Entry struct {
	Key                        string
	Generation, Metageneration int64
	Live                       bool
	Body                       []byte // not to be changed
	Created                    time.Time
	Deleted                    time.Time // zero: live, or soft-deleted when it was
	SoftDeleted, HardDelete    time.Time // zero: not soft-deleted
}

// Entries are the live and noncurrent generations of names with a prefix, names
// ascending, the oldest generation first.
func (s *Server) Entries(bucketName, prefix string) []Entry {
	return s.entries(bucketName, prefix, func(o *object) []*generation { return o.gens })
}

// SoftEntries are the soft-deleted generations, in the same order; those whose
// time is up too.
func (s *Server) SoftEntries(bucketName, prefix string) []Entry {
	return s.entries(bucketName, prefix, func(o *object) []*generation { return o.soft })
}

func (s *Server) entries(bucketName, prefix string, of func(*object) []*generation) (out []Entry) {
	s.with(bucketName, func(b *bucket) {
		for i, _ := b.search(prefix); i < len(b.objects) && strings.HasPrefix(b.objects[i].name, prefix); i++ {
			for _, g := range of(b.objects[i]) {
				out = append(out, Entry{Key: b.objects[i].name, Generation: g.number, Metageneration: g.metagen, Live: g.live(), Body: g.body,
					Created: g.created, Deleted: g.deleted, SoftDeleted: g.soft, HardDelete: g.hard})
			}
		}
	})
	return out
}
