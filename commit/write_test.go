package commit

import (
	"context"
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

// Each way in which the answer to the put of the entry can go wrong.
func TestUnclearAnswers(t *testing.T) {
	lost := &bucket.Error{Op: "create", Kind: bucket.ErrUnclear, Err: errors.New("connection reset")}
	exists := &bucket.Error{Op: "create", Kind: bucket.ErrExists}
	read := func(body io.ReadSeeker) string { b, _ := io.ReadAll(body); return string(b) }
	entryBy := func(l *local.Bucket, key string) error {
		_, err := l.PutIfAbsent(bg, key, strings.NewReader(`{"commit":"`+someID+`"}`))
		return err
	}
	type outcome struct {
		committed bool
		number    int64
		attempts  int
		reason    string
		unclear   bool
	}
	for name, c := range map[string]struct {
		// answer is asked for each put of an entry, the n-th from 1.
		answer func(n int, l *local.Bucket, key, body string) (error, bool)
		want   outcome
	}{
		"clear": {func(int, *local.Bucket, string, string) (error, bool) { return nil, false }, outcome{true, 1, 1, "", false}},
		"applied, answer dropped": {func(n int, l *local.Bucket, key, body string) (error, bool) {
			_, err := l.PutIfAbsent(bg, key, strings.NewReader(body))
			return errors.Join(lost, err), n == 1
		}, outcome{true, 1, 1, "", false}},
		"dropped before": {func(n int, _ *local.Bucket, _, _ string) (error, bool) { return lost, n <= 2 }, outcome{true, 1, 1, "", false}},
		"arrives late": {func(n int, l *local.Bucket, key, body string) (error, bool) {
			if n == 2 {
				_, _ = l.PutIfAbsent(bg, key, strings.NewReader(body)) // the first one arrives now
			}
			return lost, n == 1
		}, outcome{true, 1, 1, "", false}},
		"refused with ours": {func(n int, l *local.Bucket, key, body string) (error, bool) {
			_, _ = l.PutIfAbsent(bg, key, strings.NewReader(body)) // the SDK tried again by itself
			return exists, n == 1
		}, outcome{true, 1, 1, "", false}},
		"refused, nothing there": {func(n int, _ *local.Bucket, _, _ string) (error, bool) { return exists, true },
			outcome{false, 1, 1, ReasonDamagedLog, false}},
		"never clear": {func(int, *local.Bucket, string, string) (error, bool) { return lost, true },
			outcome{false, 1, 1, ReasonUnclear, true}},
		"lost, then denied": {func(n int, _ *local.Bucket, _, _ string) (error, bool) {
			if n == 1 {
				return lost, true
			}
			return errDenied, true
		}, outcome{false, 1, 1, ReasonUnclear, true}},
		"landed, then denied": {func(n int, l *local.Bucket, key, body string) (error, bool) {
			if n == 1 {
				return lost, true
			}
			_, _ = l.PutIfAbsent(bg, key, strings.NewReader(body)) // the first one arrives now
			return errDenied, true
		}, outcome{true, 1, 1, "", false}},
		"denied at once": {func(int, *local.Bucket, string, string) (error, bool) { return errDenied, true }, outcome{false, 1, 1, "none", false}},
		"unclear, another's": {func(n int, l *local.Bucket, key, _ string) (error, bool) {
			return errors.Join(lost, entryBy(l, key)), n == 1
		}, outcome{false, 1, 2, ReasonDamagedLog, false}}, // the other's commit object is not there
	} {
		t.Run(name, func(t *testing.T) {
			l := newLocal(t)
			put(t, l, "f/a", "1")
			n := 0
			b := &hooked{Bucket: l}
			b.put = func(key string, body io.ReadSeeker) (bucket.Version, error, bool) {
				if !strings.HasPrefix(key, Logs) {
					return bucket.Version{}, nil, false
				}
				n++
				text := read(body)
				if _, err := body.Seek(0, io.SeekStart); err != nil {
					t.Fatal(err)
				}
				err, answered := c.answer(n, l, key, text)
				return bucket.Version{}, err, answered
			}
			r, err := Write(bg, b, "f", quick(WriteOptions{}))
			got := outcome{committed: r.Committed, number: r.Number, attempts: r.Attempts}
			if r.Number == 0 {
				got.number = 1 // the last attempt ended before it had one
			}
			var we *WriteError
			if errors.As(err, &we) {
				got.reason, got.unclear = we.Reason, we.Unclear
				if we.Unclear && (we.ID == "" || !strings.Contains(we.Detail, we.ID) || !strings.Contains(we.Detail, "provcat-tui log "+l.URL()+"/f")) {
					t.Errorf("the text: %s", we.Detail)
				}
			} else if err != nil {
				got.reason = "none"
			}
			if got != c.want {
				t.Errorf("got %+v, want %+v: %v", got, c.want, err)
			}
			if r.Committed && (keys(t, l, Logs) != 1 || keys(t, l, Commits) != 1) {
				t.Errorf("%d entries, %d commit objects", keys(t, l, Logs), keys(t, l, Commits))
			}
		})
	}
}

// The answer to the put of the commit object is lost: applied or not, there is
// one commit.
func TestUnclearObject(t *testing.T) {
	for _, applied := range []bool{true, false} {
		l := newLocal(t)
		put(t, l, "f/a", "1")
		n := 0
		b := &hooked{Bucket: l}
		b.put = func(key string, body io.ReadSeeker) (bucket.Version, error, bool) {
			if n++; n > 1 || strings.HasPrefix(key, Logs) {
				return bucket.Version{}, nil, false
			}
			if applied {
				if _, err := l.PutIfAbsent(bg, key, body); err != nil {
					t.Error(err)
				}
			}
			return bucket.Version{}, &bucket.Error{Op: "create", Kind: bucket.ErrUnclear}, true
		}
		r := write(t, b, "f", WriteOptions{})
		if !r.Committed || keys(t, l, Root) != 2 {
			t.Errorf("%+v, %d keys", r, keys(t, l, Root))
		}
	}
}

// Another writer is faster: the commit is made anew on top.
func TestLostRace(t *testing.T) {
	for name, before := range map[string]bool{"before step 5": true, "at the commit point": false} {
		l := newLocal(t)
		put(t, l, "f/a", "1")
		var other Result
		raced := false
		b := &hooked{Bucket: l}
		race := func() {
			raced = true
			other = write(t, l, "f", WriteOptions{Author: "other"})
			put(t, l, "f/b", "1")
		}
		b.put = func(key string, _ io.ReadSeeker) (bucket.Version, error, bool) {
			if !raced && strings.HasPrefix(key, Logs) != before {
				race()
			}
			return bucket.Version{}, nil, false
		}
		r := write(t, b, "f", WriteOptions{})
		if !r.Committed || r.Number != 2 || r.Parent != other.ID || r.Attempts != 2 || r.Files != 2 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestContended(t *testing.T) {
	l := newLocal(t)
	put(t, l, "f/a", "1")
	b := &hooked{Bucket: l}
	b.put = func(key string, _ io.ReadSeeker) (bucket.Version, error, bool) {
		if strings.HasPrefix(key, Logs) {
			write(t, l, "f", WriteOptions{})
			put(t, l, "f/a", fmt.Sprint(rand.Int()))
		}
		return bucket.Version{}, nil, false
	}
	r, err := Write(bg, b, "f", quick(WriteOptions{}))
	var we *WriteError
	if !errors.As(err, &we) || we.Reason != ReasonContended || r.Committed || r.Attempts != 10 || keys(t, l, Logs) != 10 {
		t.Errorf("%+v, %v", r, err)
	}
}

// What step 6 sees.
func TestLookAfter(t *testing.T) {
	entry := func(key string) bool { return strings.HasPrefix(key, Logs) }
	for name, c := range map[string]struct {
		after     func(t *testing.T, b *hooked, l *local.Bucket, slot, head string)
		committed bool
		reason    string
		warning   bool
	}{
		"overwritten":  {func(t *testing.T, _ *hooked, l *local.Bucket, slot, _ string) { put(t, l, slot, someID) }, false, ReasonDamageAfter, false},
		"deleted":      {func(t *testing.T, _ *hooked, l *local.Bucket, slot, _ string) { remove(t, l, slot) }, false, ReasonDamageAfter, false},
		"head deleted": {func(t *testing.T, _ *hooked, l *local.Bucket, _, head string) { remove(t, l, head) }, true, ReasonDamageAfter, false},
		"twice": {func(t *testing.T, _ *hooked, l *local.Bucket, slot, _ string) {
			if _, err := l.CopyVersion(bg, slot, live(t, l, slot), slot); err != nil {
				t.Fatal(err)
			}
		}, true, ReasonDamageAfter, false},
		"versioning suspended": {func(t *testing.T, _ *hooked, l *local.Bucket, slot, _ string) {
			// As if the entry had been put a moment later.
			body := "{}"
			if r, _, err := l.Open(bg, slot, "", 0); err == nil {
				b, _ := io.ReadAll(r)
				body = string(b)
			}
			if err := errors.Join(l.DeleteVersion(bg, slot, live(t, l, slot)), l.SetVersioning(bg, bucket.VersioningSuspended)); err != nil {
				t.Fatal(err)
			}
			put(t, l, slot, body)
		}, true, "", true},
		"not to be listed": {func(_ *testing.T, b *hooked, _ *local.Bucket, _, _ string) {
			b.versions = func(bucket.Range) error { return errDenied }
		}, true, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLocal(t)
			put(t, l, "f/a", "1")
			write(t, l, "f", WriteOptions{})
			put(t, l, "f/a", "2")
			b := &hooked{Bucket: l}
			b.put = func(key string, body io.ReadSeeker) (bucket.Version, error, bool) {
				if !entry(key) {
					return bucket.Version{}, nil, false
				}
				v, err := l.PutIfAbsent(bg, key, body)
				c.after(t, b, l, key, EntryKey("f", 1))
				return v, err, true
			}
			r, err := Write(bg, b, "f", quick(WriteOptions{}))
			var we *WriteError
			errors.As(err, &we)
			if r.Committed != c.committed || (we != nil) != (c.reason != "") || we != nil && we.Reason != c.reason || (r.Warning != "") != c.warning {
				t.Errorf("%+v, %v", r, err)
			}
			if we != nil && (!strings.Contains(we.Detail, r.ID) || !errors.Is(err, bucket.ErrDamaged)) {
				t.Errorf("the text: %v", err)
			}
		})
	}
}

func live(t testing.TB, b bucket.Bucket, key string) string {
	t.Helper()
	for v, err := range b.Versions(bg, bucket.Range{Prefix: key, Through: key}) {
		if err != nil {
			t.Fatal(err)
		}
		if v.Live() {
			return v.ID
		}
	}
	t.Fatalf("%s is not live", key)
	return ""
}

// Cancelled before the commit point: nothing is written to the log. Cancelled
// while the entry is on its way: the truth is told.
func TestCancel(t *testing.T) {
	for name, c := range map[string]struct {
		key     string
		applied bool
		want    bool
	}{
		"at the object": {Commits, true, false},
		"at the entry":  {Logs, true, true},
	} {
		l := newLocal(t)
		put(t, l, "f/a", "1")
		ctx, cancel := context.WithCancel(bg)
		b := &hooked{Bucket: l}
		b.put = func(key string, body io.ReadSeeker) (bucket.Version, error, bool) {
			if !strings.HasPrefix(key, c.key) {
				return bucket.Version{}, nil, false
			}
			if c.applied {
				_, _ = l.PutIfAbsent(bg, key, body) // refused the second time
			}
			cancel()
			return bucket.Version{}, &bucket.Error{Op: "create", Kind: bucket.ErrUnclear, Err: context.Canceled}, true
		}
		r, err := Write(ctx, b, "f", quick(WriteOptions{}))
		if r.Committed != c.want || (err == nil) != c.want || keys(t, l, Logs) > 0 != c.want {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		if !c.want && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}

// whole checks that a log has every number once and that its chain is whole.
func whole(t testing.TB, b bucket.Bucket, folder string, commits int64) {
	t.Helper()
	next := commits
	parent := "?"
	for s, err := range Log(bg, b, FolderHash(folder), 0) {
		if err != nil || s.Err != nil || s.Gap > 0 || s.Number != next || len(s.Versions) != 1 || parent != "?" && s.Entry.Commit != parent {
			t.Fatalf("slot %+v, %v; want number %d, commit %s", s, err, next, parent)
		}
		o, err := Load(bg, b, s.Entry.Commit, nil)
		if err != nil || o.Number != s.Number || o.Folder != folder {
			t.Fatalf("%+v, %v", o, err)
		}
		parent = o.Parent
		next--
	}
	if next != 0 || commits > 0 && parent != "" {
		t.Fatalf("the log ends at %d, with the parent %q", next+1, parent)
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
		s, err := Collect(bg, b, "f", nil)
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
	s, err := Collect(bg, l, "", nil)
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
				want[p] = Change{p, Removed, a, File{}, false}
			} else if a.Version != b.Version {
				want[p] = Change{p, Changed, a, b, a.ETag == b.ETag && a.Size == b.Size && a.Size >= 0}
			}
		}
		for p, b := range sides[1] {
			if _, ok := sides[0][p]; !ok {
				want[p] = Change{p, Added, File{}, b, false}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("got %v\nwant %v", got, want)
		}
	}
}
