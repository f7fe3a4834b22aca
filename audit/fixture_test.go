package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
	"provcat-tui/commit"
)

var bg = context.Background()

// A world is a bucket with a clock of its own, and what tests do to it.
type world struct {
	testing.TB
	b   store
	mu  sync.Mutex
	now time.Time
	ids int
}

// A store is what a world needs of its bucket.
type store interface {
	bucket.Bucket
	Put(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error)
	SetVersioning(ctx context.Context, v bucket.Versioning) error
	SetLifecycle(ctx context.Context, rules []bucket.Rule) error
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	if os.Getenv("PROVCAT_AUDIT_STORE") == "gcs" {
		w.b = newGCSStore(t, w)
		return w
	}
	b, err := local.Create(filepath.Join(t.TempDir(), "x.bucket"), local.Options{Now: w.tick, NewID: w.id, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	w.b = b
	return w
}

func (w *world) tick() time.Time { return w.pass(time.Second) }

func (w *world) pass(d time.Duration) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
	return w.now
}

func (w *world) id() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ids++
	return fmt.Sprintf("v%05d", w.ids)
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) put(key, body string) bucket.Version {
	w.Helper()
	v, err := w.b.Put(bg, key, strings.NewReader(body))
	w.must(err)
	return v
}

func (w *world) del(key string) bucket.Version {
	w.Helper()
	v, err := w.b.Delete(bg, key)
	if _, ok := w.b.(*gcsStore); ok && errors.Is(err, bucket.ErrNotFound) {
		return bucket.Version{} // what is not there cannot be deleted
	}
	w.must(err)
	return v
}

// kill removes one version for good.
func (w *world) kill(key, version string) {
	w.Helper()
	w.must(w.b.DeleteVersion(bg, key, version))
}

// erase removes every version of a key.
func (w *world) erase(key string) {
	w.Helper()
	for _, v := range w.versions(key) {
		if !v.Derived { // it goes with its version
			w.kill(key, v.ID)
		}
	}
}

func (w *world) versions(key string) []bucket.Version {
	w.Helper()
	var out []bucket.Version
	for v, err := range w.b.Versions(bg, bucket.Range{Prefix: key, Through: key}) {
		w.must(err)
		out = append(out, v)
	}
	return out
}

func (w *world) commit(folder, message string) commit.Result {
	w.Helper()
	r, err := w.write(w.b, folder, message)
	w.must(err)
	if !r.Committed {
		w.Fatalf("nothing to commit in %q", folder)
	}
	return r
}

func (w *world) write(b bucket.Bucket, folder, message string) (commit.Result, error) {
	return commit.Write(bg, b, folder, commit.WriteOptions{Author: "ana", Message: message, Now: w.tick,
		Sleep: func(ctx context.Context, d time.Duration) error { w.pass(d); return ctx.Err() }})
}

// history makes n commits of a folder with three files, one of which changes each
// time, and gives their IDs, the first at 1.
func (w *world) history(folder string, n int) []string {
	w.Helper()
	ids := []string{""}
	w.put(commit.KeyPrefix(folder)+"readme", "of "+folder)
	w.put(commit.KeyPrefix(folder)+"de/prices.csv", "1,2,3")
	for i := 1; i <= n; i++ {
		w.put(commit.KeyPrefix(folder)+"orders.csv", strings.Repeat("order\n", i))
		ids = append(ids, w.commit(folder, fmt.Sprint("state ", i)).ID)
	}
	return ids
}

// object writes a commit object by hand and gives its ID.
func (w *world) object(h commit.Header, files ...commit.File) string {
	w.Helper()
	if h.Time.IsZero() {
		h.Time = w.tick()
	}
	var body bytes.Buffer
	id, err := commit.Encode(&body, h, func(yield func(commit.File, error) bool) {
		for _, f := range files {
			if !yield(f, nil) {
				return
			}
		}
	})
	w.must(err)
	w.put(commit.CommitKey(id), body.String())
	return id
}

// raw writes any bytes as a commit object, under their hash.
func (w *world) raw(body string) string {
	w.Helper()
	o, _ := commit.Decode(strings.NewReader(body), nil) // only the hash is asked for
	w.put(commit.CommitKey(o.ID), body)
	return o.ID
}

// entry writes a log entry by hand.
func (w *world) entry(folder string, n int64, id string, at time.Time) bucket.Version {
	w.Helper()
	return w.put(commit.EntryKey(folder, n), string(commit.EncodeEntry(commit.Entry{Commit: id, Folder: folder, HasFolder: true, Number: n, Time: at})))
}

func (w *world) load(id string) (commit.Header, []commit.File) {
	w.Helper()
	var files []commit.File
	o, err := commit.Load(bg, w.b, id, func(f commit.File) error { files = append(files, f); return nil })
	w.must(err)
	return o.Header, files
}

