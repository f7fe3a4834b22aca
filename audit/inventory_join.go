package audit

import (
	"context"
	"hash/maphash"
	stdbits "math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"provcat-tui/bucket"
	"provcat-tui/bucket/inventory"
)

// A stock is what of the named versions a report has.
type stock struct {
	r *refs
	// slots find the first ref of a version by the hash of its key and ID: the upper
	// half of the hash, and the ref's index plus 1. 0: free.
	slots []uint64
	seed  maphash.Seed
	found *bits // refs that the report has as commits say
	rows  atomic.Int64

	mu       sync.Mutex // guards what follows
	forecast *forecast  // for what is archived
	cold     []int32
}

func newStock(r *refs, f *forecast) *stock {
	x := &stock{r: r, seed: maphash.MakeSeed(), forecast: f, found: newBits(r.len())}
	n := r.count(0, r.len())
	x.slots = make([]uint64, n+n/2+1)
	var h maphash.Hash
	h.SetSeed(x.seed)
	for i := range r.len() {
		if i == 0 || !r.same(int32(i), int32(i-1)) {
			v := r.at(int32(i))
			sum := hashOf(&h, v.key, v.version)
			at := x.home(sum)
			for x.slots[at] != 0 {
				at = (at + 1) % len(x.slots)
			}
			x.slots[at] = sum>>32<<32 | uint64(i+1)
		}
	}
	return x
}

func hashOf[T string | []byte](h *maphash.Hash, key, version T) uint64 {
	h.Reset()
	_, _ = h.WriteString(string(key)) // a hash takes all
	_ = h.WriteByte(0)
	_, _ = h.WriteString(string(version))
	return h.Sum64()
}

// home is the slot at which the search for a hash begins: by its lower half, since the
// upper one is compared.
func (x *stock) home(sum uint64) int {
	hi, _ := stdbits.Mul64(sum<<32, uint64(len(x.slots)))
	return int(hi)
}

// find gives the first ref of a version; -1: no commit names it.
func (x *stock) find(h *maphash.Hash, row *inventory.Row) int {
	sum := rowHash(h, row)
	for at := x.home(sum); x.slots[at] != 0; at = (at + 1) % len(x.slots) {
		if x.slots[at]>>32 != sum>>32 {
			continue
		}
		i := int(uint32(x.slots[at])) - 1
		if v := x.r.at(int32(i)); v.key == string(row.Key) && v.version == string(row.Version) {
			return i
		}
	}
	return -1
}

// rowHash is hashOf without a copy.
func rowHash(h *maphash.Hash, row *inventory.Row) uint64 {
	h.Reset()
	_, _ = h.Write(row.Key) // a hash takes all
	_ = h.WriteByte(0)
	_, _ = h.Write(row.Version)
	return h.Sum64()
}

// visitor marks what the rows of one file have.
func (a *auditor) visitor(x *stock) func(*inventory.Row) error {
	var h maphash.Hash
	h.SetSeed(x.seed)
	return func(row *inventory.Row) error {
		if n := x.rows.Add(1); n%4096 == 0 {
			a.step("inventory", n, 0)
		}
		// A marker is never what a commit promises; the live listing tells of it.
		if first := x.find(&h, row); first >= 0 && !row.Marker {
			x.mark(first, row)
		}
		return nil
	}
}

// mark notes which records of a version a row agrees with.
func (x *stock) mark(first int, row *inventory.Row) {
	end, fresh := first, false
	for ; end < x.r.len() && x.r.same(int32(end), int32(first)); end++ {
		v := x.r.at(int32(end))
		if v.etag != "" && v.etag != string(row.ETag) || v.size >= 0 && v.size != row.Size {
			continue
		}
		fresh = x.found.add(int32(end)) || fresh
	}
	class, note := string(row.Class), ""
	switch {
	case !fresh:
		return
	case archives(class):
		note = "is in the class " + class
	case row.Archived():
		note = "is in the access tier " + string(row.Tier)
	default:
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.archived(named{first: int32(first), end: int32(end)}, row.Told(), note+", by the inventory report")
}

// archived counts a version that cannot be read at once. x.mu is held.
func (x *stock) archived(n named, v bucket.Version, note string) {
	x.cold = append(x.cold, n.first)
	x.forecast.tally(tallyID{what: archivedNow, sure: true}, n).add(x.forecast, n, v, noDate, note)
}

// joinInventory is join by the report. What the report lacks is looked up in the
// bucket, as what seems damaged: with what the budget keeps for second looks.
func (a *auditor) joinInventory(ctx context.Context, r *refs) (*joined, error) {
	out := &joined{watch: a.newWatchers(r), found: newBits(r.len())}
	a.checkInventoryAge()
	x := newStock(r, out.watch.forecast)
	read, _, left, err := a.inventoryRows(ctx, func() func(*inventory.Row) error { return a.visitor(x) })
	if err != nil {
		return nil, err
	}
	a.inventory.FilesRead, a.inventory.Rows = read, x.rows.Load()
	suspects := x.conclude(out)
	a.inventory.Known = out.checked
	if left != nil {
		// They may be in what was not read: nothing makes them suspect.
		out.skipped = append(out.skipped, skipOf(left, "", r.countOf(suspects)))
		return out, nil
	}
	live, err := a.lookUp(ctx, r, suspects, out.found)
	if err != nil {
		return nil, err
	}
	for _, c := range live.cold {
		n := named{first: c, end: c + 1}
		for int(n.end) < r.len() && r.same(n.end, c) {
			n.end++
		}
		v := live.at[c]
		x.archived(n, v, "is in the class "+v.StorageClass)
	}
	a.inventory.Live = live.checked
	out.add(&live.joined)
	out.cold = x.cold
	slices.Sort(out.cold)
	slices.SortFunc(out.null, func(p, q lost) int { return int(p.ref - q.ref) })
	return out, nil
}

// conclude counts what the report has, and gives the refs that it lacks.
func (x *stock) conclude(out *joined) (suspects []int32) {
	r := x.r
	for i := 0; i < r.len(); {
		end, has := i, 0
		for ; end < r.len() && r.same(int32(end), int32(i)); end++ {
			if x.found.has(end) {
				has++
			}
		}
		null := r.at(int32(i)).version == bucket.NullID
		// A version with records that contradict each other is looked up as a whole,
		// and so are the first with the ID null, whose neighbours the finding shows.
		if has < end-i || null && len(out.null) == 0 && len(suspects) < maxExamples {
			for ; i < end; i++ {
				suspects = append(suspects, int32(i))
			}
			continue
		}
		out.checked++
		for ; i < end; i++ {
			out.found.set(int32(i))
			if null {
				out.null = append(out.null, lost{ref: int32(i)})
			}
		}
	}
	return suspects
}

// add takes in what another join gave.
func (o *joined) add(p *joined) {
	o.missing = append(o.missing, p.missing...)
	o.changed = append(o.changed, p.changed...)
	o.null = append(o.null, p.null...)
	o.marked = append(o.marked, p.marked...)
	o.cold = append(o.cold, p.cold...)
	o.skipped = append(o.skipped, p.skipped...)
	o.checked += p.checked
}

// countOf counts the versions behind refs, in order.
func (r *refs) countOf(list []int32) (n int64) {
	for k, i := range list {
		if k == 0 || !r.same(i, list[k-1]) {
			n++
		}
	}
	return n
}
