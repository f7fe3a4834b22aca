package views

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// A slow bucket answers a level when the test says so.
type slow struct {
	bucket.Bucket
	mu    sync.Mutex
	gates map[string]chan struct{} // by prefix
	began []string
	ended []string
}

func (s *slow) Close() error { return nil }

func (s *slow) gate(prefix string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gates == nil {
		s.gates = map[string]chan struct{}{}
	}
	if s.gates[prefix] == nil {
		s.gates[prefix] = make(chan struct{})
	}
	return s.gates[prefix]
}

func (s *slow) Level(ctx context.Context, prefix string) iter.Seq2[bucket.Item, error] {
	if strings.HasPrefix(prefix, commit.Root) {
		return s.Bucket.Level(ctx, prefix)
	}
	return func(yield func(bucket.Item, error) bool) {
		s.mu.Lock()
		s.began = append(s.began, prefix)
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			s.ended = append(s.ended, prefix)
			s.mu.Unlock()
		}()
		select {
		case <-s.gate(prefix):
		case <-ctx.Done():
			yield(bucket.Item{}, ctx.Err())
			return
		}
		for i, err := range s.Bucket.Level(ctx, prefix) {
			if !yield(i, err) {
				return
			}
		}
	}
}

func (s *slow) has(list *[]string, prefix string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range *list {
		if x == prefix {
			return true
		}
	}
	return false
}

func slowDriver(t *testing.T) (*driver, *slow) {
	f, _ := small(t)
	s := &slow{Bucket: f.b}
	d := &driver{t: t, m: newApp(f.startOn(s, "")), msgs: make(chan tea.Msg, 1024), w: 80, h: 24}
	t.Cleanup(d.m.close)
	d.run(d.m.Init())
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.until("listing", func() bool { return s.has(&s.began, "") })
	return d, s
}

// While a bucket is slow keys are taken, a spinner comes, and esc stops the request.
func TestEscCancels(t *testing.T) {
	d, s := slowDriver(t)
	d.until("showing a spinner", func() bool { return strings.Contains(d.text(), "(esc cancels)") })
	d.send(keyMsg("?"))
	d.sees("Help:")
	d.send(keyMsg("?"))
	d.send(keyMsg("esc"))
	d.idle()
	d.sees("was cancelled", "r loads again")
	if !s.has(&s.ended, "") {
		t.Error("the request goes on after esc")
	}
	close(s.gate(""))
	d.press("r")
	d.sees("README.md")
}

// The answer about a folder that the cursor has left is dropped.
func TestLateAnswersAreDropped(t *testing.T) {
	d, s := slowDriver(t)
	close(s.gate(""))
	d.idle()
	d.send(keyMsg("down")) // sales/
	d.until("listing sales/", func() bool { return s.has(&s.began, "sales/") })
	d.send(keyMsg("down")) // web/
	d.until("listing web/", func() bool { return s.has(&s.began, "web/") })
	close(s.gate("web/"))
	d.idle()
	close(s.gate("sales/"))
	d.idle()
	d.sees("index.html", "web/: 0 folders, 1 file")
	d.seesNot("▸ 2026/", "sales/: ")
	d.until("stopping the old request", func() bool { return s.has(&s.ended, "sales/") })
}

// A task that was dropped must not reach its screen, even if its news is already
// on the way.
func TestDroppedTaskStaysSilent(t *testing.T) {
	a := newApp(Start{})
	top := a.stack.top()
	called := 0
	release := make(chan struct{})
	w := load("x", "x", func(context.Context, func(int)) error { <-release; return nil }, nil, func(error) action { called++; return nil })
	cmd := a.do(top, begin{w})
	a.do(top, begin{load("x", "x", func(context.Context, func(int)) error { return nil }, nil, nil)})
	close(release)
	a.Update(cmd())
	if called != 0 {
		t.Error("a late answer was taken")
	}
}

