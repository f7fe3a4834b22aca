package commit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
)

func TestFindPin(t *testing.T) {
	b := newLocal(t)
	var ids []string
	add := func(folder string, n int64, minute int) {
		ids = append(ids, plant(t, b, Header{Folder: folder, Number: n, Time: at(minute), Message: fmt.Sprint(len(ids))}))
	}
	add("", 1, 5)     // 0
	add("a", 1, 10)   // 1
	add("a/b", 1, 10) // 2: tied with the folder above
	add("a/b", 2, 20) // 3
	add("a", 2, 15)   // 4
	add("x", 1, 90)   // 5: no folder above a/b
	add("a/bc", 1, 95)
	for _, c := range []struct {
		folder string
		at     int // minute; -1: no bound
		want   int // -1: none
		tied   int
	}{
		{"a/b", -1, 3, 0}, {"a/b", 20, 3, 0}, {"a/b", 19, 4, 0}, {"a/b", 15, 4, 0}, {"a/b", 14, 1, 0},
		{"a/b", 10, 1, 0}, {"a/b", 9, 0, 0}, {"a/b", 5, 0, 0}, {"a/b", 4, -1, 0},
		{"a", -1, 4, 0}, {"", -1, 0, 0}, {"a/b/c", -1, 3, 0}, {"q", -1, 0, 0},
	} {
		var bound time.Time
		if c.at >= 0 {
			bound = at(c.at)
		}
		p, err := FindPin(bg, b, c.folder, bound, 4)
		switch {
		case err != nil || len(p.Doubts) > 0:
			t.Errorf("%q at %d: %v, %v", c.folder, c.at, p.Doubts, err)
		case c.want < 0:
			if p.Chosen != nil {
				t.Errorf("%q at %d: %+v", c.folder, c.at, p.Chosen)
			}
		case p.Chosen == nil || p.Chosen.ID != ids[c.want] || p.Chosen.Err != nil || !reflect.DeepEqual(p.Candidates[0], *p.Chosen):
			t.Errorf("%q at %d: %+v, want %s", c.folder, c.at, p.Chosen, ids[c.want])
		}
	}
	p, err := FindPin(bg, b, "a/b", at(10), 4)
	if err != nil || len(p.Candidates) != 3 || p.Candidates[0].Folder != "a" || p.Candidates[1].Folder != "a/b" || p.Candidates[2].Folder != "" {
		t.Errorf("%+v, %v", p.Candidates, err)
	}
	if p, err := FindPin(bg, newLocal(t), "a", time.Time{}, 0); err != nil || p.Chosen != nil || len(p.Candidates) > 0 {
		t.Errorf("no commit: %+v, %v", p, err)
	}
	if _, err := FindPin(bg, &hooked{Bucket: b, versions: func(bucket.Range) error { return errDenied }}, "a", time.Time{}, 0); !errors.Is(err, bucket.ErrDenied) {
		t.Errorf("a log that cannot be listed: %v", err)
	}
	// What is deleted above the chosen one is a doubt; below it, or where the
	// bound rules it out (by a live entry's time, or its own), it is none.
	add("a/b", 3, 30) // 7
	remove(t, b, EntryKey("a/b", 2))
	for _, c := range []struct {
		at, want int
		doubts   bool
	}{{-1, 7, false}, {25, 4, true}, {19, 4, false}, {9, 0, false}} {
		var bound time.Time
		if c.at >= 0 {
			bound = at(c.at)
		}
		p, err := FindPin(bg, b, "a/b", bound, 4)
		if err != nil || p.Chosen == nil || p.Chosen.ID != ids[c.want] || (len(p.Doubts) > 0) != c.doubts {
			t.Errorf("at %d: %+v, %v, %v", c.at, p.Chosen, p.Doubts, err)
		}
	}
	// The commit object is right where the entry differs, and gone is told.
	put(t, b, EntryKey("z", 1), string(EncodeEntry(Entry{Commit: ids[1], Folder: "z", Number: 1, Time: at(99)})))
	if p, err := FindPin(bg, b, "z", time.Time{}, 0); err != nil || p.Chosen == nil || !p.Chosen.Time.Equal(at(10)) {
		t.Errorf("entry and commit differ: %+v, %v", p.Chosen, err)
	}
	remove(t, b, CommitKey(ids[7]))
	if p, err := FindPin(bg, b, "a/b", time.Time{}, 0); err != nil || p.Chosen == nil || !errors.Is(p.Chosen.Err, bucket.ErrNotFound) || p.Chosen.ID != ids[7] {
		t.Errorf("its object is gone: %+v, %v", p.Chosen, err)
	}
}

