package audit

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// sameAs tells bytes apart from others.
type sameAs struct {
	etag string
	size int64
}

// A hunt finds for each of some bytes the best version that has them: a live one before
// others, and of these the newest one of the lowest key. So what it finds does not hang
// on how many parts of the bucket are read side by side.
type hunt struct {
	at   map[sameAs]int // the place of each in best; as it is from the start
	seen atomic.Int64   // versions

	mu   sync.Mutex // guards what follows
	best []*bucket.Version
	open int // of which no live version was found
	// end is the greatest key of those found once open is 0: no version behind it is
	// better. nil: it is not known yet.
	end atomic.Pointer[string]
}

// want adds bytes, before the hunt begins.
func (h *hunt) want(k sameAs) {
	if _, ok := h.at[k]; !ok {
		h.at[k] = len(h.best)
		h.best = append(h.best, nil)
		h.open++
	}
}

// found gives the best version, once the hunt is over; nil: none was found.
func (h *hunt) found(k sameAs) *bucket.Version { return h.best[h.at[k]] }

// over says that no version at or behind a key is looked for any more.
func (h *hunt) over(key string) bool {
	end := h.end.Load()
	return end != nil && key > *end
}

// look notes a version if it is a better one.
func (h *hunt) look(v bucket.Version) {
	i, ok := h.at[sameAs{v.ETag, v.Size}]
	if !ok || v.DeleteMarker || strings.HasPrefix(v.Key, commit.Root) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	best := h.best[i]
	if best != nil && (best.Live() && !v.Live() || best.Live() == v.Live() && best.Key <= v.Key) {
		return
	}
	h.best[i] = &v
	if !v.Live() || best != nil && best.Live() {
		return
	}
	if h.open--; h.open == 0 {
		end := ""
		for _, b := range h.best {
			end = max(end, b.Key)
		}
		h.end.Store(&end)
	}
}

// hunt looks at the versions under a prefix, ranges of them side by side.
func (a *auditor) hunt(ctx context.Context, h *hunt, prefix string) error {
	r := bucket.Range{Prefix: prefix, PageSize: a.o.pageSize}
	return bucket.Walk(ctx, a.b, r, bucket.WalkOptions{Concurrency: a.o.Concurrency}, func(_ context.Context, p *bucket.Part) error {
		if h.over(max(prefix, p.After())) {
			return nil
		}
		for v, err := range p.Versions() {
			if err != nil {
				return err
			}
			if n := h.seen.Add(1); n%1024 == 0 {
				a.step("confirming", n, 0)
			}
			if h.over(v.Key) {
				return nil
			}
			h.look(v)
		}
		return nil
	})
}
