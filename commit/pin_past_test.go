package commit

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
)

// The whole kind: logs whose entries are deleted, made again for other commits and put
// back. What readers got is what a pin gave at that very moment; a pin with that time
// gives the same ever after, or has a doubt that says so.
func TestPinWithATimeAndAHistoryThatChanged(t *testing.T) {
	folders := []string{"a/b", "a", ""}
	others, doubtless := 0, 0
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		clock := at(0)
		b, err := local.Create(filepath.Join(t.TempDir(), "x.bucket"), local.Options{NoSync: true, Now: func() time.Time { return clock }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		heads := map[string]int64{}
		entries := map[string][]string{} // what each entry named, in order
		type moment struct {
			at time.Time
			id string // of the commit that readers got; empty: none
		}
		var moments []moment
		for step := range 14 {
			clock = at(10 * (step + 1))
			folder := folders[rnd.IntN(3)]
			n := heads[folder]
			what := rnd.IntN(6)
			if n == 0 || what < 3 {
				n, what = n+1, 0
				heads[folder] = n
			} else {
				n = 1 + rnd.Int64N(n)
			}
			key := EntryKey(folder, n)
			switch {
			case what == 3:
				remove(t, b, key)
			case what == 4 && len(entries[key]) > 0: // put back what it named once
				id := entries[key][rnd.IntN(len(entries[key]))]
				put(t, b, key, string(EncodeEntry(Entry{Commit: id, Folder: folder, Number: n, Time: clock})))
			default:
				id := plant(t, b, Header{Folder: folder, Number: n, Time: clock, Message: fmt.Sprint(seed, step)})
				entries[key] = append(entries[key], id)
			}
			clock = clock.Add(5 * time.Minute)
			moments = append(moments, moment{clock, chosenAt(t, b, "a/b", clock).id()})
		}
		for _, m := range moments {
			p := chosenAt(t, b, "a/b", m.at)
			switch same := p.id() == m.id; {
			case !same && (!p.Other || len(p.Doubts) == 0):
				t.Fatalf("seed %d at %s: readers got %s, the pin gives %s without a doubt: %+v", seed, m.at, ShortID(m.id), ShortID(p.id()), p)
			case !same && m.id != "" && !strings.Contains(p.Doubts[0], ShortID(m.id)):
				t.Fatalf("seed %d at %s: readers got %s: %q", seed, m.at, ShortID(m.id), p.Doubts)
			case same && p.Other:
				t.Fatalf("seed %d at %s: readers got the same: %q", seed, m.at, p.Doubts)
			case !same:
				others++
			case len(p.Doubts) == 0:
				doubtless++
			}
		}
	}
	if others < 20 || doubtless < 20 {
		t.Errorf("%d others, %d without a doubt: too few to show anything", others, doubtless)
	}
}

type chosenPin struct{ Pin }

func (p chosenPin) id() string {
	if p.Chosen == nil {
		return ""
	}
	return p.Chosen.ID
}

func chosenAt(t *testing.T, b bucket.Bucket, folder string, at time.Time) chosenPin {
	t.Helper()
	p, err := FindPin(bg, b, folder, at, 4)
	if err != nil {
		t.Fatal(err)
	}
	return chosenPin{p}
}

// By hand: an entry that was put back is no doubt but for the time in which it was away,
// nor is the moment of a commit's own time, a little before its entry is there.
func TestPinOfARestoredEntry(t *testing.T) {
	clock := at(0)
	b, err := local.Create(filepath.Join(t.TempDir(), "x.bucket"), local.Options{NoSync: true, Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	var ids []string
	for n := range int64(2) {
		clock = at(10 * int(n+1)).Add(time.Second) // a second after the commit's own time
		ids = append(ids, plant(t, b, Header{Folder: "f", Number: n + 1, Time: at(10 * int(n+1))}))
	}
	clock = at(30)
	remove(t, b, EntryKey("f", 2))
	clock = at(40)
	put(t, b, EntryKey("f", 2), string(EncodeEntry(Entry{Commit: ids[1], Folder: "f", Number: 2, Time: at(20)})))
	for minute, c := range map[int]struct {
		want  string
		doubt string
	}{
		10: {ids[0], ""}, 15: {ids[0], ""}, 20: {ids[1], ""}, 29: {ids[1], ""}, 40: {ids[1], ""}, 50: {ids[1], ""},
		35: {ids[1], fmt.Sprintf("readers got commit 1 of folder \"f\" (%s) at that time: entry 2 of folder \"f\" was deleted from 2026-01-01T00:30:00Z until 2026-01-01T00:40:00Z, and names %s now", ids[0][:10], ids[1][:10])},
	} {
		p := chosenAt(t, b, "f", at(minute))
		if p.id() != c.want || strings.Join(p.Doubts, "|") != c.doubt || p.Other != (c.doubt != "") {
			t.Errorf("at %d: %s %q, want %s %q", minute, ShortID(p.id()), p.Doubts, ShortID(c.want), c.doubt)
		}
	}
	if p := chosenAt(t, b, "f", time.Time{}); p.id() != ids[1] || len(p.Doubts) > 0 {
		t.Errorf("now: %+v", p)
	}
}
