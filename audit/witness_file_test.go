package audit

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/commit"
)

func TestMergedWitnesses(t *testing.T) {
	id := func(b byte) (x [32]byte) { x[0] = b; return x }
	day := func(d int) time.Time { return time.Date(2026, 10, d, 0, 0, 0, 0, time.UTC) }
	hash := commit.FolderHash("a")
	a, b := NewWitness("s3://x"), NewWitness("s3://x")
	a.Written, b.Written = day(2), day(3)
	a.logs[hash] = &seenLog{hash: hash, seen: day(2), absent: map[int64]absence{2: {day(1), day(2)}}, entries: []seenEntry{{1, id(1), false}, {2, id(2), true}, {4, id(4), true}}}
	b.logs[hash] = &seenLog{hash: hash, folder: "a", known: true, seen: day(3), absent: map[int64]absence{1: {since: day(3)}}, entries: []seenEntry{{1, id(1), true}, {3, id(3), false}, {4, id(9), true}}}
	other := commit.FolderHash("b")
	b.logs[other] = &seenLog{hash: other, entries: []seenEntry{{1, id(7), false}}}
	want := []seenEntry{{1, id(1), true}, {2, id(2), true}, {3, id(3), false}, {4, id(4), true}}
	for _, x := range [][2]*Witness{{a, b}, {b, a}} {
		w := written(t, x[0])
		w.Merge(x[1])
		l := w.logs[hash]
		if !slices.Equal(l.entries, want) || !l.known || len(l.absent) != 2 || l.absent[2].there != day(1) || l.absent[1].since != day(3) || !w.Written.Equal(day(3)) || len(w.logs) != 2 {
			t.Errorf("merged: %+v, written %v", l, w.Written)
		}
	}
}

var errDisk = errors.New("disk on fire")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errDisk }

func TestReadingWhatIsNoWitness(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 3)
	w.history("é\u202e", 1)
	var buf bytes.Buffer
	w.must(w.first(Options{}).Encode(&buf))
	good := buf.String()
	if strings.Contains(good, "\u202e") {
		t.Error("a control character is in the file")
	}
	if !strings.Contains(good, `"head":{"number":3,`) {
		t.Errorf("no head in %s", good)
	}
	for i := range good[:len(good)-1] { // the last byte is a line end
		if _, err := ReadWitness(strings.NewReader(good[:i])); !errors.Is(err, ErrWitness) {
			t.Fatalf("cut off after %d bytes: %v", i, err)
		}
	}
	for i := range good {
		b := []byte(good)
		b[i] ^= 1
		if x, err := ReadWitness(bytes.NewReader(b)); err == nil {
			var again bytes.Buffer
			w.must(x.Encode(&again))
			y := again.String()
			// What is not covered by a sum harms nobody: the head, a member's name, white space.
			for _, l := range x.logs {
				if !strings.Contains(good, l.sum()) {
					t.Fatalf("byte %d changed: %s", i, y)
				}
			}
		}
	}
	for name, x := range map[string][2]string{
		"no JSON":              {"pass", "byte"},
		"empty":                {"", "breaks off"},
		"a report":             {`{"schema":"provcat-audit/1","bucket":"s3://x"}`, "provcat-audit/1"},
		"a list":               {`[1]`, "stands where {"},
		"no schema":            {`{"bucket":"s3://x","logs":[]}`, "no schema"},
		"no bucket":            {`{"schema":"provcat-witness/1","logs":[]}`, "names no bucket"},
		"two documents":        {good + good, "something follows"},
		"a later format":       {strings.Replace(good, "witness/1", "witness/2", 1), "provcat-witness/2"},
		"a log twice":          {`{"schema":"provcat-witness/1","bucket":"x","bucket":"y"}`, "twice"},
		"another folder":       {strings.Replace(good, `"folder":"sales/2026"`, `"folder":"sales/2025"`, 1), "not that of the folder"},
		"a hand-made change":   {strings.Replace(good, `,1]]`, `,0]]`, 1), "changed or damaged"},
		"an entry as a word":   {strings.Replace(good, `[1,"`, `[one,"`, 1), "byte"},
		"a number too high":    {strings.Replace(good, `[1,"`, `[1000000000000001,"`, 1), "is no entry"},
		"a number below one":   {strings.Replace(good, `[1,"`, `[0,"`, 1), "is no entry"},
		"numbers out of order": {strings.Replace(good, `[3,"`, `[1,"`, 1), "comes after"},
		"deep":                 {strings.Repeat(`[`, 20000), "byte"},
	} {
		if _, err := ReadWitness(strings.NewReader(x[0])); !errors.Is(err, ErrWitness) || !strings.Contains(err.Error(), x[1]) {
			t.Errorf("%s: %v, want %q in it", name, err, x[1])
		}
	}
	if _, err := ReadWitness(failing{}); !errors.Is(err, errDisk) || errors.Is(err, ErrWitness) {
		t.Errorf("a disk that fails: %v", err)
	}
	if c := (&capped{w: &buf, left: 3}); c.left == 3 {
		if _, err := c.Write([]byte("1234")); err == nil {
			t.Error("more than fits was written")
		}
	}
}

func FuzzReadWitness(f *testing.F) {
	hash := commit.FolderHash("a")
	w := NewWitness("s3://x")
	w.logs[hash] = &seenLog{hash: hash, folder: "a", known: true, seen: time.Unix(1, 2), absent: map[int64]absence{5: {since: time.Unix(3, 4)}}, entries: []seenEntry{{1, [32]byte{1}, true}, {5, [32]byte{2}, false}}}
	var buf bytes.Buffer
	if err := w.Encode(&buf); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes())
	f.Add([]byte(`{"schema":"provcat-witness/1","bucket":"s3://x","logs":[]}`))
	f.Add([]byte(`{"schema":"provcat-witness/1","bucket":"s3://x","logs":[{"log":"x","entries":[[1,"",1]]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := ReadWitness(bytes.NewReader(data))
		if err != nil {
			if !errors.Is(err, ErrWitness) {
				t.Fatalf("not an ErrWitness: %v", err)
			}
			return
		}
		var one, two bytes.Buffer
		if err := w.Encode(&one); err != nil {
			t.Skip(err) // a time that JSON cannot say
		}
		again, err := ReadWitness(bytes.NewReader(one.Bytes()))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, one.Bytes())
		}
		if err := again.Encode(&two); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Fatalf("%v: %s and %s", err, one.Bytes(), two.Bytes())
		}
	})
}
