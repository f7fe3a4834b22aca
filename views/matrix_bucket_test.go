package views

import (
	"context"
	"fmt"
	"io"
	"iter"
	"sort"
	"strings"
	"time"

	"provcat-tui/bucket"
)

// hugeKeys is how many keys, and versions of one key, the huge bucket has.
const hugeKeys = 1_000_000

// huge has a million files in sales/2026, made as they are asked for.
type huge struct{ named }

func hugeVersion(i int) bucket.Version {
	return bucket.Version{
		Key: fmt.Sprintf("sales/2026/part-%07d.parquet", i), ID: fmt.Sprintf("ver%07d", i), Latest: true,
		Size: int64(i), ETag: "9b2cf535f27731c974343645a3985328", Modified: later.Add(-time.Duration(i) * time.Second),
	}
}

func (h huge) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	if !strings.HasPrefix(key, "sales/2026/part-") {
		return h.Bucket.Open(ctx, key, version, first)
	}
	const body = "PAR1\x15\x04\x15\x00"
	return io.NopCloser(strings.NewReader(body)), bucket.Version{Key: key, ID: version, Size: int64(len(body))}, nil
}

func (h huge) Level(ctx context.Context, prefix string) iter.Seq2[bucket.Item, error] {
	if prefix != "sales/2026/" {
		return h.Bucket.Level(ctx, prefix)
	}
	return func(yield func(bucket.Item, error) bool) {
		for i := range hugeKeys {
			if ctx.Err() != nil || !yield(bucket.Item{Version: hugeVersion(i)}, nil) {
				return
			}
		}
	}
}

func (h huge) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	const inside = "sales/2026/"
	if !strings.HasPrefix(r.Prefix, inside) && !strings.HasPrefix(inside, r.Prefix) || r.Prefix == "" {
		return h.Bucket.Versions(ctx, r)
	}
	return func(yield func(bucket.Version, error) bool) {
		// As a store does it begins where it is asked to: a walk asks for many ranges.
		first := sort.Search(hugeKeys, func(i int) bool { key := hugeVersion(i).Key; return key > r.After && key >= r.Prefix })
		for i := first; i < hugeKeys; i++ {
			v := hugeVersion(i)
			if !strings.HasPrefix(v.Key, r.Prefix) {
				return
			}
			if r.Through != "" && v.Key > r.Through || ctx.Err() != nil || !yield(v, nil) {
				return
			}
		}
	}
}

// shut refuses whatever is asked of it.
type shut struct{ bucket.Bucket }

func (b shut) no(op, key, permission string) error {
	return &bucket.Error{Op: op, Bucket: "s3://b", Key: key, Kind: bucket.ErrDenied, Permission: permission}
}

func (b shut) Level(_ context.Context, prefix string) iter.Seq2[bucket.Item, error] {
	return func(yield func(bucket.Item, error) bool) {
		yield(bucket.Item{}, b.no("list the versions of", prefix, "s3:ListBucketVersions"))
	}
}

func (b shut) Versions(_ context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		yield(bucket.Version{}, b.no("list the versions of", r.Prefix, "s3:ListBucketVersions"))
	}
}

func (b shut) Versioning(context.Context) (bucket.Versioning, time.Time, error) {
	return "", time.Time{}, b.no("read the versioning of", "", "s3:GetBucketVersioning")
}

func (b shut) Settings(context.Context) bucket.Settings {
	return bucket.Settings{
		VersioningErr: b.no("read the versioning of", "", "s3:GetBucketVersioning"),
		LifecycleErr:  b.no("read the lifecycle rules of", "", "s3:GetLifecycleConfiguration"),
		ObjectLockErr: b.no("read the object lock of", "", "s3:GetBucketObjectLockConfiguration"),
	}
}
