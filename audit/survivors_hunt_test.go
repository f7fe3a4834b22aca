package audit

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"provcat-tui/bucket"
)

// However many parts of the bucket are read side by side, and whichever of them is
// first: the bytes of a missing version are told to be at the live version with the
// lowest key, or where none is live at the noncurrent one with the lowest key.
func TestEqualBytesAreTheSameSideBySide(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, f := range []string{"a", "b", "c", "d"} {
		w.put("f"+f+"/x", "of "+f)
		w.commit("f"+f, "")
	}
	for i := range 300 {
		w.put(fmt.Sprintf("g%d/%04d", i/60, i), fmt.Sprint("other ", i))
	}
	at := map[string]bucket.Version{
		"fa/x": w.put("g1/0070", "of a"), // over another, live
		"fb/x": w.put("g3/0200", "of b"),
		"fc/x": w.put("g0/0010", "of c"),
	}
	w.put("g4/0250", "of a")
	w.put("g4/0251", "of b")
	w.put("g2/0130", "of b")
	w.del("g2/0130") // no longer live, though of a lower key
	w.put("g0/0010", "over it")
	w.put("g3/0201", "of c")
	w.put("g3/0201", "over it too")
	for _, f := range []string{"a", "b", "c", "d"} {
		w.erase("f" + f + "/x")
	}
	for _, side := range []int{1, 2, 16} {
		for range 3 {
			var mu sync.Mutex
			parts := map[string]bool{}
			r := auditOf(t, &tampered{Bucket: w.b, list: func(r bucket.Range, _ bucket.Version) error {
				if r.Prefix == "" {
					time.Sleep(50 * time.Microsecond) // in which others come to their turn
					mu.Lock()
					defer mu.Unlock()
					parts[r.After] = true
				}
				return nil
			}}, Options{Concurrency: side, pageSize: 5})
			said := map[string]string{}
			for _, f := range r.Findings {
				if f.ID == "version-missing" {
					said[f.Key] = f.Detail
				}
			}
			if len(said) != 4 {
				t.Errorf("%d side by side: %d are missing, not 4", side, len(said))
			}
			for key, v := range at {
				says := fmt.Sprintf("The same bytes are still at %s, version %s.", v.Key, v.ID)
				if !strings.Contains(said[key], says) {
					t.Errorf("%d side by side: %s: %s", side, key, said[key])
				}
			}
			if (len(parts) > 1) != (side > 1) {
				t.Errorf("%d side by side: the bucket was read in %d parts", side, len(parts))
			}
		}
	}
}
