package audit

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// sync copies what is live to a new bucket, as aws s3 sync does, beginning after a
// while and with a pause between any two objects. keep says which keys.
func (w *world) sync(after, pause time.Duration, keep func(key string) bool) *world {
	w.Helper()
	to := newWorld(w.TB)
	to.now = w.now.Add(after)
	for v, err := range w.b.Versions(bg, bucket.Range{}) {
		w.must(err)
		if v.Live() && keep(v.Key) {
			to.pass(pause)
			to.ids = w.ids + 1000 // a version of its own
			w.ids++
			to.put(v.Key, w.body(v.Key, ""))
		}
	}
	return to
}

func all(string) bool { return true }

// restore removes every version of the keys of a folder for good, and puts their
// live bytes back a week later.
func (w *world) restore(folder string) {
	w.Helper()
	bodies := map[string]string{}
	for v, err := range w.b.Versions(bg, bucket.Range{Prefix: commit.KeyPrefix(folder)}) {
		w.must(err)
		if v.Live() && !strings.HasPrefix(v.Key, commit.Root) {
			bodies[v.Key] = w.body(v.Key, "")
		}
	}
	w.pass(7 * 24 * time.Hour)
	for k, body := range bodies {
		w.erase(k)
		w.put(k, body)
	}
}

// Two folders of three files and several commits each.
func copyable(t *testing.T) *world {
	w := newWorld(t)
	w.history(sales, 4) // names orders of 4 versions, readme and prices: 6
	w.history("logs", 2)
	return w
}

func TestBucketCopied(t *testing.T) {
	t.Parallel()
	// Of 6 and 4 versions none is there: 6 commits are broken, and the newest two
	// name three files each, all of which were copied.
	whole := want{id: "bucket-copied", severity: Damage, sure: Likely, folder: "-", versions: 10, commits: 6, repair: "recommit",
		says: "of 6 versions that the newest commits name, 6 have the same ETag and size at the same key", shows: "not here"}
	// The copied entries still look as if their writers' clocks were off.
	partly := []want{{id: "version-missing", folder: sales, versions: 6}, {id: "version-missing", folder: "logs", versions: 4},
		{id: "time-skewed", folder: sales}, {id: "time-skewed", folder: "logs"}}
	for name, x := range map[string]struct {
		make func(w *world) *world
		o    Options
		want []want
	}{
		"in a minute": {make: func(w *world) *world { return w.sync(time.Hour, time.Second, all) }, want: []want{whole}},
		"in two days": {make: func(w *world) *world { return w.sync(24*time.Hour, 2*time.Hour, all) }, want: []want{whole}},
		"one folder of it is looked at": {make: func(w *world) *world { return w.sync(time.Hour, time.Minute, all) }, o: Options{Folder: "logs"},
			want: []want{{id: "bucket-copied", folder: "logs", versions: 4, commits: 2}}},
		"files were put and committed there since": {make: func(w *world) *world {
			w = w.sync(time.Hour, time.Minute, all)
			w.pass(time.Hour)
			w.put("new/a", "x")
			w.commit("new", "first")
			w.put("logs/more", "x")
			w.commit("logs", "fresh") // whole again: it names what is there
			return w
		}, want: []want{whole}},
		"with more than sixty-four files, so that all is listed a second time": {make: func(w *world) *world {
			for i := range 100 {
				w.put(fmt.Sprintf("logs/many/%03d", i), fmt.Sprint("x", i))
			}
			w.commit("logs", "many")
			return w.sync(time.Hour, time.Second, all)
		}, want: []want{{id: "bucket-copied", versions: 110, commits: 7, says: "of 106 versions"}}},
		"a file in ten had changed since the last commit": {make: func(w *world) *world {
			for i := range 20 {
				w.put(fmt.Sprintf("logs/many/%03d", i), fmt.Sprint("x", i))
			}
			w.commit("logs", "many")
			w.put("logs/many/000", "changed")
			w.put("logs/many/001", "changed")
			return w.sync(time.Hour, time.Second, all)
		}, want: []want{{id: "bucket-copied", says: "of 26 versions that the newest commits name, 24 have"}}},

		// Look-alikes.
		"a rule took most, and a file was put again": {make: func(w *world) *world {
			for _, k := range []string{sales + "/readme", sales + "/de/prices.csv", "logs/readme"} {
				w.erase(k)
			}
			for _, v := range w.versions(sales + "/orders.csv")[1:] {
				w.kill(v.Key, v.ID)
			}
			w.pass(24 * time.Hour)
			w.put(sales+"/readme", "of "+sales)
			return w
		}, want: []want{{id: "version-missing", folder: sales, versions: 5, says: "Of 4 of them the same bytes, by ETag and size, still exist; of the first the same bytes are still at logs/de/prices.csv"},
			{id: "version-missing", folder: "logs", versions: 1, says: "no other version within the bucket"}}},
		"a folder was put back from a backup": {make: func(w *world) *world { w.restore(sales); return w },
			want: []want{{id: "version-missing", folder: sales, versions: 6, says: "Of 5 of them the same bytes"}}},
		"all folders were put back from a backup": {make: func(w *world) *world { w.restore(sales); w.restore("logs"); return w },
			want: []want{{id: "version-missing", folder: sales, versions: 6}, {id: "version-missing", folder: "logs", versions: 4}}},
		"half of it was copied": {make: func(w *world) *world {
			return w.sync(time.Hour, time.Second, func(key string) bool { return !strings.HasSuffix(key, "readme") })
		}, want: partly},
		"the log was copied, to where a folder's own files are": {make: func(w *world) *world {
			return w.sync(time.Hour, time.Second, func(key string) bool { return strings.HasPrefix(key, commit.Root) })
		}, want: partly},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := auditOf(t, x.make(copyable(t)).b, x.o)
			expect(t, r, x.want...)
		})
	}
}

