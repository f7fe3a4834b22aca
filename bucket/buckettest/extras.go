package buckettest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"provcat-tui/bucket"
)

// Extras is what a store may have that not every store has. The group "extras"
// runs where the Bucket is one.
type Extras interface {
	SetTags(ctx context.Context, key, version string, tags map[string]string) error
	// SetProtection also switches the bucket's object lock on. A time in the past
	// and no hold: the version is free again.
	SetProtection(ctx context.Context, key, version string, p bucket.Protection) error
	StartUpload(ctx context.Context, key string) (id string, err error)
	AbortUpload(ctx context.Context, key, id string) error
	// FinishUpload completes an upload with one part.
	FinishUpload(ctx context.Context, key, id, part string) (bucket.Version, error)
}

// plainChecks: what every driver answers where none of it was set.
var plainChecks = []check{
	{"no-tags", func(r *recorder) {
		v := r.create("k", "x")
		r.put("k", "y")
		r.hasTags(v, map[string]string{})
	}},
	{"no-protection", func(r *recorder) {
		v := r.create("k", "x")
		r.put("k", "y")
		before := r.b.Requests()
		r.hasProtection(v, bucket.Protection{})
		first := r.b.Requests()
		r.hasProtection(v, bucket.Protection{})
		if after := r.b.Requests(); first.Get != before.Get || after != first {
			r.errorf("requests were %+v, %+v and are %+v; want nothing asked of a version, and nothing the second time", before, first, after)
		}
	}},
	{"no-uploads", func(r *recorder) {
		r.create("k", "x")
		r.hasUploads("")
		r.hasUploads("k")
	}},
}

var extraChecks = []check{
	{"tags", func(r *recorder) {
		v := r.create("k", "x")
		tags := map[string]string{"class": "tmp", "Grund: Ziel/1.5": "a+b=c_ü @-", "empty": ""}
		r.must("SetTags", r.x().SetTags(r.ctx, v.Key, v.ID, tags))
		r.hasTags(v, tags)
		r.must("SetTags", r.x().SetTags(r.ctx, v.Key, v.ID, map[string]string{"other": "1"}))
		r.hasTags(v, map[string]string{"other": "1"})
	}},
	{"tags-of-each-version", func(r *recorder) {
		old := r.create("k", "x")
		r.must("SetTags", r.x().SetTags(r.ctx, old.Key, old.ID, map[string]string{"which": "old"}))
		none := r.put("k", "y")
		live := r.put("k", "z")
		r.must("SetTags", r.x().SetTags(r.ctx, live.Key, live.ID, map[string]string{"which": "live"}))
		r.del("k")
		r.hasTags(old, map[string]string{"which": "old"})
		r.hasTags(none, map[string]string{})
		r.hasTags(live, map[string]string{"which": "live"})
	}},
	{"tags-of-an-absent-version", func(r *recorder) {
		gone := r.create("k", "x")
		r.put("k", "y")
		r.destroy(gone)
		if tags, err := r.b.Tags(r.ctx, gone.Key, gone.ID); !errors.Is(err, bucket.ErrNotFound) {
			r.errorf("the tags of a version that is gone: %v, %v; want ErrNotFound", tags, err)
		}
	}},
	{"retention", func(r *recorder) {
		v := r.create("k", "x")
		until := time.Now().UTC().Add(time.Hour).Truncate(time.Second)
		r.protect(v, bucket.Protection{RetainUntil: until})
		r.hasProtection(v, bucket.Protection{RetainUntil: until})
		if err := r.b.DeleteVersion(r.ctx, v.Key, v.ID); !errors.Is(err, bucket.ErrDenied) {
			r.errorf("DeleteVersion of a retained version: %v; want ErrDenied", err)
		}
		r.del("k") // a marker can be laid over it
		r.listsAll()
	}},
	{"legal-hold", func(r *recorder) {
		old := r.create("k", "x")
		v := r.put("k", "y")
		r.protect(v, bucket.Protection{LegalHold: true})
		r.hasProtection(v, bucket.Protection{LegalHold: true})
		r.hasProtection(old, bucket.Protection{})
		if err := r.b.DeleteVersion(r.ctx, v.Key, v.ID); !errors.Is(err, bucket.ErrDenied) {
			r.errorf("DeleteVersion of a version under a legal hold: %v; want ErrDenied", err)
		}
		r.destroy(old)
		r.listsAll()
		r.protect(v, bucket.Protection{})
		r.hasProtection(v, bucket.Protection{})
		r.destroy(v)
		r.listsAll()
	}},
	{"protection-of-an-absent-version", func(r *recorder) {
		v := r.create("k", "x")
		r.protect(v, bucket.Protection{LegalHold: true})
		gone := r.put("k", "y")
		r.destroy(gone)
		if p, err := r.b.Protection(r.ctx, gone.Key, gone.ID); !errors.Is(err, bucket.ErrNotFound) {
			r.errorf("the protection of a version that is gone: %v, %v; want ErrNotFound", p, err)
		}
		r.protect(v, bucket.Protection{})
	}},
	{"uploads", func(r *recorder) {
		a1 := r.start("sales/a b+c%.csv")
		a2 := r.start("sales/a b+c%.csv")
		z := r.start("z")
		s := r.start("sales/z")
		r.hasUploads("", a1, a2, s, z)
		r.hasUploads("sales/", a1, a2, s)
		r.hasUploads("sales/z", s)
		r.hasUploads("y")
		r.listsAll() // an upload is no version
		r.must("AbortUpload", r.x().AbortUpload(r.ctx, a1.Key, a1.ID))
		r.hasUploads("sales/a", a2)
	}},
	{"uploads-in-many-pages", func(r *recorder) {
		var want []bucket.Upload
		for i := range 7 {
			want = append(want, r.start(fmt.Sprintf("k%d", i/3)))
		}
		r.hasUploads("k", want...)
	}},
	{"completed-upload", func(r *recorder) {
		r.create("k", "x")
		u := r.start("k")
		v, err := r.x().FinishUpload(r.ctx, u.Key, u.ID, "y")
		r.must("FinishUpload", err)
		r.hasUploads("")
		got := r.all(bucket.Range{})
		// S3 API reference, "Object": the ETag of an object in parts is no MD5.
		if len(got) != 2 || got[0].ID != v.ID || !got[0].Live() || got[0].Size != 1 || !strings.HasSuffix(got[0].ETag, "-1") {
			r.errorf("after an upload was completed the listing gives %+v; want %+v on top, its ETag with -1", got, v)
		}
	}},
	{"upload-completed-late", func(r *recorder) {
		// S3 user guide, "Uploading and copying objects using multipart upload":
		// what was started first takes the place of its start.
		u := r.start("k")
		later := r.put("k", "x")
		v, err := r.x().FinishUpload(r.ctx, u.Key, u.ID, "y")
		r.must("FinishUpload", err)
		got := r.all(bucket.Range{})
		if len(got) != 2 || got[0].ID != later.ID || !got[0].Live() || got[1].ID != v.ID {
			r.errorf("the listing gives %+v; want %s on top of %s, whose upload was started before", got, later.ID, v.ID)
		}
		r.reads("k", "", "x")
	}},
}

