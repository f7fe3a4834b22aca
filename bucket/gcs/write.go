package gcs

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"google.golang.org/api/googleapi"
	raw "google.golang.org/api/storage/v1"

	"provcat-tui/bucket"
	"provcat-tui/bucket/remote"
)

// one are the fields of one object that its description is asked for.
const one = "kind,name,generation,size,md5Hash,crc32c,timeCreated,timeDeleted,storageClass"

// PutIfAbsent sends ifGenerationMatch=0: generations that are no longer live are not
// in its way. A lost answer is followed by another attempt, which may then be refused
// for this very call's own write.
func (b *store) PutIfAbsent(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	return b.insert(ctx, &call{op: "create", name: opInsert, key: key, permission: "storage.objects.create", write: true, conditional: true}, body)
}

// insert writes an object in one request, unless c is conditional over whatever is there.
func (b *store) insert(ctx context.Context, c *call, body io.ReadSeeker) (bucket.Version, error) {
	// The MD5 shows the store what was damaged on the way.
	sum := md5.New()
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return bucket.Version{}, b.fail(c, err)
	}
	size, err := io.Copy(sum, body)
	if err != nil {
		return bucket.Version{}, b.fail(c, err)
	}
	object := &raw.Object{Name: c.key, ContentType: contentType(c.key), Md5Hash: base64.StdEncoding.EncodeToString(sum.Sum(nil))}
	var got *raw.Object
	err = b.do(ctx, c, func(ctx context.Context) error {
		if _, err := body.Seek(0, io.SeekStart); err != nil {
			return err
		}
		in := b.api.Objects.Insert(b.name, object).Name(c.key).Projection("noAcl").Fields(one)
		if c.conditional {
			in.IfGenerationMatch(0)
		}
		if b.billing != "" {
			in.UserProject(b.billing)
		}
		var err error
		// Only a Reader: what else body may be must not change the way it is sent.
		got, err = in.Media(io.MultiReader(body), googleapi.ChunkSize(0), googleapi.ContentType(object.ContentType)).Context(ctx).Do()
		return err
	})
	if err != nil {
		return bucket.Version{}, b.fail(c, err)
	}
	v, err := version(got)
	if err == nil && (v.Key != c.key || v.Size != size) {
		err = &remote.BadAnswer{Text: fmt.Sprintf("%d bytes were written to %.80q, where %d were sent", v.Size, v.Key, size)}
	}
	if err != nil {
		c.lost.Store(true)
		return bucket.Version{}, b.fail(c, err)
	}
	v.Latest = true
	return v, nil
}

// version is an object's description as a Version; Latest is not known.
func version(o *raw.Object) (bucket.Version, error) {
	v := bucket.Version{Key: o.Name, ID: fmt.Sprint(o.Generation), Size: int64(o.Size), StorageClass: o.StorageClass}
	if o.Kind != "storage#object" || o.Generation <= 0 || o.Name == "" {
		return v, &remote.BadAnswer{Text: "not the description of an object of Cloud Storage"}
	}
	var err error
	if v.Modified, err = stamp(o.TimeCreated); err != nil {
		return v, err
	}
	v.ETag, err = etag(o.Md5Hash, o.Crc32c)
	return v, err
}

// stamp reads a time; empty: none.
func stamp(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}, &remote.BadAnswer{Text: fmt.Sprintf("a time that is none: %.40q", s)}
	}
	return t.UTC(), nil
}

// contentType is what a browser or another reader is told. All that the program
// writes under .provcat/ is JSON.
func contentType(key string) string {
	if strings.HasPrefix(key, ".provcat/") || strings.HasSuffix(key, ".json") {
		return "application/json"
	}
	return "application/octet-stream"
}

// CopyVersion rewrites one generation, in as many requests as the store wants.
func (b *store) CopyVersion(ctx context.Context, key, version, to string) (bucket.Version, error) {
	return b.rewrite(ctx, &call{op: "copy to", name: opRewrite, key: to, permission: "storage.objects.create", write: true}, key, version)
}

