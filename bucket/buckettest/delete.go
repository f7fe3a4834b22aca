package buckettest

import (
	"context"
	"errors"

	"provcat-tui/bucket"
)

var deleteChecks = []check{
	{"makes-a-marker", func(r *recorder) {
		one := r.put("k", "one")
		r.put("other", "x")
		r.del("k")
		r.listsAll()
		r.notFound("k", "")
		r.reads("k", one.ID, "one")
	}},
	{"twice", func(r *recorder) {
		r.put("k", "one")
		r.del("k")
		top := r.del("k")
		r.listsAll()
		r.destroy(top)
		r.listsAll()
		r.notFound("k", "") // the first marker still hides it
	}},
	{"key-that-never-was", func(r *recorder) {
		m := r.del("never")
		r.listsAll()
		r.destroy(m)
		r.listsAll()
	}},
	{"marker-brings-the-version-back", func(r *recorder) {
		r.put("k", "one")
		r.put("k", "two")
		m := r.del("k")
		r.destroy(m)
		r.listsAll()
		r.reads("k", "", "two")
	}},
	{"middle-version", func(r *recorder) {
		r.put("k", "one")
		two := r.put("k", "two")
		r.put("k", "three")
		r.destroy(two)
		r.listsAll()
		r.notFound("k", two.ID)
		r.reads("k", "", "three")
	}},
	{"latest-version", func(r *recorder) {
		r.put("k", "one")
		two := r.put("k", "two")
		r.destroy(two)
		r.listsAll()
		r.reads("k", "", "one")
	}},
	{"latest-version-over-a-marker", func(r *recorder) {
		r.put("k", "one")
		r.del("k")
		three := r.put("k", "three")
		r.destroy(three)
		r.listsAll()
		r.notFound("k", "")
	}},
	{"version-under-a-marker", func(r *recorder) {
		one := r.put("k", "one")
		r.del("k")
		r.destroy(one)
		r.listsAll()
		r.notFound("k", "")
	}},
	{"middle-marker", func(r *recorder) {
		r.put("k", "one")
		m := r.del("k")
		r.put("k", "two")
		r.destroy(m)
		r.listsAll()
		r.reads("k", "", "two")
	}},
	{"absent-version-is-no-error", func(r *recorder) {
		r.put("k", "one")
		two := r.put("k", "two")
		r.destroy(two)
		r.destroy(two)
		r.listsAll()
	}},
	{"cancelled", func(r *recorder) {
		one := r.put("k", "one")
		ctx, cancel := context.WithCancel(r.ctx)
		cancel()
		if _, err := r.b.Delete(ctx, "k"); !errors.Is(err, context.Canceled) {
			r.errorf("a cancelled Delete says %v", err)
		}
		if err := r.b.DeleteVersion(ctx, "k", one.ID); !errors.Is(err, context.Canceled) {
			r.errorf("a cancelled DeleteVersion says %v", err)
		}
		r.listsAll()
	}},
}

// The rules of null versions: S3 user guide, "Working with objects in a
// versioning-suspended bucket".
var nullChecks = []check{
	{"put-makes-and-replaces-the-null-version", func(r *recorder) {
		r.put("k", "one")
		r.versioning(bucket.VersioningSuspended)
		r.null("k", "two")
		r.listsAll()
		r.null("k", "three")
		r.listsAll()
		r.reads("k", "", "three")
		r.reads("k", bucket.NullID, "three")
	}},
	{"delete-makes-a-null-marker", func(r *recorder) {
		one := r.put("k", "one")
		r.versioning(bucket.VersioningSuspended)
		r.null("k", "two")
		r.nullMarker("k")
		r.listsAll() // the null version is gone for good
		r.notFound("k", "")
		r.notFound("k", bucket.NullID)
		r.reads("k", one.ID, "one")
		r.nullMarker("k")
		r.listsAll()
	}},
	{"null-version-moves-to-the-top", func(r *recorder) {
		r.versioning(bucket.VersioningSuspended)
		r.null("k", "one")
		r.versioning(bucket.VersioningEnabled)
		r.put("k", "two")
		r.listsAll()
		r.reads("k", bucket.NullID, "one")
		r.versioning(bucket.VersioningSuspended)
		r.null("k", "three")
		r.listsAll()
		r.reads("k", "", "three")
	}},
	{"enabled-again-keeps-the-null-version", func(r *recorder) {
		r.versioning(bucket.VersioningSuspended)
		v := r.null("k", "one")
		r.versioning(bucket.VersioningEnabled)
		r.put("k", "two")
		r.del("k")
		r.listsAll()
		for size := 1; size <= 4; size++ {
			r.lists(bucket.Range{PageSize: size})
		}
		r.destroy(v)
		r.listsAll()
		r.notFound("k", bucket.NullID)
	}},
	{"put-if-absent-over-a-null-marker", func(r *recorder) {
		r.put("k", "one")
		r.versioning(bucket.VersioningSuspended)
		r.nullMarker("k")
		r.model.remove("k", bucket.NullID)
		r.create("k", "two")
		r.refused("k", "three")
		r.listsAll()
		r.reads("k", "", "two")
	}},
	{"removing-the-null-marker", func(r *recorder) {
		r.put("k", "one")
		r.versioning(bucket.VersioningSuspended)
		m := r.nullMarker("k")
		r.destroy(m)
		r.listsAll()
		r.reads("k", "", "one")
	}},
	{"copy-of-the-null-version-over-itself", func(r *recorder) {
		r.versioning(bucket.VersioningEnabled)
		r.put("k", "one")
		r.versioning(bucket.VersioningSuspended)
		v := r.null("k", "two")
		r.model.remove("k", bucket.NullID)
		r.copied(v, "k", "two")
		r.listsAll()
		r.reads("k", "", "two")
	}},
}

func (r *recorder) versioning(v bucket.Versioning) {
	r.must("SetVersioning "+string(v), r.b.SetVersioning(r.ctx, v))
}

// null writes under suspended versioning: what was null before is replaced.
func (r *recorder) null(key, body string) bucket.Version {
	r.model.remove(key, bucket.NullID)
	return r.isNull(r.put(key, body))
}

// nullMarker deletes under suspended versioning.
func (r *recorder) nullMarker(key string) bucket.Version {
	r.model.remove(key, bucket.NullID)
	return r.isNull(r.del(key))
}

func (r *recorder) isNull(v bucket.Version) bucket.Version {
	if v.ID != bucket.NullID {
		r.errorf("under suspended versioning %q got the version ID %s; want null", v.Key, v.ID)
	}
	return v
}
