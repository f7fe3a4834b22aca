package inventory_test

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"io"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"provcat-tui/bucket/inventory"
	"provcat-tui/bucket/inventory/inventorytest"
)

// BenchmarkRows reads the rows of a report from disk, each beside a peer that only reads
// the same fields of the same file, in memory.
func BenchmarkRows(b *testing.B) {
	const n = 300_000
	versions := some(n)
	for _, format := range []string{"CSV", "Parquet"} {
		made := inventorytest.Make(b, versions, inventorytest.Options{Source: "src", Format: format, Group: n / 3})
		var data []byte
		for key, body := range made.Objects {
			if strings.Contains(key, "data/") {
				data = body
			}
		}
		report, err := inventory.OpenFile(bg, onDisk(b, made))
		if err != nil {
			b.Fatal(err)
		}
		measure := func(name string, read func() int) {
			b.Run(format+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if rows := read(); rows != n {
						b.Fatalf("%d rows", rows)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
			})
		}
		measure("ours", func() (rows int) {
			if err := report.Rows(bg, 0, func(*inventory.Row) error { rows++; return nil }); err != nil {
				b.Fatal(err)
			}
			return rows
		})
		if format == "CSV" {
			measure("encoding-csv", func() int { return peerCSV(b, data) })
		} else {
			measure("parquet-go", func() int { return peerParquet(b, data) })
		}
	}
}

func peerCSV(b *testing.B, data []byte) (rows int) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		b.Fatal(err)
	}
	in := csv.NewReader(z)
	in.ReuseRecord = true
	for {
		switch _, err := in.Read(); err {
		case nil:
			rows++
		case io.EOF:
			return rows
		default:
			b.Fatal(err)
		}
	}
}

func peerParquet(b *testing.B, data []byte) (rows int) {
	in := parquet.NewGenericReader[peerRow](bytes.NewReader(data))
	defer func() { _ = in.Close() }() // only read from
	batch := make([]peerRow, 1000)
	for {
		n, err := in.Read(batch)
		rows += n
		if err == io.EOF {
			return rows
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// A peerRow has the fields that ours reads.
type peerRow struct {
	Key     string  `parquet:"key"`
	Version *string `parquet:"version_id,optional"`
	Marker  *bool   `parquet:"is_delete_marker,optional"`
	Size    *int64  `parquet:"size,optional"`
	ETag    *string `parquet:"e_tag,optional"`
	Class   *string `parquet:"storage_class,optional"`
	Tier    *string `parquet:"intelligent_tiering_access_tier,optional"`
}
