package fakes3

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxPage is the most entries in a page of a listing (API reference,
// ListObjectVersions, max-keys).
const maxPage = 1000

// nullID is the ID of versions written while versioning was off or suspended
// (user guide, "Working with objects in a versioning-suspended bucket").
const nullID = "null"

// A bucket's lock makes one line of all that happens to it.
type bucket struct {
	mu      sync.Mutex
	name    string
	created time.Time
	region  string

	versioning       string // "", "Enabled" or "Suspended"
	lifecycle        []byte // XML as it was put; nil: none
	lock             []byte // XML of the object lock configuration; nil: none
	ignoreConditions bool
	requesterPays    bool

	objects []*object // ascending by key, none without versions
	uploads []*upload // ascending by key, then by start
}

type object struct {
	key      string
	versions []*version // oldest first
	// goneNull is the place of a null version that was removed: a listing that
	// was cut off at it goes on from there.
	goneNull uint64
}

// A version never changes once it is in a bucket.
type version struct {
	seq      uint64 // place in time; larger is newer
	id       string
	marker   bool
	modified time.Time
	etag     string // without quotes
	size     int64
	body     []byte
	class    string
	restored bool // a copy out of the archive class can be read
	sum      checksum
	header   http.Header // Content-Type, x-amz-meta-*; nil: defaults
	tags     map[string]string
	lock     lock
}

func (o *object) latest() *version { return o.versions[len(o.versions)-1] }

// older is how many of o's versions are older than a place in time.
func (o *object) older(seq uint64) int {
	n := len(o.versions)
	for n > 0 && o.versions[n-1].seq >= seq {
		n--
	}
	return n
}

func (o *object) find(id string) int {
	return slices.IndexFunc(o.versions, func(v *version) bool { return v.id == id })
}

// search is the place of key in b.objects, or where it would be.
func (b *bucket) search(key string) (int, bool) {
	return slices.BinarySearchFunc(b.objects, key, func(o *object, key string) int {
		return strings.Compare(o.key, key)
	})
}

// get is the version with the given ID, or with an empty one the newest; nil:
// none.
func (b *bucket) get(key, id string) *version {
	i, ok := b.search(key)
	if !ok {
		return nil
	}
	o := b.objects[i]
	if id == "" {
		return o.latest()
	}
	if j := o.find(id); j >= 0 {
		return o.versions[j]
	}
	return nil
}

// live is what a plain GET reads; nil: nothing.
func (b *bucket) live(key string) *version {
	if v := b.get(key, ""); v != nil && !v.marker {
		return v
	}
	return nil
}

// add puts v among key's versions, at its place in time: on top, unless v is
// what a multipart upload became. Without an ID it gets the one that the
// versioning state asks for; "null" takes the place of the null version, or is
// lost where that is newer.
func (b *bucket) add(key string, v *version) {
	if v.id == "" {
		v.id = nullID
		if b.versioning == "Enabled" {
			v.id = encodeID(v.seq)
		}
	}
	i, ok := b.search(key)
	if !ok {
		b.objects = slices.Insert(b.objects, i, &object{key: key})
	}
	o := b.objects[i]
	if v.id == nullID {
		if j := o.find(nullID); j >= 0 {
			if o.versions[j].seq > v.seq {
				return
			}
			o.versions = slices.Delete(o.versions, j, j+1)
		}
	}
	o.versions = slices.Insert(o.versions, o.older(v.seq), v)
}

// remove takes one version out for good and returns it; nil: it wasn't there.
func (b *bucket) remove(key, id string) *version {
	i, ok := b.search(key)
	if !ok {
		return nil
	}
	o := b.objects[i]
	j := o.find(id)
	if j < 0 {
		return nil
	}
	v := o.versions[j]
	if id == nullID {
		o.goneNull = v.seq
	}
	o.versions = slices.Delete(o.versions, j, j+1)
	if len(o.versions) == 0 {
		b.objects = slices.Delete(b.objects, i, i+1)
	}
	return v
}

// Version IDs look like Amazon's: 32 characters of a 64-letter alphabet, in no
// order. They can be taken back to the place that they stand for, so that a
// listing goes on behind a version that has been removed meanwhile.
var (
	idLetters = base64.NewEncoding("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._").WithPadding(base64.NoPadding)
	idCipher  = func() cipher.Block {
		c, err := aes.NewCipher([]byte("fakes3 versions!"))
		if err != nil {
			panic(err) // a key of 16 bytes is one
		}
		return c
	}()
)

func encodeID(seq uint64) string {
	var raw [24]byte
	copy(raw[:8], mask(seq, raw[8:]))
	return idLetters.EncodeToString(raw[:])
}

// mask fills salt, which depends on seq alone, and returns seq hidden by it.
func mask(seq uint64, salt []byte) []byte {
	var in, pad [16]byte
	binary.BigEndian.PutUint64(in[8:], seq)
	idCipher.Encrypt(salt, in[:])
	idCipher.Encrypt(pad[:], salt)
	return binary.BigEndian.AppendUint64(nil, seq^binary.BigEndian.Uint64(pad[:8]))
}

// decodeID is the reverse of encodeID.
func decodeID(id string) (seq uint64, ok bool) {
	raw, err := idLetters.DecodeString(id)
	if err != nil || len(raw) != 24 {
		return 0, false
	}
	var pad [16]byte
	idCipher.Encrypt(pad[:], raw[8:])
	seq = binary.BigEndian.Uint64(raw[:8]) ^ binary.BigEndian.Uint64(pad[:8])
	return seq, encodeID(seq) == id
}

// wellFormed says that id could be one of S3's: another is refused with 400
// before anything is looked up.
func wellFormed(id string) bool {
	if id == nullID {
		return true
	}
	_, err := idLetters.DecodeString(id)
	return err == nil && len(id) == 32
}
