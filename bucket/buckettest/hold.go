package buckettest

import (
	"errors"

	"provcat-tui/bucket"
)

// holdChecks: what Hold does on every store. Where the bucket has to be told to have
// locks, SetProtection has done so.
var holdChecks = []check{
	{"held-and-released", func(r *recorder) {
		old := r.create("k", "x")
		v := r.put("k", "y")
		other := r.create("other", "z")
		r.lockable(old)
		for _, held := range []bucket.Version{old, v} {
			r.hold(held, true)
			r.hold(held, true) // it is so already
			r.hasProtection(held, bucket.Protection{LegalHold: true})
			if err := r.b.DeleteVersion(r.ctx, held.Key, held.ID); !errors.Is(err, bucket.ErrDenied) {
				r.errorf("DeleteVersion of a held version: %v; want ErrDenied", err)
			}
		}
		r.hasProtection(other, bucket.Protection{})
		r.listsAll()
		r.reads("k", old.ID, "x")
		r.hold(old, false)
		r.hold(old, false)
		r.hasProtection(old, bucket.Protection{})
		r.hasProtection(v, bucket.Protection{LegalHold: true})
		r.destroy(old)
		r.hold(v, false)
		r.destroy(v)
		r.listsAll()
	}},
	{"over-a-held-live-version", func(r *recorder) {
		v := r.create("k", "x")
		r.lockable(v)
		r.hold(v, true)
		if !r.generations {
			// A marker and a new version can be laid over it.
			r.del("k")
			r.create("k", "y")
			r.listsAll()
			r.reads("k", v.ID, "x")
		} else if _, err := r.b.Delete(r.ctx, "k"); !errors.Is(err, bucket.ErrDenied) {
			// Cloud Storage documentation, "Object holds": a held object can be
			// neither deleted nor replaced.
			r.errorf("Delete of a held live version: %v; want ErrDenied", err)
		}
		if s := r.b.Settings(r.ctx); !s.ObjectLock.CanHold || s.ObjectLock.HoldsLive != r.generations || s.ObjectLockErr != nil {
			r.errorf("the settings tell %+v, %v; want CanHold, and HoldsLive %v", s.ObjectLock, s.ObjectLockErr, r.generations)
		}
		r.hold(v, false)
		r.destroy(v)
		r.listsAll()
	}},
	{"what-is-not-there", func(r *recorder) {
		gone := r.create("k", "x")
		v := r.put("k", "y")
		r.lockable(v)
		r.destroy(gone)
		m := r.del("k")
		for what, c := range map[string]bucket.Version{"a version that is gone": gone, "a key that is not there": {Key: "none", ID: v.ID}, "a delete marker": {Key: "k", ID: m.ID}} {
			for _, on := range []bool{true, false} {
				if err := r.b.Hold(r.ctx, c.Key, c.ID, on); !errors.Is(err, bucket.ErrNotFound) {
					r.errorf("Hold %v of %s, %q (%s): %v; want ErrNotFound", on, what, c.Key, c.ID, err)
				}
			}
		}
		if err := r.b.Hold(r.ctx, "k", "", true); err == nil {
			r.errorf("Hold without a version is taken")
		}
		r.listsAll()
	}},
}

// lockable has a bucket that needs it switched to having locks.
func (r *recorder) lockable(v bucket.Version) {
	if x, ok := r.b.(Extras); ok {
		r.must("SetProtection", x.SetProtection(r.ctx, v.Key, v.ID, bucket.Protection{}))
	}
}

func (r *recorder) hold(v bucket.Version, on bool) {
	if err := r.b.Hold(r.ctx, v.Key, v.ID, on); err != nil {
		r.errorf("Hold %v of %q (%s): %v", on, v.Key, v.ID, err)
	}
}
