package commit

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
)

// filesOf is what a commit names, as path to version.
func filesOf(t testing.TB, b bucket.Bucket, id string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for f, err := range Files(bg, b, id) {
		if err != nil {
			t.Fatal(err)
		}
		out[f.Path] = f.Version
	}
	return out
}

func TestWrite(t *testing.T) {
	b := newLocal(t)
	folder := put(t, b, "sales/", "")
	a1 := put(t, b, "sales/a", "1")
	put(t, b, "sales/gone", "x")
	remove(t, b, "sales/gone")
	put(t, b, "salesman/x", "1")
	put(t, b, "other", "1")
	r1 := write(t, b, "sales", WriteOptions{Author: "ana", Message: "first\nlines"})
	if !r1.Committed || r1.Number != 1 || r1.Parent != "" || r1.Files != 2 || r1.Bytes != 1 || r1.Versions != 4 || r1.Listings != 2 || r1.Attempts != 1 || r1.Warning != "" {
		t.Errorf("first: %+v", r1)
	}
	if got := fmt.Sprint(filesOf(t, b, r1.ID)); got != fmt.Sprint(map[string]string{"": folder.ID, "a": a1.ID}) {
		t.Errorf("files %s", got)
	}
	h, err := LoadHeader(bg, b, r1.ID)
	if err != nil || h.Author != "ana" || h.Message != "first\nlines" || h.Folder != "sales" || h.Number != 1 || !h.Time.Equal(r1.Time) {
		t.Errorf("%+v, %v", h, err)
	}
	before := keys(t, b, "")
	if r := write(t, b, "sales", WriteOptions{}); r.Committed || r.Number != 1 || r.ID != r1.ID || keys(t, b, "") != before {
		t.Errorf("nothing to commit: %+v", r)
	}
	put(t, b, "sales/a", "1") // the same bytes, another version
	put(t, b, "sales/b", "22")
	remove(t, b, "sales/")
	d := write(t, b, "sales", WriteOptions{DryRun: true})
	if d.Committed || d.Number != 2 || d.Parent != r1.ID || d.Added != 1 || d.Removed != 1 || d.ChangedFiles != 1 || keys(t, b, "") != before+3 {
		t.Errorf("dry run: %+v", d)
	}
	p, err := Preview(bg, b, "sales", nil)
	if err != nil || p.Nothing || len(p.Changes) != 3 || p.Changes[0].Kind != Removed || p.Changes[1].Path != "a" || !p.Changes[1].SameBytes || p.Changes[2].Kind != Added {
		t.Errorf("preview: %+v, %v", p, err)
	}
	r2 := write(t, b, "sales", WriteOptions{})
	if !r2.Committed || r2.Number != 2 || r2.Parent != r1.ID || !r2.Time.After(r1.Time) {
		t.Errorf("second: %+v", r2)
	}
	remove(t, b, "sales/a")
	remove(t, b, "sales/b")
	if r := write(t, b, "sales", WriteOptions{}); !r.Committed || r.Number != 3 || r.Files != 0 {
		t.Errorf("emptied folder: %+v", r)
	}
	whole := write(t, b, "", WriteOptions{})
	if got := filesOf(t, b, whole.ID); len(got) != 2 || got["other"] == "" {
		t.Errorf("the whole bucket: %v", got)
	}
	if got := shape(t, Log(bg, b, FolderHash("sales"), 0)); got != "3 2 1" {
		t.Errorf("log %s", got)
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(t *testing.T, b *hooked, l *local.Bucket)
		options WriteOptions
		folder  string
		reason  string
		says    string
	}{
		"no folder": {func(*testing.T, *hooked, *local.Bucket) {}, WriteOptions{}, "none", ReasonNoFolder, `folder "none"`},
		"off": {func(_ *testing.T, b *hooked, _ *local.Bucket) {
			b.state = func() (bucket.Versioning, time.Time, error) { return bucket.VersioningOff, time.Time{}, nil }
		}, WriteOptions{}, "f", ReasonVersioning, "is off"},
		"suspended": {func(_ *testing.T, b *hooked, _ *local.Bucket) {
			b.state = func() (bucket.Versioning, time.Time, error) { return bucket.VersioningSuspended, time.Time{}, nil }
		}, WriteOptions{}, "f", ReasonVersioning, "suspended"},
		"unknown": {func(_ *testing.T, b *hooked, _ *local.Bucket) {
			b.state = func() (bucket.Versioning, time.Time, error) { return "", time.Time{}, nil }
		}, WriteOptions{}, "f", ReasonVersioning, "unknown"},
		"unsupported": {func(_ *testing.T, b *hooked, _ *local.Bucket) {
			b.state = func() (bucket.Versioning, time.Time, error) { return bucket.VersioningUnsupported, time.Time{}, nil }
		}, WriteOptions{}, "f", ReasonVersioning, "no versioning"},
		"denied": {func(_ *testing.T, b *hooked, _ *local.Bucket) {
			b.state = func() (bucket.Versioning, time.Time, error) { return "", time.Time{}, errDenied }
		}, WriteOptions{}, "f", ReasonVersioning, "could not be read"},
		"own clock": {func(*testing.T, *hooked, *local.Bucket) {},
			WriteOptions{Now: func() time.Time { return time.Now().Add(6 * time.Minute) }}, "f", ReasonClock, "this machine"},
		"clock above": {func(t *testing.T, _ *hooked, l *local.Bucket) {
			plant(t, l, Header{Number: 1, Time: time.Now().Add(time.Hour)})
		}, WriteOptions{}, "f", ReasonClock, "number 1 of the whole bucket"},
		"clock below": {func(t *testing.T, _ *hooked, l *local.Bucket) {
			plant(t, l, Header{Folder: "f/deep", Number: 7, Time: time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC)})
		}, WriteOptions{}, "f", ReasonClock, `number 7 of folder "f/deep"`},
		"conditions ignored": {func(_ *testing.T, b *hooked, l *local.Bucket) {
			b.put = func(key string, body io.ReadSeeker) (bucket.Version, error, bool) {
				v, err := l.Put(bg, key, body)
				return v, err, true
			}
		}, WriteOptions{}, "f", ReasonConditions, "ignores conditional writes"},
		"no conditions": {func(_ *testing.T, b *hooked, _ *local.Bucket) {
			b.put = func(string, io.ReadSeeker) (bucket.Version, error, bool) {
				return bucket.Version{}, &bucket.Error{Kind: bucket.ErrUnsupported}, true
			}
		}, WriteOptions{}, "f", ReasonConditions, "conditional"},
		"no such name": {func(*testing.T, *hooked, *local.Bucket) {}, WriteOptions{}, ".provcat", ReasonNoFolder, "belong to no folder"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLocal(t)
			put(t, l, "f/a", "1")
			b := &hooked{Bucket: l}
			c.prepare(t, b, l)
			before := keys(t, l, Logs)
			r, err := Write(bg, b, c.folder, quick(c.options))
			var we *WriteError
			if !errors.As(err, &we) || we.Reason != c.reason || we.Unclear || r.Committed || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%+v, %v", r, err)
			}
			if after := keys(t, l, Logs); after != before {
				t.Errorf("the log was touched: %d versions, then %d", before, after)
			}
		})
	}
}