// The commit objects' times count, whatever the entries say: by hand, an entry that
// says a later time than its commit, and one that says an earlier one.
func TestPinGoesByTheCommitsOwnTimes(t *testing.T) {
	b := newLocal(t)
	put2 := func(n int64, own, entry int) string {
		id := plant(t, b, Header{Folder: "f", Number: n, Time: at(own)})
		put(t, b, EntryKey("f", n), string(EncodeEntry(Entry{Commit: id, Folder: "f", Number: n, Time: at(entry)})))
		return id
	}
	first, late, early := put2(1, 10, 10), put2(2, 20, 50), put2(3, 30, 5)
	for minute, want := range map[int]string{9: "", 10: first, 19: first, 20: late, 29: late, 30: early, 60: early} {
		p, err := FindPin(bg, b, "f", at(minute), 4)
		switch {
		case err != nil || len(p.Doubts) > 0:
			t.Errorf("at %d: %v, %v", minute, p.Doubts, err)
		case want == "" && p.Chosen != nil, want != "" && (p.Chosen == nil || p.Chosen.ID != want):
			t.Errorf("at %d: %+v, want %s", minute, p.Chosen, want)
		}
	}
	if p, err := FindPin(bg, b, "f", time.Time{}, 4); err != nil || p.Chosen == nil || p.Chosen.ID != early || !p.Chosen.Time.Equal(at(30)) {
		t.Errorf("without a bound: %+v, %v", p.Chosen, err)
	}
}

// The whole kind: logs of three folders whose entries say other times than the commits,
// or none; the answer is worked out from the format's own sentence.
func TestPinOfEntriesThatDiffer(t *testing.T) {
	type planted struct {
		depth  int
		number int64
		minute int
		id     string
	}
	folders := []string{"a/b", "a", ""}
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		b := newLocal(t)
		var all []planted
		for depth, folder := range folders {
			for n := int64(1); n <= rnd.Int64N(5); n++ {
				minute := rnd.IntN(12)
				id := plant(t, b, Header{Folder: folder, Number: n, Time: at(minute), Message: fmt.Sprint(seed)})
				all = append(all, planted{depth, n, minute, id})
				switch rnd.IntN(3) {
				case 0:
					put(t, b, EntryKey(folder, n), string(EncodeEntry(Entry{Commit: id, Folder: folder, Number: n, Time: at(rnd.IntN(12))})))
				case 1:
					put(t, b, EntryKey(folder, n), id)
				}
			}
		}
		for minute := -1; minute < 13; minute++ {
			var want *planted
			for i, c := range all {
				if minute >= 0 && c.minute > minute {
					continue
				}
				if want == nil || c.minute > want.minute || c.minute == want.minute && (c.depth > want.depth || c.depth == want.depth && c.number > want.number) {
					want = &all[i]
				}
			}
			var bound time.Time
			if minute >= 0 {
				bound = at(minute)
			}
			p, err := FindPin(bg, b, "a/b", bound, 3)
			if err != nil || len(p.Doubts) > 0 || (p.Chosen == nil) != (want == nil) ||
				want != nil && (p.Chosen.ID != want.id || p.Chosen.Number != want.number || p.Chosen.Folder != folders[want.depth]) {
				t.Fatalf("seed %d at %d: %+v, want %+v; %v, %v", seed, minute, p.Chosen, want, p.Doubts, err)
			}
		}
	}
}

// A commit that may not be read has only its entry's time: that is said.
func TestPinOfUnreadCommits(t *testing.T) {
	b := newLocal(t)
	var ids []string
	for n := range int64(3) {
		ids = append(ids, plant(t, b, Header{Folder: "f", Number: n + 1, Time: at(int(n) * 10)}))
	}
	shut := func(id string) bucket.Bucket {
		return &hooked{Bucket: b, open: func(key, _ string) error {
			if key == CommitKey(id) {
				return errDenied
			}
			return nil
		}}
	}
	// The newest itself says so; another one is a doubt.
	p, err := FindPin(bg, shut(ids[2]), "f", time.Time{}, 2)
	if err != nil || p.Chosen == nil || p.Chosen.ID != ids[2] || !errors.Is(p.Chosen.Err, bucket.ErrDenied) || len(p.Doubts) > 0 {
		t.Errorf("%+v, %v, %v", p.Chosen, p.Doubts, err)
	}
	for _, bound := range []time.Time{{}, at(5)} {
		p, err = FindPin(bg, shut(ids[1]), "f", bound, 2)
		if err != nil || p.Chosen == nil || p.Chosen.Err != nil || len(p.Doubts) != 1 || !strings.Contains(p.Doubts[0], "1 commit of folder \"f\" could not be read") {
			t.Errorf("%+v, %v, %v", p.Chosen, p.Doubts, err)
		}
	}
}

