package inventory_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/bucket/inventory"
	"provcat-tui/bucket/inventory/inventorytest"
)

// What is of no use is refused by name, with what to do.
func TestReportsThatAreRefused(t *testing.T) {
	edit := func(from, to string) func(r inventorytest.Report) {
		return func(r inventorytest.Report) {
			was := r.Objects[r.Manifest]
			if r.Objects[r.Manifest] = bytes.Replace(was, []byte(from), []byte(to), 1); bytes.Equal(was, r.Objects[r.Manifest]) {
				panic("nothing to replace: " + from)
			}
			r.Seal()
		}
	}
	current := "Bucket, Key, Size, LastModifiedDate, ETag"
	for name, x := range map[string]struct {
		o      inventorytest.Options
		change func(inventorytest.Report)
		says   []string
	}{
		"ORC":                         {inventorytest.Options{Format: "ORC"}, nil, []string{"its format is ORC, which cannot be read here", "configure an inventory", "Athena"}},
		"an unknown format":           {inventorytest.Options{Format: "XML"}, nil, []string{`"XML"`, "CSV or Parquet"}},
		"current versions":            {inventorytest.Options{Schema: current}, nil, []string{"only the current versions", "IncludedObjectVersions: All"}},
		"current versions, Parquet":   {inventorytest.Options{Format: "Parquet", Schema: "message s3.inventory { required binary bucket (UTF8); required binary key (UTF8); optional int64 size; optional binary e_tag (UTF8);}"}, nil, []string{"only the current versions"}},
		"no ETag, no size":            {inventorytest.Options{Schema: "Bucket, Key, VersionId, IsLatest, IsDeleteMarker, LastModifiedDate"}, nil, []string{"it lacks ETag and Size", "optional fields"}},
		"a column twice":              {inventorytest.Options{Schema: "Bucket, Key, VersionId, IsLatest, IsDeleteMarker, Size, ETag, Key"}, nil, []string{`names "Key" twice`}},
		"the checksum of another":     {inventorytest.Options{}, func(r inventorytest.Report) { r.Objects[r.Manifest] = append(r.Objects[r.Manifest], ' ') }, []string{"does not have the MD5 that manifest.checksum names"}},
		"no checksum":                 {inventorytest.Options{}, func(r inventorytest.Report) { delete(r.Objects, strings.TrimSuffix(r.Manifest, "json")+"checksum") }, []string{"no manifest.checksum", "may not be finished"}},
		"no JSON":                     {inventorytest.Options{}, edit(`"files"`, `"files`), []string{"cannot be read as JSON"}},
		"a version to come":           {inventorytest.Options{}, edit("2016-11-30", "2031-01-01"), []string{`version is "2031-01-01"`}},
		"a time that is none":         {inventorytest.Options{}, edit(`"creationTimestamp": "1`, `"creationTimestamp": "x`), []string{"no time in milliseconds"}},
		"a time beyond all calendars": {inventorytest.Options{}, edit(`"creationTimestamp": "1`, `"creationTimestamp": "99999`), []string{"no time in milliseconds"}},
		"no source":                   {inventorytest.Options{}, edit(`"sourceBucket": "b"`, `"sourceBucket": ""`), []string{"no sourceBucket"}},
		"a negative size":             {inventorytest.Options{}, edit(`"size": `, `"size": -`), []string{"negative size"}},
		"an absurd size":              {inventorytest.Options{}, edit(`"size": `, `"size": 999999999`), []string{"cannot be read"}},
		"no MD5":                      {inventorytest.Options{}, edit(`"MD5checksum": "`, `"MD5checksum": "zz`), []string{"no MD5"}},
	} {
		t.Run(name, func(t *testing.T) {
			x.o.Source = "b"
			made := inventorytest.Make(t, some(3), x.o)
			if x.change != nil {
				x.change(made)
			}
			_, err := inventory.OpenFile(bg, onDisk(t, made))
			if !errors.Is(err, bucket.ErrUsage) {
				t.Fatalf("%v", err)
			}
			for _, part := range append(x.says, "manifest.json") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q lacks %q", err, part)
				}
			}
		})
	}
}

func TestOnlyAManifestIsOpened(t *testing.T) {
	for _, name := range []string{"symlink.txt", "manifest.checksum", "data.csv.gz", "manifest.json"} {
		if _, err := inventory.OpenFile(bg, t.TempDir()+"/"+name); !errors.Is(err, bucket.ErrUsage) || !strings.Contains(err.Error(), "name the manifest.json of one report") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A manifest that somebody made up leads to no other files than those of the report.
func TestNamesOnDiskLeadNowhereElse(t *testing.T) {
	made := inventorytest.Make(t, some(3), inventorytest.Options{Source: "b"})
	for _, key := range []string{"../../../../etc/passwd", "/etc/passwd", "..", "x/..", `..\..\etc\passwd`} {
		r := inventorytest.Report{Manifest: made.Manifest, Objects: map[string][]byte{}}
		for k, v := range made.Objects {
			r.Objects[k] = v
		}
		r.Objects[r.Manifest] = bytes.Replace(made.Objects[made.Manifest], []byte("data/00000000-part.csv.gz"), []byte(strings.ReplaceAll(key, `\`, `\\`)), 1)
		r.Seal()
		report, err := inventory.OpenFile(bg, onDisk(t, r))
		if err != nil {
			t.Fatal(err)
		}
		err = report.Rows(bg, 0, func(*inventory.Row) error { return nil })
		// That of a file by its last name beside the manifest, which is not there.
		if err == nil || strings.Contains(err.Error(), "bytes") {
			t.Errorf("%s: %v", key, err)
		}
	}
}
