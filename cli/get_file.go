package cli

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"strings"
	"sync"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
	"provcat-tui/internal/target"
)

// What became of a file.
const (
	gotFetched = "fetched"
	gotPresent = "present" // an equal one was there
	gotPlanned = "planned" // with --dry-run
	gotDiffers = "differs" // another one is there, and was left
	gotRefused = "refused" // it cannot have its name there
	gotGone    = "gone"
	gotDamaged = "damaged" // the version is not what the commit says
	gotFailed  = "failed"
)

// gotStates are in the order in which they are told.
var gotStates = []string{gotFetched, gotPlanned, gotPresent, gotDiffers, gotRefused, gotGone, gotDamaged, gotFailed}

// A got tells what became of one file.
type got struct {
	Path    string `json:"path"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Size    *int64 `json:"size"`
	State   string `json:"state"`
	Detail  string `json:"detail,omitempty"`
	err     error
}

// A getter fetches files into a directory.
type getter struct {
	a     *app
	part  *part
	dir   *target.Dir
	o     getOptions
	names *target.Names
	doc   *document

	total getTotal // of the commit's part
	mu    sync.Mutex
	done  map[string]getTotal // by state
	meter *meter
	came  int64 // bytes so far, of files that are not yet whole too
}

// A getTotal counts files and their bytes, as far as they are known.
type getTotal struct {
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
}

func (t *getTotal) add(size int64) {
	t.Files++
	t.Bytes += max(size, 0)
}

func (g *getter) see(name string, f commit.File) {
	g.names.See(name)
	g.total.add(f.Size)
}

// one fetches a file, and counts what became of it.
func (g *getter) one(ctx context.Context, f commit.File) got {
	name, _ := g.part.name(f)
	r := got{Path: f.Path, Name: name, Version: f.Version, Size: numberOrNull(f.Size, f.Size >= 0)}
	r.State, r.err = g.fetch(ctx, name, f)
	if r.err != nil {
		r.Detail = r.err.Error() // what came from outside is escaped in it
	}
	if r.err != nil && ctx.Err() != nil {
		return r // it was not tried to its end
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.done == nil {
		g.done = map[string]getTotal{}
	}
	t := g.done[r.State]
	t.add(f.Size)
	g.done[r.State] = t
	return r
}

func (g *getter) fetch(ctx context.Context, name string, f commit.File) (string, error) {
	if err := g.names.Check(name); err != nil {
		return gotRefused, err
	}
	if name == "" || strings.HasSuffix(name, "/") {
		return g.placeholder(name, f)
	}
	there, err := g.dir.Stat(name)
	switch {
	case err != nil:
		return missed(err)
	case there == nil:
		return g.fresh(ctx, name, f, false)
	}
	equal, sure, err := g.equal(name, there.Size(), f)
	if err != nil {
		return missed(err)
	}
	if !sure {
		if equal, err = g.equalTimes(ctx, f, there.ModTime()); err != nil {
			return missed(err)
		}
	}
	switch {
	case equal:
		return gotPresent, nil
	case !g.o.overwrite:
		return gotDiffers, errors.New("another file is there, and was left; --overwrite replaces it")
	}
	return g.fresh(ctx, name, f, true)
}

// placeholder is a folder's own object: it becomes a folder.
func (g *getter) placeholder(name string, f commit.File) (string, error) {
	switch {
	case f.Size != 0:
		return gotRefused, errors.New("its name ends in \"/\", as a folder's does, and it has bytes")
	case g.o.dryRun:
		return gotPlanned, nil
	}
	if err := g.dir.Mkdir(strings.TrimSuffix(name, "/")); err != nil {
		return missed(err)
	}
	return gotFetched, nil
}

// missed gives the state for an error.
func missed(err error) (string, error) {
	var r *target.Refused
	if errors.As(err, &r) || errors.Is(err, target.ErrThere) {
		return gotRefused, err
	}
	return gotFailed, err
}

// equal says whether the file on the disk is what the commit names. sure: its checksum
// told.
func (g *getter) equal(name string, size int64, f commit.File) (equal, sure bool, err error) {
	if f.Size >= 0 && f.Size != size {
		return false, true, nil
	}
	if !looksMD5(f.ETag) {
		return false, false, nil
	}
	sum, err := g.dir.MD5(name)
	// An ETag that looks like an MD5 need not be one: only equality is sure.
	return sum == f.ETag, sum == f.ETag, err
}

// equalTimes compares what no checksum tells: size, which was equal, and time, which get
// sets to that of the version.
func (g *getter) equalTimes(ctx context.Context, f commit.File, modified time.Time) (bool, error) {
	r, v, err := g.part.p.Open(ctx, commit.KeyPrefix(g.part.folder)+f.Path, f.Version, 1)
	if errors.Is(err, bucket.ErrNotFound) {
		return false, nil // fetching it says so
	}
	if err != nil {
		return false, err
	}
	_ = r.Close() // only the description was wanted
	return !v.MD5 && f.Size == v.Size && !v.Modified.IsZero() && v.Modified.Truncate(time.Second).Equal(modified.Truncate(time.Second)), nil
}

func looksMD5(etag string) bool {
	_, err := hex.DecodeString(etag)
	return err == nil && len(etag) == 2*md5.Size
}

// fresh reads the version, and writes the file.
func (g *getter) fresh(ctx context.Context, name string, f commit.File, over bool) (string, error) {
	if g.o.dryRun {
		return gotPlanned, nil
	}
	r, v, err := g.part.p.Open(ctx, commit.KeyPrefix(g.part.folder)+f.Path, f.Version, 0)
	if errors.Is(err, bucket.ErrNotFound) {
		return gotGone, fmt.Errorf("version %s does not exist any more", safe.Text(f.Version))
	}
	if err != nil {
		return gotFailed, err
	}
	defer func() { _ = r.Close() }() // what was read counts
	if other := f.OtherText(v.ETag, v.Size); other != "" {
		return gotDamaged, errors.New(other)
	}
	err = g.dir.Put(name, over, func(w io.Writer) (time.Time, error) {
		sum, want := checksum(v)
		n, err := io.Copy(io.MultiWriter(w, sum, ticker{g}), r)
		switch {
		case err != nil:
			return v.Modified, err
		case n != v.Size:
			return v.Modified, fmt.Errorf("the answer ended after %s of %s", number(n), count(v.Size, "byte"))
		}
		if has := hex.EncodeToString(sum.Sum(nil)); want != "" && has != want {
			return v.Modified, fmt.Errorf("the bytes that came have the checksum %s, the store says %s", has, want)
		}
		return v.Modified, nil
	})
	if err != nil {
		return missed(err)
	}
	return gotFetched, nil
}

// checksum gives the hash that the store has of a version, and its value in hex; empty:
// it tells none.
func checksum(v bucket.Version) (hash.Hash, string) {
	if v.MD5 {
		return md5.New(), v.ETag
	}
	crc := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	// Of what Cloud Storage has composed: the checksum in base64, big-endian.
	if s, ok := strings.CutPrefix(v.ETag, "crc32c:"); ok {
		if raw, err := base64.StdEncoding.DecodeString(s); err == nil && len(raw) == 4 {
			return crc, fmt.Sprintf("%08x", binary.BigEndian.Uint32(raw))
		}
	}
	return crc, ""
}

// A ticker moves the line of progress on.
type ticker struct{ g *getter }

func (t ticker) Write(p []byte) (int, error) {
	g := t.g
	g.mu.Lock()
	defer g.mu.Unlock()
	g.came += int64(len(p))
	var files int64
	for _, d := range g.done {
		files += d.Files
	}
	g.meter.show(fmt.Sprintf("%s of %s, %s of %s fetched", number(files), count(g.total.Files, "file"), size(g.came), size(g.total.Bytes)))
	return len(p), nil
}