func (b *store) rewrite(ctx context.Context, c *call, key, from string) (bucket.Version, error) {
	source := &call{op: "copy", name: opRewrite, key: key, version: from, permission: "storage.objects.get"}
	if from == "" {
		return bucket.Version{}, b.fail(source, errNoVersion)
	}
	number, ok := generationOf(from)
	if !ok {
		return bucket.Version{}, b.noGeneration(source)
	}
	var got *raw.RewriteResponse
	done := int64(-1)
	for token := ""; ; token = got.RewriteToken {
		err := b.do(ctx, c, func(ctx context.Context) (err error) {
			in := b.api.Objects.Rewrite(b.name, key, b.name, c.key, nil).SourceGeneration(number).Projection("noAcl").
				Fields("kind,done,rewriteToken,totalBytesRewritten,resource(" + one + ")")
			if c.conditional {
				in.IfGenerationMatch(0)
			}
			if token != "" {
				in.RewriteToken(token)
			}
			if b.billing != "" {
				in.UserProject(b.billing)
			}
			got, err = in.Context(ctx).Do()
			return err
		})
		switch {
		case status(err) == http.StatusNotFound:
			source.attempt = c.attempt
			return bucket.Version{}, b.fail(source, err)
		case err != nil:
			return bucket.Version{}, b.fail(c, err)
		case got.Kind != "storage#rewriteResponse" || got.Done && got.Resource == nil || !got.Done && (got.RewriteToken == "" || got.TotalBytesRewritten <= done):
			c.lost.Store(true)
			return bucket.Version{}, b.fail(c, &remote.BadAnswer{Text: "not the answer to a copy of Cloud Storage, or one that does not go on"})
		case got.Done:
			v, err := version(got.Resource)
			if err != nil {
				c.lost.Store(true)
				return bucket.Version{}, b.fail(c, err)
			}
			v.Latest = true
			return v, nil
		}
		done = got.TotalBytesRewritten
	}
}

// stat reads the description of one generation; 0: the live one.
func (b *store) stat(ctx context.Context, c *call, number int64, fields string) (*raw.Object, error) {
	var got *raw.Object
	in := b.get(c.key).Fields(googleapi.Field(fields))
	if number != 0 {
		in.Generation(number)
	}
	err := b.do(ctx, c, func(ctx context.Context) (err error) {
		got, err = in.Context(ctx).Do()
		return err
	})
	if err == nil && (got.Kind != "storage#object" || number != 0 && got.Generation != number) {
		err = &remote.BadAnswer{Text: "not the description of the object that was asked for"}
	}
	return got, err
}

// Delete ends the live generation, and tells the marker that stands for that. Where
// nothing is live there is nothing to delete: ErrNotFound.
func (b *store) Delete(ctx context.Context, key string) (bucket.Version, error) {
	look := &call{op: "delete", name: opGet, key: key, permission: "storage.objects.get"}
	live, err := b.stat(ctx, look, 0, "kind,generation")
	if err != nil {
		return bucket.Version{}, b.fail(look, err)
	}
	c := &call{op: "delete", name: opDelete, key: key, permission: "storage.objects.delete", write: true}
	in := b.api.Objects.Delete(b.name, key).IfGenerationMatch(live.Generation)
	if b.billing != "" {
		in.UserProject(b.billing)
	}
	failed := b.do(ctx, c, func(ctx context.Context) error { return in.Context(ctx).Do() })
	if failed != nil && !c.lost.Load() {
		return bucket.Version{}, b.fail(c, failed)
	}
	// An answer that was lost is settled by what became of the generation.
	after, err := b.stat(ctx, look, live.Generation, "kind,name,generation,timeCreated,timeDeleted")
	switch {
	case status(err) == http.StatusNotFound:
		return bucket.Version{}, &bucket.Error{Op: c.op, Bucket: b.URL(), Key: key,
			Err:  errors.New("versioning is off, and what was there is gone for good"),
			Hint: "switch versioning on before deleting; within the bucket's soft-delete retention \"gcloud storage restore\" may bring it back"}
	case err != nil && failed != nil:
		return bucket.Version{}, b.fail(c, failed)
	case err != nil:
		return bucket.Version{}, b.fail(look, err)
	case after.TimeDeleted == "" && failed != nil:
		return bucket.Version{}, b.fail(c, failed)
	}
	g := generation{Version: bucket.Version{Key: key, ID: fmt.Sprint(live.Generation)}}
	if g.deleted, err = stamp(after.TimeDeleted); err != nil {
		return bucket.Version{}, b.fail(look, err)
	}
	return g.marker(true), nil
}