// A commit is never older than a commit that its writer could see.
func TestTimeRule(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 123456789, time.UTC)
	clock := now.Truncate(time.Second)
	for name, c := range map[string]struct {
		folder string // of the newer commit
		same   bool   // it counts
	}{
		"above": {"a", true}, "bucket": {"", true}, "below": {"a/b/c/d", true}, "own": {"a/b", true},
		"beside": {"a/c", false}, "like": {"a/bc", false},
	} {
		l := newLocal(t)
		b := &hooked{Bucket: l, state: func() (bucket.Versioning, time.Time, error) { return bucket.VersioningEnabled, clock, nil }}
		put(t, l, "a/b/x", "1")
		newer := now.Add(time.Minute)
		id := plant(t, l, Header{Folder: c.folder, Number: 1, Time: newer})
		if name == "above" {
			// Its entry does not tell the time: the commit object does.
			l2 := newLocal(t)
			put(t, l2, "a/b/x", "1")
			var out strings.Builder
			if _, err := Encode(&out, Header{Folder: c.folder, Number: 1, Time: newer}, seq()); err != nil {
				t.Fatal(err)
			}
			put(t, l2, CommitKey(id), out.String())
			put(t, l2, EntryKey(c.folder, 1), id)
			b.Bucket = l2
		}
		want := now.Truncate(time.Microsecond)
		if c.same {
			want = newer.Truncate(time.Microsecond).Add(time.Microsecond)
		}
		r, err := Write(bg, b, "a/b", quick(WriteOptions{Now: func() time.Time { return now }}))
		if err != nil || !r.Time.Equal(want) {
			t.Errorf("%s: %v, want %v, %v", name, r.Time, want, err)
		}
	}
}

