// Package inventory reads S3 Inventory reports: lists of every version of a bucket
// that S3 makes once a day or week. It knows buckets and nothing of commits.
//
// S3 user guide, "Amazon S3 Inventory list" and "Locating your inventory list".
//
// A report may come from anywhere, so that nothing in it is trusted: the checksums of
// all its parts are checked before a row is read, and everything has a limit.
package inventory

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// The formats that can be read.
const (
	CSV     = "CSV"
	Parquet = "Parquet"
)

// A File is one of the files that hold a report's rows.
type File struct {
	Key  string // in the bucket that the report was written to
	Size int64  // bytes, as it is stored: compressed
	MD5  string // lowercase hex
}

// A Report is an inventory report whose manifest was read and checked.
type Report struct {
	// URL is where the manifest is.
	URL string
	// Source is the name of the bucket that the report lists.
	Source string
	// Created is when S3 began to make the report: what was written or deleted near
	// that time or later may or may not be in it.
	Created time.Time
	Format  string // CSV or Parquet
	Files   []File
	// Classes and Tiers say whether the rows tell the storage class, and the access
	// tier of INTELLIGENT_TIERING.
	Classes, Tiers bool

	columns []column // of the CSV
	from    source
}

// Limits of what is read.
const (
	maxManifest = 64 << 20
	maxFiles    = 100_000
	maxFileSize = 64 << 30 // of one file, as stored
)

// oneManifest is what a person is told to name.
const oneManifest = `name the manifest.json of one report, such as s3://reports/PREFIX/BUCKET/ID/2026-12-01T01-00Z/manifest.json`

// Open reads the manifest at key. An error that is bucket.ErrUsage says that the
// report is of no use, and what to do; others that it could not be read.
func Open(ctx context.Context, b bucket.Bucket, key string) (*Report, error) {
	return open(ctx, inBucket{b}, key)
}

// OpenFile reads a manifest that was downloaded. The files with the rows lie as they
// do in the bucket (../data/NAME) or beside it.
func OpenFile(ctx context.Context, name string) (*Report, error) {
	return open(ctx, onDisk{}, name)
}

func open(ctx context.Context, from source, name string) (*Report, error) {
	url := from.url(name)
	if path.Base(strings.ReplaceAll(name, `\`, "/")) != "manifest.json" {
		return nil, fmt.Errorf("%w: %s is no manifest of an inventory report: %s", bucket.ErrUsage, safe.Text(url), oneManifest)
	}
	text, err := readSmall(ctx, from, name, maxManifest)
	if err != nil {
		if errors.Is(err, bucket.ErrNotFound) {
			return nil, fmt.Errorf("%w: there is no inventory report at %s (%w); %s", bucket.ErrUsage, safe.Text(url), err, oneManifest)
		}
		return nil, fmt.Errorf("read the manifest of the inventory report: %w", err)
	}
	sums := strings.TrimSuffix(name, "manifest.json") + "manifest.checksum"
	want, err := readSmall(ctx, from, sums, 1<<10)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, fmt.Errorf("%w: beside %s there is no manifest.checksum, which S3 writes last: the report may not be finished; take an earlier one, or copy that file too", bucket.ErrUsage, safe.Text(url))
	}
	if err != nil {
		return nil, fmt.Errorf("read the checksum of the inventory report's manifest: %w", err)
	}
	sum := md5.Sum(text)
	if got := hex.EncodeToString(sum[:]); !strings.EqualFold(strings.TrimSpace(string(want)), got) {
		return nil, fmt.Errorf("%w: %s does not have the MD5 that manifest.checksum names (%s; it is %s): it was changed or only partly copied; copy the report again, or take another one",
			bucket.ErrUsage, safe.Text(url), safe.Text(strings.TrimSpace(string(want))), got)
	}
	r, err := parseManifest(text)
	if err != nil {
		return nil, fmt.Errorf("%w: the inventory report at %s: %w", bucket.ErrUsage, safe.Text(url), err)
	}
	r.URL, r.from = url, from.at(name)
	return r, nil
}

// readSmall reads a whole object of at most limit bytes.
func readSmall(ctx context.Context, from source, name string, limit int64) ([]byte, error) {
	in, size, err := from.open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // only read from
	text, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", safe.Text(from.url(name)), err)
	}
	if int64(len(text)) > limit || size > limit {
		return nil, fmt.Errorf("%w: %s has more than %d bytes, too many for what it should be", bucket.ErrUsage, safe.Text(from.url(name)), limit)
	}
	return text, nil
}

// Requests counts what reading the report has asked of its bucket; none of a report on
// disk.
func (r *Report) Requests() bucket.Requests { return r.from.requests() }

// Remote says whether reading the report takes requests.
func (r *Report) Remote() bool {
	_, disk := r.from.(onDisk)
	return !disk
}

// Size is the bytes of all files together, as they are stored.
func (r *Report) Size() int64 {
	n := int64(0)
	for _, f := range r.Files {
		n += f.Size
	}
	return n
}

// Rows calls visit for each row of the i-th file, which is read as a whole and checked
// first, through a temporary file if it lies in a bucket. A row is valid during the
// call only. After an error nothing is known of the rows that were not visited. Rows of
// several files may be read side by side.
func (r *Report) Rows(ctx context.Context, i int, visit func(*Row) error) error {
	f := r.Files[i]
	whole, err := r.fetch(ctx, f)
	if err != nil {
		return err
	}
	defer whole.close()
	n := int64(0)
	each := func(row *Row) error {
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if string(row.Bucket) != r.Source {
			return fmt.Errorf("it is of the bucket %q, not of %q", row.Bucket, r.Source)
		}
		return visit(row)
	}
	if r.Format == Parquet {
		err = readParquet(whole.File, f.Size, each)
	} else {
		err = readCSV(whole.File, f.Size, r.columns, each)
	}
	if err != nil && ctx.Err() == nil {
		return r.bad(f, err)
	}
	return err
}

// bad is the error of a file that is not what it should be.
func (r *Report) bad(f File, err error) error {
	return &bucket.Error{Op: "read the inventory file", Bucket: r.from.root(), Key: f.Key, Kind: bucket.ErrBadAnswer, Err: err,
		Hint: "copy the report again, or take another one"}
}
