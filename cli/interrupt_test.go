//go:build unix

package cli

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
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"provcat-tui/internal/fakes3"
)

var ends = map[string]syscall.Signal{"SIGINT": syscall.SIGINT, "SIGTERM": syscall.SIGTERM, "SIGHUP": syscall.SIGHUP}

// program is the real program, as a process.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // the test fails by then
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], args...) //nolint:gosec // this very binary
	cmd.Env = append(os.Environ(), asProgram+"=1", "TERM=xterm-256color")
	return cmd
}

// A process is a program that others send signals to while it runs.
type process struct {
	cmd       *exec.Cmd
	started   chan struct{}
	out, errs bytes.Buffer
}

func newProcess(cmd *exec.Cmd) *process {
	p := &process{cmd: cmd, started: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.out, &p.errs
	return p
}

// signal waits until the process is there. One that has ended meanwhile gets none.
func (p *process) signal(s syscall.Signal) {
	<-p.started
	_ = p.cmd.Process.Signal(s)
}

func (p *process) run(t *testing.T) (code int) {
	t.Helper()
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	close(p.started)
	return ended(t, p.cmd.Wait())
}

// ended gives the exit code of a process that was waited for; -1: a signal ended it.
func ended(t *testing.T, err error) int {
	t.Helper()
	var e *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.ExitCode()
	}
	t.Fatal(err)
	return 0
}

// A screen is a terminal in which the explorer runs.
type screen struct {
	t          *testing.T
	cmd        *exec.Cmd
	master     *os.File
	tty        *os.File // what the program has, to look at its state
	before     *term.State
	errs       bytes.Buffer // standard error
	mu         sync.Mutex
	seen       strings.Builder
	readerDone chan struct{}
}

// explore starts the explorer in a terminal.
func explore(t *testing.T, args ...string) *screen {
	t.Helper()
	return exploreWith(t, program(t, args...))
}