// body reads a version; an empty one is the live one.
func (w *world) body(key, version string) string {
	w.Helper()
	r, _, err := w.b.Open(bg, key, version, 0)
	w.must(err)
	defer func() { _ = r.Close() }()
	all, err := io.ReadAll(r)
	w.must(err)
	return string(all)
}

// audit audits with one request at a time, and once more with sixteen and pages so small
// that ranges are listed side by side: both reports must be the same, byte by byte.
func (w *world) audit(o Options) *Report {
	w.Helper()
	if o.MaxRequests > 0 || o.MaxDuration > 0 || o.Concurrency > 0 || o.Progress != nil {
		return auditOf(w.TB, w.b, o)
	}
	b := &unchanging{w.b, w.b.Settings(bg)}
	o.Concurrency = 1
	alone := auditOf(w.TB, b, o)
	o.Concurrency, o.pageSize = 16, 1
	side := auditOf(w.TB, b, o)
	if x, y := plain(w.TB, alone), plain(w.TB, side); !bytes.Equal(x, y) {
		w.Errorf("one request at a time:\n%s\nsixteen:\n%s", x, y)
	}
	return alone
}

// An unchanging bucket's settings, and its clock with them, do not change. Its listings
// begin in any order.
type unchanging struct {
	bucket.Bucket
	settings bucket.Settings
}

func (b *unchanging) Settings(context.Context) bucket.Settings { return b.settings }
func (b *unchanging) Unwrap() bucket.Bucket                    { return b.Bucket }

func (b *unchanging) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	for range rand.IntN(100) {
		runtime.Gosched()
	}
	return b.Bucket.Versions(ctx, r)
}

// plain is a report without what it cost and when it ran.
func plain(t testing.TB, r *Report) []byte {
	x := *r
	x.Started, x.Finished, x.Requests = time.Time{}, time.Time{}, Requests{}
	x.Witness = nil
	out, err := json.MarshalIndent(&x, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func auditOf(t testing.TB, b bucket.Bucket, o Options) *Report {
	t.Helper()
	r, err := Run(bg, b, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A want is a finding that is expected; what is empty is not compared.
type want struct {
	id       string
	severity Severity
	folder   string // "-": none
	number   int64
	commit   string
	key      string
	repair   string // its kind; "-": none
	versions int64  // affected
	commits  int    // affected
	says     string // part of the title, the detail or the repair
	// confidence
	sure  Confidence
	shows string // part of a key, a version or a note in the evidence or the examples
}

// expect compares all findings but those of severity info that nobody asks for.
func expect(t testing.TB, r *Report, wants ...want) {
	t.Helper()
	left := map[int]bool{}
	for i, f := range r.Findings {
		if f.Severity != Info {
			left[i] = true
		}
	}
next:
	for _, w := range wants {
		var near []string
		for i, f := range r.Findings {
			if f.ID != w.id {
				continue
			}
			why := w.differs(f)
			if why == "" {
				delete(left, i)
				notePlanted(t, f)
				continue next
			}
			near = append(near, why)
		}
		t.Errorf("no finding %s as expected: %v", w.id, near)
	}
	for i := range left {
		f := r.Findings[i]
		t.Errorf("unexpected: %s %s: %s (%s)", f.Severity, f.ID, f.Title, f.Detail)
	}
}

func (w want) differs(f Finding) string {
	folder, repair := "-", "-"
	if f.Folder != nil {
		folder = *f.Folder
	}
	text := f.Title + "\n" + f.Detail
	if f.Repair != nil {
		repair = f.Repair.Kind
		text += "\n" + f.Repair.Text
	}
	shown := ""
	for _, e := range append(append([]Evidence{}, f.Evidence...), f.Affected.Examples...) {
		shown += fmt.Sprintln(e.Key, e.Version, e.Note, e.DeleteMarker)
	}
	for _, x := range []struct {
		what      string
		got, want any
		skip      bool
	}{
		{"severity", f.Severity, w.severity, w.severity == ""},
		{"confidence", f.Confidence, w.sure, w.sure == ""},
		{"folder", folder, w.folder, w.folder == ""},
		{"number", f.Number, w.number, w.number == 0},
		{"commit", f.Commit, w.commit, w.commit == ""},
		{"key", f.Key, w.key, w.key == ""},
		{"repair", repair, w.repair, w.repair == ""},
		{"versions", f.Affected.Versions, w.versions, w.versions == 0},
		{"commits", len(f.Affected.Commits), w.commits, w.commits == 0},
	} {
		if !x.skip && x.got != x.want {
			return fmt.Sprintf("%s is %v, want %v", x.what, x.got, x.want)
		}
	}
	switch {
	case !strings.Contains(text, w.says):
		return fmt.Sprintf("%q is not in %q", w.says, text)
	case !strings.Contains(shown, w.shows):
		return fmt.Sprintf("%q is not shown: %s", w.shows, shown)
	case f.Fingerprint == "" || f.Title == "" || f.Detail == "":
		return fmt.Sprintf("something is empty: %+v", f)
	}
	return ""
}
