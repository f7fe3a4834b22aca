package local_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
)

// sound is the bytes of a bucket's file that has some of everything.
func sound(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.bucket")
	b, err := local.Create(path, local.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for i := range 12 {
		if _, err := b.Put(ctx, fmt.Sprintf("a/%d", i%5), strings.NewReader(strings.Repeat("body ", i*300))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Delete(ctx, "a/1"); err != nil {
		t.Fatal(err)
	}
	if err := b.SetLifecycle(ctx, []bucket.Rule{{ID: "trim", Enabled: true, NoncurrentDays: 3}}); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// change makes damage of each six bytes: where, and what is laid over it.
func change(data, damage []byte) []byte {
	out := bytes.Clone(data)
	for ; len(damage) >= 6; damage = damage[6:] {
		at := int(binary.LittleEndian.Uint32(damage)) % len(out)
		out[at] ^= damage[4]
		out[(at+1)%len(out)] ^= damage[5]
	}
	return out
}

// read reads all that a damaged file gives. There may be any error; it must come to an
// end, and the file must stay as it is.
func read(t testing.TB, path string, data []byte) {
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var errs []error
	b, err := local.Open(path, local.Options{}) // without NoSync, as the program does
	errs = append(errs, err)
	if err == nil {
		s := b.Settings(ctx)
		errs = append(errs, s.VersioningErr, s.LifecycleErr, s.ObjectLockErr)
		n := 0
		for v, err := range b.Versions(ctx, bucket.Range{}) {
			errs = append(errs, err)
			if n++; err != nil || n > 1000 {
				break
			}
			if v.DeleteMarker {
				continue
			}
			_, perr := b.Protection(ctx, v.Key, v.ID)
			r, _, err := b.Open(ctx, v.Key, v.ID, 0)
			errs = append(errs, perr, err)
			if err == nil {
				_, err = io.Copy(io.Discard, io.LimitReader(r, 1<<20))
				errs = append(errs, err, r.Close())
			}
		}
		if n > 1000 {
			t.Errorf("a listing of %d bytes goes on and on", len(data))
		}
		for _, err := range b.Level(ctx, "") {
			errs = append(errs, err)
		}
		_ = b.Close() // there may be nothing to close any more
	}
	for _, err := range errs {
		if err == nil {
			continue
		}
		if errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it hangs: %v", err)
		}
		if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < 0x20 || r == 0x7f || r == '\u202e' || r == 0xfffd }) {
			t.Errorf("a control character is in %q", err)
		}
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(after, data) {
		t.Errorf("reading has changed the file: %v", err)
	}
}

// FuzzDamaged: whatever has happened to a bucket's file, reading it gives errors, never
// a crash or an endless wait, and writes nothing.
func FuzzDamaged(f *testing.F) {
	data, path := sound(f), filepath.Join(f.TempDir(), "damaged.bucket")
	f.Add([]byte{}, uint32(0))
	f.Add([]byte{100, 0, 0, 0, 1, 0}, uint32(0))
	f.Add([]byte{0, 16, 0, 0, 255, 255}, uint32(0))
	f.Add([]byte{}, uint32(5000)) // cut off
	f.Fuzz(func(t *testing.T, damage []byte, length uint32) {
		d := change(data, damage)
		if length > 0 {
			d = d[:int(length)%len(d)]
		}
		read(t, path, d)
	})
}

// The same with random damage, a part of it in each run of the tests.
func TestDamagedFiles(t *testing.T) {
	data, path := sound(t), filepath.Join(t.TempDir(), "damaged.bucket")
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		damage := make([]byte, 6*(1+rnd.IntN(4)))
		for j := range damage {
			damage[j] = byte(rnd.Uint32())
		}
		if i%3 == 0 { // the schema, the places of the first page
			binary.LittleEndian.PutUint32(damage, rnd.Uint32N(4096))
		}
		read(t, path, change(data, damage))
	}
	for i := 0; i < len(data); i += len(data)/20 + 1 {
		read(t, path, data[:i])
	}
}
