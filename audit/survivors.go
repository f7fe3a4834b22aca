package audit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// A search is where the bytes of missing versions were looked for.
type search struct {
	within string // in words
	err    error  // why it was cut off: nothing is known of what was not found; nil: it is whole
}

// comparable says that a version's bytes can be told apart from others. Of a file
// without bytes nothing has to be found.
func (x *ref) comparable() bool { return x.etag != "" && x.size > 0 }

// is says whether a version has the bytes of x, by ETag and size.
func (x *ref) is(v bucket.Version) bool {
	return !v.DeleteMarker && x.etag != "" && v.ETag == x.etag && v.Size == x.size
}

// survivors looks for the bytes of missing versions: another version, of any key of
// the bucket, with the same ETag and size. The best is the live version of the same
// key, then an older one of it, then a live one of any key, then any. Its memory is
// that of the missing versions.
func (a *auditor) survivors(ctx context.Context, r *refs, missing []lost) (search, error) {
	h := hunt{at: map[sameAs]int{}}
	for i := range missing {
		l := &missing[i]
		if x := r.at(l.ref); x.comparable() {
			if l.equal = x.at(l.now); l.equal == nil {
				h.want(sameAs{x.etag, x.size})
			}
		}
	}
	look := func(prefix string) error { return a.hunt(ctx, &h, prefix) }
	s := search{within: "the bucket"}
	if h.open > 0 && a.o.Inventory != nil {
		return a.survivorsInReport(ctx, r, missing)
	}
	if h.open > 0 {
		if s.err = look(""); errors.Is(s.err, bucket.ErrDenied) {
			s = a.searchScope(r, look)
		}
	}
	for i := range missing {
		l := &missing[i]
		if x := r.at(l.ref); l.equal == nil && x.comparable() {
			l.equal = h.found(sameAs{x.etag, x.size})
		}
	}
	return s, ctx.Err()
}

// searchScope looks only where the audit may list: where a whole bucket may not be.
func (a *auditor) searchScope(r *refs, look func(prefix string) error) search {
	s := search{within: a.o.Folder}
	prefixes := []string{commit.KeyPrefix(a.o.Folder)}
	if a.o.Folder == "" {
		s.within, prefixes = "the committed folders", r.walks()
	}
	for _, p := range prefixes {
		if s.err = look(p); s.err != nil {
			break
		}
	}
	return s
}

// at finds the bytes of x among the versions of its key, the newest first.
func (x *ref) at(vs []bucket.Version) *bucket.Version {
	for i := range vs {
		if x.is(vs[i]) {
			return &vs[i]
		}
	}
	return nil
}

// sameBytes tells where the bytes of a group of missing versions still are: a
// sentence for the detail, one for the repair, and how many have them.
func (s search) sameBytes(r *refs, g *group) (detail, repair string) {
	var equal, empty, blind, none int64
	var first *lost
	for i := range g.lost {
		l := &g.lost[i]
		x := r.at(l.ref)
		if i > 0 && r.same(l.ref, g.lost[i-1].ref) {
			continue
		}
		switch {
		case x.size == 0:
			empty++
		case l.equal != nil:
			if equal++; first == nil {
				first = l
			}
		case !x.comparable():
			blind++
		default:
			none++
		}
	}
	var says []string
	if equal > 0 {
		where := fmt.Sprintf("The same bytes are still at %s, version %s.", first.equal.Key, first.equal.ID)
		if g.count > 1 {
			where = fmt.Sprintf("Of %d of them the same bytes, by ETag and size, still exist; of the first %s", equal, "t"+where[1:])
		}
		says = append(says, where)
	}
	if empty > 0 {
		says = append(says, fmt.Sprintf("%s empty: any empty file has the same bytes.", of(g, empty, "is", "are")))
	}
	if blind > 0 {
		says = append(says, fmt.Sprintf("Of %s the commits recorded no ETag or no size, so that equal bytes cannot be looked for.", of(g, blind, "", "")))
	}
	switch {
	case none > 0 && s.err != nil:
		why := "the search failed: " + s.err.Error()
		if reason, ok := chosen(s.err); ok {
			why = reason
		}
		says = append(says, fmt.Sprintf("Whether other versions have the bytes of %s is not known: %s.", of(g, none, "", ""), why))
	case none == g.count:
		repair = fmt.Sprintf(", and no other version within %s has %s ETag and size. A copy from elsewhere can be put under the key and committed; the old commits stay broken.", s.within, its(none, "their", "its"))
	case none > 0:
		says = append(says, fmt.Sprintf("Within %s no other version has the ETag and size of %s.", s.within, of(g, none, "", "")))
	}
	switch {
	case repair != "":
	case equal+empty > 0:
		repair = fmt.Sprintf(". The same bytes still exist for %d of them: put them under the key again and commit; the old commits stay broken.", equal+empty)
	default:
		repair = ". If equal bytes survive elsewhere (compare ETag and size), put them under the key again and commit; the old commits stay broken."
	}
	return strings.Join(says, " "), repair
}

// of names n versions of a group in a sentence, with a verb if there is one.
func of(g *group, n int64, one, many string) string {
	name := "it"
	if g.count > 1 {
		name = fmt.Sprintf("%d of them", n)
	}
	if verb := its(n, many, one); verb != "" {
		if g.count == 1 {
			name = "It"
		}
		return name + " " + verb
	}
	return name
}
