package inventory

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// A source is where a report lies.
type source interface {
	// open opens an object; ErrNotFound where it is absent.
	open(ctx context.Context, name string) (in io.ReadCloser, size int64, err error)
	// places are the names under which a file of the report may be found, for the one
	// that the manifest gives.
	places(key string) []string
	// at is the source with the manifest at name.
	at(manifest string) source
	url(name string) string
	root() string
	requests() bucket.Requests
}

type inBucket struct{ bucket.Bucket }

type besideIn struct {
	inBucket
	manifest string
}

func (s inBucket) open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	in, v, err := s.Open(ctx, name, "", 0)
	return in, v.Size, err
}
func (s inBucket) at(manifest string) source  { return besideIn{s, manifest} }
func (s inBucket) places(key string) []string { return []string{key} }
func (s inBucket) url(name string) string     { return s.URL() + "/" + name }
func (s inBucket) root() string               { return s.URL() }
func (s inBucket) requests() bucket.Requests  { return s.Requests() }

// places: as the manifest says; in a bucket that the report was copied to, as it lay
// beside the manifest.
func (s besideIn) places(key string) []string {
	return []string{key, path.Join(path.Dir(path.Dir(s.manifest)), "data", path.Base(key))}
}

// onDisk is a report that was downloaded. Of the names in its manifest only the last
// part counts: a manifest that somebody made up must not lead elsewhere.
type onDisk struct{ dir string }

func (s onDisk) open(_ context.Context, name string) (io.ReadCloser, int64, error) {
	f, err := os.Open(name)
	if err != nil {
		kind := error(nil)
		if errors.Is(err, os.ErrNotExist) {
			kind = bucket.ErrNotFound
		}
		return nil, 0, &bucket.Error{Op: "open", Bucket: s.url(name), Kind: kind, Err: err}
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if err != nil {
		return nil, 0, errors.Join(&bucket.Error{Op: "open", Bucket: s.url(name), Err: err}, f.Close())
	}
	return f, info.Size(), nil
}

func (s onDisk) at(manifest string) source { return onDisk{filepath.Dir(manifest)} }

func (s onDisk) places(key string) []string {
	base := path.Base(strings.ReplaceAll(key, `\`, "/"))
	if base == "." || base == ".." || base == "/" {
		return nil
	}
	return []string{filepath.Join(filepath.Dir(s.dir), "data", base), filepath.Join(s.dir, "data", base), filepath.Join(s.dir, base)}
}

func (s onDisk) url(name string) string    { return "file://" + filepath.ToSlash(name) }
func (s onDisk) root() string              { return s.url(s.dir) }
func (s onDisk) requests() bucket.Requests { return bucket.Requests{} }

// A fetched is a file of a report on disk, as a whole and as its manifest says.
type fetched struct {
	*os.File
	temporary bool
}

func (f fetched) close() {
	_ = f.Close() // only read from, or about to go
	if f.temporary {
		_ = os.Remove(f.Name()) // gone already where the system lets an open file go
	}
}

// fetch brings a file onto disk and checks its size and MD5.
func (r *Report) fetch(ctx context.Context, f File) (out fetched, err error) {
	in, size, err := r.find(ctx, f)
	if err != nil {
		return out, err
	}
	if size != f.Size {
		return out, errors.Join(r.bad(f, fmt.Errorf("it has %d bytes, and the manifest says %d", size, f.Size)), in.Close())
	}
	sum := md5.New()
	limit := io.LimitReader(in, f.Size+1)
	if disk, ok := in.(*os.File); ok {
		out = fetched{File: disk}
	} else {
		defer func() { _ = in.Close() }() // only read from
		tmp, err := os.CreateTemp("", "provcat-inventory-*")
		if err != nil {
			return out, fmt.Errorf("make a temporary file for a file of the inventory report: %w; set TMPDIR to a directory with room", err)
		}
		out = fetched{File: tmp, temporary: os.Remove(tmp.Name()) != nil}
		limit = io.TeeReader(limit, tmp)
	}
	n, err := io.Copy(sum, limit)
	if err != nil {
		out.close()
		return fetched{}, fmt.Errorf("read %s: %w; a file in a bucket goes through a temporary file: TMPDIR needs room for %d bytes", safe.Text(f.Key), err, f.Size)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); n != f.Size || got != f.MD5 {
		out.close()
		return fetched{}, r.bad(f, fmt.Errorf("its %d bytes have the MD5 %s, and the manifest says %d bytes and %s", n, got, f.Size, f.MD5))
	}
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		out.close()
		return fetched{}, err
	}
	return out, nil
}

// find opens a file where it is.
func (r *Report) find(ctx context.Context, f File) (io.ReadCloser, int64, error) {
	first := error(nil)
	for _, name := range r.from.places(f.Key) {
		in, size, err := r.from.open(ctx, name)
		if err == nil {
			return in, size, nil
		}
		if first == nil {
			first = err
		}
		if !errors.Is(err, bucket.ErrNotFound) {
			break
		}
	}
	if first == nil {
		first = r.bad(f, errors.New("its key names no file"))
	}
	return nil, 0, first
}
