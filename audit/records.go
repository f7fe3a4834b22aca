package audit

// records are what commits recorded of versions, in columns: a million of them are few
// pieces of memory, without a pointer for each. What is in them never changes or moves,
// so a copy of the struct may be read while others are added to the original; a record
// is found by its number, in order of adding.
type records struct {
	// texts are the keys, versions and ETags of records that were added together, one
	// after another.
	texts []string
	parts parts[record]
	n     int32
}

// A record is one version of one key as commits recorded it; its texts lie in
// texts[text], from start on.
type record struct {
	text, start        uint32
	key, version, etag uint32 // their lengths, in bytes
	runs               uint32 // the first of its runs in refs.flat, once these are there
	size               int64  // -1: unknown
}

// parts is a list that grows without moving what is in it.
type parts[T any] []*[partSize]T

const partSize = 1 << 10

// addPart appends a part where number n would begin one.
func addPart[T any](p parts[T], n int32) parts[T] {
	if n%partSize == 0 {
		p = append(p, new([partSize]T))
	}
	return p
}

// add adds a record, and gives its number.
func (x *records) add(r record) int32 {
	x.parts = addPart(x.parts, x.n)
	x.parts[x.n/partSize][x.n%partSize] = r
	x.n++
	return x.n - 1
}

// of gives a record. A copy of records gives those that were there when it was made.
func (x *records) of(n int32) *record { return &x.parts[n/partSize][n%partSize] }

// strings gives the key, the version and the ETag of a record.
func (x *records) strings(r *record) (key, version, etag string) {
	s := x.texts[r.text][r.start:]
	v := r.key + r.version
	return s[:r.key], s[r.key:v], s[v : v+r.etag]
}

// all is the three, one after another.
func (x *records) all(r *record) string {
	return x.texts[r.text][r.start:][:r.key+r.version+r.etag]
}
