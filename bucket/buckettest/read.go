package buckettest

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"

	"provcat-tui/bucket"
)

var readChecks = []check{
	{"live-and-by-version", func(r *recorder) {
		one := r.put("k", "one")
		two := r.put("k", "two, longer")
		r.put("k/other", "other")
		r.reads("k", "", "two, longer")
		r.reads("k", one.ID, "one")
		r.reads("k", two.ID, "two, longer")
	}},
	{"deleted", func(r *recorder) {
		one := r.put("k", "one")
		m := r.del("k")
		r.notFound("k", "")
		r.notFound("k", m.ID)
		r.reads("k", one.ID, "one")
	}},
	{"absent", func(r *recorder) {
		gone := r.put("k", "gone")
		r.put("k", "there")
		r.destroy(gone)
		r.notFound("none", "")
		r.notFound("k/", "")
		r.notFound("k", gone.ID)
	}},
	{"first-bytes", func(r *recorder) {
		v := r.put("k", "0123456789")
		for _, c := range []struct {
			first int64
			want  string
		}{{1, "0"}, {4, "0123"}, {9, "012345678"}, {10, "0123456789"}, {11, "0123456789"}, {1 << 40, "0123456789"}, {0, "0123456789"}} {
			for _, id := range []string{"", v.ID} {
				got, info, err := r.body("k", id, c.first)
				if err != nil || got != c.want {
					r.errorf("Open with first %d: %q, %v; want %q", c.first, got, err, c.want)
				}
				if info.Size != 10 || info.ID != v.ID {
					r.errorf("Open with first %d tells %+v; want the whole size, 10, and the ID %s", c.first, info, v.ID)
				}
			}
		}
	}},
	{"empty-body", func(r *recorder) {
		v := r.put("k", "")
		r.listsAll()
		r.reads("k", "", "")
		r.reads("k", v.ID, "")
		if got, info, err := r.body("k", "", 100); got != "" || info.Size != 0 || err != nil {
			r.errorf("the first 100 bytes of nothing: %q, %+v, %v; want nothing", got, info, err)
		}
	}},
	{"five-megabytes", func(r *recorder) {
		raw := make([]byte, 5<<20+3)
		_, _ = rand.NewChaCha8([32]byte{5}).Read(raw) // never fails
		body := string(raw)
		r.create("k", body)
		old := r.model["k"][0].id
		r.put("k", "small")
		r.listsAll()
		r.reads("k", old, body)
		if got, info, err := r.body("k", old, 3<<20); err != nil || got != body[:3<<20] || info.Size != int64(len(body)) {
			r.errorf("the first 3 MiB: %d bytes, size %d, %v", len(got), info.Size, err)
		}
		// Closing early is no error and leaves the bucket usable.
		rc, _, err := r.b.Open(r.ctx, "k", old, 0)
		r.must("Open", err)
		if _, err := io.CopyN(io.Discard, rc, 10); err != nil {
			r.errorf("read ten bytes: %v", err)
		}
		_ = rc.Close() // what it says of the unread rest is the driver's affair
		r.reads("k", "", "small")
	}},
	{"cancelled", func(r *recorder) {
		r.put("k", "x")
		ctx, cancel := context.WithCancel(r.ctx)
		cancel()
		if rc, _, err := r.b.Open(ctx, "k", "", 0); !errors.Is(err, context.Canceled) {
			r.errorf("a cancelled Open says %v", err)
			if err == nil {
				_ = rc.Close() // already a failure
			}
		}
	}},
}

// notFound checks that there is nothing to read, and that the driver is sure.
func (r *recorder) notFound(key, version string) {
	if got, _, err := r.body(key, version, 0); !errors.Is(err, bucket.ErrNotFound) {
		r.errorf("Open %q (%s): %s, %v; want %v", key, version, short(got), err, bucket.ErrNotFound)
	}
}

var copyChecks = []check{
	{"old-version-to-a-new-key", func(r *recorder) {
		one := r.put("k", "one")
		r.put("k", "two")
		r.copied(one, "to/there", "one")
		r.listsAll()
		r.reads("to/there", "", "one")
		r.reads("k", "", "two")
	}},
	{"old-version-over-its-own-key", func(r *recorder) {
		one := r.put("k", "one")
		two := r.put("k", "two")
		r.copied(one, "k", "one")
		r.listsAll()
		r.reads("k", "", "one")
		r.reads("k", two.ID, "two")
	}},
	{"over-a-live-version-and-over-a-marker", func(r *recorder) {
		one := r.put("k", "one")
		r.put("live", "x")
		r.del("hidden")
		r.copied(one, "live", "one")
		r.copied(one, "hidden", "one")
		r.listsAll()
		r.reads("live", "", "one")
		r.reads("hidden", "", "one")
	}},
	{"deleted-key", func(r *recorder) {
		one := r.put("k", "one")
		r.del("k")
		r.copied(one, "k", "one")
		r.listsAll()
		r.reads("k", "", "one")
	}},
	{"outlives-its-source", func(r *recorder) {
		one := r.put("k", "one")
		r.copied(one, "copy", "one")
		r.destroy(one)
		r.reads("copy", "", "one")
		again := r.put("k", "two")
		c := r.copied(again, "copy", "two")
		r.destroy(c)
		r.reads("k", "", "two")
		r.listsAll()
	}},
	{"absent", func(r *recorder) {
		gone := r.put("k", "gone")
		r.put("k", "there")
		r.destroy(gone)
		if v, err := r.b.CopyVersion(r.ctx, "k", gone.ID, "to"); !errors.Is(err, bucket.ErrNotFound) {
			r.errorf("a copy of an absent version: %+v, %v; want %v", v, err, bucket.ErrNotFound)
		}
		r.listsAll()
	}},
	{"marker", func(r *recorder) {
		r.put("k", "one")
		m := r.del("k")
		if v, err := r.b.CopyVersion(r.ctx, "k", m.ID, "to"); err == nil {
			r.errorf("a copy of a delete marker: %+v; want an error", v)
		}
		r.listsAll()
	}},
	{"cancelled", func(r *recorder) {
		one := r.put("k", "one")
		ctx, cancel := context.WithCancel(r.ctx)
		cancel()
		if _, err := r.b.CopyVersion(ctx, "k", one.ID, "to"); !errors.Is(err, context.Canceled) {
			r.errorf("a cancelled CopyVersion says %v", err)
		}
		r.listsAll()
	}},
}
