package views

import (
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// contentsSteps are how many bytes of each side are read: the first at once, the next
// when the person asks for more.
var contentsSteps = []int64{1 << 20, 8 << 20}

// lookedThrough is how many versions of a key are listed to learn what became of one.
const lookedThrough = 100_000

// A side is one of the two versions whose contents are compared.
type side struct {
	ref   string // of what: "#3", "live", "before"
	file  commit.File
	there bool // the file is there in that commit
	content
}

// content is what was read of a version.
type content struct {
	ready   bool
	version bucket.Version // as the store told it
	data    []byte
	cut     bool // there is more
	// tone and why say what is wrong with it; empty: nothing is.
	tone ui.Tone
	why  string
	read bool // its bytes were read, as far as asked for
}

// readContent reads the start of a version. What can't be read is told in the answer;
// an error is that of ctx.
func readContent(ctx context.Context, b bucket.Bucket, key string, f commit.File, limit int64) (content, error) {
	c := content{ready: true}
	body, v, err := b.Open(ctx, key, f.Version, limit)
	if err == nil {
		c.version = v
		c.data, err = io.ReadAll(io.LimitReader(body, limit))
		if cerr := body.Close(); err == nil {
			err = cerr
		}
	}
	if ctx.Err() != nil {
		return c, ctx.Err()
	}
	switch {
	case err == nil:
		c.read, c.cut = true, v.Size > int64(len(c.data))
		c.tone, c.why = otherThanRecorded(f, v)
	case errors.Is(err, bucket.ErrNotFound):
		c.tone, c.why = whereIs(ctx, b, key, f.Version, err)
	default:
		c.data = nil
		c.tone, c.why = ui.Unsure, "? could not be read: "+err.Error()
		var e *bucket.Error
		if errors.As(err, &e) && e.Kind == bucket.ErrUnsupported && e.Hint != "" {
			c.tone, c.why = ui.Warn, "! cannot be read as it is: "+e.Hint
		}
	}
	return c, ctx.Err()
}

// otherThanRecorded says where a version is not what the commit recorded.
func otherThanRecorded(f commit.File, v bucket.Version) (ui.Tone, string) {
	switch {
	case !f.OtherBytes(v.ETag, v.Size):
		return ui.Plain, ""
	case f.Size >= 0 && v.Size >= 0 && f.Size != v.Size:
		return ui.Bad, "✗ other bytes than recorded: " + bytesOf(v.Size) + ", not " + bytesOf(f.Size)
	}
	return ui.Bad, "✗ other bytes than recorded: ETag " + v.ETag + ", not " + f.ETag
}

// whereIs says what became of a version that is not to be read: a listing of its key
// tells, if it is complete.
func whereIs(ctx context.Context, b bucket.Bucket, key, version string, notFound error) (ui.Tone, string) {
	n := 0
	for v, err := range b.Versions(ctx, bucket.Range{Prefix: key, Through: key}) {
		switch {
		case err != nil:
			return ui.Unsure, "? not found, and the listing that would tell whether it is gone failed: " + err.Error()
		case v.Key != key:
			continue
		case v.ID == version && v.DeleteMarker:
			return ui.Bad, "✗ a delete marker: it has no bytes, it hides the versions under it"
		case v.ID == version && audit.Archived(v.StorageClass):
			return ui.Warn, "! archived (" + v.StorageClass + "): it must be restored before it can be read"
		case v.ID == version:
			return ui.Unsure, "? listed, but not to be read: " + notFound.Error()
		}
		if n++; n == lookedThrough {
			return ui.Unsure, "? not found, nor among the newest " + count(lookedThrough) + " versions of its key"
		}
	}
	return ui.Bad, "✗ gone: the complete listing of its key lacks this version"
}

// isTextLike is isText for what a person may want to see as lines all the same: it has
// no NUL, and few bytes that are no UTF-8.
func isTextLike(data []byte) bool {
	bad := 0
	for _, r := range string(data) {
		if r == 0 {
			return false
		}
		if r == utf8.RuneError || r < 0x20 && !strings.ContainsRune("\n\r\t\f\x1b", r) {
			bad++
		}
	}
	return bad*20 <= len(data)
}