// exploreWith is explore with a command that starts it.
func exploreWith(t *testing.T, cmd *exec.Cmd) *screen {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal here: ", err)
	}
	s := &screen{t: t, cmd: cmd, master: master, tty: tty, readerDone: make(chan struct{})}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	if s.before, err = term.GetState(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = tty, tty, &s.errs
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = master.Close(); _ = tty.Close() }) // what was to be looked at was
	go func() {
		defer close(s.readerDone)
		buf := make([]byte, 1<<14)
		for {
			n, err := master.Read(buf)
			s.mu.Lock()
			s.seen.Write(buf[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.String()
}

func (s *screen) until(what string) {
	s.t.Helper()
	for end := time.Now().Add(30 * time.Second); !strings.Contains(s.text(), what); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("%q did not appear: %q", what, s.text())
		}
	}
}

// is checks how it ended, and that the terminal is as it was.
func (s *screen) is(code int) {
	s.t.Helper()
	if got := ended(s.t, s.cmd.Wait()); got != code {
		s.t.Errorf("exit code %d, want %d: %s", got, code, s.errs.String())
	}
	s.until("\x1b[?1049l") // the screen before
	for _, gone := range []string{"\x1b[?1049", "\x1b[?25", "\x1b[?1002", "\x1b[?1003", "\x1b[?2004"} {
		text := s.text()
		on, off := strings.LastIndex(text, gone+"h"), strings.LastIndex(text, gone+"l")
		if gone == "\x1b[?25" { // the cursor: h shows it
			on, off = off, on
		}
		if on > off {
			s.t.Errorf("%q is still on", gone)
		}
	}
	if after, err := term.GetState(int(s.tty.Fd())); err != nil || *after != *s.before {
		s.t.Errorf("the terminal is left in another mode: %v", err)
	}
}

// Whatever ends the explorer, the terminal is as it was, and the exit code tells.
func TestSignalsEndTheExplorer(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	for name, signal := range ends {
		s := explore(t, tb.path)
		s.until("sales")
		if err := s.cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		s.is(exitInterrupted)
		if got := s.errs.String(); got != "provcat-tui: interrupted\n" {
			t.Errorf("%s: %q", name, got)
		}
	}
	// The person's own ways are no interruption.
	s := explore(t, tb.path)
	s.until("sales")
	if _, err := s.master.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	s.is(exitDone)
}

// A store that never answers does not keep a signal waiting.
func TestSignalsEndAHangingExplorer(t *testing.T) {
	s := newS3(t, fakes3.Options{})
	s.Put("team-data", "sales/eu.csv", []byte("a,b\n"))
	free := make(chan struct{})
	t.Cleanup(func() { close(free) })
	var hang atomic.Bool
	s.Before(func(fakes3.Request) {
		if hang.Load() {
			<-free
		}
	})
	e := explore(t, "s3://team-data/sales", "--endpoint", s.URL(), "--region", "us-east-1", "--path-style")
	e.until("eu.csv")
	hang.Store(true)
	if _, err := e.master.WriteString("r"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // it asks
	began := time.Now()
	if err := e.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	e.is(exitInterrupted)
	if d := time.Since(began); d > 10*time.Second {
		t.Errorf("it took %v", d)
	}
}

// A terminal that vanishes takes the explorer along, also one that ignores SIGHUP.
func TestVanishedTerminal(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	for _, ignored := range []bool{false, true} {
		cmd := program(t, tb.path)
		if ignored {
			cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`, os.Args[0], tb.path}
		}
		s := exploreWith(t, cmd)
		s.until("sales")
		_ = s.tty.Close()
		_ = s.master.Close() // the kernel sends SIGHUP, and reads and writes fail
		if code := ended(t, s.cmd.Wait()); code != exitInterrupted && code != exitIncomplete {
			t.Errorf("SIGHUP ignored %v: exit code %d", ignored, code)
		}
	}
}

// SIGQUIT has a program tell what it was at. The terminal is put back before that.
func TestQuitTellsOnAWholeTerminal(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	s := explore(t, tb.path)
	s.until("sales")
	if err := s.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	s.is(2)
	if !strings.Contains(s.errs.String(), "SIGQUIT") || !strings.Contains(s.errs.String(), "goroutine") {
		t.Errorf("it says %.300q", s.errs.String())
	}
}

// A command that was started to ignore a signal goes on to ignore it, as under nohup.
func TestIgnoredSignals(t *testing.T) {
	s := newS3(t, fakes3.Options{})
	s.Put("team-data", "sales/eu.csv", []byte("a,b\n"))
	cmd := program(t)
	inner := []string{"ls", "s3://team-data/sales", "--endpoint", s.URL(), "--region", "us-east-1", "--path-style"}
	cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`, os.Args[0]}, inner...)
	p := newProcess(cmd)
	var once sync.Once
	s.Before(func(fakes3.Request) {
		once.Do(func() {
			p.signal(syscall.SIGHUP)
			time.Sleep(50 * time.Millisecond) // it would come meanwhile
		})
	})
	if code := p.run(t); code != 0 || !strings.Contains(p.out.String(), "eu.csv") {
		t.Errorf("exit code %d: %s", code, p.errs.String())
	}
}

// A commit that is interrupted at any of its requests says truly what came of it: before
// the commit point that nothing is there, after it what is.
func TestInterruptedCommit(t *testing.T) {
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
	var n int
	for at := 1; ; at++ {
		for _, answered := range []bool{false, true} {
			s := newS3(t, fakes3.Options{})
			s.Put("team-data", "sales/eu.csv", []byte("a,b\n"))
			p := newProcess(program(t, "commit", "s3://team-data/sales", "-m", "x", "--endpoint", s.URL(), "--region", "us-east-1", "--path-style"))
			out, errs := &p.out, &p.errs
			var seen atomic.Int64
			free := make(chan struct{})
			stop := func(fakes3.Request) {
				if seen.Add(1) != int64(at) {
					return
				}
				p.signal(signals[at%len(signals)]) // it waits for this answer
				select {
				case <-free:
				case <-time.After(200 * time.Millisecond):
				}
			}
			if answered {
				s.After(stop)
			} else {
				s.Before(stop)
			}
			code := p.run(t)
			close(free)
			time.Sleep(5 * time.Millisecond) // what was held is applied now
			there := len(s.Entries("team-data", ".provcat/log/")) > 0
			orphan := len(s.Entries("team-data", ".provcat/commits/")) > 0
			switch {
			case seen.Load() < int64(at): // it ended before: all its requests were tried
				if code != 0 || !there {
					t.Errorf("uninterrupted: exit code %d: %s", code, errs.String())
				}
				if n < 12 {
					t.Errorf("only %d interruptions", n)
				}
				return
			case code == 0 && !there:
				t.Errorf("request %d: it says %q, and there is nothing", at, out.String())
			case code == exitInterrupted && !strings.Contains(errs.String(), "interrupted: nothing was committed"):
				t.Errorf("request %d: it does not say what was done: %q", at, errs.String())
			case code == exitInterrupted && orphan && !strings.Contains(errs.String(), "may be there without an entry"):
				t.Errorf("request %d: it does not tell of the object that it left: %q", at, errs.String())
			case code == exitInterrupted && there:
				t.Errorf("request %d, answered %v: it says %q, and there is a commit", at, answered, errs.String())
			case code == exitInterrupted && (out.Len() > 0 || !strings.Contains(errs.String(), "interrupted")):
				t.Errorf("request %d: %q %q", at, out.String(), errs.String())
			case code == exitIncomplete && !strings.Contains(errs.String(), "unclear"):
				t.Errorf("request %d: %q", at, errs.String())
			case code != 0 && code != exitInterrupted && code != exitIncomplete:
				t.Errorf("request %d: exit code %d: %s", at, code, errs.String())
			}
			n++
		}
	}
}

// What was fetched before an interruption is whole, and nothing else lies there.
func TestInterruptedGet(t *testing.T) {
	s := newS3(t, fakes3.Options{})
	for _, k := range []string{"a", "b", "c", "d"} {
		s.Put("team-data", "sales/"+k, bytes.Repeat([]byte(k), 100_000))
	}
	flags := []string{"--endpoint", s.URL(), "--region", "us-east-1", "--path-style"}
	cli(append([]string{"commit", "s3://team-data/sales", "-m", "x"}, flags...)...).wants(t, 0)
	dir := filepath.Join(t.TempDir(), "out")
	report := filepath.Join(t.TempDir(), "report.json")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"get", "s3://team-data/sales", "-o", dir, "--concurrency", "1"}, "the same command goes on with the rest"},
		{[]string{"audit", "s3://team-data", "--depth", "readable", "--format", "json", "--output", report}, "nothing was concluded"},
	} {
		p := newProcess(program(t, append(c.args, flags...)...))
		var reads atomic.Int64
		s.Forget()
		armed := s.Fail(fakes3.Fault{Kind: "GetObject", Prefix: "sales/", Times: -1, Do: fakes3.Call(func(fakes3.Request) {
			if reads.Add(1) == 2 {
				p.signal(syscall.SIGTERM)
				time.Sleep(200 * time.Millisecond)
			}
		})})
		if code := p.run(t); code != exitInterrupted || !strings.Contains(p.errs.String(), c.says) {
			t.Errorf("%v: exit code %d, %d reads: %s", c.args, code, armed.Fired(), p.errs.String())
		}
		s.Heal()
	}
	if _, err := os.Stat(report); err == nil {
		t.Error("there is a report of an interrupted audit")
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if body, err := os.ReadFile(filepath.Join(dir, f.Name())); err != nil || len(f.Name()) != 1 || string(body) != strings.Repeat(f.Name(), 100_000) {
			t.Errorf("%s has %d bytes: %v", f.Name(), len(body), err)
		}
	}
}

