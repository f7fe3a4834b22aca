package inventory_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"provcat-tui/bucket"
	"provcat-tui/bucket/inventory"
	"provcat-tui/bucket/inventory/inventorytest"
)

var bg = context.Background()

// some are versions of all kinds, keys that need escapes among them.
func some(n int) []bucket.Version {
	var out []bucket.Version
	at := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	for i := range n {
		v := bucket.Version{Key: fmt.Sprintf("data/plain/%05d.csv", i/3), ID: fmt.Sprintf("v%07d", i), Latest: i%3 == 0, Modified: at.Add(time.Duration(i) * time.Second),
			ETag: fmt.Sprintf("%032x", i), Size: int64(i), StorageClass: "STANDARD"}
		switch i % 7 {
		case 2:
			v.Key = fmt.Sprintf("data/odd %%2B+\"quoted\", ü \x01 %d", i)
		case 3:
			v.ID = bucket.NullID
		case 4:
			v.StorageClass = "GLACIER"
		case 5:
			v.DeleteMarker, v.Size, v.ETag, v.StorageClass = true, 0, "", ""
		}
		out = append(out, v)
	}
	return out
}

// onDisk writes a report into a directory and gives the path of its manifest.
func onDisk(t testing.TB, r inventorytest.Report) string {
	t.Helper()
	dir := t.TempDir()
	for key, data := range r.Objects {
		name := filepath.Join(dir, filepath.FromSlash(key))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, filepath.FromSlash(r.Manifest))
}

func rowsOf(t testing.TB, r *inventory.Report) []bucket.Version {
	t.Helper()
	var out []bucket.Version
	for i := range r.Files {
		if err := r.Rows(bg, i, func(row *inventory.Row) error { out = append(out, row.Told()); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// What a report was made of is what is read, in every way that S3 or a writer of Parquet
// may put it.
func TestRowsAreWhatTheReportWasMadeOf(t *testing.T) {
	want := some(2500)
	for name, o := range map[string]inventorytest.Options{
		"CSV":                    {},
		"Parquet, Snappy":        {Format: "Parquet"},
		"Parquet, gzip":          {Format: "Parquet", Parquet: []parquet.WriterOption{parquet.Compression(&parquet.Gzip)}},
		"Parquet, plain":         {Format: "Parquet", Parquet: []parquet.WriterOption{parquet.Compression(&parquet.Uncompressed)}},
		"Parquet, version 1":     {Format: "Parquet", Parquet: []parquet.WriterOption{parquet.DataPageVersion(1), parquet.Compression(&parquet.Snappy)}},
		"Parquet, small pages":   {Format: "Parquet", Parquet: []parquet.WriterOption{parquet.DataPageVersion(1), parquet.PageBufferSize(512)}},
		"Parquet, small pages 2": {Format: "Parquet", Parquet: []parquet.WriterOption{parquet.DataPageVersion(2), parquet.PageBufferSize(512), parquet.Compression(&parquet.Snappy)}},
	} {
		t.Run(name, func(t *testing.T) {
			o.Source = "team-data"
			r, err := inventory.OpenFile(bg, onDisk(t, inventorytest.Make(t, want, o)))
			if err != nil {
				t.Fatal(err)
			}
			if r.Source != "team-data" || !r.Created.Equal(time.Date(2026, 12, 1, 1, 0, 0, 0, time.UTC)) || !r.Classes || !r.Tiers {
				t.Errorf("the report is %+v", r)
			}
			got := rowsOf(t, r)
			if len(got) != len(want) {
				t.Fatalf("%d rows of %d", len(got), len(want))
			}
			for i := range got {
				if !reflect.DeepEqual(got[i], want[i]) {
					t.Fatalf("row %d is\n%+v\nwant\n%+v", i, got[i], want[i])
				}
			}
		})
	}
}
