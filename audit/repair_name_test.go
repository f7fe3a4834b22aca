package audit

import (
	"strings"
	"testing"

	"provcat-tui/commit"
)

// A plan names the folder of its entry, whether the entry says it or only the commit.
func TestPlansNameTheFolder(t *testing.T) {
	for folder, want := range map[string]string{sales: "a delete marker hides entry 2 of " + sales, "": "a delete marker hides entry 2 of the whole bucket"} {
		for _, bare := range []bool{false, true} {
			w := newWorld(t)
			ids := w.history(folder, 2)
			key := commit.EntryKey(folder, 2)
			if bare {
				w.put(key, ids[2])
			}
			p, err := PlanMarkers(bg, w.b, key, []string{w.del(key).ID})
			if err != nil {
				t.Fatalf("%q, bare %v: %v", folder, bare, err)
			}
			if p.Mends != want || strings.Contains(p.Mends, commit.FolderHash(folder)[:10]) {
				t.Errorf("%q, bare %v: %q", folder, bare, p.Mends)
			}
		}
	}
}
