package commit

import "testing"

// Of an entry with any number of versions only so many are read; what the others named is
// not known, which is said.
func TestEntryPastIsBounded(t *testing.T) {
	b := newLocal(t)
	put(t, b, "f/a", "1")
	id := write(t, b, "f", WriteOptions{}).ID
	for range maxPast + 5 {
		put(t, b, EntryKey("f", 1), id)
	}
	past, err := EntryPast(bg, b, FolderHash("f"), 1)
	if err != nil || len(past) != maxPast+1 {
		t.Fatalf("%d, %v", len(past), err)
	}
	for i, p := range past {
		if rest := i == maxPast; rest != (p.Err != nil) || rest != (p.ID == "") || rest != p.From.IsZero() {
			t.Errorf("%d: %+v", i, p)
		}
	}
}