func TestLoadAndFiles(t *testing.T) {
	b := newLocal(t)
	store := func(text string) string {
		o, _ := Decode(strings.NewReader(text), nil)
		put(t, b, CommitKey(o.ID), text)
		return o.ID
	}
	const rest = `"parent":null,"time":"2026-01-02T03:04:05Z","files":[{"path":"b","version":"1"},{"path":"a","version":"2"},{"path":"b","version":"3"}]`
	foreign := store(`{"folder":"f",` + rest + `}`)
	first := store(`{` + rest + `,"folder":"f","author":"x"}`)
	for _, id := range []string{foreign, first} {
		got := ""
		for f, err := range Files(bg, b, id) {
			got += fmt.Sprintf("%s%s %v ", f.Path, f.Version, err)
		}
		if got != "a2 <nil> b1 <nil> b3 <nil> " {
			t.Errorf("files %s", got)
		}
	}
	if h, err := LoadHeader(bg, b, first); err != nil || h.Folder != "f" || h.Author != "x" {
		t.Errorf("%+v, %v", h, err)
	}
	// Files first, in an object that is longer than the first read.
	var long strings.Builder
	long.WriteString(`{"files":[`)
	for i := range 5000 {
		if i > 0 {
			long.WriteByte(',')
		}
		fmt.Fprintf(&long, `{"path":"%06d","version":"1"}`, i)
	}
	long.WriteString(`],"folder":"f","parent":null,"author":"late","time":"2026-01-02T03:04:05Z"}`)
	if h, err := LoadHeader(bg, b, store(long.String())); err != nil || h.Author != "late" {
		t.Errorf("%+v, %v", h, err)
	}
	// Our own order: one ranged read.
	big := string(bigObject(5000))
	id := store(big)
	opened := 0
	counted := &hooked{Bucket: b, open: func(string, string) error { opened++; return nil }}
	if h, err := LoadHeader(bg, counted, id); err != nil || h.Folder != "f" || opened != 1 {
		t.Errorf("%+v, %v, %d reads", h, err, opened)
	}
	// More files than are kept back, streamed; stopping early; a wrong hash last.
	huge := string(bigObject(sortAhead + 500))
	id = store(huge)
	n := 0
	for _, err := range Files(bg, b, id) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != sortAhead+500 {
		t.Errorf("%d files", n)
	}
	for _, err := range Files(bg, b, id) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	put(t, b, CommitKey(someID), huge)
	var last error
	for _, err := range Files(bg, b, someID) {
		last = err
	}
	if !errors.Is(last, ErrCorrupt) {
		t.Errorf("wrong hash: %v", last)
	}
	if o, err := Load(bg, b, someID, nil); !errors.Is(err, ErrCorrupt) || o.ID != id || o.Files != sortAhead+500 {
		t.Errorf("wrong hash: %v, %+v", err, o)
	}
	garbage := store("<html>")
	if _, err := Load(bg, b, garbage, nil); !errors.Is(err, ErrFormat) || errors.Is(err, ErrCorrupt) {
		t.Errorf("garbage: %v", err)
	}
	if _, err := LoadHeader(bg, b, garbage); !errors.Is(err, ErrFormat) {
		t.Errorf("garbage: %v", err)
	}
	remove(t, b, CommitKey(garbage))
	if _, err := Load(bg, b, garbage, nil); !errors.Is(err, bucket.ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
	for f, err := range FilesOf(bg, b, "f", Ref{}) {
		t.Errorf("before the first commit: %v, %v", f, err)
	}
	put(t, b, "live/x", "1")
	for f, err := range FilesOf(bg, b, "live", Ref{Live: true}) {
		if f.Path != "x" || err != nil {
			t.Errorf("live: %v, %v", f, err)
		}
	}
}
