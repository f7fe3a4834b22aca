package commit

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
)

func TestParseEntry(t *testing.T) {
	full := Entry{Commit: someID, Folder: "a\"\n/ü", HasFolder: true, Number: 42, Time: utc("2026-10-30T12:34:56.123456Z")}
	for in, want := range map[string]Entry{
		string(EncodeEntry(full)):     full,
		someID:                        {Commit: someID},
		" \r\n" + someID + "\n":       {Commit: someID},
		strings.ToUpper(someID):       {Commit: someID},
		`{"commit":"` + someID + `"}`: {Commit: someID},
		`{ "x":[{}],"folder":"","commit":"` + someID + `" }`:              {Commit: someID, HasFolder: true},
		`{"number":"1","time":5,"folder":null,"commit":"` + someID + `"}`: {Commit: someID},
		`{"time":"soon","number":1.5,"commit":"` + someID + `"}`:          {Commit: someID},
	} {
		if got, err := ParseEntry([]byte(in)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "{}", "[]", "null", someID[:63], someID + "0", someID + " " + someID, `{"commit":"x"}`, `{"commit":5}`,
		`{"commit":"` + someID + `"`, `{"commit":"` + someID + `"} x`, `{"commit":"` + someID + `","commit":"` + someID + `"}`,
		`"` + someID + `"`, `{"Commit":"` + someID + `"}`, strings.Repeat(" ", maxEntry) + someID} {
		if got, err := ParseEntry([]byte(in)); !errors.Is(err, ErrEntry) {
			t.Errorf("%.80s: %+v, %v", in, got, err)
		}
	}
	want := `{"commit":"` + someID + `","folder":"sales/2026","number":42,"time":"2026-10-30T12:34:56.123456Z"}`
	if got := string(EncodeEntry(Entry{Commit: someID, Folder: "sales/2026", Number: 42, Time: full.Time})); got != want {
		t.Error(got)
	}
}

func FuzzParseEntry(f *testing.F) {
	f.Add([]byte(someID))
	f.Add(EncodeEntry(Entry{Commit: someID, Folder: "f", Number: 1, Time: at(0)}))
	f.Fuzz(func(t *testing.T, in []byte) {
		e, err := ParseEntry(in)
		if err != nil {
			if !errors.Is(err, ErrEntry) {
				t.Fatal(err)
			}
			return
		}
		if !ValidID(e.Commit) {
			t.Fatalf("accepted %q", e.Commit)
		}
		_ = FormatTime(e.Time)
		if y := e.Time.Year(); y < 0 || y > 9999 {
			return // cannot be written
		}
		e.Time = e.Time.Truncate(time.Microsecond)
		back, err := ParseEntry(EncodeEntry(e))
		back.HasFolder = e.HasFolder
		if err != nil || back.Commit != e.Commit || back.Folder != e.Folder || back.Number != e.Number || !back.Time.Equal(e.Time) {
			t.Fatalf("%+v, then %+v, %v", e, back, err)
		}
	})
}

func TestLogWithGapsInPlace(t *testing.T) {
	b := newLocal(t)
	const f = "sales"
	hash := FolderHash(f)
	if got := shape(t, Log(bg, b, hash, 4)); got != "" {
		t.Errorf("empty log: %s", got)
	}
	entry := func(n int64) string {
		return string(EncodeEntry(Entry{Commit: someID, Folder: f, Number: n, Time: at(1)}))
	}
	for _, n := range []int64{3, 5, 6, 7, 9, 1_000_000_000_000} {
		put(t, b, SlotKey(hash, n), entry(n))
	}
	remove(t, b, SlotKey(hash, 6))                  // deleted
	put(t, b, SlotKey(hash, 7), "no entry")         // overwritten by something else
	remove(t, b, SlotKey(hash, 9))                  // deleted
	put(t, b, SlotKey(hash, 9), entry(9))           // and restored
	put(t, b, LogPrefix(hash)+"-before", "foreign") // sorts before every slot
	put(t, b, LogPrefix(hash)+"/before", "foreign")
	put(t, b, LogPrefix(hash)+"0000", "foreign")
	put(t, b, SlotKey(hash, 6)+"x", "foreign")
	put(t, b, LogPrefix(hash)+"zzz", "foreign")
	want := "1000000000000 gap999999999999-10 9 gap8-8 bad7 deleted6 5 gap4-4 3 gap2-1"
	if got := shape(t, Log(bg, b, hash, 4)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for s, err := range Log(bg, b, hash, 4) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Number == 9 && len(s.Versions) != 3 {
			t.Errorf("slot 9 has %d versions", len(s.Versions))
		}
	}
	h, err := Head(bg, b, f)
	if err != nil || h.Number != 1_000_000_000_000 || h.Entry.Commit != someID {
		t.Errorf("%+v, %v", h, err)
	}
	denied := &hooked{Bucket: b, open: func(key, _ string) error {
		if key == SlotKey(hash, 5) {
			return errDenied
		}
		return nil
	}}
	want = strings.Replace(want, " 5 ", " unread5 ", 1)
	if got := shape(t, Log(bg, denied, hash, 4)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	broken := &hooked{Bucket: b, versions: func(bucket.Range) error { return errDenied }}
	if got := shape(t, Log(bg, broken, hash, 4)); got != "error" {
		t.Errorf("a listing that fails gives %q", got)
	}
}

// Stopping early leaves nothing running.
func TestLogStopsEarly(t *testing.T) {
	b := newLocal(t)
	for n := int64(1); n <= 60; n++ {
		put(t, b, EntryKey("f", n), someID)
	}
	before := runtime.NumGoroutine()
	for range 20 {
		for s, err := range Log(bg, b, FolderHash("f"), 8) {
			if err != nil {
				t.Fatal(err)
			}
			if s.Number == 55 {
				break
			}
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

func TestCheckHead(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(t *testing.T, b *hooked, l putter, key, id string)
		says   string // empty: sound
		denied bool
	}{
		"sound":    {func(*testing.T, *hooked, putter, string, string) {}, "", false},
		"restored": {func(t *testing.T, b *hooked, l putter, key, id string) { remove(t, b, key); put(t, l, key, id) }, "", false},
		"deleted":  {func(t *testing.T, b *hooked, _ putter, key, _ string) { remove(t, b, key) }, "deleted", false},
		"remade": {func(t *testing.T, b *hooked, l putter, key, _ string) { remove(t, b, key); put(t, l, key, someID) },
			"name different commits", false},
		"unreadable": {func(t *testing.T, _ *hooked, l putter, key, _ string) { put(t, l, key, "x") }, "not a log entry", false},
		"older unreadable": {func(t *testing.T, _ *hooked, l putter, key, id string) { put(t, l, key, "x"); put(t, l, key, id) },
			"is no log entry", false},
		"no object": {func(t *testing.T, b *hooked, _ putter, _, id string) { remove(t, b, CommitKey(id)) }, "deleted or missing", false},
		"may not be read": {func(_ *testing.T, b *hooked, _ putter, key, _ string) {
			b.open = func(k, _ string) error {
				if k == key {
					return errDenied
				}
				return nil
			}
		}, "", true},
		"object may not be read": {func(_ *testing.T, b *hooked, _ putter, _, id string) {
			b.open = func(k, _ string) error {
				if k == CommitKey(id) {
					return errDenied
				}
				return nil
			}
		}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLocal(t)
			put(t, l, "my sales/a", "1")
			r := write(t, l, "my sales", WriteOptions{})
			b := &hooked{Bucket: l}
			key := EntryKey("my sales", 1)
			c.damage(t, b, l, key, r.ID)
			s, err := CheckHead(bg, b, "my sales")
			switch {
			case c.denied:
				if !errors.Is(err, bucket.ErrDenied) || errors.Is(err, bucket.ErrDamaged) {
					t.Errorf("got %v", err)
				}
			case c.says == "":
				if err != nil || s.Number != 1 || s.Entry.Commit != r.ID {
					t.Errorf("%+v, %v", s, err)
				}
			case !errors.Is(err, bucket.ErrDamaged) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), key) ||
				!strings.Contains(err.Error(), "provcat-tui audit "+l.URL()+" --folder 'my sales'"):
				t.Errorf("got %v", err)
			}
			before := keys(t, l, "")
			w, err := Write(bg, b, "my sales", quick(WriteOptions{}))
			if (c.says != "" || c.denied) != (err != nil) || w.Committed || keys(t, l, "") != before {
				t.Errorf("Write: %+v, %v", w, err)
			}
			var we *WriteError
			if c.says != "" && (!errors.As(err, &we) || we.Reason != ReasonDamagedLog) {
				t.Errorf("Write: %v", err)
			}
		})
	}
}

func TestAllLogsAreNamed(t *testing.T) {
	b := newLocal(t)
	put(t, b, "a/b/x", "1")
	put(t, b, "a//y", "1")
	put(t, b, "hashed/deep/x", "1")
	write(t, b, "", WriteOptions{})
	write(t, b, "a/b", WriteOptions{})
	write(t, b, "a/", WriteOptions{})
	remove(t, b, EntryKey("a/b", 1))
	bare := plant(t, b, Header{Folder: "bare", Number: 1, Time: at(1)})
	put(t, b, EntryKey("bare", 1), bare) // no folder in the entry
	put(t, b, EntryKey("hashed/deep", 1), someID)
	put(t, b, EntryKey("nobody", 1), someID)
	liar := strings.Replace(string(EncodeEntry(Entry{Commit: someID, Folder: "a/b", Number: 1, Time: at(1)})), "", "", 1)
	put(t, b, EntryKey("liar", 1), liar)
	put(t, b, LogPrefix(FolderHash("foreign"))+"x", "no slot")
	orphanage := FolderHash("orphaned")
	var out strings.Builder
	id, err := Encode(&out, Header{Folder: "orphaned", Number: 2, Time: at(1)}, seq())
	if err != nil {
		t.Fatal(err)
	}
	put(t, b, CommitKey(id), out.String())
	put(t, b, SlotKey(orphanage, 1), someID)
	for _, hash := range []bool{false, true} {
		got := map[string]string{}
		for l, err := range AllLogs(bg, b, 3, hash) {
			if err != nil || l.Err != nil {
				t.Fatal(err, l.Err)
			}
			name := "?"
			if l.Known {
				name = l.Folder
			}
			got[l.Hash] = name
		}
		want := map[string]string{FolderHash(""): "", FolderHash("a/b"): "a/b", FolderHash("a/"): "a/", FolderHash("bare"): "bare",
			FolderHash("hashed/deep"): "?", FolderHash("nobody"): "?", FolderHash("liar"): "?", orphanage: "?"}
		if hash {
			want[FolderHash("hashed/deep")] = "hashed/deep"
			want[orphanage] = "orphaned"
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("hash %v: got %v\nwant %v", hash, got, want)
		}
	}
}

func TestResolve(t *testing.T) {
	b := newLocal(t)
	var ids []string
	for n := range 5 {
		put(t, b, "f/a", fmt.Sprint(n))
		ids = append(ids, write(t, b, "f", WriteOptions{}).ID)
	}
	put(t, b, "g/a", "1")
	other := write(t, b, "g", WriteOptions{}).ID
	var out strings.Builder
	orphan, err := Encode(&out, Header{Folder: "f", Number: 6, Parent: ids[4], Time: at(1)}, seq())
	if err != nil {
		t.Fatal(err)
	}
	put(t, b, CommitKey(orphan), out.String())
	remove(t, b, EntryKey("f", 2))
	put(t, b, EntryKey("f", 3), "garbage")
	// Two commits whose IDs begin alike, and one of digits.
	twin := "abcdef" + someID[:57]
	put(t, b, EntryKey("t", 1), twin+"1")
	put(t, b, EntryKey("t", 2), twin+"2")
	digits := strings.Repeat("1234567890", 7)[:64]
	put(t, b, EntryKey("t", 3), digits)
	for _, c := range []struct {
		folder, ref string
		want        Ref
		err         error
		says        string
	}{
		{"f", "live", Ref{Live: true}, nil, ""},
		{"f", "head", Ref{Number: 5, ID: ids[4]}, nil, ""},
		{"f", "head~0", Ref{Number: 5, ID: ids[4]}, nil, ""},
		{"f", "head~1", Ref{Number: 4, ID: ids[3]}, nil, ""},
		{"f", "head~4", Ref{Number: 1, ID: ids[0]}, nil, ""},
		{"f", "head~5", Ref{}, ErrUnknownRef, "commits up to number 5"},
		{"f", "head~3", Ref{}, bucket.ErrDamaged, "deleted"},
		{"f", "head~x", Ref{}, ErrUnknownRef, "number"},
		{"f", "head~+1", Ref{}, ErrUnknownRef, "number"},
		{"f", "1", Ref{Number: 1, ID: ids[0]}, nil, ""},
		{"f", "0001", Ref{Number: 1, ID: ids[0]}, nil, ""},
		{"f", "0", Ref{}, ErrUnknownRef, "id:0"},
		{"f", "2", Ref{}, bucket.ErrDamaged, "audit"},
		{"f", "3", Ref{}, bucket.ErrDamaged, "not a log entry"},
		{"f", "6", Ref{}, ErrUnknownRef, "up to number 5"},
		{"none", "1", Ref{}, ErrUnknownRef, "no commits yet"},
		{"none", "head", Ref{}, ErrUnknownRef, "no commits yet"},
		{"f", "123456", Ref{}, ErrUnknownRef, "up to number 5"},
		{"f", strings.Repeat("9", 64), Ref{}, ErrUnknownRef, "id:"},
		{"f", ids[3], Ref{Number: 4, ID: ids[3]}, nil, ""},
		{"f", "id:" + ids[3][:12], Ref{Number: 4, ID: ids[3]}, nil, ""},
		{"f", "id:" + strings.ToUpper(ids[0][:10]), Ref{Number: 1, ID: ids[0]}, nil, ""},
		{"f", "id:" + ids[1][:10], Ref{ID: ids[1]}, nil, ""}, // its entry is deleted
		{"f", "id:" + orphan[:10], Ref{ID: orphan}, nil, ""},
		{"f", "id:" + other[:10], Ref{}, ErrUnknownRef, "folder \"f\""},
		{"f", "id:abc", Ref{}, ErrUnknownRef, "at least six"},
		{"f", "id:", Ref{}, ErrUnknownRef, "named by"},
		{"f", "", Ref{}, ErrUnknownRef, "named by"},
		{"f", "2026-09-01T12:00Z", Ref{}, ErrUnknownRef, "provcat-tui pin " + b.URL() + "/f --at 2026-09-01T12:00Z"},
		{"f", "2026-09-01", Ref{}, ErrUnknownRef, "provcat-tui pin"},
		{"f", "\x1b[2J", Ref{}, ErrUnknownRef, `\x1b[2J`},
		{"t", "abcdef", Ref{}, ErrAmbiguousRef, "(commit 2)"},
		{"t", twin + "1", Ref{Number: 1, ID: twin + "1"}, nil, ""},
		{"t", "id:123456", Ref{Number: 3, ID: digits}, nil, ""},
		{"t", "head", Ref{}, bucket.ErrDamaged, "no commit below it"},
	} {
		got, err := Resolve(bg, b, c.folder, c.ref)
		if got != c.want || !errors.Is(err, c.err) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %q: %+v, %v", c.folder, c.ref, got, err)
		}
	}
	denied := &hooked{Bucket: b, open: func(string, string) error { return errDenied }}
	for _, ref := range []string{"head", "1", "id:" + ids[0]} {
		if _, err := Resolve(bg, denied, "f", ref); !errors.Is(err, bucket.ErrDenied) || errors.Is(err, ErrUnknownRef) {
			t.Errorf("%s: %v", ref, err)
		}
	}
	remove(t, b, EntryKey("f", 5))
	if _, err := Resolve(bg, b, "f", "head"); !errors.Is(err, bucket.ErrDamaged) || !strings.Contains(err.Error(), "is 4 ("+ids[3][:10]+")") {
		t.Errorf("damaged head: %v", err)
	}
	if got, err := Resolve(bg, b, "f", "head~1"); err != nil || got.Number != 4 {
		t.Errorf("below a damaged head: %+v, %v", got, err)
	}
}
