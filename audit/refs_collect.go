package audit

import (
	"bytes"
	"hash/maphash"

	"provcat-tui/commit"
)

// A collector takes one commit's files, in batches, so that commits read side by side
// seldom wait for each other. Most files are those of the commit that was read before:
// these are found without waiting, by going down both lists together. The others are
// looked up by what they are.
type collector struct {
	r      *refs
	index  int32
	prefix string
	batch  []found
	text   []byte  // of the batch's files that are not in base
	mine   []int32 // the refs so far
	base   []int32 // those of a commit that was read before
	before records // what base is about
	at     int     // in base
}

// A found is a file of a batch: a ref, or what to look up.
type found struct {
	ref                int32 // -1: to be looked up
	start              int   // in the batch's text: key, version and ETag, one after another
	key, version, etag int   // their lengths
	size               int64
	hash               uint64
}

// begin begins a reading of the commit.
func (c *collector) begin() {
	r := c.r
	r.mu.Lock()
	defer r.mu.Unlock()
	c.batch, c.text, c.mine, c.at = c.batch[:0], c.text[:0], nil, 0
	c.base, c.before = r.recent[c.prefix], r.records
}

func (c *collector) file(f *commit.Record) {
	etag := f.ETag
	if len(etag) > 0 && (etag[0] == '"' || etag[len(etag)-1] == '"') {
		etag = bytes.Trim(etag, `"`) // some tools record it with its quotes
	}
	if i := c.known(f, etag); i >= 0 {
		c.batch = append(c.batch, found{ref: i})
	} else {
		x := found{ref: -1, start: len(c.text), key: len(c.prefix) + len(f.Path), version: len(f.Version), etag: len(etag), size: f.Size}
		c.text = append(append(c.text, c.prefix...), f.Path...)
		if x.version == 0 || bytes.HasPrefix(c.text[x.start:], []byte(commit.Root)) {
			c.text = c.text[:x.start]
			return // names nothing (commit-files-invalid), or belongs to no folder
		}
		c.text = append(append(c.text, f.Version...), etag...)
		x.hash = maphash.Bytes(seed, c.text[x.start:])
		c.batch = append(c.batch, x)
	}
	if len(c.batch) == 512 || len(c.text) > 1<<20 {
		c.flush()
	}
}

// known finds a file's record in the commit that was read before; -1: it has none, or
// one of them is not in order of path.
func (c *collector) known(f *commit.Record, etag []byte) int32 {
	for c.at < len(c.base) {
		i := c.base[c.at]
		x := c.before.of(i)
		key, version, e := c.before.strings(x)
		key = key[len(c.prefix):]
		if key < string(f.Path) {
			c.at++
			continue
		}
		if key == string(f.Path) && version == string(f.Version) && x.size == f.Size && e == string(etag) {
			return i
		}
		return -1
	}
	return -1
}

// flush puts the batch among the refs.
func (c *collector) flush() {
	r := c.r
	r.mu.Lock()
	defer r.mu.Unlock()
	var fresh []byte // the texts of the new ones: one string for them all
	first := r.records.n
	// A record that comes twice in a batch is found in what is not a string yet.
	holds := func(i int32, text []byte, f *found) bool {
		x := r.records.of(i)
		if x.key != uint32(f.key) || x.version != uint32(f.version) || x.etag != uint32(f.etag) || x.size != f.size {
			return false
		}
		if i >= first {
			return bytes.Equal(fresh[x.start:][:len(text)], text)
		}
		return r.records.all(x) == string(text)
	}
	for i := range c.batch {
		x := &c.batch[i]
		if x.ref < 0 {
			text := c.text[x.start : x.start+x.key+x.version+x.etag]
			x.ref = r.index.find(x.hash, func(i int32) bool { return holds(i, text, x) })
			if x.ref < 0 {
				r.runs = addPart(r.runs, r.records.n)
				r.runs[r.records.n/partSize][r.records.n%partSize] = row{first: c.index, last: c.index}
				x.ref = r.records.add(record{text: uint32(len(r.records.texts)), start: uint32(len(fresh)),
					key: uint32(x.key), version: uint32(x.version), etag: uint32(x.etag), size: x.size})
				r.index.add(x.hash, x.ref)
				fresh = append(fresh, text...)
				c.mine = append(c.mine, x.ref)
				continue
			}
		}
		r.add(x.ref, c.index)
		c.mine = append(c.mine, x.ref)
	}
	if len(fresh) > 0 {
		r.records.texts = append(r.records.texts, string(fresh))
	}
	c.batch, c.text = c.batch[:0], c.text[:0]
}