func (r *recorder) x() Extras { return r.b.(Extras) }

func (r *recorder) protect(v bucket.Version, p bucket.Protection) {
	r.must(fmt.Sprintf("SetProtection %+v", p), r.x().SetProtection(r.ctx, v.Key, v.ID, p))
}

func (r *recorder) start(key string) bucket.Upload {
	id, err := r.x().StartUpload(r.ctx, key)
	r.must(fmt.Sprintf("StartUpload %q", key), err)
	return bucket.Upload{Key: key, ID: id}
}

func (r *recorder) hasTags(v bucket.Version, want map[string]string) {
	got, err := r.b.Tags(r.ctx, v.Key, v.ID)
	if err != nil || got == nil || !maps.Equal(got, want) {
		r.errorf("the tags of %q (%s) are %#v, %v; want %v", v.Key, v.ID, got, err, want)
	}
}

func (r *recorder) hasProtection(v bucket.Version, want bucket.Protection) {
	got, err := r.b.Protection(r.ctx, v.Key, v.ID)
	if err != nil || got != want {
		r.errorf("the protection of %q (%s) is %+v, %v; want %+v", v.Key, v.ID, got, err, want)
	}
}

// hasUploads checks keys, IDs and that the times are of this check.
func (r *recorder) hasUploads(prefix string, want ...bucket.Upload) {
	var got []bucket.Upload
	for u, err := range r.b.Uploads(r.ctx, prefix) {
		r.must(fmt.Sprintf("Uploads %q after %d", prefix, len(got)), err)
		if age := time.Since(u.Started); u.Started.Location() != time.UTC || age > 10*time.Minute || age < -time.Minute {
			r.errorf("the upload of %q was started at %v; want a time of this check, in UTC", u.Key, u.Started)
		}
		u.Started = time.Time{}
		if got = append(got, u); len(got) > 1000 {
			r.fatalf("Uploads %q: no end", prefix)
		}
	}
	byKeyAndID := func(a, b bucket.Upload) int {
		return strings.Compare(a.Key+"\x00"+a.ID, b.Key+"\x00"+b.ID)
	}
	if !slices.IsSortedFunc(got, func(a, b bucket.Upload) int { return strings.Compare(a.Key, b.Key) }) {
		r.errorf("Uploads %q gives %v, whose keys do not ascend", prefix, got)
	}
	slices.SortFunc(got, byKeyAndID) // the order within a key is not promised
	want = slices.SortedFunc(slices.Values(want), byKeyAndID)
	if !slices.Equal(got, want) {
		r.errorf("Uploads %q gives %v; want %v", prefix, got, want)
	}
}
