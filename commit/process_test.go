package commit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/gcs/gcstest"
	"provcat-tui/bucket/local"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakegcs"
	"provcat-tui/internal/fakes3"
	"provcat-tui/internal/faults"
)

// The test binary runs itself again as a second writer.
const childEnv = "PROVCAT_COMMIT_CHILD"

func TestChild(t *testing.T) {
	args := strings.Split(os.Getenv(childEnv), "|")
	if len(args) != 4 {
		t.Skip("only run by other tests")
	}
	b := openChild(t, args[1], args[2])
	switch args[0] {
	case "commits":
		n, err := strconv.Atoi(args[3])
		if err != nil {
			t.Fatal(err)
		}
		childCommits(t, b, n)
	case "big":
		childBig(t, b)
	case "diff":
		childDiff(t, b, args[3])
	}
}

func openChild(t *testing.T, endpoint, name string) bucket.Bucket {
	if rest, ok := strings.CutPrefix(endpoint, "gs:"); ok {
		return gcstest.Open(t, rest, name)
	}
	if endpoint != "" {
		return s3test.Open(t, endpoint, name)
	}
	b, err := local.Open(name, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// childCommits commits n times, each time after a change, and prints what it was
// told.
func childCommits(t *testing.T, b bucket.Bucket, n int) {
	for i := range n {
		key := fmt.Sprintf("f/%d-%d", os.Getpid(), i)
		if _, err := b.PutIfAbsent(bg, key, strings.NewReader(key)); err != nil {
			t.Fatal(err)
		}
		for {
			r, err := Write(bg, b, "f", WriteOptions{TimeLimit: 5 * time.Minute})
			var we *WriteError
			if errors.As(err, &we) && (we.Reason == ReasonContended || we.Reason == ReasonUnsettled) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Committed {
				fmt.Printf("COMMITTED %d %s\n", r.Number, r.ID)
			}
			break
		}
	}
}

func child(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(bg, 5*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestChild$", "-test.count=1", "-test.v") //nolint:gosec // this very binary
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join(args, "|"))
	return cmd
}

// twoProcesses has two processes commit one folder n times each.
func twoProcesses(t *testing.T, b bucket.Bucket, endpoint, name string, n int) {
	var out [2]bytes.Buffer
	var cmds [2]*exec.Cmd
	for i := range cmds {
		cmds[i] = child(t, "commits", endpoint, name, fmt.Sprint(n))
		cmds[i].Stdout, cmds[i].Stderr = &out[i], &out[i]
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range cmds {
		if err := cmds[i].Wait(); err != nil {
			t.Errorf("writer %d: %v\n%s", i, err, &out[i])
		}
	}
	told := map[int64]string{}
	for i := range out {
		for s := bufio.NewScanner(&out[i]); s.Scan(); {
			var number int64
			var id string
			if k, _ := fmt.Sscanf(s.Text(), "COMMITTED %d %s", &number, &id); k != 2 {
				continue
			}
			if told[number] != "" {
				t.Errorf("number %d was told twice", number)
			}
			told[number] = id
		}
	}
	// A change may be in the other's commit, never lost.
	if len(told) < n || len(told) > 2*n {
		t.Errorf("%d commits by two writers of %d", len(told), n)
	}
	whole(t, b, "f", int64(len(told)))
	var head string
	for s, err := range Log(bg, b, FolderHash("f"), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if head == "" {
			head = s.Entry.Commit
		}
		if told[s.Number] != s.Entry.Commit {
			t.Errorf("number %d: %s was told, %s is there", s.Number, told[s.Number], s.Entry.Commit)
		}
	}
	if got := len(filesOf(t, b, head)); got != 2*n {
		t.Errorf("the last commit has %d files of %d", got, 2*n)
	}
	AuditAfter(t, b)
}

func TestTwoProcessesLocal(t *testing.T) {
	n := 50
	if testing.Short() {
		n = 5
	}
	path := filepath.Join(t.TempDir(), "x.bucket")
	b, err := local.Create(path, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	twoProcesses(t, b, "", path, n)
}

func TestTwoProcessesS3(t *testing.T) {
	n := 50
	if testing.Short() {
		n = 5
	}
	s := fakes3.New(fakes3.Options{})
	t.Cleanup(s.Close)
	b := s3test.New(t, s.URL())
	twoProcesses(t, b, s.URL(), b.Name, n)
}

func TestTwoProcessesGCS(t *testing.T) {
	n := 50
	if testing.Short() {
		n = 5
	}
	s := fakegcs.New(fakegcs.Options{})
	t.Cleanup(s.Close)
	b := gcstest.New(t, s.URL())
	twoProcesses(t, b, "gs:"+s.URL(), b.Name, n)
}

// Another server of Cloud Storage's protocol, as a second opinion.
func TestRealServerTwoProcessesGCS(t *testing.T) {
	endpoint := gcstest.RealEndpoint(t)
	b := gcstest.New(t, endpoint)
	twoProcesses(t, b, "gs:"+endpoint, b.Name, 50)
}

// SeaweedFS refuses the losers of a race one a second.
func TestRealServerTwoProcesses(t *testing.T) {
	endpoint := s3test.RealEndpoint(t)
	b := s3test.New(t, endpoint)
	twoProcesses(t, b, endpoint, b.Name, 50)
}

func TestRealServerWrite(t *testing.T) { realWrite(t, s3test.New(t, s3test.RealEndpoint(t))) }

func TestRealServerWriteGCS(t *testing.T) { realWrite(t, gcstest.New(t, gcstest.RealEndpoint(t))) }

func realWrite(t *testing.T, b testBucket) {
	put(t, b, "f/a", "1")
	put(t, b, "f/sub/b", "2")
	r := write(t, b, "f", WriteOptions{TimeLimit: time.Minute})
	if again := write(t, b, "f", WriteOptions{TimeLimit: time.Minute}); !r.Committed || again.Committed || again.ID != r.ID {
		t.Errorf("%+v, then %+v", r, again)
	}
	remove(t, b, "f/a")
	write(t, b, "f", WriteOptions{TimeLimit: time.Minute})
	whole(t, b, "f", 2)
	remove(t, b, EntryKey("f", 2))
	if _, err := Write(bg, b, "f", quick(WriteOptions{})); !errors.Is(err, bucket.ErrDamaged) {
		t.Errorf("a deleted head: %v", err)
	}
}

// A cloud is a test server of one, and a bucket on it.
type cloud struct {
	*faults.Server
	b       testBucket
	put     string // the API's name of what creates an object
	busy    faults.Action
	ignores func(on bool) // conditions
}

type testBucket interface {
	bucket.Bucket
	Put(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error)
}

var clouds = map[string]func(t *testing.T) cloud{
	"s3": func(t *testing.T) cloud {
		s := fakes3.New(fakes3.Options{})
		t.Cleanup(s.Close)
		b := s3test.New(t, s.URL())
		return cloud{&s.Server, b, "PutObject", fakes3.SlowDown, func(on bool) { s.IgnoreConditions(b.Name, on) }}
	},
	"gcs": func(t *testing.T) cloud {
		s := fakegcs.New(fakegcs.Options{})
		t.Cleanup(s.Close)
		return cloud{&s.Server, gcstest.New(t, s.URL()), "objects.insert", fakegcs.BackendError, func(bool) {
			s.Fail(fakegcs.Fault{Kind: "objects.insert", Times: -1, Do: fakegcs.IgnoreCondition})
		}}
	},
}

func TestWriteS3(t *testing.T)  { onTheWire(t, clouds["s3"]) }
func TestWriteGCS(t *testing.T) { onTheWire(t, clouds["gcs"]) }

// onTheWire is the same protocol on the wire: lost answers, and a store that ignores
// conditions.
func onTheWire(t *testing.T, fresh func(*testing.T) cloud) {
	conflict := faults.Reply(409, "text/plain", "conflict")
	for name, c := range map[string]struct {
		prefix string
		skip   int
		do     func(cloud) faults.Action
		times  int
	}{
		"object, answer dropped": {Commits, 0, of(faults.DropAnswer), 1},
		"object, dropped":        {Commits, 0, of(faults.Drop), 1},
		"object, conflict":       {Commits, 0, of(conflict), 2},
		"second put, conflict":   {Commits, 1, of(conflict), 2},
		"entry, answer dropped":  {Logs, 0, of(faults.DropAnswer), 1},
		"entry, all dropped":     {Logs, 0, of(faults.DropAnswer), 4},
		"entry, dropped":         {Logs, 0, of(faults.Drop), 5},
		"entry, reset":           {Logs, 0, of(faults.Reset), 5},
		"entry, conflict":        {Logs, 0, of(conflict), 5},
		"entry, applied reset":   {Logs, 0, of(faults.Applied(faults.Reset)), 1},
		"entry, applied 503":     {Logs, 0, func(c cloud) faults.Action { return faults.Applied(c.busy) }, 5},
	} {
		t.Run(name, func(t *testing.T) {
			s := fresh(t)
			b := s.b
			put(t, b, "f/a", "1")
			armed := s.Fail(faults.Fault{Kind: s.put, Prefix: c.prefix, Skip: c.skip, Times: c.times, Do: c.do(s)})
			r := write(t, b, "f", WriteOptions{TimeLimit: 20 * time.Second})
			if !r.Committed || r.Number != 1 || r.Attempts != 1 || keys(t, b, Logs) != 1 || keys(t, b, Commits) != 1 || armed.Fired() == 0 {
				t.Errorf("%+v; %d entries, %d objects, met %d times", r, keys(t, b, Logs), keys(t, b, Commits), armed.Fired())
			}
			whole(t, b, "f", 1)
		})
	}
	t.Run("conditions ignored", func(t *testing.T) {
		s := fresh(t)
		b := s.b
		put(t, b, "f/a", "1")
		s.ignores(true)
		_, err := Write(bg, b, "f", quick(WriteOptions{}))
		var we *WriteError
		if !errors.As(err, &we) || we.Reason != ReasonConditions || keys(t, b, Logs) != 0 {
			t.Errorf("%v, %d entries", err, keys(t, b, Logs))
		}
	})
	t.Run("out of reach", func(t *testing.T) {
		s := fresh(t)
		b := s.b
		put(t, b, "f/a", "1")
		s.Fail(faults.Fault{Kind: s.put, Prefix: Logs, Times: -1, Do: faults.Drop})
		_, err := Write(bg, b, "f", quick(WriteOptions{}))
		var we *WriteError
		if !errors.As(err, &we) || !we.Unclear {
			t.Errorf("%v", err)
		}
	})
}

func of(a faults.Action) func(cloud) faults.Action { return func(cloud) faults.Action { return a } }

// bigFolder is how many files the commit of TestBigCommit has.
const bigFolder = 100_000

// The writer runs in a process of its own, so that the server's memory is not
// counted.
func TestBigCommit(t *testing.T) {
	if testing.Short() {
		t.Skip("commits 100,000 files")
	}
	s := fakes3.New(fakes3.Options{})
	t.Cleanup(s.Close)
	b := s3test.New(t, s.URL())
	s.Fill(b.Name, bigFolder, func(i int) fakes3.Planted {
		return fakes3.Planted{Key: fmt.Sprintf("big/year=2026/month=%02d/part-%08d.parquet", i*12/bigFolder, i), Body: []byte("x")}
	})
	out, err := child(t, "big", s.URL(), b.Name, "").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	peak := told(t, string(out), "PEAK")
	t.Logf("peak of the heap: %v MB", peak)
	if peak >= 200 {
		t.Errorf("the commit took %v MB", peak)
	}
	whole(t, b, "big", 1)
	if h, err := Head(bg, b, "big"); err != nil || len(filesOf(t, b, h.Entry.Commit)) != bigFolder {
		t.Errorf("%+v, %v", h, err)
	}
}

func childBig(t *testing.T, b bucket.Bucket) {
	stop := watchPeak()
	r, err := Write(bg, b, "big", WriteOptions{})
	stop()
	if err != nil || !r.Committed || r.Files != bigFolder || r.Listings != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
}

// watchPeak watches how much memory is in use, until stop is called, which prints it.
func watchPeak() (stop func()) {
	var peak atomic.Uint64
	done := make(chan struct{})
	go func() {
		var m runtime.MemStats
		for {
			runtime.ReadMemStats(&m)
			peak.Store(max(peak.Load(), m.HeapInuse+m.StackInuse))
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() {
		close(done)
		fmt.Printf("PEAK %d\n", peak.Load()>>20)
	}
}
