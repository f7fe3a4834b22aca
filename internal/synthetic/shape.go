package synthetic

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// A Shape is what a bucket holds: keys in ascending bytewise order, each with the
// same number of versions. All that is in it follows from the number of a key and of
// a version, so that nothing is kept.
type Shape struct {
	Name string
	// Keys is how many keys there are, Versions how many versions each has; 0: 1.
	Keys     int64
	Versions int
	// Key appends the key with the number i, 0 to Keys-1. Keys ascend with i.
	Key func(b []byte, i int64) []byte
	// Deleted has the newest version of every so many-th key be a delete marker;
	// 0: there are none.
	Deleted int64
	// Churn has writers at work: with every request the keys with some numbers come
	// and go, and others get newer versions. See Steady.
	Churn bool
}

// Total is how many versions and markers the shape has while nobody writes.
func (s *Shape) Total() int64 { return s.Keys * int64(s.versions()) }

func (s *Shape) versions() int { return max(1, s.Versions) }

// find gives the number of the first key that is not below key.
func (s *Shape) find(key string) int64 {
	var b []byte
	return int64(sort.Search(int(s.Keys), func(i int) bool {
		b = s.Key(b[:0], int64(i))
		return bytes.Compare(b, []byte(key)) >= 0
	}))
}

// past gives the number of the first key behind all that start with prefix.
func (s *Shape) past(prefix string) int64 {
	if end := successor(prefix); end != "" {
		return s.find(end)
	}
	return s.Keys
}

// successor is the first key after all that have the prefix; empty: none.
func successor(p string) string {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i] < 0xff {
			return p[:i] + string([]byte{p[i] + 1})
		}
	}
	return ""
}

// Writers work on every seventh key: one seventh comes and goes, another gets newer
// versions now and then.
const (
	cycle    = 7
	comesGo  = 3
	newer    = 5
	maxNewer = 2
)

// at says what key i has at an epoch: how many newer versions than while nobody
// writes, and whether it is there at all.
func (s *Shape) at(i, epoch int64) (more int, there bool) {
	if !s.Churn {
		return 0, true
	}
	switch i % cycle {
	case comesGo:
		return 0, mix(uint64(i)^mix(uint64(epoch)))&1 == 1
	case newer:
		return int(mix(uint64(i)^mix(uint64(epoch))) % (maxNewer + 1)), true
	}
	return 0, true
}

// Steady says of a version's ID that the version was there from the beginning, and
// stays, whatever the writers do.
func Steady(id string) bool {
	i, j, ok := parseID(id)
	return ok && j >= 0 && i%cycle != comesGo
}

// mix spreads numbers over all bits (the finalizer of MurmurHash3).
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

const idOffset = 1 << 16 // versions newer than the first have negative numbers

// appendID is the ID of version j of key i: 32 characters, as many as S3's.
func appendID(b []byte, i int64, j int) []byte {
	b = hex(b, uint64(i), 12)
	b = hex(b, mix(uint64(i)<<20+uint64(j)), 12)
	return hex(b, uint64(j+idOffset), 8)
}

func parseID(id string) (i int64, j int, ok bool) {
	if len(id) != 32 {
		return 0, 0, false
	}
	a, err1 := strconv.ParseUint(id[:12], 16, 48)
	c, err2 := strconv.ParseUint(id[24:], 16, 32)
	return int64(a), int(c) - idOffset, err1 == nil && err2 == nil
}

const hexDigits = "0123456789abcdef"

func hex(b []byte, x uint64, width int) []byte {
	var d [16]byte
	for k := width - 1; k >= 0; k-- {
		d[k] = hexDigits[x&15]
		x >>= 4
	}
	return append(b, d[:width]...)
}

func padded(b []byte, x int64, width int) []byte {
	d := [16]byte{'0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0'}
	for k := width - 1; x > 0 && k >= 0; k-- {
		d[k] = byte('0' + x%10)
		x /= 10
	}
	return append(b, d[:width]...)
}

// Flat is one folder of numbered files.
func Flat(keys int64) Shape {
	return Shape{Name: "flat", Keys: keys, Key: func(b []byte, i int64) []byte {
		return append(padded(append(b, "events/part-"...), i, 10), ".parquet"...)
	}}
}