// Eight writers at once, each of which changes the folder before it commits.
func TestRace(t *testing.T) {
	b := newLocal(t)
	const writers, rounds = 8, 4
	var mu sync.Mutex
	won := map[int64]string{}
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for n := range rounds {
				for {
					put(t, b, fmt.Sprintf("f/%d", i), fmt.Sprint(n))
					r, err := Write(bg, b, "f", quick(WriteOptions{TimeLimit: time.Minute}))
					var we *WriteError
					if errors.As(err, &we) && (we.Reason == ReasonContended || we.Reason == ReasonUnsettled) {
						continue
					}
					if err != nil {
						t.Error(err)
						return
					}
					if !r.Committed {
						break // another's commit had it all
					}
					mu.Lock()
					if won[r.Number] != "" {
						t.Errorf("number %d was won twice", r.Number)
					}
					won[r.Number] = r.ID
					mu.Unlock()
					break
				}
			}
		})
	}
	wg.Wait()
	whole(t, b, "f", int64(len(won)))
	for s, err := range Log(bg, b, FolderHash("f"), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if won[s.Number] != s.Entry.Commit {
			t.Errorf("number %d: %s was told, %s is there", s.Number, won[s.Number], s.Entry.Commit)
		}
	}
}

func TestCollectUnderChange(t *testing.T) {
	for _, c := range []struct{ changes, listings int }{{0, 2}, {1, 3}, {4, 6}, {5, 0}, {9, 0}} {
		l := newLocal(t)
		put(t, l, "f/a", "1")
		n := 0
		b := &hooked{Bucket: l, versions: func(bucket.Range) error {
			if n++; n > 1 && n <= c.changes+1 {
				// A change that leaves the same live version: only the listing of
				// all versions shows it.
				put(t, l, "f/b", "x")
				remove(t, l, "f/b")
			}
			return nil
		}}
		s, err := Collect(bg, b, "f", 0, nil)
		switch {
		case c.listings == 0:
			if !errors.Is(err, ErrUnsettled) || n != 6 {
				t.Errorf("%d changes: %+v, %v, %d listings", c.changes, s, err, n)
			}
		case err != nil || s.Listings != c.listings || len(s.Files) != 1 || s.Files[0].Path != "a" || s.Versions != int64(1+2*c.changes):
			t.Errorf("%d changes: %+v, %v", c.changes, s, err)
		}
	}
	l := newLocal(t)
	put(t, l, "a", "1")
	put(t, l, Root+"x", "1")
	put(t, l, ".provcatx", "1")
	s, err := Collect(bg, l, "", 0, nil)
	if err != nil || len(s.Files) != 2 || s.Versions != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestDiffAgainstMaps(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		sides := [2]map[string]File{{}, {}}
		var lists [2][]File
		for i := range sides {
			for range rnd.IntN(1500) {
				f := File{Path: fmt.Sprint(rnd.IntN(2000)), Version: fmt.Sprint(rnd.IntN(3)), ETag: fmt.Sprint(rnd.IntN(2)), Size: int64(rnd.IntN(3) - 1)}
				sides[i][f.Path] = f
			}
			for _, f := range sides[i] {
				lists[i] = append(lists[i], f)
			}
			slices.SortFunc(lists[i], func(a, b File) int { return strings.Compare(a.Path, b.Path) })
		}
		got := map[string]Change{}
		last := ""
		for c, err := range Diff(seq(lists[0]...), seq(lists[1]...)) {
			if err != nil || c.Path < last {
				t.Fatal(c, last, err)
			}
			last = c.Path
			got[c.Path] = c
		}
		want := map[string]Change{}
		for p, a := range sides[0] {
			b, ok := sides[1][p]
			if !ok {
				want[p] = Change{p, Removed, a, File{}, false, false}
			} else if a.Version != b.Version {
				want[p] = Change{p, Changed, a, b, a.ETag == b.ETag && a.Size == b.Size && a.Size >= 0, false}
			} else if a.ETag != b.ETag || a.Size != b.Size && a.Size != -1 && b.Size != -1 {
				want[p] = Change{p, Changed, a, b, false, true}
			}
		}
		for p, b := range sides[1] {
			if _, ok := sides[0][p]; !ok {
				want[p] = Change{p, Added, File{}, b, false, false}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("got %v\nwant %v", got, want)
		}
	}
}
