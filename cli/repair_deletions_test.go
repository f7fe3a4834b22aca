package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/bucket/gcs/gcstest"
	"provcat-tui/bucket/local"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
	"provcat-tui/internal/fakegcs"
	"provcat-tui/internal/fakes3"
	"provcat-tui/internal/faults"
	"provcat-tui/internal/race"
)

// A clinic is a bucket of several folders with a clock of its own.
type clinic struct {
	*patient
	commits map[string][]string // by folder: IDs, the first at 1
	mu      sync.Mutex
	now     time.Time
	s3      *fakes3.Server // on S3
}

// tick is the bucket's clock: each look at it takes a second.
func (c *clinic) tick() time.Time { return c.pass(time.Second) }

func (c *clinic) pass(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return c.now
}

func (c *clinic) time() string { return c.pass(0).Format(time.RFC3339) }

// clinics gives the same bucket as a file, and on servers of both clouds.
func clinics(t *testing.T, folders []string, commits int, run func(t *testing.T, c *clinic)) {
	for _, kind := range []string{"file", "s3", "gs"} {
		t.Run(kind, func(t *testing.T) {
			c := &clinic{patient: &patient{T: t, home: isolate(t)}, commits: map[string][]string{}, now: clockStart}
			switch kind {
			case "gs":
				s := fakegcs.New(fakegcs.Options{Now: func() time.Time { return c.pass(0) }})
				t.Cleanup(s.Close)
				c.server, c.gs, c.kinds = &s.Server, true, gcsKinds
				b := gcstest.New(t, s.URL())
				t.Setenv("STORAGE_EMULATOR_HOST", s.Host())
				c.Bucket = ticking{b, c.tick} // only changes take time
				c.put = func(key, body string) string { c.tick(); return fmt.Sprint(s.Put(b.Name, key, []byte(body))) }
			case "file":
				b, err := local.Create(filepath.Join(t.TempDir(), "x.bucket"), local.Options{Now: c.tick})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = b.Close() })
				c.Bucket = b
				c.put = func(key, body string) string {
					v, err := b.Put(context.Background(), key, strings.NewReader(body))
					if err != nil {
						t.Fatal(err)
					}
					return v.ID
				}
			default:
				s := fakes3.New(fakes3.Options{Now: c.tick})
				t.Cleanup(s.Close)
				c.server, c.s3, c.kinds = &s.Server, s, s3Kinds
				b := s3test.New(t, s.URL())
				for k, v := range map[string]string{"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
					"AWS_ENDPOINT_URL_S3": c.server.URL(), "AWS_REGION": "us-east-1"} {
					t.Setenv(k, v)
				}
				c.Bucket = b
				c.put = func(key, body string) string { return s.Put(b.Name, key, []byte(body)) }
			}
			for _, f := range folders {
				c.commits[f] = []string{""}
				for n := range commits {
					c.put(commit.KeyPrefix(f)+"n", fmt.Sprint(f, n))
					c.grow(f)
				}
			}
			run(t, c)
		})
	}
}

// A ticking bucket's changes take time.
type ticking struct {
	bucket.Bucket
	tick func() time.Time
}

func (b ticking) Delete(ctx context.Context, key string) (bucket.Version, error) {
	b.tick()
	return b.Bucket.Delete(ctx, key)
}

func (b ticking) PutIfAbsent(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	b.tick()
	return b.Bucket.PutIfAbsent(ctx, key, body)
}

func (c *clinic) grow(folder string) {
	c.Helper()
	r, err := commit.Write(context.Background(), c, folder, commit.WriteOptions{Author: "ana", Now: c.tick, Message: "x",
		Sleep: func(ctx context.Context, d time.Duration) error { c.pass(d); return ctx.Err() }})
	if err != nil {
		c.Fatal(err)
	}
	c.commits[folder] = append(c.commits[folder], r.ID)
}

