// Package local is the embedded bucket: a whole versioned bucket with the
// semantics of S3 in one SQLite file. Importing it makes file:// URLs known to
// bucket.Open.
//
// Several processes may use one file at once. Each write is one transaction
// that is on the disk before the call returns, so that a process (or a machine)
// that dies at any moment loses nothing that it was told is written. At rest
// there is the file and nothing else: a rollback journal lies next to it only
// while a write is under way, or after a writer was killed: the next one to use
// the file rolls that write back, and the next writer takes the journal away.
package local

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// Options are what a caller may set; the zero value is right for people's files.
type Options struct {
	// Now is the bucket's clock; nil: time.Now.
	Now func() time.Time
	// NewID makes version IDs. Each must be new in the bucket and must not be
	// "null". nil: 32 random URL-safe characters, like S3's.
	NewID func() string
	// NoSync is for making a file that nobody else has yet: the file is locked,
	// writes are fast, and only Close makes them durable.
	NoSync bool
}

// Bucket is an open bucket file. All methods may be called from several
// goroutines at once.
type Bucket struct {
	path   string
	now    func() time.Time
	newID  func() string
	noSync bool
	log    *slog.Logger
	db     *sql.DB
	// writer holds one token while this process writes: its goroutines queue
	// here, in order, and not at the file's lock, which is polled.
	writer chan struct{}
	wait   time.Duration // for the file's lock

	closing sync.Once
	closed  error // what Close said

	count struct{ list, get, put, del, settings atomic.Int64 }
}

var _ bucket.Bucket = (*Bucket)(nil)

func init() {
	bucket.Register("file", func(ctx context.Context, l bucket.Location, o bucket.Options) (bucket.Bucket, error) {
		b, err := open(ctx, l.Bucket, Options{})
		if err != nil {
			return nil, err
		}
		b.log = o.Log
		return b, nil
	})
}

// Create makes a new, empty bucket file with versioning enabled. It fails with
// fs.ErrExist when there is anything at path.
func Create(path string, o Options) (*Bucket, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("create the bucket file %s: %w", safe.Text(path), err)
	}
	f, err := os.OpenFile(abs, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("create the bucket file %s: %w; choose another name or remove it first", safe.Text(abs), fs.ErrExist)
		}
		return nil, fmt.Errorf("create the bucket file %s: %w", safe.Text(abs), err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("create the bucket file %s: %w", safe.Text(abs), err)
	}
	b := newBucket(abs, o)
	if err := b.create(context.Background()); err != nil {
		_ = b.db.Close()
		_ = os.Remove(abs) // ours, and of no use
		return nil, err
	}
	return b, nil
}

// Open opens a bucket file. A file or a directory that may not be written opens
// too: reads work and writes fail with bucket.ErrDenied. A file that is no
// bucket is bucket.ErrUsage, an absent one is bucket.ErrNotFound.
func Open(path string, o Options) (*Bucket, error) {
	return open(context.Background(), path, o)
}

func open(ctx context.Context, path string, o Options) (*Bucket, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open the bucket file %s: %w", safe.Text(path), err)
	}
	// Never open the file by hand to look into it: closing it would drop the
	// POSIX locks that SQLite holds on it elsewhere in this process.
	info, err := os.Stat(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &bucket.Error{Op: "open", Bucket: "file://" + abs, Kind: bucket.ErrNotFound,
			Hint: `check the path, or make a demo bucket with "provcat-tui demo"`}
	}
	if err != nil {
		return nil, &bucket.Error{Op: "open", Bucket: "file://" + abs, Err: err}
	}
	if !info.Mode().IsRegular() {
		return nil, notABucket(abs, "it is no regular file", "name a bucket file")
	}
	b := newBucket(abs, o)
	if err := b.check(ctx); err != nil {
		_ = b.db.Close()
		return nil, err
	}
	return b, nil
}

func newBucket(abs string, o Options) *Bucket {
	b := &Bucket{path: abs, now: o.Now, newID: o.NewID, noSync: o.NoSync,
		writer: make(chan struct{}, 1), wait: 30 * time.Second}
	if b.now == nil {
		b.now = time.Now
	}
	if b.newID == nil {
		b.newID = randomID
	}
	b.db = openDB(abs, o.NoSync)
	return b
}

func randomID() string {
	var raw [24]byte
	_, _ = rand.Read(raw[:]) // never fails: it ends the program instead
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

// URL is "file://" and the file's absolute path.
func (b *Bucket) URL() string { return "file://" + b.path }

// Close gives up the file. With NoSync it first makes all writes durable. A
// second Close does nothing and gives the first one's error.
func (b *Bucket) Close() error {
	b.closing.Do(func() {
		var durable error
		if b.noSync {
			durable = b.makeDurable()
		}
		b.closed = errors.Join(durable, b.fail("close", "", "", b.db.Close()))
	})
	return b.closed
}

// makeDurable puts the whole file and its name on the disk, by a last small
// transaction that SQLite syncs. (To sync the file by hand it would have to be
// opened by hand: see open.)
func (b *Bucket) makeDurable() error {
	c := call{"make durable", "", ""}
	ctx := context.Background()
	if _, err := b.db.ExecContext(ctx, "PRAGMA synchronous = FULL"); err != nil { // there is one connection
		return b.fail(c.op, "", "", err)
	}
	err := b.write(ctx, c, func(t *tx) error {
		_, err := t.next() // something must change
		return err
	})
	if err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(b.path))
	if err != nil {
		return b.fail(c.op, "", "", err)
	}
	defer func() { _ = dir.Close() }() // nothing was written through it
	return b.fail(c.op, "", "", dir.Sync())
}

// Requests counts what S3 would have been asked: a page of a listing is one
// request, and so is a body, whatever its size.
func (b *Bucket) Requests() bucket.Requests {
	return bucket.Requests{
		List: b.count.list.Load(), Get: b.count.get.Load(), Put: b.count.put.Load(),
		Delete: b.count.del.Load(), Settings: b.count.settings.Load(),
	}
}

// asked counts, logs and traces one request, whose end the caller tells.
func (b *Bucket) asked(ctx context.Context, kind bucket.Kind, op, key, version string) *bucket.Trace {
	switch kind {
	case bucket.KindList:
		b.count.list.Add(1)
	case bucket.KindGet:
		b.count.get.Add(1)
	case bucket.KindPut:
		b.count.put.Add(1)
	case bucket.KindDelete:
		b.count.del.Add(1)
	default:
		b.count.settings.Add(1)
	}
	if b.log != nil {
		b.log.Info("request", "op", op, "bucket", safe.Text(b.URL()), "key", safe.Text(key))
	}
	return bucket.Begin(ctx, bucket.Request{Op: op, Kind: kind, Bucket: b.URL(), Key: key, Version: version})
}
