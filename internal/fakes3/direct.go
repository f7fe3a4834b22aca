package fakes3

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// What follows plants and reads states without HTTP: no request is logged, no
// fault fires. All of it panics when the bucket isn't there: a test's mistake.

// CreateBucket makes an empty bucket, with versioning enabled or never enabled.
// It panics if the bucket is there.
func (s *Server) CreateBucket(name string, versioning bool) {
	state := ""
	if versioning {
		state = "Enabled"
	}
	if !s.newBucket(name, state) {
		panic(fmt.Sprintf("fakes3: bucket %q is there already", name))
	}
}

func (s *Server) newBucket(name, versioning string) bool {
	region := s.o.Region
	if region == "" {
		region = "us-east-1"
	}
	b := &bucket{name: name, created: s.now(), region: region, versioning: versioning}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.buckets[name] != nil {
		return false
	}
	s.buckets[name] = b
	return true
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
		panic(fmt.Sprintf("fakes3: there is no bucket %q", name))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	f(b)
}

// SetVersioning sets the state: "Enabled", "Suspended", or "" for never enabled.
func (s *Server) SetVersioning(bucketName, state string) {
	s.with(bucketName, func(b *bucket) { b.versioning = state })
}

// SetLifecycle sets the lifecycle configuration's XML; empty: none.
func (s *Server) SetLifecycle(bucketName, xml string) {
	s.with(bucketName, func(b *bucket) { b.lifecycle = orNil(xml) })
}

// SetObjectLock sets the object lock configuration's XML; empty: none.
func (s *Server) SetObjectLock(bucketName, xml string) {
	s.with(bucketName, func(b *bucket) { b.lock = orNil(xml) })
}

func orNil(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}

// SetRegion moves the bucket. It matters where Options.Region is set: requests
// signed for another region than the bucket's get 301.
func (s *Server) SetRegion(bucketName, region string) {
	s.with(bucketName, func(b *bucket) { b.region = region })
}

// IgnoreConditions makes the bucket one of a store that takes every write,
// whatever If-None-Match says.
func (s *Server) IgnoreConditions(bucketName string, on bool) {
	s.with(bucketName, func(b *bucket) { b.ignoreConditions = on })
}

// SetRequesterPays refuses requests without x-amz-request-payer with 403.
func (s *Server) SetRequesterPays(bucketName string, on bool) {
	s.with(bucketName, func(b *bucket) { b.requesterPays = on })
}

// A Planted version is put on top of its key's others just as it is given.
type Planted struct {
	Key string
	// ID empty: as the bucket's versioning state gives it.
	ID     string
	Marker bool
	Body   []byte // kept, not copied
	// Modified zero: now. Kept in whole seconds.
	Modified time.Time
	// Class empty: "STANDARD".
	Class string
	// Restored says that a copy was restored out of an archive class: it can be read.
	Restored bool
	// ETag, where it is set, is shown instead of the body's MD5, such as
	// "d41d8cd98f00b204e9800998ecf8427e-2" after a multipart upload.
	ETag string
	// Tags, RetainUntil (zero: no retention, else of mode COMPLIANCE) and Hold are
	// set on the version, whatever the bucket's object lock.
	Tags        map[string]string
	RetainUntil time.Time
	Hold        bool
	// Size, where it is not 0, is shown in listings instead of the body's; reads
	// of such a version are not possible.
	Size int64
}

// Plant puts versions into a bucket, in the order given, under one lock. It
// gives their IDs. Where keys come in ascending order it takes constant time
// for each.
func (s *Server) Plant(bucketName string, list ...Planted) []string {
	ids := make([]string, 0, len(list))
	s.with(bucketName, func(b *bucket) {
		for _, p := range list {
			ids = append(ids, s.plant(b, p))
		}
	})
	return ids
}

func (s *Server) plant(b *bucket, p Planted) string {
	v := &version{seq: s.seq.Add(1), marker: true, modified: s.now()}
	if !p.Marker {
		v = s.newVersion(p.Body)
		if p.Class != "" {
			v.class = p.Class
		}
		v.restored = p.Restored
		if p.ETag != "" {
			v.etag = p.ETag
		}
		if p.Size != 0 {
			v.size = p.Size
		}
		v.tags = maps.Clone(p.Tags)
		v.lock = compliance(p.RetainUntil, p.Hold)
	}
	v.id = p.ID
	if !p.Modified.IsZero() {
		v.modified = p.Modified.UTC().Truncate(time.Second)
	}
	b.add(p.Key, v)
	return v.id
}

