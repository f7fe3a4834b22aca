package buckettest

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"provcat-tui/bucket"
)

// A recorder runs one check and keeps its failures: a Go test that failed can't
// be made to pass, and a known difference has to. It also holds the model of
// what the check has written.
type recorder struct {
	b      Bucket
	ctx    context.Context
	racers int
	etag   func([]byte) string
	model  model

	generations bool
	suspended   bool // of generations: what is live is gone for good when it is written over

	mu       sync.Mutex
	failures []string
}

// stop is what fatalf throws; run catches it.
type stop struct{}

// run runs the check and gives its failures.
func (c check) run(b Bucket, o Options) (failures []string) {
	r := &recorder{b: b, racers: o.Racers, etag: o.ETag, model: model{}, generations: o.Generations}
	if r.racers == 0 {
		r.racers = 16
	}
	if r.etag == nil {
		r.etag = func(body []byte) string {
			sum := md5.Sum(body)
			return hex.EncodeToString(sum[:])
		}
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	var cancel context.CancelFunc
	r.ctx, cancel = context.WithTimeout(context.Background(), o.Timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(stop); !ok {
				panic(p)
			}
		}
		failures = r.failures
	}()
	c.f(r)
	return nil // the deferred function gives the failures
}

// errorf records a failure; it may be called from any goroutine.
func (r *recorder) errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// fatalf records a failure and ends the check; only from the check's own
// goroutine.
func (r *recorder) fatalf(format string, args ...any) {
	r.errorf(format, args...)
	panic(stop{})
}

// must ends the check on an error.
func (r *recorder) must(what string, err error) {
	if err != nil {
		r.fatalf("%s: %v", what, err)
	}
}

// put writes a version and records it.
func (r *recorder) put(key, body string) bucket.Version {
	v, err := r.b.Put(r.ctx, key, strings.NewReader(body))
	r.must(fmt.Sprintf("Put %q", key), err)
	return r.wrote(v, key, body)
}

// create writes a version with put-if-absent and records it.
func (r *recorder) create(key, body string) bucket.Version {
	v, err := r.b.PutIfAbsent(r.ctx, key, strings.NewReader(body))
	r.must(fmt.Sprintf("PutIfAbsent %q", key), err)
	return r.wrote(v, key, body)
}

// copied copies a version, whose body the caller tells, and records the copy.
func (r *recorder) copied(from bucket.Version, to, body string) bucket.Version {
	v, err := r.b.CopyVersion(r.ctx, from.Key, from.ID, to)
	r.must(fmt.Sprintf("CopyVersion %q (%s) to %q", from.Key, from.ID, to), err)
	return r.wrote(v, to, body)
}

// wrote records a new version of key and checks what the write told of it.
func (r *recorder) wrote(v bucket.Version, key, body string) bucket.Version {
	if v.ID == "" || v.Key != key || v.DeleteMarker || v.ETag != r.etag([]byte(body)) {
		r.errorf("the write of %q returned %+v; want its key, a version ID and the ETag %s", key, v, r.etag([]byte(body)))
	}
	if have := r.model[key]; r.suspended && len(have) > 0 && !have[0].marker {
		r.model.removeGeneration(key, have[0].id)
	}
	r.model.add(r, entry{key: key, id: v.ID, body: body})
	return v
}

// del hides a key and records the marker.
func (r *recorder) del(key string) bucket.Version {
	v, err := r.b.Delete(r.ctx, key)
	if have := r.model[key]; r.generations && (len(have) == 0 || have[0].marker) {
		if !errors.Is(err, bucket.ErrNotFound) {
			r.errorf("Delete %q, of which nothing is live: %+v, %v; want ErrNotFound", key, v, err)
		}
		return bucket.Version{Key: key}
	}
	r.must(fmt.Sprintf("Delete %q", key), err)
	if r.generations && v.ID != deletion(r.model[key][0].id) {
		r.errorf("Delete %q returned %+v; want the deletion of %s", key, v, r.model[key][0].id)
	}
	if v.ID == "" || v.Key != key || !v.DeleteMarker {
		r.errorf("Delete %q returned %+v; want its key, a version ID and a delete marker", key, v)
	}
	r.model.add(r, entry{key: key, id: v.ID, marker: true})
	return v
}

// destroy removes a version for good, in the bucket and in the model.
func (r *recorder) destroy(v bucket.Version) {
	if r.generations {
		r.destroyGeneration(v)
		return
	}
	r.must(fmt.Sprintf("DeleteVersion %q (%s)", v.Key, v.ID), r.b.DeleteVersion(r.ctx, v.Key, v.ID))
	r.model.remove(v.Key, v.ID)
}

// destroyGeneration is destroy by Cloud Storage's rules: the latest deletion is undone
// by a copy of what is under it, an earlier one cannot be.
func (r *recorder) destroyGeneration(v bucket.Version) {
	if v.ID == "" {
		return // nothing was deleted
	}
	have := r.model[v.Key]
	i := slices.IndexFunc(have, func(e entry) bool { return e.id == v.ID })
	err := r.b.DeleteVersion(r.ctx, v.Key, v.ID)
	switch {
	case i > 0 && have[i].marker:
		if !errors.Is(err, bucket.ErrUnsupported) {
			r.errorf("DeleteVersion %q (%s), which is no longer the latest: %v; want ErrUnsupported", v.Key, v.ID, err)
		}
		return
	case err != nil:
		r.fatalf("DeleteVersion %q (%s): %v", v.Key, v.ID, err)
	case i < 0:
	case have[i].marker:
		_, live, err := r.body(v.Key, "", 0)
		r.must(fmt.Sprintf("Open %q after its deletion was undone", v.Key), err)
		r.model.add(r, entry{key: v.Key, id: live.ID, body: have[i+1].body})
	default:
		r.model.removeGeneration(v.Key, v.ID)
	}
}

// body reads a version; the empty version is the live one.
func (r *recorder) body(key, version string, first int64) (string, bucket.Version, error) {
	rc, v, err := r.b.Open(r.ctx, key, version, first)
	if err != nil {
		return "", v, err
	}
	body, err := io.ReadAll(rc)
	if cerr := rc.Close(); err == nil {
		err = cerr
	}
	return string(body), v, err
}

// reads checks that a version has the body.
func (r *recorder) reads(key, version, want string) {
	got, v, err := r.body(key, version, 0)
	switch {
	case err != nil:
		r.errorf("Open %q (%s): %v", key, version, err)
	case got != want:
		r.errorf("Open %q (%s) reads %s; want %s", key, version, short(got), short(want))
	case v.Key != key || v.Size != int64(len(want)) || v.ETag != r.etag([]byte(want)) || v.DeleteMarker || v.ID == "":
		r.errorf("Open %q (%s) tells %+v; want its key and ID, %d bytes, ETag %s", key, version, v, len(want), r.etag([]byte(want)))
	case v.MD5 && v.ETag != fmt.Sprintf("%x", md5.Sum([]byte(want))):
		r.errorf("Open %q (%s) tells that %s is the MD5 of the body, which has another", key, version, v.ETag)
	case version != "" && v.ID != version:
		r.errorf("Open %q (%s) reads version %s", key, version, v.ID)
	case version == "" && (!v.Latest || v.ID != r.model[key][0].id):
		r.errorf("Open %q reads %+v; want the latest, version %s", key, v, r.model[key][0].id)
	}
}

func short(s string) string {
	if len(s) > 60 {
		return fmt.Sprintf("%q… (%d bytes)", s[:60], len(s))
	}
	return fmt.Sprintf("%q", s)
}
