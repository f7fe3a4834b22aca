package commit

import (
	"testing"

	"provcat-tui/bucket"
)

// A version is the commit's by its ID and by what both tell of its bytes.
func TestVersionIsTheCommits(t *testing.T) {
	f := File{"a", "1", "x", 3}
	for _, c := range []struct {
		name                 string
		f                    File
		v                    bucket.Version
		is, otherBytes, same bool
	}{
		{"the very one", f, bucket.Version{ID: "1", ETag: "x", Size: 3}, true, false, true},
		{"another ETag", f, bucket.Version{ID: "1", ETag: "y", Size: 3}, false, true, false},
		{"another size", f, bucket.Version{ID: "1", ETag: "x", Size: 4}, false, true, false},
		{"another ID, the same bytes", f, bucket.Version{ID: "2", ETag: "x", Size: 3}, false, false, true},
		{"the store tells no ETag", f, bucket.Version{ID: "1", Size: 3}, true, false, false},
		{"the store tells no ETag, another size", f, bucket.Version{ID: "1", Size: 4}, false, true, false},
		{"the commit tells no ETag", File{"a", "1", "", 3}, bucket.Version{ID: "1", ETag: "y", Size: 3}, true, false, false},
		{"the commit tells no size", File{"a", "1", "x", -1}, bucket.Version{ID: "1", ETag: "x", Size: 9}, true, false, false},
		{"the commit tells nothing", File{"a", "1", "", -1}, bucket.Version{ID: "1", ETag: "y", Size: 9}, true, false, false},
		{"a marker", f, bucket.Version{ID: "1", DeleteMarker: true}, false, true, false},
		{"in parts", File{"a", "1", "0123-2", 3}, bucket.Version{ID: "1", ETag: "0123-3", Size: 3}, false, true, false},
	} {
		if got := c.f.Is(c.v); got != c.is {
			t.Errorf("%s: is it the commit's: %v", c.name, got)
		}
		if got := c.f.OtherBytes(c.v.ETag, c.v.Size); got != c.otherBytes {
			t.Errorf("%s: other bytes: %v", c.name, got)
		}
		if got := c.f.OtherText(c.v.ETag, c.v.Size) != ""; got != c.otherBytes {
			t.Errorf("%s: it is told: %v", c.name, got)
		}
		if got := c.f.SameBytes(c.v.ETag, c.v.Size); got != c.same {
			t.Errorf("%s: same bytes: %v", c.name, got)
		}
	}
}
