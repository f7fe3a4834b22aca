package histories

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/gcs/gcstest"
	"provcat-tui/bucket/local"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
)

// An event is one line of what a process tells: that an operation began, and what it
// was told at the end. A process that is killed never tells the end.
type event struct {
	Op   int    // number of the operation within the process, from 1
	Kind string // "put", "delete", "commit", "log", "pin"
	At   int64  // nanoseconds since 1970, by the machine's one clock
	End  bool

	Folder string
	Key    string   // put, delete
	Token  string   // commit: its message, which no other has
	Number int64    // commit
	ID     string   // commit, pin: a commit's ID
	Asked  string   // pin: the commit of whose time the pin was asked
	IDs    []string // log: from the newest
	// Told is the outcome: "ok", "nothing" (to commit), "failed" (nothing was
	// written), "unclear", "damaged" (a log).
	Told string
	Why  string
}

// An order is what a process is told to do.
type order struct {
	Store    string // "s3", "gcs", "local"
	Endpoint string
	Bucket   string // its name, or path
	Process  int
	Seed     uint64
	Ops      int
	Folders  []string
	// Kill is the call to the bucket at which the process kills itself: before it is
	// made, or with After when it has been made. 0: it lives.
	Kill  int
	After bool
	Slow  bool // the store's refusals take seconds
}

const orderEnv = "PROVCAT_HISTORY_ORDER"

// TestProcess is what the other processes run.
func TestProcess(t *testing.T) {
	var o order
	if os.Getenv(orderEnv) == "" {
		t.Skip("only run by other tests")
	}
	if err := json.Unmarshal([]byte(os.Getenv(orderEnv)), &o); err != nil {
		t.Fatal(err)
	}
	p := &process{order: o, b: &mortal{Bucket: open(t, o.Store, o.Endpoint, o.Bucket), kill: int64(o.Kill), after: o.After}, random: rand.New(rand.NewPCG(o.Seed, uint64(o.Process)))}
	for range o.Ops {
		p.step(t.Context())
	}
}

func open(t testing.TB, store, endpoint, name string) bucket.Bucket {
	switch store {
	case "gcs":
		return gcstest.Open(t, endpoint, name)
	case "s3":
		return s3test.Open(t, endpoint, name)
	}
	b, err := local.Open(name, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() }) // the process ends
	return b
}

// A mortal bucket kills its process, as a machine that loses its power would, before
// or after one of its calls.
type mortal struct {
	bucket.Bucket
	calls, kill int64
	after       bool
}

func (m *mortal) call() func() {
	n := atomic.AddInt64(&m.calls, 1)
	die := func() {
		if p, err := os.FindProcess(os.Getpid()); err == nil {
			_ = p.Kill() // SIGKILL, where there are signals; it does not return
		}
		select {}
	}
	if n == m.kill && !m.after {
		die()
	}
	return func() {
		if n == m.kill {
			die()
		}
	}
}

func (m *mortal) PutIfAbsent(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	defer m.call()()
	return m.Bucket.PutIfAbsent(ctx, key, body)
}

func (m *mortal) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		defer m.call()()
		m.Bucket.Versions(ctx, r)(yield)
	}
}

func (m *mortal) Delete(ctx context.Context, key string) (bucket.Version, error) {
	defer m.call()()
	return m.Bucket.Delete(ctx, key)
}

func (m *mortal) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	defer m.call()()
	return m.Bucket.Open(ctx, key, version, first)
}

func (m *mortal) Versioning(ctx context.Context) (bucket.Versioning, time.Time, error) {
	defer m.call()()
	return m.Bucket.Versioning(ctx)
}

// Unwrap gives the bucket itself.
func (m *mortal) Unwrap() bucket.Bucket { return m.Bucket }

// A process does operations, one after the other, and tells of them.
type process struct {
	order
	b      bucket.Bucket
	random *rand.Rand
	op     int
	keys   []event // puts of its own that can be deleted
	known  []event // commits that it was told of
}

