package commit

import (
	"fmt"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// A version's ID alone does not tell which bytes it has: S3 calls every version that is
// written while versioning is off or suspended "null", and the next such write takes its
// place and its ID. Whoever asks whether a version is the one that a commit names asks
// here, so that all give one answer.
//
// An ETag is compared as it stands, never worked out of the bytes: with keys of KMS and
// for uploads in parts it is no checksum, but of one version it stays the same.

// SameBytes says that ETag and size are known, and are those of the file.
func (f File) SameBytes(etag string, size int64) bool {
	return f.ETag != "" && f.ETag == etag && f.Size >= 0 && f.Size == size
}

// OtherBytes says that the ETag or the size is known and is not the file's: under the
// same version ID these are other bytes than the commit named. What is unknown to either
// differs from nothing.
func (f File) OtherBytes(etag string, size int64) bool {
	return f.ETag != "" && etag != "" && f.ETag != etag || f.Size >= 0 && size >= 0 && f.Size != size
}

// Is says that a listed version is the one that the commit named: its ID, and nothing
// that is known of its bytes is otherwise.
func (f File) Is(v bucket.Version) bool {
	return !v.DeleteMarker && v.ID == f.Version && !f.OtherBytes(v.ETag, v.Size)
}

// OtherText says how a version differs from what the commit recorded of it, and of one
// with the ID null the harmless cause; empty: nothing that is known does. It is fit to be
// shown.
func (f File) OtherText(etag string, size int64) string {
	text := ""
	switch {
	case !f.OtherBytes(etag, size):
		return ""
	case f.Size >= 0 && size >= 0 && f.Size != size:
		text = fmt.Sprintf("the commit says %s, the version has %s", byteCount(f.Size), byteCount(size))
	default:
		text = fmt.Sprintf("the commit says ETag %s, the version has %s", safe.Text(f.ETag), safe.Text(etag))
	}
	if f.Version == bucket.NullID {
		text += " (who overwrites a file while versioning is suspended leaves it the ID null)"
	}
	return text
}

func byteCount(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
