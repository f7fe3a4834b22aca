package inventory

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"provcat-tui/internal/safe"
)

// manifest is manifest.json.
//
// S3 user guide, "Locating your inventory list", "Inventory manifest".
type manifest struct {
	SourceBucket      string `json:"sourceBucket"`
	Version           string `json:"version"`
	CreationTimestamp string `json:"creationTimestamp"`
	FileFormat        string `json:"fileFormat"`
	FileSchema        string `json:"fileSchema"`
	Files             []struct {
		Key  string `json:"key"`
		Size int64  `json:"size"`
		MD5  string `json:"MD5checksum"`
	} `json:"files"`
}

// manifestVersion is the only one that there is.
const manifestVersion = "2016-11-30"

// configure says how to get a report that serves.
const configure = "configure an inventory of this bucket with all versions (IncludedObjectVersions: All), the optional fields Size, LastModifiedDate, ETag and StorageClass, and the format CSV or Parquet; the first report comes within 48 hours"

func parseManifest(text []byte) (*Report, error) {
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("manifest.json cannot be read as JSON: %s", safe.Text(err.Error()))
	}
	if m.Version != manifestVersion {
		return nil, fmt.Errorf("its version is %q, and only %s is known", m.Version, manifestVersion)
	}
	if m.SourceBucket == "" {
		return nil, errors.New("it names no sourceBucket")
	}
	r := &Report{Source: m.SourceBucket}
	ms, err := strconv.ParseInt(m.CreationTimestamp, 10, 64)
	if r.Created = time.UnixMilli(ms).UTC(); err != nil || r.Created.Year() < 2016 || r.Created.Year() > 9998 {
		return nil, fmt.Errorf("its creationTimestamp is %q, which is no time in milliseconds since 1970", m.CreationTimestamp)
	}
	switch r.Format = m.FileFormat; r.Format {
	case CSV, Parquet:
	case "ORC":
		return nil, errors.New("its format is ORC, which cannot be read here; " + configure + ". docs/scale.md shows the same check in Athena, which reads ORC")
	default:
		return nil, fmt.Errorf("its format is %q; %s", m.FileFormat, configure)
	}
	names := schemaNames(r.Format, m.FileSchema)
	if err := r.understand(names); err != nil {
		return nil, err
	}
	if len(m.Files) > maxFiles {
		return nil, fmt.Errorf("it has %d files; more than %d cannot be read", len(m.Files), maxFiles)
	}
	seen := map[string]bool{}
	for i, f := range m.Files {
		if _, err := hex.DecodeString(f.MD5); f.Key == "" || err != nil || len(f.MD5) != 32 || f.Size < 0 {
			return nil, fmt.Errorf("its file %d has no key, no MD5 or a negative size: key %q, MD5 %q, size %d", i+1, f.Key, f.MD5, f.Size)
		}
		if f.Size > maxFileSize {
			return nil, fmt.Errorf("its file %q has %d bytes; more than %d in one file cannot be read", f.Key, f.Size, int64(maxFileSize))
		}
		if seen[f.Key] {
			return nil, fmt.Errorf("it names the file %q twice", f.Key)
		}
		seen[f.Key] = true
		r.Files = append(r.Files, File{Key: f.Key, Size: f.Size, MD5: strings.ToLower(f.MD5)})
	}
	return r, nil
}

// schemaNames gives the columns that a manifest's fileSchema names: a list for CSV, for
// Parquet the message's text.
func schemaNames(format, schema string) []string {
	var out []string
	if format == CSV {
		for name := range strings.SplitSeq(schema, ",") {
			out = append(out, strings.TrimSpace(name))
		}
		return out
	}
	// message s3.inventory { required binary bucket (UTF8); optional int64 size; … }
	_, inner, _ := strings.Cut(schema, "{")
	for field := range strings.SplitSeq(inner, ";") {
		if words := strings.Fields(field); len(words) >= 3 {
			out = append(out, words[2])
		}
	}
	return out
}

// A column is what one column of the rows tells. Others are passed over.
type column int

const (
	other column = iota
	colBucket
	colKey
	colVersion
	colLatest
	colMarker
	colSize
	colModified
	colETag
	colClass
	colTier
)

// columnNames are those of CSV and of Parquet, which differ in case and underscores
// only.
var columnNames = map[string]column{
	"bucket": colBucket, "key": colKey, "versionid": colVersion, "islatest": colLatest, "isdeletemarker": colMarker,
	"size": colSize, "lastmodifieddate": colModified, "etag": colETag, "storageclass": colClass, "intelligenttieringaccesstier": colTier,
}

func columnOf(name string) column {
	return columnNames[strings.ToLower(strings.ReplaceAll(name, "_", ""))]
}

// understand finds the columns that are needed.
func (r *Report) understand(names []string) error {
	for _, name := range names {
		c := columnOf(name)
		if c != other && slices.Contains(r.columns, c) {
			return fmt.Errorf("its fileSchema names %q twice", name)
		}
		r.columns = append(r.columns, c)
	}
	has := func(c column) bool { return slices.Contains(r.columns, c) }
	if !has(colBucket) || !has(colKey) {
		return errors.New("its fileSchema names no Bucket or no Key")
	}
	if !has(colVersion) || !has(colMarker) || !has(colLatest) {
		return errors.New("it lists only the current versions, and what commits name is not told by these; " + configure)
	}
	var lacks []string
	for c, name := range map[column]string{colSize: "Size", colETag: "ETag"} {
		if !has(c) {
			lacks = append(lacks, name)
		}
	}
	if slices.Sort(lacks); len(lacks) > 0 {
		return fmt.Errorf("it lacks %s, without which nobody can tell whether a version is what a commit named; %s", strings.Join(lacks, " and "), configure)
	}
	r.Classes, r.Tiers = has(colClass), has(colTier)
	return nil
}
