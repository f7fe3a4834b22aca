package local

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"unicode/utf8"

	"provcat-tui/bucket"
)

// PutIfAbsent creates key unless it has a live version.
func (b *Bucket) PutIfAbsent(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	return b.put(ctx, call{"create", key, ""}, body, true)
}

// Put makes a new live version of key, whatever is there. It is no part of
// bucket.Bucket: nothing in the program but tests and the demo overwrites.
func (b *Bucket) Put(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	return b.put(ctx, call{"write", key, ""}, body, false)
}

func (b *Bucket) put(ctx context.Context, c call, body io.ReadSeeker, ifAbsent bool) (v bucket.Version, err error) {
	trace := b.asked(ctx, bucket.KindPut, "PutObject", c.key, "")
	defer func() { trace.Failed(v.Size, err) }()
	if err := b.checkKey(c, c.key); err != nil {
		return v, err
	}
	check := func(t *tx) error {
		if !ifAbsent {
			return nil
		}
		live, err := t.live(c.key)
		if err == nil && live {
			err = &bucket.Error{Op: c.op, Bucket: b.URL(), Key: c.key, Kind: bucket.ErrExists}
		}
		return err
	}
	u, err := b.upload(ctx, c, body, check)
	if err != nil {
		return v, err
	}
	err = b.write(ctx, c, func(t *tx) error {
		if err := check(t); err != nil {
			return err
		}
		body, err := t.finish(c, u)
		if err != nil {
			return err
		}
		v = bucket.Version{Key: c.key, ETag: u.etag, Size: u.size}
		return t.insert(&v, sql.NullInt64{Int64: body, Valid: true})
	})
	if err != nil {
		b.abandon(ctx, u)
		return bucket.Version{}, err
	}
	return v, nil
}

// CopyVersion makes a new live version of key to with the bytes of one version
// of key; an empty version means the live one.
func (b *Bucket) CopyVersion(ctx context.Context, key, version, to string) (v bucket.Version, err error) {
	trace := b.asked(ctx, bucket.KindPut, "CopyObject", to, "")
	defer func() { trace.Failed(0, err) }()
	c := call{"copy", key, version}
	if err := b.checkKey(c, key); err != nil {
		return v, err
	}
	if err := b.checkKey(call{"copy to", to, ""}, to); err != nil {
		return v, err
	}
	err = b.write(ctx, c, func(t *tx) error {
		var r found
		q, args := pick(key, version)
		err := t.one("SELECT "+foundColumns+" FROM versions "+q, args, r.into()...)
		if err := b.readable(c, r, err); err != nil {
			return err
		}
		v = bucket.Version{Key: to, ETag: r.ETag, Size: r.Size}
		return t.insert(&v, r.body)
	})
	if err != nil {
		return bucket.Version{}, err
	}
	return v, nil
}

// Delete hides key under a new delete marker. While versioning is off there are
// no markers: the object is gone and the Version returned is empty.
func (b *Bucket) Delete(ctx context.Context, key string) (v bucket.Version, err error) {
	trace := b.asked(ctx, bucket.KindDelete, "DeleteObject", key, "")
	defer func() { trace.Failed(0, err) }()
	c := call{"delete", key, ""}
	if err := b.checkKey(c, key); err != nil {
		return v, err
	}
	err = b.write(ctx, c, func(t *tx) error {
		state, err := t.versioning()
		if err != nil {
			return err
		}
		if state == bucket.VersioningOff {
			return t.remove(key, bucket.NullID)
		}
		v = bucket.Version{Key: key, DeleteMarker: true}
		return t.insert(&v, sql.NullInt64{})
	})
	if err != nil {
		return bucket.Version{}, err
	}
	return v, nil
}

// DeleteVersion removes one version or marker for good. As on S3 it is no error
// when the version is not there.
func (b *Bucket) DeleteVersion(ctx context.Context, key, version string) (err error) {
	trace := b.asked(ctx, bucket.KindDelete, "DeleteObject", key, version)
	defer func() { trace.Failed(0, err) }()
	c := call{"delete a version of", key, version}
	if err := b.checkKey(c, key); err != nil {
		return err
	}
	if version == "" {
		return &bucket.Error{Op: c.op, Bucket: b.URL(), Key: key, Err: errors.New("no version was named")}
	}
	return b.write(ctx, c, func(t *tx) error { return t.remove(key, version) })
}

// checkKey holds to S3's rule: 1 to 1,024 bytes of UTF-8.
func (b *Bucket) checkKey(c call, key string) error {
	why := ""
	switch {
	case key == "":
		why = "the key is empty"
	case len(key) > 1024:
		why = "the key is longer than 1,024 bytes"
	case !utf8.ValidString(key):
		why = "the key is not UTF-8"
	default:
		return nil
	}
	return &bucket.Error{Op: c.op, Bucket: b.URL(), Key: key, Err: errors.New(why), Hint: "use another key"}
}

func (t *tx) versioning() (v bucket.Versioning, err error) {
	err = t.one(settingOf("versioning"), []any{maxSetting}, (*short)(&v))
	return v, err
}

// live says whether key's latest version is no marker.
func (t *tx) live(key string) (bool, error) {
	var marker bool
	err := t.one("SELECT marker FROM versions WHERE key = ? ORDER BY place LIMIT 1", []any{[]byte(key)}, &marker)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return !marker, err
}

// insert makes v the latest of its key, and fills in its ID and time. Unless
// versioning is enabled it takes the place of the key's null version.
func (t *tx) insert(v *bucket.Version, body sql.NullInt64) error {
	state, err := t.versioning()
	if err != nil {
		return err
	}
	n, err := t.next()
	if err != nil {
		return err
	}
	var old sql.NullInt64
	v.ID = bucket.NullID
	if state == bucket.VersioningEnabled {
		v.ID = t.b.newID()
	} else if old, err = t.unlink(v.Key, bucket.NullID); err != nil {
		return err
	}
	v.Latest = true
	seconds := t.b.now().Unix()
	v.Modified = when(seconds)
	if err := t.exec("INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		[]byte(v.Key), -n, v.ID, v.DeleteMarker, seconds, v.ETag, v.Size, body); err != nil {
		return err
	}
	// Only now: a null version may have been copied onto itself.
	return t.dropBody(old)
}

// remove removes a version for good, with its body unless that is shared.
func (t *tx) remove(key, id string) error {
	body, err := t.unlink(key, id)
	if err != nil {
		return err
	}
	return t.dropBody(body)
}

// unlink removes a version and gives its body's number.
func (t *tx) unlink(key, id string) (body sql.NullInt64, err error) {
	if err := t.free(key, id); err != nil {
		return body, err
	}
	err = t.one("DELETE FROM versions WHERE key = ? AND id = ? RETURNING body", []any{[]byte(key), id}, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return body, nil
	}
	return body, err
}
