package local_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
)

// The test binary runs itself again as a writer. What the writer acknowledges
// it says on its standard output, one line for each, after the call returned.
func TestMain(m *testing.M) {
	if job := os.Getenv("LOCAL_TEST_CHILD"); job != "" {
		if err := child(job, os.Getenv("LOCAL_TEST_FILE"), os.Getenv("LOCAL_TEST_NAME")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(job, file, name string) error {
	b, err := local.Open(file, local.Options{})
	if err != nil {
		return err
	}
	ctx := context.Background()
	switch job {
	case "write": // until killed: small, large and deleted
		for i := 0; ; i++ {
			key := fmt.Sprintf("%s/%06d", name, i)
			size := 10
			if i%5 == 4 {
				size = 5 << 20 // several transactions
			}
			v, err := b.PutIfAbsent(ctx, key, strings.NewReader(text(key, size)))
			if err != nil {
				return err
			}
			fmt.Println("put", key, v.ID, size)
			if i%3 == 2 {
				m, err := b.Delete(ctx, key)
				if err != nil {
					return err
				}
				fmt.Println("deleted", key, m.ID, 0)
			}
		}
	case "race":
		for i := range 60 {
			key := fmt.Sprintf("k%03d", i)
			v, err := b.PutIfAbsent(ctx, key, strings.NewReader(name))
			if err == nil {
				fmt.Println("won", key, v.ID, len(name))
			} else if !errors.Is(err, bucket.ErrExists) {
				return err
			}
		}
	}
	return b.Close()
}

// text is size bytes that only the key's body has.
func text(key string, size int) string {
	return strings.Repeat(key+" ", size/(len(key)+1)+1)[:size]
}

func start(t *testing.T, job, file, name string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LOCAL_TEST_CHILD="+job, "LOCAL_TEST_FILE="+file, "LOCAL_TEST_NAME="+name)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

type ack struct {
	what, key, id string
	size          int
}

func parse(t *testing.T, line string) (a ack) {
	t.Helper()
	if _, err := fmt.Sscan(line, &a.what, &a.key, &a.id, &a.size); err != nil {
		t.Fatalf("the child said %q: %v", line, err)
	}
	return a
}

func create(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.bucket")
	b, err := local.Create(file, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

func reopen(t *testing.T, file string) *local.Bucket {
	t.Helper()
	b, err := local.Open(file, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestKilledWritersLoseNothingAcknowledged(t *testing.T) {
	t.Parallel()
	file := create(t)
	var acks []ack
	for round := range 6 {
		cmd, lines := start(t, "write", file, fmt.Sprint("round", round))
		// Killed after some acknowledged writes, a little later each time, so
		// that it is met at different points of a write.
		for n := 0; lines.Scan(); n++ {
			acks = append(acks, parse(t, lines.Text()))
			if n == 7+round {
				time.Sleep(time.Duration(round*3) * time.Millisecond)
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the child ended by itself")
		}
		// The next one to open the file finds it whole.
		checkAcks(t, file, acks)
	}
	if len(acks) < 40 {
		t.Errorf("only %d acknowledged writes", len(acks))
	}
	integrity(t, file)
	// A journal that was cut short before it meant anything may still lie there:
	// readers ignore it, the next writer takes it away.
	put(t, reopen(t, file), "after", "all")
	alone(t, file)
}

func checkAcks(t *testing.T, file string, acks []ack) {
	t.Helper()
	b := reopen(t, file)
	ctx := context.Background()
	there := map[string]bucket.Version{}
	for v, err := range b.Versions(ctx, bucket.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		there[v.Key+" "+v.ID] = v
	}
	for _, a := range acks {
		v, ok := there[a.key+" "+a.id]
		if !ok || v.DeleteMarker != (a.what == "deleted") {
			t.Fatalf("acknowledged and lost: %+v (listed: %v %+v)", a, ok, v)
		}
		if a.what == "deleted" {
			continue
		}
		rc, _, err := b.Open(ctx, a.key, a.id, 0)
		if err != nil {
			t.Fatalf("acknowledged and lost: %+v: %v", a, err)
		}
		got, err := io.ReadAll(rc)
		if err != nil || string(got) != text(a.key, a.size) {
			t.Fatalf("acknowledged and damaged: %+v: %d bytes, %v", a, len(got), err)
		}
	}
}

// integrity asks SQLite itself whether the file is whole.
func integrity(t *testing.T, file string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // only read
	var says string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&says); err != nil || says != "ok" {
		t.Errorf("PRAGMA integrity_check says %q, %v", says, err)
	}
}

// alone checks that nothing lies beside the file.
func alone(t *testing.T, file string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the bucket file lie %v, %v", entries, err)
	}
}

func TestProcessesRaceForKeys(t *testing.T) {
	t.Parallel()
	file := create(t)
	won := map[string][]ack{}
	const racers = 3
	lines := make(chan string)
	done := make(chan error)
	for i := range racers {
		cmd, out := start(t, "race", file, fmt.Sprint("racer", i))
		go func() {
			for out.Scan() {
				lines <- out.Text()
			}
			done <- cmd.Wait()
		}()
	}
	for left := racers; left > 0; {
		select {
		case line := <-lines:
			a := parse(t, line)
			won[a.key] = append(won[a.key], a)
		case err := <-done:
			if err != nil {
				t.Errorf("a racer failed: %v", err)
			}
			left--
		}
	}
	if len(won) != 60 {
		t.Errorf("%d keys were won; want 60", len(won))
	}
	b := reopen(t, file)
	n := 0
	for v, err := range b.Versions(context.Background(), bucket.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if w := won[v.Key]; len(w) != 1 || w[0].id != v.ID {
			t.Errorf("%s is version %s; won by %+v", v.Key, v.ID, w)
		}
	}
	if n != 60 {
		t.Errorf("%d versions; want 60", n)
	}
	alone(t, file)
}
