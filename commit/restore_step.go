package commit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// settleRestore bounds the look at what became of a write that was interrupted.
const settleRestore = 10 * time.Second

// RestoreReady refuses, with a *WriteError of ReasonVersioning, unless the bucket keeps
// what is overwritten.
func RestoreReady(ctx context.Context, b bucket.Bucket) error {
	_, err := needVersioning(ctx, b, "restored")
	return err
}

// Do makes a step: it looks at the key again, writes, and looks at what is there then.
// Nothing is ever overwritten or removed: a copy is a new version, and a file that goes
// is hidden under a delete marker.
//
// ErrMoved: the key is not as it was when the step was planned, and nothing was written;
// or somebody wrote at the same time, which the text tells. bucket.ErrUnclear: it is not
// known whether it was written. Other errors: nothing was written.
func (s RestoreStep) Do(ctx context.Context, b bucket.Bucket) error {
	if s.Action != RestoreCopy && s.Action != RestoreHide {
		return nil
	}
	top, err := newest(ctx, b, s.Key)
	if err != nil {
		return err
	}
	if idOf(top, 0) != s.Latest {
		return fmt.Errorf("%w, so nothing was done: its newest version was %s and is %s", ErrMoved, orNone(s.Latest), orNone(idOf(top, 0)))
	}
	if err := s.source(ctx, b); err != nil {
		return err
	}
	var made bucket.Version
	if s.Action == RestoreCopy {
		made, err = b.CopyVersion(ctx, s.Key, s.From, s.Key)
	} else {
		made, err = b.Delete(ctx, s.Key)
	}
	if err != nil && !errors.Is(err, bucket.ErrUnclear) && ctx.Err() == nil {
		return err
	}
	// A write that was sent is settled, whatever became of ctx.
	look, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleRestore)
	defer cancel()
	return s.settle(look, b, made, err)
}

// settle says what became of a write. cause is what it answered.
func (s RestoreStep) settle(ctx context.Context, b bucket.Bucket, made bucket.Version, cause error) error {
	top, err := newest(ctx, b, s.Key)
	switch {
	case err != nil && cause != nil:
		return unclearStep(cause)
	case err != nil:
		return unclearStep(fmt.Errorf("it was written, and what is there now could not be read: %w", err))
	}
	wrong := "nothing is there"
	if len(top) > 0 {
		wrong = s.wrong(ctx, b, top[0])
	}
	done := wrong == ""
	switch {
	case cause != nil && idOf(top, 0) == s.Latest:
		return unclearStep(cause) // it may arrive yet
	case cause != nil && done && idOf(top, 1) == s.Latest:
		return nil // the answer was lost, the write was not
	case cause != nil:
		return unclearStep(cause)
	case idOf(top, 0) != made.ID:
		return fmt.Errorf("%w: it was written, as version %s, and version %s came after it", ErrMoved, safe.Text(made.ID), orNone(idOf(top, 0)))
	case !done:
		return fmt.Errorf("it was written, as version %s, but what is there is not what the commit named: %s", safe.Text(made.ID), wrong)
	case idOf(top, 1) != s.Latest:
		return fmt.Errorf("%w: it was written over version %s, which nobody had looked at, and which is kept", ErrMoved, orNone(idOf(top, 1)))
	}
	return nil
}

// source looks at what is to be copied once more where its ID promises nothing: another
// write may have taken the place of a version that is called null.
func (s RestoreStep) source(ctx context.Context, b bucket.Bucket) error {
	if s.Action != RestoreCopy || s.From != bucket.NullID {
		return nil
	}
	v, err := describe(ctx, b, s.Key, s.From)
	if err != nil {
		return err
	}
	if text := s.File.OtherText(v.ETag, v.Size); text != "" {
		return fmt.Errorf("%w, so nothing was done: %s", ErrMoved, text)
	}
	return nil
}

// wrong says how the newest version is not what the step makes; empty: as far as it can
// be told, it is.
func (s RestoreStep) wrong(ctx context.Context, b bucket.Bucket, v bucket.Version) string {
	switch want := s.File; {
	case s.Action == RestoreHide && v.DeleteMarker, s.Action == RestoreCopy && !v.DeleteMarker && !want.OtherBytes(v.ETag, v.Size):
		return ""
	case s.Action == RestoreHide:
		return "it is no delete marker"
	case v.DeleteMarker:
		return "it is a delete marker"
	case want.Size < 0 || v.Size == want.Size:
		// The ETags alone differ, as they may of a copy: it is of one part where its
		// source was of several, or encrypted by another key. Only checksums tell.
		if !s.checksums(ctx, b, v) {
			return ""
		}
	}
	return s.File.OtherText(v.ETag, v.Size)
}

// checksums says that the ETags of the copy and of its source are both made of the bytes
// alone, by the same sum: then one that is not the commit's means other bytes, also where
// the source was overwritten at the same moment.
func (s RestoreStep) checksums(ctx context.Context, b bucket.Bucket, made bucket.Version) bool {
	const crc = "crc32c:" // of what Cloud Storage has composed
	if strings.HasPrefix(made.ETag, crc) || strings.HasPrefix(s.File.ETag, crc) {
		return strings.HasPrefix(made.ETag, crc) && strings.HasPrefix(s.File.ETag, crc)
	}
	// A read that fails tells nothing against the copy.
	from, err := describe(ctx, b, s.Key, s.From)
	if err != nil || !from.MD5 {
		return false
	}
	got, err := describe(ctx, b, s.Key, made.ID)
	return err == nil && got.MD5
}

// describe reads what the store says of a version, as only a read tells it.
func describe(ctx context.Context, b bucket.Bucket, key, id string) (bucket.Version, error) {
	r, v, err := b.Open(ctx, key, id, 1)
	if err != nil {
		return v, err
	}
	return v, r.Close()
}

func unclearStep(cause error) error {
	if errors.Is(cause, bucket.ErrUnclear) {
		return cause
	}
	return fmt.Errorf("%w: %w", bucket.ErrUnclear, cause)
}

// newest gives the two newest versions of a key.
func newest(ctx context.Context, b bucket.Bucket, key string) ([]bucket.Version, error) {
	var out []bucket.Version
	for v, err := range b.Versions(ctx, bucket.Range{Prefix: key, Through: key, PageSize: 2}) {
		if err != nil {
			return nil, err
		}
		if out = append(out, v); len(out) == 2 {
			break
		}
	}
	return out, nil
}

// idOf is the ID of the n-th newest version; empty: there is none.
func idOf(top []bucket.Version, n int) string {
	if n < len(top) {
		return top[n].ID
	}
	return ""
}

func orNone(id string) string {
	if id == "" {
		return "none"
	}
	return safe.Text(id)
}