// DeleteVersion removes a generation for good. Nothing comes to life under it, not
// even under the live one: Cloud Storage brings nothing back by itself.
//
// A deletion is no object, so it cannot be removed. What a caller wants is done for
// the latest one: the generation under it is copied back, with put-if-absent, as a new
// live generation. The old one stays, so that commits that name it stay whole, and the
// deletion stays in the history. ErrExists: somebody wrote meanwhile. Of an earlier
// deletion nothing can be undone: ErrUnsupported.
func (b *store) DeleteVersion(ctx context.Context, key, version string) error {
	c := &call{op: "delete a version of", name: opDelete, key: key, version: version, permission: "storage.objects.delete", write: true}
	if version == "" { // the API would delete the live one
		return b.fail(c, errNoVersion)
	}
	if number, ok := under(version); ok {
		return b.undelete(ctx, key, version, number)
	}
	number, ok := generationOf(version)
	if !ok {
		return nil // it cannot be there, and that is no error
	}
	in := b.api.Objects.Delete(b.name, key).Generation(number)
	if b.billing != "" {
		in.UserProject(b.billing)
	}
	err := b.do(ctx, c, func(ctx context.Context) error { return in.Context(ctx).Do() })
	if status(err) == http.StatusNotFound && !noBucket(err) {
		return nil
	}
	return b.failOrNil(c, err)
}

// undelete brings the generation under the latest deletion back.
func (b *store) undelete(ctx context.Context, key, version string, number int64) error {
	from := fmt.Sprint(number)
	c := &call{op: "bring back", name: opRewrite, key: key, version: version, permission: "storage.objects.create", write: true, conditional: true}
	latest := bucket.Version{}
	for v, err := range b.Versions(ctx, bucket.Range{Prefix: key, Through: key}) {
		if err != nil {
			return err
		}
		latest = v
		break
	}
	switch {
	case latest.Key != key || !latest.DeleteMarker && latest.ID == from:
		return nil // there is no such deletion, and that is no error
	case latest.ID != version && latest.DeleteMarker:
		return b.earlier(c)
	case latest.ID != version:
		there := &call{op: c.op, name: opGet, key: key, version: from, permission: "storage.objects.get"}
		if _, err := b.stat(ctx, there, number, "kind,generation"); status(err) == http.StatusNotFound {
			return nil
		} else if err != nil {
			return b.fail(there, err)
		}
		return b.earlier(c)
	}
	_, err := b.rewrite(ctx, c, key, from)
	return err
}

func (b *store) earlier(c *call) error {
	return &bucket.Error{Op: c.op, Bucket: b.URL(), Key: c.key, Version: c.version, Kind: bucket.ErrUnsupported,
		Err:  errors.New("on Cloud Storage a deletion is only the time between two generations, and newer ones follow this one"),
		Hint: "copy the generation that you want back: it becomes a new one"}
}

func (b *store) failOrNil(c *call, err error) error {
	if err == nil {
		return nil
	}
	return b.fail(c, err)
}