func compliance(until time.Time, hold bool) (l lock) {
	if !until.IsZero() {
		l.mode, l.until = "COMPLIANCE", until.UTC()
	}
	if hold {
		l.hold = "ON"
	}
	return l
}

// change changes a version that is there; it panics if there is none.
func (s *Server) change(bucketName, key, id string, f func(*version)) {
	s.with(bucketName, func(b *bucket) {
		if i, ok := b.search(key); ok {
			if j := b.objects[i].find(id); j >= 0 {
				b.objects[i].change(j, f)
				return
			}
		}
		panic(fmt.Sprintf("fakes3: there is no version %q of %q", id, key))
	})
}

// SetTags replaces a version's tags.
func (s *Server) SetTags(bucketName, key, id string, tags map[string]string) {
	s.change(bucketName, key, id, func(v *version) { v.tags = maps.Clone(tags) })
}

// Protect sets what keeps a version from being deleted: a retention of mode
// COMPLIANCE until a time (zero: none), and a legal hold. The bucket's object
// lock has to be set besides: see SetObjectLock.
func (s *Server) Protect(bucketName, key, id string, until time.Time, hold bool) {
	s.change(bucketName, key, id, func(v *version) { v.lock = compliance(until, hold) })
}

// StartUpload starts a multipart upload and gives its ID.
func (s *Server) StartUpload(bucketName, key string) (id string) {
	s.with(bucketName, func(b *bucket) {
		id = s.startUpload(b, key, version{class: "STANDARD"}).id
	})
	return id
}

// FinishUpload completes a multipart upload with one part for each body, of any
// size, and gives the ID of its version, which lies where the upload was started.
func (s *Server) FinishUpload(bucketName, key, uploadID string, parts ...[]byte) (id string) {
	s.with(bucketName, func(b *bucket) {
		i := slices.IndexFunc(b.uploads, func(u *upload) bool { return u.id == uploadID && u.key == key })
		if i < 0 {
			panic(fmt.Sprintf("fakes3: there is no upload %q of %q", uploadID, key))
		}
		id = b.finish(b.uploads[i], parts).id
	})
	return id
}

// Fill puts n versions into a bucket: f gives each. Any order of keys is quick.
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
	})
}

// makeRoom makes the objects for new keys, all at once: one by one each would
// push the others along.
func (b *bucket) makeRoom(list []Planted) {
	for _, p := range list {
		b.objects = append(b.objects, &object{key: p.Key})
	}
	byKey := func(a, b *object) int { return strings.Compare(a.key, b.key) }
	slices.SortStableFunc(b.objects, byKey) // those that were there stay first
	b.objects = slices.CompactFunc(b.objects, func(a, b *object) bool { return a.key == b.key })
}

// Put writes an object, as a PUT does, and gives the version's ID.
func (s *Server) Put(bucketName, key string, body []byte) (id string) {
	s.with(bucketName, func(b *bucket) {
		v := s.newVersion(body)
		v.lock = b.defaultLock(v.modified)
		b.add(key, v)
		id = v.id
	})
	return id
}

// Delete hides a key, as a DELETE does, and gives the marker's ID; empty in a
// bucket that never had versioning, where it removes the object.
func (s *Server) Delete(bucketName, key string) (id string) {
	s.with(bucketName, func(b *bucket) {
		if b.versioning == "" {
			b.remove(key, nullID)
			return
		}
		id = s.plant(b, Planted{Key: key, Marker: true})
	})
	return id
}

// DeleteVersion removes a version or marker for good, a protected one too. It
// says whether it was there.
func (s *Server) DeleteVersion(bucketName, key, id string) (there bool) {
	s.with(bucketName, func(b *bucket) { there = b.remove(key, id) != nil })
	return there
}

// An Entry is a version or a marker as it lies in a bucket.
type Entry struct {
	Key, ID  string
	Latest   bool
	Marker   bool
	Body     []byte // not to be changed
	ETag     string
	Modified time.Time
}

// Entries are all versions and markers of keys with a prefix, in the order of a
// listing.
func (s *Server) Entries(bucketName, prefix string) []Entry {
	var out []Entry
	s.with(bucketName, func(b *bucket) {
		for i, _ := b.search(prefix); i < len(b.objects) && strings.HasPrefix(b.objects[i].key, prefix); i++ {
			for j, v := range slices.Backward(b.objects[i].versions) {
				out = append(out, Entry{Key: b.objects[i].key, ID: v.id, Latest: j == len(b.objects[i].versions)-1,
					Marker: v.marker, Body: v.body, ETag: v.etag, Modified: v.modified})
			}
		}
	})
	return out
}