// A disk that is full fails what writes to it, with the reason, and leaves nothing in part.
func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	isolate(t)
	tb, _, _ := sales(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = full.Close() })
	for _, args := range [][]string{{"ls", tb.path}, {"log", tb.at("sales")}, {"log", tb.at("sales"), "--format", "json"}, {"audit", tb.path}, {"audit", tb.path, "--format", "sarif"},
		{"cat", tb.at("sales/us.csv")}, {"diff", tb.at("sales"), "1"}, {"doctor", tb.at("sales")}, {"--help"}, {"--version"}} {
		cmd := program(t, args...)
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &errs
		if code := ended(t, cmd.Run()); code != exitIncomplete || !strings.Contains(errs.String(), "no space left on device") || strings.Contains(errs.String(), "goroutine") {
			t.Errorf("%v: exit code %d: %s", args, code, errs.String())
		}
	}
	cmd := program(t, "audit", tb.path, "--output", "/dev/full")
	if out, err := cmd.CombinedOutput(); ended(t, err) != exitIncomplete || !strings.Contains(string(out), "no space left on device") {
		t.Errorf("--output: %v: %s", err, out)
	}
}

// A limit on the size of files is a disk that is full after so many bytes: what is
// written stays whole or isn't there, and no command dies of it.
func TestFullDiskHalfway(t *testing.T) {
	isolate(t)
	tb := newBucket(t)
	tb.put("sales/a", strings.Repeat("a", 10))
	tb.put("sales/b", strings.Repeat("b", 300_000))
	first := tb.commit("sales", "ana", "first")
	tb.put("sales/c", "c")
	// ulimit counts in 512 bytes in a POSIX shell, in 1,024 in bash: 100 is less than b's size in each.
	limited := func(args ...string) (code int, out string) {
		cmd := program(t)
		cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `ulimit -f 100; exec "$0" "$@"`, os.Args[0]}, args...)
		said, err := cmd.CombinedOutput()
		return ended(t, err), string(said)
	}
	dir := filepath.Join(t.TempDir(), "out")
	code, out := limited("get", tb.at("sales"), "--at", "1", "-o", dir)
	if code != exitIncomplete || !strings.Contains(out, "file too large") || strings.Contains(out, "goroutine") {
		t.Errorf("get: exit code %d: %s", code, out)
	}
	if body, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || len(body) != 10 {
		t.Errorf("a has %d bytes: %v", len(body), err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %v: want a alone", files, err)
	}
	// A commit that finds no room isn't there; the bucket is as it was.
	for i := range 150 {
		tb.put(fmt.Sprintf("sales/%03d%s", i, strings.Repeat("x", 900)), "")
	}
	code, out = limited("commit", tb.at("sales"), "-m", "second")
	if code != exitIncomplete || strings.Contains(out, "goroutine") {
		t.Errorf("commit: exit code %d: %s", code, out)
	}
	if r := cli("log", tb.at("sales"), "--format", "json").wants(t, 0); !strings.Contains(r.out, first) || strings.Contains(r.out, "second") {
		t.Errorf("the log after a commit that found no room: %s", r.out)
	}
	cli("audit", tb.path).wants(t, 0)
}

// A reader that has enough ends the program quietly.
func TestReaderLeaves(t *testing.T) {
	isolate(t)
	tb := newBucket(t)
	for i := range 150 { // more than a pipe holds
		tb.put(fmt.Sprintf("sales/%03d%s", i, strings.Repeat("x", 900)), "")
	}
	tb.commit("sales", "ana", "first")
	tb.delete("sales/000" + strings.Repeat("x", 900))
	for _, args := range [][]string{{"ls", tb.at("sales/"), "--recursive"}, {"show", tb.at("sales"), "1", "--format", "json"}, {"diff", tb.at("sales"), "1"}, {"audit", tb.path, "--format", "json"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := program(t, args...)
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = w, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_ = w.Close() // the process has its own
		_, err = bufio.NewReader(io.LimitReader(r, 1)).ReadByte()
		_ = r.Close() // it has enough
		code := ended(t, cmd.Wait())
		sig := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if err != nil && err != io.EOF || code > 1 || code == -1 && sig.Signal() != syscall.SIGPIPE {
			t.Errorf("%v: exit code %d, %v: %s", args, code, sig, errs.String())
		}
		if errs.Len() > 0 {
			t.Errorf("%v: it says %q", args, errs.String())
		}
	}
}
