package histories

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/bucket/gcs/gcstest"
	"provcat-tui/bucket/local"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
	"provcat-tui/internal/fakegcs"
	"provcat-tui/internal/fakes3"
)

// How many histories of each store a plain run checks; PROVCAT_HISTORIES says another
// number. The seeds of a plain run are always the same; those of a longer one are new,
// and are told.
const usual = 4

// A tally counts over all histories of a store.
type tally struct {
	mu                           sync.Mutex // guards what follows
	histories, processes, killed int
	told                         map[string]int // operations, by kind and outcome
	faults                       map[string]int
	commits                      int // in the logs at the end
}

func (c *tally) String() string {
	return fmt.Sprintf("%d histories of %d processes (%d killed), %d commits in the logs; operations %v; faults %v",
		c.histories, c.processes, c.killed, c.commits, c.told, c.faults)
}

func TestHistories(t *testing.T) {
	for _, store := range []string{"local", "s3", "gcs"} {
		t.Run(store, func(t *testing.T) { many(t, store, "", usual) })
	}
}

// SeaweedFS refuses the losers of a race one a second.
func TestRealServerHistories(t *testing.T) { many(t, "s3", s3test.RealEndpoint(t), 10) }

func TestRealServerHistoriesGCS(t *testing.T) { many(t, "gcs", gcstest.RealEndpoint(t), 10) }

func many(t *testing.T, store, endpoint string, n int) {
	first := uint64(1)
	if s := os.Getenv("PROVCAT_HISTORIES"); s != "" && endpoint == "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
		first = rand.Uint64N(math.MaxInt32)
	}
	if s := os.Getenv("PROVCAT_SEED"); s != "" {
		seed, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		first, n = seed, 1
	}
	count := &tally{told: map[string]int{}, faults: map[string]int{}}
	t.Run("seeds", func(t *testing.T) { // ends when all have ended
		for i := range n {
			seed := first + uint64(i)
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel() // much of a history is waiting
				history(t, store, endpoint, seed, count)
				if t.Failed() {
					t.Logf("the same seed again: PROVCAT_SEED=%d go test -run '%s' ./internal/histories", seed, t.Name())
				}
			})
		}
	})
	t.Logf("seeds %d to %d: %s", first, first+uint64(n)-1, count)
}

// A world is a bucket, and how other processes reach it.
type world struct {
	b        bucket.Bucket
	endpoint string // of the store itself; empty: a file
	name     string
}

func fresh(t *testing.T, store, endpoint string) world {
	switch store {
	case "s3":
		if endpoint == "" {
			s := fakes3.New(fakes3.Options{})
			t.Cleanup(s.Close)
			endpoint = s.URL()
		}
		b := s3test.New(t, endpoint)
		return world{b, endpoint, b.Name}
	case "gcs":
		if endpoint == "" {
			s := fakegcs.New(fakegcs.Options{})
			t.Cleanup(s.Close)
			endpoint = s.URL()
		}
		b := gcstest.New(t, endpoint)
		return world{b, endpoint, b.Name}
	}
	path := filepath.Join(t.TempDir(), "x.bucket")
	b, err := local.Create(path, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() }) // the test has ended
	return world{b, "", path}
}

