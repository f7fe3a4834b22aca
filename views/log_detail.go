package views

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// smallCommit is the most bytes of a commit object that the log reads whole, for
// its hash and its number of files.
const smallCommit = 256 << 10

// maxVersions is how many versions of one entry are looked at.
const maxVersions = 8

// logDetail is what was read about a log entry beyond its live version.
type logDetail struct {
	// light says that only the header was read, for the filter.
	light  bool
	header commit.Header
	known  bool  // header was read
	err    error // why not
	// whole says that the object was read and hashed; files is then their number and
	// bytes the sum of their sizes.
	whole bool
	files int64
	bytes int64
	// object is the length of the commit object in bytes; 0: not known.
	object int64
	// versions are the entry's with a body that were looked at, newest first.
	versions []entryVersion
	// named are the commits that the slot's versions name, newest first, without
	// repeats. deleted: a marker lies between or over them.
	named   []string
	deleted bool
	unread  int // versions that could not be read
}

// An entryVersion is a version of a log entry and what it names.
type entryVersion struct {
	id     string
	commit string
	err    error
}

// readDetail reads what a log entry's versions name, and its commit: the header alone
// if it is to be light, else a small object whole, whose files go into kept.
func readDetail(ctx context.Context, b bucket.Bucket, s commit.Slot, light bool, kept *smallFiles) *logDetail {
	d := &logDetail{light: light}
	bodies := 0
	for _, v := range s.Versions {
		if v.DeleteMarker {
			d.deleted = true
		} else {
			bodies++
		}
	}
	id := s.Entry.Commit
	if s.Err == nil {
		d.named = append(d.named, id)
	}
	if s.Err != nil || bodies > 1 {
		d.readVersions(ctx, b, s)
		id = ""
		if len(d.named) > 0 {
			id = d.named[0]
		}
	}
	switch {
	case id == "":
	case light:
		d.header, d.err = commit.LoadHeader(ctx, b, id)
		d.known = d.err == nil
	default:
		d.readCommit(ctx, b, id, kept)
	}
	return d
}

func (d *logDetail) readVersions(ctx context.Context, b bucket.Bucket, s commit.Slot) {
	read := 0
	for _, v := range s.Versions {
		if v.DeleteMarker {
			continue
		}
		if v.Live() && s.Err == nil {
			d.versions = append(d.versions, entryVersion{id: v.ID, commit: s.Entry.Commit})
			continue
		}
		if read++; read > maxVersions {
			d.unread++
			continue
		}
		e, err := commit.LoadEntry(ctx, b, s.Key, v.ID)
		d.versions = append(d.versions, entryVersion{v.ID, e.Commit, err})
		if err != nil {
			d.unread++
		} else if !slices.Contains(d.named, e.Commit) {
			d.named = append(d.named, e.Commit)
		}
	}
}

// readCommit reads a small commit object whole, of a large one the header.
func (d *logDetail) readCommit(ctx context.Context, b bucket.Bucket, id string, kept *smallFiles) {
	body, v, err := b.Open(ctx, commit.CommitKey(id), "", smallCommit+1)
	if err != nil {
		d.err = err
		return
	}
	d.object = v.Size
	data, err := io.ReadAll(io.LimitReader(body, smallCommit+1))
	if cerr := body.Close(); err == nil {
		err = cerr
	}
	switch {
	case err != nil:
		d.err = err
	case len(data) > smallCommit || v.Size > int64(len(data)):
		d.header, d.err = commit.LoadHeader(ctx, b, id)
	default:
		var files []commit.File
		var o commit.Object
		o, d.err = commit.Decode(bytes.NewReader(data), func(f commit.File) error {
			files = append(files, f)
			return nil
		})
		if o.ID != "" && o.ID != id {
			d.err = commit.ErrCorrupt
		}
		d.header, d.files, d.bytes, d.whole = o.Header, o.Files, o.Total, d.err == nil
		if d.whole {
			kept.put(id, files, len(data))
		}
	}
	d.known = d.err == nil || errors.Is(d.err, commit.ErrCorrupt) && !d.header.Time.IsZero()
}
