package local

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
)

var bg = context.Background()

func made(t *testing.T, o Options) *Bucket {
	t.Helper()
	b, err := Create(filepath.Join(t.TempDir(), "x.bucket"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// count asks the file itself.
func count(t *testing.T, b *Bucket, q string) (n int) {
	t.Helper()
	if err := b.db.QueryRow(q).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func run(t *testing.T, b *Bucket, q string, args ...any) {
	t.Helper()
	if _, err := b.db.Exec(q, args...); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A slow body gives one piece and then waits to be let go on.
type slowBody struct {
	io.ReadSeeker
	given int64
	stall int64 // bytes after which it stands still
	wait  chan struct{}
	stood chan struct{} // closed when it stands
	err   error         // then, instead of the rest
}

func (s *slowBody) Read(p []byte) (int, error) {
	if s.given >= s.stall && s.stood != nil {
		close(s.stood)
		s.stood = nil
		<-s.wait
		if s.err != nil {
			return 0, s.err
		}
	}
	n, err := s.ReadSeeker.Read(p)
	s.given += int64(n)
	return n, err
}

func TestSlowBodyHoldsNoLock(t *testing.T) {
	b := made(t, Options{})
	other, err := Open(b.path, Options{})
	must(t, err)
	defer func() { _ = other.Close() }()
	other.wait = 2 * time.Second
	body := strings.Repeat("x", 3*batchSize)
	slow := &slowBody{ReadSeeker: strings.NewReader(body), stall: batchSize + 1, wait: make(chan struct{}), stood: make(chan struct{})}
	stood := slow.stood
	done := make(chan error)
	go func() {
		_, err := b.PutIfAbsent(bg, "slow", slow)
		done <- err
	}()
	<-stood
	if n := count(t, other, "SELECT count(*) FROM uploads"); n != 1 {
		t.Errorf("%d uploads under way; want 1", n)
	}
	if _, err := other.Put(bg, "quick", strings.NewReader("x")); err != nil {
		t.Errorf("a write beside a slow upload: %v", err)
	}
	for v, err := range other.Versions(bg, bucket.Range{}) {
		if err != nil || v.Key != "quick" {
			t.Errorf("listed %q, %v; an unfinished upload must not show", v.Key, err)
		}
	}
	close(slow.wait)
	must(t, <-done)
	r, _, err := other.Open(bg, "slow", "", 0)
	must(t, err)
	if got, err := io.ReadAll(r); err != nil || string(got) != body {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
	if n := count(t, b, "SELECT count(*) FROM uploads"); n != 0 {
		t.Errorf("%d uploads are left", n)
	}
}

func TestNothingIsLeftOfFailedUploads(t *testing.T) {
	b := made(t, Options{NoSync: true})
	_, err := b.Put(bg, "k", strings.NewReader("there"))
	must(t, err)
	large := strings.Repeat("x", 2*batchSize+1)

	broken := &slowBody{ReadSeeker: strings.NewReader(large), stall: batchSize + 1, wait: make(chan struct{}),
		stood: make(chan struct{}), err: errors.New("the cable is out")}
	close(broken.wait)
	if _, err := b.Put(bg, "new", broken); err == nil || !strings.Contains(err.Error(), "the cable is out") {
		t.Errorf("a broken source: %v", err)
	}

	ctx, cancel := context.WithCancel(bg)
	stopped := &slowBody{ReadSeeker: strings.NewReader(large), stall: batchSize + 1, wait: make(chan struct{}), stood: make(chan struct{})}
	stood := stopped.stood
	go func() { <-stood; cancel(); close(stopped.wait) }()
	if _, err := b.Put(ctx, "new", stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}

	// Refused at once, and refused at the end: the key came meanwhile.
	if _, err := b.PutIfAbsent(bg, "k", strings.NewReader(large)); !errors.Is(err, bucket.ErrExists) {
		t.Errorf("over a live version: %v", err)
	}
	late := &slowBody{ReadSeeker: strings.NewReader(large), stall: batchSize + 1, wait: make(chan struct{}), stood: make(chan struct{})}
	stood = late.stood
	go func() {
		<-stood
		if _, err := b.Put(bg, "late", strings.NewReader("first")); err != nil {
			t.Error(err)
		}
		close(late.wait)
	}()
	if _, err := b.PutIfAbsent(bg, "late", late); !errors.Is(err, bucket.ErrExists) {
		t.Errorf("the key came meanwhile: %v", err)
	}

	if n := count(t, b, "SELECT count(*) FROM uploads"); n != 0 {
		t.Errorf("%d uploads are left", n)
	}
	if n := count(t, b, "SELECT count(*) FROM chunks"); n != 2 { // k and late
		t.Errorf("%d chunks; want 2", n)
	}
}

func TestUploadsOfDeadProcessesAreSwept(t *testing.T) {
	b := made(t, Options{NoSync: true})
	dead := time.Now().Add(-staleUpload - time.Hour).Unix()
	alive := time.Now().Add(-time.Hour).Unix()
	run(t, b, "INSERT INTO uploads VALUES (1001, ?), (1002, ?)", dead, alive)
	run(t, b, "INSERT INTO chunks VALUES (1001, 0, 'x'), (1001, 1, 'x'), (1002, 0, 'x')")
	_, err := b.Put(bg, "k", strings.NewReader(strings.Repeat("x", batchSize+1)))
	must(t, err)
	if n := count(t, b, "SELECT count(*) FROM chunks WHERE body = 1001"); n != 0 {
		t.Errorf("%d chunks of the dead upload are left", n)
	}
	if n := count(t, b, "SELECT count(*) FROM chunks WHERE body = 1002"); n != 1 {
		t.Errorf("%d chunks of the living upload; want 1", n)
	}
	if n := count(t, b, "SELECT count(*) FROM uploads"); n != 1 {
		t.Errorf("%d uploads; want the living one", n)
	}
}

func TestSweptUploadFailsClearly(t *testing.T) {
	b := made(t, Options{NoSync: true})
	slow := &slowBody{ReadSeeker: strings.NewReader(strings.Repeat("x", 2*batchSize)), stall: batchSize + 1,
		wait: make(chan struct{}), stood: make(chan struct{})}
	stood := slow.stood
	go func() {
		<-stood
		if _, err := b.db.Exec("DELETE FROM uploads"); err != nil {
			t.Error(err)
		}
		close(slow.wait)
	}()
	_, err := b.Put(bg, "k", slow)
	if err == nil || !strings.Contains(err.Error(), "stood still") {
		t.Errorf("got %v", err)
	}
	if n := count(t, b, "SELECT count(*) FROM versions"); n != 0 {
		t.Errorf("%d versions", n)
	}
}

func TestBodiesGoWithTheirLastVersion(t *testing.T) {
	b := made(t, Options{NoSync: true})
	one, err := b.Put(bg, "k", strings.NewReader(strings.Repeat("x", chunkSize+1)))
	must(t, err)
	two, err := b.CopyVersion(bg, "k", one.ID, "copy")
	must(t, err)
	if n := count(t, b, "SELECT count(*) FROM chunks"); n != 2 {
		t.Errorf("%d chunks after a copy; want 2, shared", n)
	}
	must(t, b.DeleteVersion(bg, "k", one.ID))
	if n := count(t, b, "SELECT count(*) FROM chunks"); n != 2 {
		t.Errorf("%d chunks; the copy needs 2", n)
	}
	must(t, b.DeleteVersion(bg, "copy", two.ID))
	must(t, b.SetVersioning(bg, bucket.VersioningSuspended))
	for range 3 {
		_, err = b.Put(bg, "k", strings.NewReader("x"))
		must(t, err)
	}
	if n := count(t, b, "SELECT count(*) FROM chunks"); n != 1 {
		t.Errorf("%d chunks; want that of the null version", n)
	}
	_, err = b.Delete(bg, "k")
	must(t, err)
	if n := count(t, b, "SELECT count(*) FROM chunks"); n != 0 {
		t.Errorf("%d chunks are left of nothing", n)
	}
}

func TestLockIsWaitedForAndContextEndsTheWait(t *testing.T) {
	b := made(t, Options{})
	other, err := Open(b.path, Options{})
	must(t, err)
	defer func() { _ = other.Close() }()
	conn, err := other.db.Conn(bg)
	must(t, err)
	defer func() { _ = conn.Close() }()
	_, err = conn.ExecContext(bg, "BEGIN IMMEDIATE")
	must(t, err)

	ctx, cancel := context.WithTimeout(bg, 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := b.Delete(ctx, "k"); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 5*time.Second {
		t.Errorf("a write that waits for the lock: %v after %v", err, time.Since(began))
	}
	b.wait = 200 * time.Millisecond
	_, err = b.Delete(bg, "k")
	if err == nil || errors.Is(err, bucket.ErrUnclear) || !strings.Contains(err.Error(), "another process held the file's lock") {
		t.Errorf("a write that never got the lock: %v", err)
	}
	// Reading goes on beside a writer.
	for _, err := range b.Versions(bg, bucket.Range{}) {
		t.Errorf("a listing beside a writer: %v", err)
	}
	b.wait = 30 * time.Second
	go func() {
		time.Sleep(300 * time.Millisecond)
		if _, err := conn.ExecContext(bg, "ROLLBACK"); err != nil {
			t.Error(err)
		}
	}()
	if _, err := b.Delete(bg, "k"); err != nil {
		t.Errorf("a write after the wait: %v", err)
	}
}

func TestVersionDeletedWhileItIsRead(t *testing.T) {
	b := made(t, Options{NoSync: true})
	v, err := b.Put(bg, "k", strings.NewReader(strings.Repeat("x", 3*chunkSize)))
	must(t, err)
	r, _, err := b.Open(bg, "k", v.ID, 0)
	must(t, err)
	must(t, b.DeleteVersion(bg, "k", v.ID))
	got, err := io.ReadAll(r)
	if !errors.Is(err, bucket.ErrNotFound) || len(got) != chunkSize {
		t.Errorf("read %d bytes, %v; want the first chunk and %v", len(got), err, bucket.ErrNotFound)
	}
}

// What a damaged or hostile file holds is an error, never a short body or a
// body of any size.
func TestDamagedBodies(t *testing.T) {
	for name, damage := range map[string]string{
		"first chunk missing": "DELETE FROM chunks WHERE n = 0",
		"last chunk missing":  "DELETE FROM chunks WHERE n = 2",
		"chunk too short":     "UPDATE chunks SET bytes = x'00' WHERE n = 1",
		"chunk too long":      "UPDATE chunks SET bytes = zeroblob(50000000) WHERE n = 1",
		"first too long":      "UPDATE chunks SET bytes = zeroblob(50000000) WHERE n = 0",
		"size too large":      "UPDATE versions SET size = 1 << 60",
		"size negative":       "UPDATE versions SET size = -5",
		"no body":             "UPDATE versions SET body = NULL",
	} {
		b := made(t, Options{NoSync: true})
		_, err := b.Put(bg, "k", strings.NewReader(strings.Repeat("x", 2*chunkSize+5)))
		must(t, err)
		run(t, b, damage)
		r, _, err := b.Open(bg, "k", "", 0)
		if err == nil {
			_, err = io.ReadAll(r)
		}
		if !errors.Is(err, bucket.ErrBadAnswer) {
			t.Errorf("%s: %v; want %v", name, err, bucket.ErrBadAnswer)
		}
	}
}

func TestHostileTimesStayInTheYearsThatCanBeWritten(t *testing.T) {
	b := made(t, Options{NoSync: true})
	_, err := b.Put(bg, "k", strings.NewReader(""))
	must(t, err)
	for _, c := range []struct {
		unix string
		want int
	}{{"1 << 60", 9999}, {"-(1 << 60)", 1970}} {
		run(t, b, "UPDATE versions SET modified = "+c.unix)
		for v, err := range b.Versions(bg, bucket.Range{}) {
			if err != nil || v.Modified.Year() != c.want {
				t.Errorf("modified %s: %v, %v", c.unix, v.Modified, err)
			}
		}
	}
}

func TestPastPrefix(t *testing.T) {
	for in, want := range map[string]string{"": "", "a": "b", "a/": "a0", "a\xff": "b", "\xff\xff": ""} {
		if got := pastPrefix(in); got != want {
			t.Errorf("pastPrefix(%q) = %q; want %q", in, got, want)
		}
	}
}