// A fingerprint must not change with what somebody puts into the copy later.
func TestBucketCopiedIsTheSameFinding(t *testing.T) {
	t.Parallel()
	w := copyable(t).sync(time.Hour, time.Second, all)
	print := func() string {
		for _, f := range w.audit(Options{}).Findings {
			if f.ID == "bucket-copied" {
				return f.Fingerprint
			}
		}
		t.Fatal("no finding")
		return ""
	}
	before := print()
	w.pass(time.Hour)
	w.put("logs/more", "x")
	w.commit("logs", "fresh")
	if after := print(); after != before {
		t.Errorf("%s became %s", before, after)
	}
}

// What the copying tool dates is no writer's: the finding about the copy is alone,
// however the objects were ordered and delayed on the way.
func TestBucketCopiedInAnyOrder(t *testing.T) {
	t.Parallel()
	w := copyable(t)
	w.commit("", "all of it")
	var keys []string
	for v, err := range w.b.Versions(bg, bucket.Range{}) {
		w.must(err)
		if v.Live() {
			keys = append(keys, v.Key)
		}
	}
	to := newWorld(t)
	to.now, to.ids = w.now.Add(time.Hour), 5000
	for i := range keys { // from the last to the first, the entries of the oldest commits first
		to.pass(3 * time.Minute)
		k := keys[len(keys)-1-i]
		to.put(k, w.body(k, ""))
	}
	expect(t, to.audit(Options{}), want{id: "bucket-copied", versions: 10, commits: 7})
}

// The same on an S3 server, whose times are whole seconds and whose listings come in
// pages.
func TestBucketCopiedOnS3(t *testing.T) {
	t.Parallel()
	w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	server := fakes3.New(fakes3.Options{Now: w.tick})
	t.Cleanup(server.Close)
	from, to := s3test.New(t, server.URL()), s3test.New(t, server.URL())
	for i := range 70 {
		server.Put(from.Name, fmt.Sprintf("f/%02d", i), fmt.Append(nil, i))
	}
	for i := range 3 {
		server.Put(from.Name, "f/n", fmt.Append(nil, "state ", i))
		if _, err := w.write(from, "f", ""); err != nil {
			t.Fatal(err)
		}
	}
	w.pass(10 * time.Minute)
	for v, err := range from.Versions(bg, bucket.Range{}) {
		w.must(err)
		if !v.Live() {
			continue
		}
		r, _, err := from.Open(bg, v.Key, v.ID, 0)
		w.must(err)
		body, err := io.ReadAll(r)
		w.must(errors.Join(err, r.Close()))
		server.Put(to.Name, v.Key, body)
	}
	expect(t, auditOf(t, from, Options{}))
	// 70 files, and three versions of n, of which the last was copied.
	expect(t, auditOf(t, to, Options{}), want{id: "bucket-copied", severity: Damage, folder: "-", versions: 73, commits: 3, says: "of 71 versions that the newest commits name, 71 have"})
}