// add notes that commit i holds ref k.
func (r *refs) add(k, i int32) {
	if r.row(k).take(i) {
		return
	}
	more := r.more[k]
	for n := len(more) - 1; n >= max(0, len(more)-4); n-- {
		if more[n].take(i) {
			return
		}
	}
	r.more[k] = append(more, row{first: i, last: i})
}

// row is the first row of record k.
func (r *refs) row(k int32) *row { return &r.runs[k/partSize][k%partSize] }

// A row is a run of commits, and some below it: bit n of below is commit first-1-n. They
// are read from the newest down, side by side, so they come nearly in descending order.
type row struct {
	first, last int32
	below       uint32
}

// take adds a commit, if it is near enough; true: the row holds it now.
func (u *row) take(i int32) bool {
	switch {
	case u.first <= i && i <= u.last:
	case i == u.last+1:
		u.last = i
	case i > u.last:
		// The run becomes bits below the new one.
		by := i - u.first
		if by > 32 || u.below>>(32-by) != 0 {
			return false
		}
		u.below = uint32(uint64(u.below)<<by | (1<<(u.last-u.first+1)-1)<<(i-1-u.last))
		u.first, u.last = i, i
	case u.first-i > 32:
		return false
	default:
		u.below |= 1 << (u.first - 1 - i)
		for u.below&1 != 0 {
			u.below >>= 1
			u.first--
		}
	}
	return true
}

// appendRuns appends the row's commits.
func (u row) appendRuns(out []run) []run {
	out = append(out, run{u.first, u.last})
	for n := int32(0); u.below != 0; n, u.below = n+1, u.below>>1 {
		if u.below&1 != 0 {
			out = append(out, run{u.first - 1 - n, u.first - 1 - n})
		}
	}
	return out
}

// done says that the commit's hash was right. A commit of another folder than its
// log's is misfiled: its paths lie elsewhere.
func (c *collector) done(h commit.Header) {
	c.flush()
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	h.Message = ""
	x := &c.r.commits[c.index]
	x.header, x.ok = h, h.Folder == x.Folder
	c.r.recent[c.prefix] = c.mine
	c.base, c.before, c.mine, c.batch, c.text = nil, records{}, nil, nil, nil
}

// An index finds refs by a hash of what they are. It keeps no more than their numbers
// and half of the hash, eight bytes for each place, of which at most three of four are
// taken.
type index struct {
	places []uint64 // number+1 and hash; 0: free
	n      int
}

func (x *index) find(hash uint64, is func(int32) bool) int32 {
	if len(x.places) == 0 {
		return -1
	}
	mask := uint64(len(x.places) - 1)
	for at := hash >> 32 & mask; x.places[at] != 0; at = (at + 1) & mask {
		if p := x.places[at]; p>>32 == hash>>32 && is(int32(uint32(p))-1) {
			return int32(uint32(p)) - 1
		}
	}
	return -1
}

func (x *index) add(hash uint64, i int32) {
	if x.n++; x.n*4 > len(x.places)*3 {
		x.grow()
	}
	x.put(hash>>32<<32 | uint64(uint32(i)+1))
}

// put places by the upper half of the hash, which is all that is kept of it.
func (x *index) put(p uint64) {
	mask := uint64(len(x.places) - 1)
	at := p >> 32 & mask
	for x.places[at] != 0 {
		at = (at + 1) & mask
	}
	x.places[at] = p
}

func (x *index) grow() {
	old := x.places
	x.places = make([]uint64, max(1024, 2*len(old)))
	for _, p := range old {
		if p != 0 {
			x.put(p)
		}
	}
}
