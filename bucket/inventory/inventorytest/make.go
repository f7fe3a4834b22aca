// Package inventorytest makes inventory reports as S3 would, for tests: CSV with the
// standard library, Parquet with a library that isn't ours.
package inventorytest

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/md5"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"provcat-tui/bucket"
)

// Options of a report. The zero value is a CSV report in one file.
type Options struct {
	Source  string    // the bucket that it lists
	Created time.Time // zero: 2026-12-01 01:00 UTC
	Format  string    // "CSV" (default), "Parquet", or a word that the manifest is to hold
	Files   int       // over which the rows go in turn; 0: 1
	Prefix  string    // before the report's keys, with its final slash
	Schema  string    // fileSchema of the manifest; empty: that of the rows
	Parquet []parquet.WriterOption
	Group   int // rows of a group of the Parquet file; 0: 1000
	// Change is called with each data file, by index, and gives what is stored; the
	// manifest is of what was. nil: nothing is changed.
	Change func(i int, data []byte) []byte
}

// A Report is what lies in the bucket that the report goes to, by key.
type Report struct {
	Manifest string // key of manifest.json
	Objects  map[string][]byte
}

// csvSchema are the columns of the CSV, in the order of S3's own example.
const csvSchema = "Bucket, Key, VersionId, IsLatest, IsDeleteMarker, Size, LastModifiedDate, ETag, StorageClass, IsMultipartUploaded, IntelligentTieringAccessTier"

// parquetSchema is that of the manifest, as S3 writes it.
const parquetSchema = "message s3.inventory { required binary bucket (UTF8); required binary key (UTF8); optional binary version_id (UTF8); optional boolean is_latest; optional boolean is_delete_marker; optional int64 size; optional int64 last_modified_date (TIMESTAMP_MILLIS); optional binary e_tag (UTF8); optional binary storage_class (UTF8); optional boolean is_multipart_uploaded; optional binary intelligent_tiering_access_tier (UTF8); }"

// A row is one of the Parquet file.
type row struct {
	Bucket    string     `parquet:"bucket,dict"`
	Key       string     `parquet:"key,plain"`
	Version   *string    `parquet:"version_id,optional,plain"`
	Latest    *bool      `parquet:"is_latest,optional"`
	Marker    *bool      `parquet:"is_delete_marker,optional"`
	Size      *int64     `parquet:"size,optional,dict"`
	Modified  *time.Time `parquet:"last_modified_date,optional,timestamp(millisecond)"`
	ETag      *string    `parquet:"e_tag,optional,plain"`
	Class     *string    `parquet:"storage_class,optional,dict"`
	Multipart *bool      `parquet:"is_multipart_uploaded,optional"`
	Tier      *string    `parquet:"intelligent_tiering_access_tier,optional,dict"`
}

// Make makes a report of these versions.
func Make(t testing.TB, versions []bucket.Version, o Options) Report {
	t.Helper()
	if o.Created.IsZero() {
		o.Created = time.Date(2026, 12, 1, 1, 0, 0, 0, time.UTC)
	}
	if o.Format == "" {
		o.Format = "CSV"
	}
	n := max(o.Files, 1)
	parts := make([][]bucket.Version, n)
	for i, v := range versions {
		parts[i%n] = append(parts[i%n], v)
	}
	r := Report{Manifest: o.Prefix + o.Created.Format("2006-01-02T15-04Z") + "/manifest.json", Objects: map[string][]byte{}}
	type file struct {
		Key  string `json:"key"`
		Size int    `json:"size"`
		MD5  string `json:"MD5checksum"`
	}
	files := []file{}
	for i, part := range parts {
		end, schema := "csv.gz", csvSchema
		data := []byte(nil)
		if o.Format == "Parquet" {
			end, schema = "parquet", parquetSchema
			data = parquetOf(t, part, o)
		} else {
			data = csvOf(t, part, o)
		}
		if o.Schema == "" {
			o.Schema = schema
		}
		sum := md5.Sum(data)
		key := fmt.Sprintf("%sdata/%08d-part.%s", o.Prefix, i, end)
		files = append(files, file{key, len(data), hex.EncodeToString(sum[:])})
		if o.Change != nil {
			data = o.Change(i, data)
		}
		if data != nil {
			r.Objects[key] = data
		}
	}
	manifest, err := json.MarshalIndent(map[string]any{"sourceBucket": o.Source, "destinationBucket": "arn:aws:s3:::reports", "version": "2016-11-30",
		"creationTimestamp": strconv.FormatInt(o.Created.UnixMilli(), 10), "fileFormat": o.Format, "fileSchema": o.Schema, "files": files}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	r.Objects[r.Manifest] = manifest
	r.Seal()
	return r
}

// Seal makes the checksum of the manifest as it is now.
func (r Report) Seal() {
	sum := md5.Sum(r.Objects[r.Manifest])
	r.Objects[strings.TrimSuffix(r.Manifest, ".json")+".checksum"] = []byte(hex.EncodeToString(sum[:]))
}

func csvOf(t testing.TB, part []bucket.Version, o Options) []byte {
	t.Helper()
	var text strings.Builder
	for _, v := range part {
		id, size, class := v.ID, strconv.FormatInt(v.Size, 10), v.StorageClass
		if id == bucket.NullID {
			id = ""
		}
		if v.DeleteMarker {
			size, class = "", ""
		}
		// Every field in quotes, as S3 writes them; a line of encoding/csv would quote
		// only those that need it.
		for i, f := range []string{o.Source, strings.ReplaceAll(url.QueryEscape(v.Key), "%2F", "/"), id, strconv.FormatBool(v.Latest), strconv.FormatBool(v.DeleteMarker),
			size, v.Modified.UTC().Format("2006-01-02T15:04:05.000Z"), v.ETag, class, "false", ""} {
			if i > 0 {
				text.WriteByte(',')
			}
			text.WriteString(`"` + strings.ReplaceAll(f, `"`, `""`) + `"`)
		}
		text.WriteByte('\n')
	}
	if _, err := csv.NewReader(strings.NewReader(text.String())).ReadAll(); err != nil {
		t.Fatal("this is no CSV:", err)
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write([]byte(text.String())); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func parquetOf(t testing.TB, part []bucket.Version, o Options) []byte {
	t.Helper()
	options := o.Parquet
	if options == nil {
		options = []parquet.WriterOption{parquet.Compression(&parquet.Snappy)}
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[row](&out, options...)
	group := cmp.Or(o.Group, 1000)
	for i, v := range part {
		x := row{Bucket: o.Source, Key: v.Key, Latest: &v.Latest, Marker: &v.DeleteMarker}
		if v.ID != bucket.NullID {
			x.Version = &v.ID
		}
		if !v.DeleteMarker {
			x.Size, x.ETag = &v.Size, &v.ETag
			if v.StorageClass != "" {
				x.Class = &v.StorageClass
			}
		}
		at := v.Modified.UTC()
		x.Modified = &at
		if _, err := w.Write([]row{x}); err != nil {
			t.Fatal(err)
		}
		if i%group == group-1 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