// removeAll hides every live key that starts with prefix, as aws s3 rm --recursive.
func (c *clinic) removeAll(prefix string) (from, to string) {
	c.Helper()
	var keys []string
	for v, err := range c.Versions(context.Background(), bucket.Range{Prefix: prefix}) {
		if err != nil {
			c.Fatal(err)
		}
		if v.Live() {
			keys = append(keys, v.Key)
		}
	}
	from = c.pass(0).Add(time.Second).Format(time.RFC3339)
	for _, k := range keys {
		c.hide(k)
	}
	return from, c.time()
}

// live says whether a key has a live version.
func (c *clinic) live(key string) bool {
	c.Helper()
	vs := c.versions(key)
	return len(vs) > 0 && vs[0].Live()
}

func (c *clinic) liveEntries(folder string) (out []int) {
	c.Helper()
	for n := 1; n < len(c.commits[folder]); n++ {
		if c.live(commit.EntryKey(folder, int64(n))) {
			out = append(out, n)
		}
	}
	return out
}

type rowDocument struct {
	Schema, State, Detail string
	Counts                map[string]int
	Plan                  struct {
		Looked, Others int
		Items          []struct {
			Key, State, Detail string
			Folder             *string
			Number             int64
		}
	}
}

// One command of one person takes all logs away: the commands of the findings, in
// order, bring all of it back, and may be run again.
func TestRepairDeletionsOfEverything(t *testing.T) {
	if race.On {
		t.Skip("much of the same: CI runs it without the race detector")
	}
	many := []string{}
	for i := range 21 {
		many = append(many, fmt.Sprintf("f%02d", i))
	}
	for name, c := range map[string]struct {
		folders []string
		commits int
	}{
		"three logs":             {[]string{ward, "-sales", ""}, 3},
		"one log":                {[]string{ward}, 7},
		"more logs than a line":  {many, 1},
		"one log of many slots":  {[]string{"f"}, 22},
		"few entries of one log": {[]string{"f"}, 2}, // with a command each
	} {
		t.Run(name, func(t *testing.T) {
			clinics(t, c.folders, c.commits, func(t *testing.T, x *clinic) {
				if fs := x.findings(); len(fs) > 0 {
					t.Fatalf("before: %+v", fs)
				}
				x.removeAll(commit.Root)
				x.pass(time.Hour)
				fs := x.findings()
				if keys := len(c.folders) * c.commits; len(fs) != 2 && keys > 5 || len(fs) != 2*keys && keys <= 5 {
					t.Fatalf("%d findings: %+v", len(fs), fs)
				}
				for _, again := range []bool{false, true} {
					for _, f := range fs {
						if f.Repair == nil || f.Repair.Command == "" {
							t.Fatalf("no command: %+v", f)
						}
						code, said := x.shell(f.Repair.Command)
						if code != 0 || !again && !strings.Contains(said, "repaired") {
							t.Fatalf("%s: exit code %d: %s", f.Repair.Command, code, said)
						}
					}
					if fs := x.findings(); len(fs) > 0 {
						t.Fatalf("after: %+v", fs)
					}
				}
				for _, f := range c.folders {
					x.put(commit.KeyPrefix(f)+"more", "more")
					x.grow(f)
				}
			})
		})
	}
}

