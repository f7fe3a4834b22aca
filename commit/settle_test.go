package commit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
)

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