func tell(e event) {
	e.At = time.Now().UnixNano()
	line, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	// One write for each line: a process that is killed leaves whole lines, or half of
	// its last one.
	if _, err := os.Stdout.Write(append(append([]byte("\nEVENT "), line...), '\n')); err != nil {
		panic(err)
	}
}

// do tells of an operation before and after it is done.
func (p *process) do(e event, f func(e *event) error) event {
	p.op++
	e.Op = p.op
	tell(e)
	err := f(&e)
	e.End = true
	var we *commit.WriteError
	switch {
	case err == nil && e.Told == "":
		e.Told = "ok"
	case err == nil:
	case errors.Is(err, bucket.ErrUnclear), errors.As(err, &we) && we.Unclear:
		e.Told = "unclear"
	default:
		e.Told = "failed"
	}
	if err != nil {
		e.Why = err.Error()
	}
	tell(e)
	return e
}

func (p *process) step(ctx context.Context) {
	folder := p.Folders[p.random.IntN(len(p.Folders))]
	switch dice := p.random.IntN(20); {
	case dice < 6:
		p.put(ctx, folder)
	case dice < 8 && len(p.keys) > 0:
		i := p.random.IntN(len(p.keys))
		e := p.keys[i]
		p.keys = append(p.keys[:i], p.keys[i+1:]...)
		p.do(event{Kind: "delete", Folder: e.Folder, Key: e.Key}, func(*event) error {
			_, err := p.b.Delete(ctx, e.Key)
			return err
		})
	case dice < 15:
		p.put(ctx, folder)
		p.commit(ctx, folder)
	case dice < 18 || len(p.known) == 0:
		p.do(event{Kind: "log", Folder: folder}, func(e *event) error {
			for s, err := range commit.Log(ctx, p.b, commit.FolderHash(folder), 2) {
				switch {
				case err != nil:
					return err
				case s.Gap > 0 || errors.Is(s.Err, commit.ErrDeleted) || len(s.Versions) > 1:
					e.Told = "damaged" // nobody deletes here, or writes twice
					e.Why = fmt.Sprintf("number %d, gap %d, %v, versions %+v", s.Number, s.Gap, s.Err, s.Versions)
				case s.Err != nil:
					return s.Err
				}
				e.IDs = append(e.IDs, s.Entry.Commit)
			}
			return nil
		})
	default:
		asked := p.known[p.random.IntN(len(p.known))]
		p.do(event{Kind: "pin", Folder: asked.Folder, Asked: asked.ID}, func(e *event) error {
			h, err := commit.LoadHeader(ctx, p.b, asked.ID)
			if err != nil {
				return err
			}
			pin, err := commit.FindPin(ctx, p.b, asked.Folder, h.Time, 2)
			switch {
			case err != nil:
				return err
			case len(pin.Doubts) > 0:
				return errors.New(strings.Join(pin.Doubts, "; "))
			case pin.Chosen != nil:
				e.ID = pin.Chosen.ID
			}
			return nil
		})
	}
}

func (p *process) put(ctx context.Context, folder string) {
	key := fmt.Sprintf("%s/%d-%d", folder, p.Process, p.op)
	e := p.do(event{Kind: "put", Folder: folder, Key: key}, func(*event) error {
		_, err := p.b.PutIfAbsent(ctx, key, strings.NewReader(key))
		return err
	})
	if e.Told == "ok" {
		p.keys = append(p.keys, e)
	}
}

func (p *process) commit(ctx context.Context, folder string) {
	token := fmt.Sprintf("%d-%d", p.Process, p.op)
	limit := 2 * time.Second
	if p.Slow {
		limit = time.Minute
	}
	e := p.do(event{Kind: "commit", Folder: folder, Token: token}, func(e *event) error {
		r, err := commit.Write(ctx, p.b, folder, commit.WriteOptions{Message: token, Author: fmt.Sprint(p.Process), Concurrency: 2, TimeLimit: limit})
		e.Number, e.ID = r.Number, r.ID
		if err == nil && !r.Committed {
			e.Told = "nothing"
		}
		return err
	})
	if e.Told == "ok" || e.Told == "nothing" {
		p.known = append(p.known, e)
	}
}