// What looks like one of the row and is none stays as it is, and what must not be
// mended is refused; all others are mended.
func TestRepairDeletionsPicks(t *testing.T) {
	for _, c := range []struct {
		name    string
		before  func(c *clinic)                   // well before the row
		row     func(c *clinic) (from, to string) // nil: all entries of a and b
		args    []string                          // nil: --folder a
		code    int
		counts  map[string]int
		a, b    []int // entries that are live afterwards
		says    string
		objects bool // look at the commit objects of a, which were all deleted
	}{
		{name: "one folder", counts: map[string]int{"repaired": 4}, a: []int{1, 2, 3, 4}},
		{name: "two folders", args: []string{"--folder", "b", "--folder", "a/"}, counts: map[string]int{"repaired": 8}, a: []int{1, 2, 3, 4}, b: []int{1, 2, 3, 4}},
		{name: "all", args: []string{"--all"}, counts: map[string]int{"repaired": 8}, a: []int{1, 2, 3, 4}, b: []int{1, 2, 3, 4}},
		{name: "one that was deleted before", before: func(c *clinic) { c.hide(commit.EntryKey("a", 2)) }, counts: map[string]int{"repaired": 3}, a: []int{1, 3, 4}},
		{name: "one that was deleted before and again", before: func(c *clinic) { c.hide(commit.EntryKey("a", 2)) },
			row: func(c *clinic) (string, string) {
				from := c.pass(time.Second).Format(time.RFC3339)
				for n := range int64(4) {
					c.hide(commit.EntryKey("a", n+1))
				}
				return from, c.time()
			}, code: 1, counts: map[string]int{"repaired": 3, "refused": 1}, a: []int{1, 3, 4}, b: []int{1, 2, 3, 4}, says: "another delete marker"},
		{name: "twice within the row", row: func(c *clinic) (string, string) {
			from := c.pass(time.Second).Format(time.RFC3339)
			for n := range int64(8) {
				c.hide(commit.EntryKey("a", n%4+1))
			}
			return from, c.time()
		}, counts: map[string]int{"repaired": 4}, a: []int{1, 2, 3, 4}, b: []int{1, 2, 3, 4}},
		{name: "a part of the row by its times", row: func(c *clinic) (string, string) {
			c.hide(commit.EntryKey("a", 1))
			at := c.pass(time.Second).Format(time.RFC3339)
			c.pass(-time.Second)
			c.hide(commit.EntryKey("a", 2))
			c.hide(commit.EntryKey("a", 3))
			return at, at
		}, counts: map[string]int{"repaired": 1}, a: []int{2, 4}, b: []int{1, 2, 3, 4}},
		{name: "junk under a marker", before: func(c *clinic) { c.put(commit.EntryKey("a", 3), "junk") }, code: 1,
			counts: map[string]int{"repaired": 3, "refused": 1}, a: []int{1, 2, 4}, says: "is no log entry"},
		{name: "another commit under a marker", before: func(c *clinic) { c.put(commit.EntryKey("a", 3), c.commits["b"][3]) }, code: 1,
			counts: map[string]int{"repaired": 3, "refused": 1}, a: []int{1, 2, 4}, says: "is of the folder"},
		{name: "nothing under a marker", before: func(c *clinic) { c.erase(commit.EntryKey("a", 2)) },
			row: func(c *clinic) (string, string) {
				from := c.pass(time.Second).Format(time.RFC3339)
				for n := range int64(5) { // the fifth never was
					c.hide(commit.EntryKey("a", n+1))
				}
				return from, c.time()
			}, code: 1, counts: map[string]int{"repaired": 3, "refused": 2}, a: []int{1, 3, 4}, b: []int{1, 2, 3, 4}, says: "nothing is under the delete marker"},
		{name: "objects", objects: true, counts: map[string]int{"repaired": 4}},
		{name: "an object with a wrong hash under its marker", objects: true, before: func(c *clinic) { c.put(commit.CommitKey(c.commits["a"][2]), "junk") }, code: 1,
			counts: map[string]int{"repaired": 3, "refused": 1}, says: "has the SHA-256"},
		{name: "an object with nothing under its marker", objects: true, before: func(c *clinic) { c.erase(commit.CommitKey(c.commits["a"][2])) },
			row: func(c *clinic) (string, string) {
				from := c.pass(time.Second).Format(time.RFC3339)
				for _, id := range c.commits["a"][1:] {
					c.hide(commit.CommitKey(id))
				}
				return from, c.time()
			}, code: 1, counts: map[string]int{"repaired": 3, "refused": 1}, says: "repair commit-object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			clinics(t, []string{"a", "b"}, 4, func(t *testing.T, x *clinic) {
				orphan := x.orphanOf("a", 4, x.commits["a"][3])
				if c.before != nil {
					c.before(x)
				}
				x.pass(time.Hour)
				x.pass(-time.Duration(x.pass(0).Nanosecond()))
				var from, to string
				if c.row != nil {
					from, to = c.row(x)
				} else if from, to = x.removeAll(commit.Logs); c.objects {
					from, to = x.removeAll(commit.Commits)
				}
				x.hide("a/n")
				x.pass(time.Hour)
				args := c.args
				if args == nil {
					args = []string{"--folder", "a"}
				}
				if c.objects {
					args = append(args, "--objects")
				}
				args = append(append([]string{"repair", "deletions", x.URL(), "--from", from, "--to", to, "--format", "json"}, args...), "--yes")
				check := func(r result, counts map[string]int) {
					t.Helper()
					var d rowDocument
					r.wants(t, c.code).json(t, &d)
					for s, n := range d.Counts {
						if n != counts[s] {
							t.Errorf("%s: %d, want %d: %s", s, n, counts[s], r.out)
						}
					}
					if d.Schema != "provcat-repair-deletions/1" || !strings.Contains(r.out, c.says) {
						t.Errorf("%q is not in %s", c.says, r.out)
					}
				}
				check(cli(args...), c.counts)
				after := x.everything()
				rest := map[string]int{"refused": c.counts["refused"]}
				check(cli(args...), rest)
				if x.everything() != after {
					t.Error("the second run wrote")
				}
				if c.objects {
					for n, id := range x.commits["a"][1:] {
						if want := c.code == 0 || n != 1; x.live(commit.CommitKey(id)) != want {
							t.Errorf("the object of commit %d: live is %v", n+1, !want)
						}
						if c.row == nil && x.live(commit.CommitKey(x.commits["b"][n+1])) {
							t.Error("an object of another folder was touched")
						}
					}
					if c.row == nil && x.live(commit.CommitKey(orphan)) {
						t.Error("an object that no entry names was brought back")
					}
				} else if a, b := x.liveEntries("a"), x.liveEntries("b"); !slices.Equal(a, c.a) || !slices.Equal(b, c.b) {
					t.Errorf("live are %v and %v, want %v and %v", a, b, c.a, c.b)
				}
				if x.live("a/n") {
					t.Error("a file was touched")
				}
			})
		})
	}
}