// News come at most 20 times a second, whatever the number of items.
func TestNewsComeInBatches(t *testing.T) {
	defer func(p time.Duration) { pace = p }(pace)
	pace = 50 * time.Millisecond
	const n = 100_000
	got, batches := 0, 0
	w := load("x", "x", func(_ context.Context, add func(int)) error {
		for i := range n {
			add(i)
		}
		time.Sleep(120 * time.Millisecond)
		for i := range n {
			add(i)
		}
		return nil
	}, func(items []int) action { got += len(items); batches++; return nil }, nil)
	begun := time.Now()
	next := w.launch(t.Context())
	for {
		x := next()
		x.apply()
		if x.last {
			break
		}
	}
	if got != 2*n {
		t.Errorf("%d items, want %d", got, 2*n)
	}
	if most := 3 + int(time.Since(begun)/(50*time.Millisecond)); batches > most {
		t.Errorf("%d batches in %v, want at most %d", batches, time.Since(begun), most)
	}
}

func TestAFaultInATaskIsAnError(t *testing.T) {
	w := load("x", "x", func(context.Context, func(int)) error { panic("oops") }, nil, func(err error) action { return note{ui.Bad, err.Error()} })
	x := w.launch(t.Context())()
	if got := fmt.Sprint(x.apply()); !strings.Contains(got, "fault of this program: oops") {
		t.Errorf("got %s", got)
	}
}

func TestValveHoldsBack(t *testing.T) {
	v := newValve(2)
	ctx, cancel := context.WithCancel(t.Context())
	for range 2 {
		if err := v.pass(ctx); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error)
	go func() { done <- v.pass(ctx) }()
	for !v.waits() {
		time.Sleep(time.Millisecond)
	}
	v.open(1)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	go func() { done <- v.pass(ctx) }()
	for !v.waits() {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: %v", err)
	}
}

// A folder of many keys is loaded as far as the person scrolls.
func TestFolderLoadsByWindows(t *testing.T) {
	f := newFixture(t)
	d := newDriver(t, f.startOn(many{f.b}, ""), 80, 24)
	d.sees("5,000 files", "there are more: scroll on")
	d.press("tab", "end")
	d.sees("10,000 files")
}

// many is a bucket of a million keys.
type many struct{ bucket.Bucket }

func (many) Level(context.Context, string) iter.Seq2[bucket.Item, error] {
	return func(yield func(bucket.Item, error) bool) {
		for i := range 1_000_000 {
			if !yield(bucket.Item{Version: bucket.Version{Key: fmt.Sprintf("k%07d", i), ID: "v", Latest: true, Size: 1}}, nil) {
				return
			}
		}
	}
}

// denied may list folders, and read nothing.
type denied struct{ bucket.Bucket }

func (b denied) deny(op, key string) error {
	return &bucket.Error{Op: op, Bucket: "s3://b", Key: key, Kind: bucket.ErrDenied, Permission: "s3:GetObjectVersion"}
}

func (b denied) Open(_ context.Context, key, _ string, _ int64) (io.ReadCloser, bucket.Version, error) {
	return nil, bucket.Version{}, b.deny("read", key)
}

// What may not be read is shown as not checked, never as missing or damaged.
func TestDeniedIsNotMissing(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.startOn(unclosed{denied{f.b}}, "sales/2026"), 160, 30)
	d.sees("? commit #5")
	d.press("l")
	d.sees("╶─?   #5", "could not be checked", "s3:GetObjectVersion")
	d.seesNot("✗", "missing", "gone")
	d.press("esc", "tab", "enter")
	d.sees("? Reading it failed", "could not be checked", "s3:GetObjectVersion")
}

// A bucket has its own bound of reads side by side; without one the program's holds.
func TestConcurrencyOfABucket(t *testing.T) {
	e := newEnv(Start{Concurrency: 7, ConcurrencyAt: func(l bucket.Location) int {
		return map[string]int{"slow": 2}[l.Bucket]
	}})
	for name, want := range map[string]int{"slow": 2, "other": 7} {
		if got := (place{env: e, loc: bucket.Location{Scheme: "s3", Bucket: name}}).parallel(); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}
