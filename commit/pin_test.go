package commit

import (
	"errors"
	"fmt"
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