// orphanOf writes a commit object that no entry names.
func (c *clinic) orphanOf(folder string, n int64, parent string) string {
	c.Helper()
	return orphan(c, c.put, commit.Header{Folder: folder, Number: n, Parent: parent, Time: c.tick(), Author: "eve"})
}

// Broken off half-way it says what is left, and the same command goes on.
func TestRepairDeletionsHalfWay(t *testing.T) {
	if race.On {
		t.Skip("many buckets of many commits; CI runs this without the race detector")
	}
	for _, c := range []struct {
		name   string
		fault  func(c *clinic, stop func()) faults.Fault // of the third deletion
		code   int
		state  string
		counts map[string]int
		says   string
	}{
		{"denied", func(x *clinic, _ func()) faults.Fault {
			return faults.Fault{Kind: x.kinds.undo, Skip: 2, Times: -1, Do: x.kinds.denied}
		},
			3, "failed", map[string]int{"repaired": 2, "failed": 1, "planned": 3}, "2 mended, 0 refused, 1 not checked, 0 unclear, 3 left"},
		{"unclear", func(x *clinic, _ func()) faults.Fault {
			return faults.Fault{Kind: x.kinds.undo, Skip: 2, Times: -1, Do: faults.Reset}
		},
			3, "unclear", map[string]int{"repaired": 2, "unclear": 1, "planned": 3}, "ask later with: provcat-tui ls --all-versions "},
		{"interrupted while it waits for an answer", func(x *clinic, stop func()) faults.Fault {
			return faults.Fault{Kind: x.kinds.undo, Skip: 2, Do: faults.Call(func(faults.Request) { stop(); time.Sleep(50 * time.Millisecond) })}
		}, 3, "unclear", map[string]int{"repaired": 2, "unclear": 1, "planned": 3}, "ask later with: provcat-tui ls --all-versions "},
		{"interrupted before a deletion", func(x *clinic, stop func()) faults.Fault {
			return faults.Fault{Kind: x.kinds.read, Key: commit.EntryKey("a", 4), Match: func(faults.Request) bool { return x.server.Count(x.kinds.undo) == 2 },
				Do: faults.Call(func(faults.Request) { stop(); time.Sleep(50 * time.Millisecond) })}
		}, 130, "failed", map[string]int{"repaired": 2, "planned": 4}, "the same command goes on with the rest"},
		{"an answer is lost", func(x *clinic, _ func()) faults.Fault {
			return faults.Fault{Kind: x.kinds.undo, Skip: 2, Do: faults.DropAnswer}
		},
			0, "repaired", map[string]int{"repaired": 6}, ""},
		{"somebody writes", func(x *clinic, _ func()) faults.Fault {
			return faults.Fault{Kind: x.kinds.undo, Skip: 2, Do: faults.Call(func(faults.Request) { x.put(commit.EntryKey("a", 2), "junk") })}
		}, 1, "refused", map[string]int{"repaired": 5, "refused": 1}, "something newer lies on it"},
		{"an entry cannot be read", func(x *clinic, _ func()) faults.Fault {
			return faults.Fault{Kind: x.kinds.read, Key: commit.EntryKey("a", 6), Times: -1, Do: x.kinds.denied}
		}, 3, "failed", map[string]int{"repaired": 4, "failed": 2}, "could not be read"},
		{"the listing is denied", func(x *clinic, _ func()) faults.Fault {
			return faults.Fault{Kind: x.kinds.list, Prefix: commit.Logs, Times: -1, Do: x.kinds.denied}
		}, 3, "failed", nil, "so nothing was written"},
	} {
		t.Run(c.name, func(t *testing.T) {
			clinics(t, []string{"a"}, 6, func(t *testing.T, x *clinic) {
				if x.server == nil {
					t.Skip("a file has no lost answers")
				}
				from, to := x.removeAll(commit.Logs)
				x.pass(time.Hour)
				args := []string{"repair", "deletions", x.URL(), "--folder", "a", "--from", from, "--to", to, "--yes", "--format", "json"}
				ctx, stop := context.WithCancel(context.Background())
				defer stop()
				x.server.Forget()
				armed := x.server.Fail(c.fault(x, stop))
				r := cliWith(ctx, clockStart, args...).wants(t, c.code)
				if armed.Fired() == 0 {
					t.Error("the fault was not met")
				}
				x.server.Heal()
				var d rowDocument
				if err := json.Unmarshal([]byte(r.out), &d); err != nil || d.State != c.state || !strings.Contains(r.out, c.says) {
					t.Errorf("%v: %s", err, r.out)
				}
				for s, n := range c.counts {
					if d.Counts[s] != n {
						t.Errorf("%s: %d, want %d", s, d.Counts[s], n)
					}
				}
				var order []string
				for _, q := range x.server.Requests() {
					if q.Kind == x.kinds.undo && !slices.Contains(order, q.Key) {
						order = append(order, q.Key)
					}
				}
				if !slices.IsSorted(order) { // the newest entry's key is the lowest
					t.Errorf("not the newest first: %q", order)
				}
				if c.name == "somebody writes" {
					return
				}
				// A request that was given up may reach the store only now: its key is
				// then refused as changed, and done for the run after.
				if again := cliWith(context.Background(), clockStart, args...); again.code != 1 || !strings.Contains(again.out, "was changed since") {
					again.wants(t, 0)
				} else {
					cliWith(context.Background(), clockStart, args...).wants(t, 0)
				}
				if got := x.liveEntries("a"); len(got) != 6 {
					t.Errorf("live: %v", got)
				}
			})
		})
	}
}