// Hashed is one level of keys that are hashes, spread evenly.
func Hashed(keys int64) Shape {
	step := ^uint64(0) / uint64(max(1, keys))
	return Shape{Name: "hashed", Keys: keys, Key: func(b []byte, i int64) []byte {
		at := uint64(i) * step
		if step > 1 {
			at += mix(uint64(i)) % (step - 1)
		}
		return append(hex(hex(b, at, 16), mix(uint64(i)+1), 16), ".json"...)
	}}
}

// Folders are so many folders, each with its share of the keys.
func Folders(keys, folders int64) Shape {
	each := max(1, (keys+folders-1)/folders)
	return Shape{Name: fmt.Sprintf("%d folders", folders), Keys: keys, Key: func(b []byte, i int64) []byte {
		b = append(padded(append(b, "customer-"...), i/each, 6), "/invoice-"...)
		return append(padded(b, i%each, 7), ".pdf"...)
	}}
}

// Deep are folders for years, months, days and hours, as a data lake has them.
func Deep(keys int64) Shape {
	const years = 4
	each := max(1, (keys+years*12*28*24-1)/(years*12*28*24)) // in an hour
	return Shape{Name: "deep", Keys: keys, Key: func(b []byte, i int64) []byte {
		h := i / each
		b = append(padded(append(b, "lake/events/year="...), 2023+h/(24*28*12), 4), "/month="...)
		b = append(padded(b, 1+h/(24*28)%12, 2), "/day="...)
		b = append(padded(b, 1+h/24%28, 2), "/hour="...)
		b = append(padded(b, h%24, 2), "/part-"...)
		return append(padded(b, i%each, 5), ".snappy.parquet"...)
	}}
}

// Skewed has one small key in front, nearly all keys in one folder of a thousand, and
// numbers that do not start with a zero in it.
func Skewed(keys int64) Shape {
	return Shape{Name: "skewed", Keys: keys, Key: func(b []byte, i int64) []byte {
		switch {
		case i < 500:
			return append(padded(append(b, "a/small-"...), i, 4), "/readme.txt"...)
		case i < keys-499:
			return padded(append(b, "m/big/2026-10-05T13:22:10Z-sensor-"...), 1_000_000_000+i*37, 10)
		}
		return append(padded(append(b, "z/small-"...), i-keys+499, 4), "/readme.txt"...)
	}}
}

// odd are parts of keys that have broken somebody's listing.
var odd = func() []string {
	list := []string{"\x01", " ", " lead", "%2F", "&amp;", "'\"", "(1)", "+", "-", ".", "..", "0", "<x>", "=", "A", "Z", "\\", "a", "a b",
		"a+b", "a=1", "b//b", "aa", "null", "~", "\u007f", "é", "e\u0301", "ß", "Ω", "\u202ertl", "日本", "\ue000", "\ufffd", "🎈", "👩‍🚀"}
	slices.SortFunc(list, func(a, b string) int { return strings.Compare(a+"/", b+"/") })
	return list
}()

// Odd are keys of control characters, spaces, quotes, doubled slashes, combining
// characters and emoji.
func Odd(keys int64) Shape {
	n := int64(len(odd))
	each := max(1, (keys+n*n-1)/(n*n))
	return Shape{Name: "odd", Keys: keys, Key: func(b []byte, i int64) []byte {
		f := i / each
		b = append(append(b, odd[f/n]...), '/')
		b = append(append(b, odd[f%n]...), '/')
		return append(padded(b, i%each, 6), odd[mix(uint64(i))%uint64(n)]...)
	}}
}

// OneKey is a single key of many versions between two others.
func OneKey(versions int) Shape {
	return Shape{Name: "one key", Keys: 3, Versions: versions, Key: func(b []byte, i int64) []byte {
		return append(b, [...]string{"a", "state.json", "z"}[i]...)
	}}
}

// Shapes are all of them, with about so many versions, some of them deleted.
func Shapes(n int64) []Shape {
	out := []Shape{Flat(n), Hashed(n), Folders(n, 10), Folders(n, 5000), Deep(n), Skewed(n), Odd(n), OneKey(int(n / 3))}
	pairs := Flat(n / 2)
	pairs.Name, pairs.Versions = "flat, two versions each", 2
	out = append(out, pairs)
	for i := range out {
		out[i].Deleted = 50
	}
	return out
}
