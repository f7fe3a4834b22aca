package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A kind is one of the servers that can be run.
type kind struct {
	name  string
	ports int // in a row
	// arguments writes what the server needs into dir, and gives its command line.
	// port is the first of its ports, the one that tests talk to.
	arguments func(dir string, port int) ([]string, error)
	// try does once what tests do, and cleans up.
	try func(ctx context.Context, endpoint string) error
	// env is what the tests read.
	env func(endpoint string) []string
}

type server struct {
	kind
	cmd      *exec.Cmd
	dir      string // data, settings and log; removed by stop
	log      string
	endpoint string
	gone     chan struct{} // closed once the process has ended
	ended    error         // how; only after gone
}

// start starts the server and returns at once.
func start(k kind, binary, keepLog string) (*server, error) {
	dir, err := os.MkdirTemp("", "provcat-realserver-")
	if err != nil {
		return nil, err
	}
	s := &server{kind: k, dir: dir, log: filepath.Join(dir, "log"), gone: make(chan struct{})}
	if keepLog != "" {
		s.log = keepLog
	}
	fail := func(err error) (*server, error) {
		_ = os.RemoveAll(dir) // the error before is the one to tell
		return nil, err
	}
	for _, d := range []string{"data", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			return fail(err)
		}
	}
	port, err := freePorts(k.ports)
	if err != nil {
		return fail(err)
	}
	arguments, err := k.arguments(dir, port)
	if err != nil {
		return fail(err)
	}
	logFile, err := os.Create(s.log)
	if err != nil {
		return fail(err)
	}
	defer logFile.Close() //nolint:errcheck // the child has its own descriptor
	s.endpoint = fmt.Sprintf("http://127.0.0.1:%d", port)
	s.cmd = exec.Command(binary, arguments...)
	s.cmd.Dir = dir
	s.cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(dir, "tmp"), "HOME="+dir)
	s.cmd.Stdout, s.cmd.Stderr = logFile, logFile
	s.cmd.SysProcAttr = withParent()
	if err := s.cmd.Start(); err != nil {
		return fail(fmt.Errorf("start %s: %w", k.name, err))
	}
	go func() {
		if s.ended = s.cmd.Wait(); s.ended == nil {
			s.ended = errors.New("exit status 0")
		}
		close(s.gone)
	}()
	return s, nil
}

// await returns when the server takes a bucket and an object and gives them
// back: its parts come up one after the other.
func (s *server) await(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var last error
	for {
		try, cancel := context.WithTimeout(ctx, 10*time.Second)
		last = s.try(try, s.endpoint)
		cancel()
		if last == nil {
			return nil
		}
		select {
		case <-s.gone:
			return fmt.Errorf("the server ended by itself: %w", s.ended)
		case <-ctx.Done():
			return fmt.Errorf("the server at %s gave no right answer in %s: %w", s.endpoint, limit, last)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// stop ends the server, by its process, and removes what it kept. A polite stop
// takes SeaweedFS longer than 15 seconds, and the data has served its turn.
func (s *server) stop() {
	_ = s.cmd.Process.Kill() // fails only if it is gone already
	<-s.gone
	if err := os.RemoveAll(s.dir); err != nil {
		fmt.Fprintln(os.Stderr, "realserver:", err)
	}
}

// tail gives the last lines of the server's log.
func (s *server) tail(lines int) string {
	raw, err := os.ReadFile(s.log)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(raw), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// freePorts gives the first of n loopback ports in a row that are free now, and
// so are those 10,000 above them, which SeaweedFS takes for gRPC.
func freePorts(n int) (int, error) {
	for range 50 {
		// Below the ports that a system gives to clients, one of which could take a free
		// one before the server does (Linux: from 32768 on).
		first := 11000 + rand.IntN(9000)
		free := true
		for i := 0; i < n && free; i++ {
			free = isFree(first+i) && isFree(first+i+10000)
		}
		if free {
			return first, nil
		}
	}
	return 0, errors.New("found no free loopback ports")
}

func isFree(port int) bool {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return false
	}
	return l.Close() == nil
}