func TestRepairDeletionsAsks(t *testing.T) {
	clinics(t, []string{"a"}, 4, func(t *testing.T, x *clinic) {
		from, to := x.removeAll(commit.Logs)
		x.pass(time.Hour)
		before := x.everything()
		url := x.URL()
		span := []string{"--from", from, "--to", to}
		with := func(more ...string) []string {
			return append(append([]string{"repair", "deletions", url}, span...), more...)
		}
		r := cli(with("--folder", "a", "--dry-run", "--read-only")...).wants(t, 0)
		for _, w := range []string{"looked   at 4 log entry keys", "from " + from + " to " + to, "first    4 of a  " + commit.EntryKey("a", 4), "last     1 of a  ", "will     remove 4 delete markers", "planned "} {
			if !strings.Contains(r.out, w) {
				t.Errorf("%q is not in\n%s", w, r.out)
			}
		}
		cli(with("--folder", "a")...).wants(t, 2).says(t, "add --yes")
		cli(with("--folder", "a", "--yes", "--read-only")...).wants(t, 2).says(t, "read-only is on")
		cli(with("--yes")...).wants(t, 2).says(t, "--folder, once for each folder, or --all")
		cli(with("--yes", "--all", "--folder", "a")...).wants(t, 2).says(t, "one of the two")
		cli(with("--yes", "--folder", "nosuch")...).wants(t, 1).says(t, "has no log")
		cli("repair", "deletions", url, "--folder", "a", "--from", from, "--yes").wants(t, 2).says(t, "needs --to")
		cli("repair", "deletions", url, "--folder", "a", "--from", "noon", "--to", to, "--yes").wants(t, 2).says(t, "--from", "noon is no time")
		cli("repair", "deletions", url, "--folder", "a", "--from", to, "--to", from, "--yes").wants(t, 2).says(t, "is after --to")
		cli("repair", "deletions", url, "--folder", "a", "--from", "2020-01-01", "--to", "2020-01-02", "--yes").wants(t, 0).prints(t,
			"in       "+url+", the log of a\nlooked   at 4 log entry keys, for delete markers made from 2020-01-01T00:00:00Z to 2020-01-02T00:00:00Z\n"+
				"note     4 are besides hidden by delete markers of other times: left alone\ndone     nothing to do: no key is hidden by delete markers of this span\n")
		if x.everything() != before {
			t.Fatal("something was written")
		}
		r = cli(with("--folder", "a", "--yes")...).wants(t, 0)
		if !strings.HasSuffix(r.out, "\nrepaired 4 mended, 0 refused, 0 not checked, 0 unclear, 0 left\n") {
			t.Error(r.out)
		}
		for _, f := range x.findings() {
			if f.Severity == audit.Damage {
				t.Errorf("%+v", f)
			}
		}
	})
}

// While versioning is suspended a null marker is not removed: the next write to the
// key has its ID too.
func TestRepairDeletionsOfNullMarkers(t *testing.T) {
	clinics(t, []string{"a"}, 6, func(t *testing.T, x *clinic) {
		if x.s3 == nil {
			t.Skip("null versions are S3's")
		}
		name := strings.TrimPrefix(x.URL(), "s3://")
		x.s3.SetVersioning(name, "Suspended")
		from, to := x.removeAll(commit.Logs)
		args := []string{"repair", "deletions", x.URL(), "--folder", "a", "--from", from, "--to", to, "--yes"}
		before := x.everything()
		cli(args...).wants(t, 1)
		if x.everything() != before {
			t.Error("something was written")
		}
		x.s3.SetVersioning(name, "Enabled")
		cli(args...).wants(t, 0)
		if got := x.liveEntries("a"); len(got) != 6 {
			t.Errorf("live: %v", got)
		}
	})
}