// history runs one history and checks it.
func history(t *testing.T, store, endpoint string, seed uint64, count *tally) {
	random := rand.New(rand.NewPCG(seed, 0))
	w := fresh(t, store, endpoint)
	folders := []string{"a", "b"}[:1+random.IntN(2)]
	orders := make([]order, 2+random.IntN(7))
	outputs := make([]*bytes.Buffer, len(orders))
	var running []*exec.Cmd
	var proxies []*proxy
	for i := range orders {
		o := order{Store: store, Bucket: w.name, Process: i + 1, Seed: seed, Ops: 3 + random.IntN(6), Folders: folders, Slow: endpoint != ""}
		if random.IntN(2) == 0 {
			o.Kill, o.After = 1+random.IntN(40), random.IntN(2) == 0
		}
		if w.endpoint != "" {
			// Some processes have a good line, some a bad one.
			p := newProxy(w.endpoint, []float64{0, 0.02, 0.1, 0.3, 0.7}[random.IntN(5)], rand.New(rand.NewPCG(seed, uint64(i)+100)))
			t.Cleanup(p.Close)
			proxies = append(proxies, p)
			o.Endpoint = p.URL
		}
		orders[i], outputs[i] = o, &bytes.Buffer{}
		running = append(running, start(t, o, outputs[i]))
	}
	var all []operation
	dead := 0
	for i, cmd := range running {
		err := cmd.Wait()
		killed := err != nil && cmd.ProcessState.ExitCode() == -1
		if err != nil && !killed {
			t.Fatalf("process %d: %v\n%s", i+1, err, outputs[i])
		}
		ops, err := pair(i+1, events(t, outputs[i].Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if killed {
			dead++
		}
		all = append(all, ops...)
	}
	for _, p := range proxies {
		p.Close()
		for _, s := range p.sins {
			t.Errorf("the format allows no such write: %s", s)
		}
	}
	commits := check(t, w.b, folders, all)
	count.add(all, proxies, len(orders), dead, commits)
}

func (c *tally) add(all []operation, proxies []*proxy, processes, killed, commits int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.histories++
	c.processes += processes
	c.killed += killed
	c.commits += commits
	for _, o := range all {
		c.told[o.Kind+" "+o.Told]++
	}
	for _, p := range proxies {
		for k, n := range p.met {
			c.faults[k] += n
		}
	}
}

func start(t *testing.T, o order, out *bytes.Buffer) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestProcess$", "-test.count=1") //nolint:gosec // this very binary
	cmd.Env = append(os.Environ(), orderEnv+"="+string(text))
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func events(t *testing.T, out []byte) (all []event) {
	t.Helper()
	s := bufio.NewScanner(bytes.NewReader(out))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		text, ours := strings.CutPrefix(s.Text(), "EVENT ")
		if !ours {
			continue
		}
		var e event
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		all = append(all, e)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// check holds a history against the bucket that it left, and gives the number of its
// commits.
func check(t *testing.T, b bucket.Bucket, folders []string, all []operation) (commits int) {
	t.Helper()
	ctx := context.Background()
	tokens := map[string]string{"": ""}
	versions := map[string]string{} // of the data, by key
	for v, err := range b.Versions(ctx, bucket.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if id, ok := commit.ParseCommitKey(v.Key); ok {
			h, err := commit.LoadHeader(ctx, b, id)
			if err != nil {
				t.Fatalf("the commit object %s: %v", id, err)
			}
			if tokens[id] != "" {
				t.Errorf("the commit object %s has two versions", id)
			}
			tokens[id] = h.Message
		}
		if !v.DeleteMarker && !strings.HasPrefix(v.Key, ".provcat/") {
			if versions[v.Key] != "" {
				t.Errorf("%s was created twice", v.Key)
			}
			versions[v.Key] = v.ID
		}
	}
	for _, folder := range folders {
		last := operation{process: 0, call: math.MaxInt64 - 1, back: math.MaxInt64 - 1, event: event{Kind: "log", Told: "ok", Folder: folder}}
		where := map[string]int64{}
		for s, err := range commit.Log(ctx, b, commit.FolderHash(folder), 4) {
			if err != nil || s.Err != nil || s.Gap > 0 || len(s.Versions) != 1 {
				t.Fatalf("%s number %d: %+v, %v", folder, s.Number, s, err)
			}
			last.IDs = append(last.IDs, s.Entry.Commit)
			where[s.Entry.Commit] = s.Number
		}
		commits += len(where)
		for _, o := range all {
			if o.Folder != folder {
				continue
			}
			switch {
			case o.Told == "damaged":
				t.Errorf("process %d was shown a damaged log: %+v", o.process, o.event)
			case o.Kind == "commit" && o.Told == "ok" && where[o.ID] != o.Number:
				t.Errorf("process %d was told that %s is number %d of %s; it is %d", o.process, o.ID, o.Number, folder, where[o.ID])
			case o.Kind == "pin" && o.Told == "ok" && o.ID != o.Asked:
				t.Errorf("process %d asked which commit a reader got at the time of %s, and was told %q", o.process, o.Asked, o.ID)
			case o.Kind == "commit" && o.Told == "failed" && slices.ContainsFunc(slices.Collect(maps.Keys(where)), func(id string) bool { return tokens[id] == o.Token }):
				t.Errorf("process %d was told that its commit %s failed (%s), and it is in the log", o.process, o.Token, o.Why)
			}
		}
		of := lives(all, folder, versions)
		for id := range where {
			files := map[string]string{}
			if _, err := commit.Load(ctx, b, id, func(f commit.File) error {
				files[folder+"/"+f.Path] = f.Version
				return nil
			}); err != nil {
				t.Fatalf("commit %s: %v", id, err)
			}
			i := slices.IndexFunc(all, func(o operation) bool { return o.Kind == "commit" && o.Token == tokens[id] })
			if i < 0 {
				t.Errorf("nobody made the commit %s with the message %q", id, tokens[id])
				continue
			}
			if err := snapshot(files, of, all[i].call, all[i].back); err != nil {
				t.Errorf("commit %d of %s (%s) is no snapshot: %v", where[id], folder, tokens[id], err)
			}
		}
		all = append(all, last)
	}
	if ok, info := linearizable(all, tokens); !ok {
		path := filepath.Join(os.TempDir(), fmt.Sprintf("history-%d.html", os.Getpid()))
		f, err := os.Create(path)
		if err == nil {
			err = errors.Join(porcupine.Visualize(logs, info, f), f.Close()) //nolint:misspell // its name
		}
		t.Errorf("no order of the operations explains what the processes were told; a picture: %s (%v)", path, err)
	}
	r, err := audit.Run(ctx, b, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Severity == audit.Damage || f.Severity == audit.Unknown {
			t.Errorf("the audit afterwards: %s: %s", f.ID, f.Title)
		}
	}
	return commits
}
