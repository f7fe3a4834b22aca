package audit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// A virtual bucket has one folder of so many files in so many commits, between which
// one file in every is written again. Its listing and its commit objects are made as
// they are read, so that an audit of any size can be measured: the bucket itself takes
// no memory, and little time.
type virtual struct {
	bucket.Bucket
	files, commits, every int
	begin                 time.Time
	small                 []bucket.Version // what lies under .provcat/, in the order of a listing
	entries               map[string][]byte
	objects               map[string]int // commit objects, by key
	ids                   []string
}

func newVirtual(files, commits, every int) *virtual {
	v := &virtual{files: files, commits: commits, every: every, begin: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC),
		entries: map[string][]byte{}, objects: map[string]int{}}
	for n := range commits {
		h := sha256.New()
		size, _ := io.Copy(h, v.object(n)) // neither fails
		id := hex.EncodeToString(h.Sum(nil))
		v.ids = append(v.ids, id)
		at := v.begin.Add(time.Duration(n)*time.Hour + 30*time.Minute)
		slot := commit.EntryKey("big", int64(n+1))
		v.entries[slot] = commit.EncodeEntry(commit.Entry{Commit: id, Folder: "big", HasFolder: true, Number: int64(n + 1), Time: at})
		v.objects[commit.CommitKey(id)] = n
		v.small = append(v.small, bucket.Version{Key: commit.CommitKey(id), ID: "v", Latest: true, Modified: at, ETag: "x", Size: size},
			bucket.Version{Key: slot, ID: "v", Latest: true, Modified: at, ETag: "x", Size: int64(len(v.entries[slot]))})
	}
	slices.SortFunc(v.small, func(a, b bucket.Version) int { return strings.Compare(a.Key, b.Key) })
	return v
}

func (v *virtual) URL() string               { return "s3://virtual" }
func (v *virtual) Requests() bucket.Requests { return bucket.Requests{} }
func (v *virtual) Settings(context.Context) bucket.Settings {
	return bucket.Settings{Versioning: bucket.VersioningEnabled, Clock: v.begin.Add(time.Duration(v.commits) * time.Hour)}
}

// Uploads: there are none.
func (v *virtual) Uploads(context.Context, string) iter.Seq2[bucket.Upload, error] {
	return func(func(bucket.Upload, error) bool) {}
}

// wrote is the number, less one, of the commit before which file i as commit n has it
// was written.
func (v *virtual) wrote(i, n int) int { return max(0, n-(i+n)%v.every) }

// total is the number of versions of files.
func (v *virtual) total() (n int64) {
	for i := range v.files {
		for m := v.wrote(i, v.commits-1); m > 0; m -= v.every {
			n++
		}
		n++
	}
	return n
}

// appendPath appends year=0001/part-0001234.parquet.
func appendPath(b []byte, i int) []byte {
	b = append(b, "year="...)
	b = appendDigits(b, i/1000, 6)
	b = append(b, "/part-"...)
	b = appendDigits(b, i, 8)
	return append(b, ".parquet"...)
}

func appendDigits(b []byte, n, width int) []byte {
	at := len(b)
	b = append(b, "0000000000"[:width]...)
	for k := at + width - 1; k >= at; k, n = k-1, n/10 {
		b[k] += byte(n % 10)
	}
	return b
}

// appendMixed appends n characters that look like chance.
func appendMixed(b []byte, alphabet string, seed uint64, n int) []byte {
	for range n {
		seed += 0x9e3779b97f4a7c15
		x := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		b = append(b, alphabet[(x>>40)%uint64(len(alphabet))])
	}
	return b
}

func appendVersionID(b []byte, i, m int) []byte {
	const all = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._"
	return appendMixed(b, all, uint64(i)<<20+uint64(m), 32)
}

func appendETag(b []byte, i, m int) []byte {
	return appendMixed(b, "0123456789abcdef", uint64(i)<<20+uint64(m)+1<<60, 32)
}

func (v *virtual) Versions(_ context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		for _, x := range v.small {
			if !strings.HasPrefix(x.Key, r.Prefix) || x.Key <= r.After || r.Through != "" && x.Key > r.Through {
				continue
			}
			if !yield(x, nil) {
				return
			}
		}
		key := func(i int) string { return string(appendPath([]byte("big/"), i)) }
		first := sort.Search(v.files, func(i int) bool { k := key(i); return k > r.After && k >= r.Prefix })
		var b []byte
		for i := first; i < v.files; i++ {
			k := key(i)
			if !strings.HasPrefix(k, r.Prefix) || r.Through != "" && k > r.Through {
				return
			}
			newest := v.wrote(i, v.commits-1)
			for m := newest; ; m = max(0, m-v.every) {
				b = appendETag(appendVersionID(b[:0], i, m), i, m)
				s := string(b)
				if !yield(bucket.Version{Key: k, ID: s[:32], ETag: s[32:], Latest: m == newest, Size: int64(i), Modified: v.begin.Add(time.Duration(m) * time.Hour)}, nil) {
					return
				}
				if m == 0 {
					break
				}
			}
		}
	}
}

// Level goes on behind each folder that it finds.
func (v *virtual) Level(ctx context.Context, prefix string) iter.Seq2[bucket.Item, error] {
	return func(yield func(bucket.Item, error) bool) {
		for r, more := (bucket.Range{Prefix: prefix}), true; more; {
			more = false
			for x, err := range v.Versions(ctx, r) {
				if err != nil {
					yield(bucket.Item{}, err)
					return
				}
				item := bucket.Item{Version: x}
				if at := strings.IndexByte(x.Key[len(prefix):], '/'); at >= 0 {
					item = bucket.Item{Folder: x.Key[:len(prefix)+at+1]}
					r.After, more = item.Folder+"\xff", true
				}
				if !yield(item, nil) {
					return
				}
				if more {
					break
				}
			}
		}
	}
}

func (v *virtual) Open(_ context.Context, key, version string, _ int64) (io.ReadCloser, bucket.Version, error) {
	if b, ok := v.entries[key]; ok {
		return io.NopCloser(strings.NewReader(string(b))), bucket.Version{Key: key, ID: version, Size: int64(len(b))}, nil
	}
	if n, ok := v.objects[key]; ok {
		return io.NopCloser(v.object(n)), bucket.Version{Key: key, ID: version, Size: 1 << 30}, nil
	}
	return nil, bucket.Version{}, &bucket.Error{Op: "read", Key: key, Kind: bucket.ErrNotFound}
}

// object makes a commit object, as commit.Encode would.
func (v *virtual) object(n int) io.Reader { return &virtualObject{v: v, n: n, i: -1} }

type virtualObject struct {
	v    *virtual
	n, i int // the commit, and the next file; -1: the header
	left []byte
	buf  []byte
}

func (o *virtualObject) Read(p []byte) (int, error) {
	for len(o.left) == 0 {
		b := o.buf[:0]
		switch {
		case o.i < 0:
			parent := "null"
			if o.n > 0 {
				parent = `"` + o.v.ids[o.n-1] + `"`
			}
			b = fmt.Appendf(b, `{"format":"provcat/1","folder":"big","number":%d,"parent":%s,"time":%q,"author":"","message":"","files":[`,
				o.n+1, parent, commit.FormatTime(o.v.begin.Add(time.Duration(o.n)*time.Hour+30*time.Minute)))
			o.i = 0
		case o.i > o.v.files:
			return 0, io.EOF
		case o.i == o.v.files:
			b = append(b, "]}"...)
			o.i++
		}
		for ; o.i < o.v.files && len(b) < 16<<10; o.i++ {
			if o.i > 0 {
				b = append(b, ',')
			}
			m := o.v.wrote(o.i, o.n)
			b = appendPath(append(b, `{"path":"`...), o.i)
			b = appendVersionID(append(b, `","version":"`...), o.i, m)
			b = appendETag(append(b, `","etag":"`...), o.i, m)
			b = strconv.AppendInt(append(b, `","size":`...), int64(o.i), 10)
			b = append(b, '}')
		}
		o.buf, o.left = b, b
	}
	n := copy(p, o.left)
	o.left = o.left[n:]
	return n, nil
}

// scale is how many versions the slow benchmarks take: PROVCAT_SCALE, 1000000 for the
// figure in the docs.
func scale(otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv("PROVCAT_SCALE")); err == nil {
		return n
	}
	return otherwise
}

// peak is the most memory that the process has had since forget, in bytes; 0: the
// system does not tell.
func peak() int64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	f := strings.Fields(rest)
	if len(f) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(f[0], 10, 64)
	return n << 10
}

func forgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // where it is not to be had peak tells of more
}

// BenchmarkScale is an audit of PROVCAT_SCALE versions (100,000), a tenth of them live,
// which 100 commits name. What the making of the listing and the objects takes is told
// apart, and is part of the time.
func BenchmarkScale(b *testing.B) {
	v := newVirtual(scale(100_000)/10, 100, 11)
	total := v.total()
	began := time.Now()
	for n := range v.commits {
		if _, err := io.Copy(io.Discard, v.object(n)); err != nil {
			b.Fatal(err)
		}
	}
	for _, err := range v.Versions(context.Background(), bucket.Range{}) {
		if err != nil {
			b.Fatal(err)
		}
	}
	made := time.Since(began)
	runtime.GC()
	forgetPeak()
	for b.Loop() {
		r := auditOf(b, v, Options{Concurrency: scaleSide()})
		if r.Verdict != Pass || r.Coverage.Versions.Checked != total {
			b.Fatalf("%s, %+v, want %d", r.Verdict, r.Coverage, total)
		}
	}
	b.ReportMetric(float64(peak())/1e6, "MB-peak")
	b.ReportMetric(made.Seconds()/float64(runtime.GOMAXPROCS(0)), "s-making") // on all cores
	b.ReportMetric(float64(total), "versions")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(v.commits*v.files), "ns/named-version")
}

// scaleSide is PROVCAT_SIDE, the requests side by side; 0: the default.
func scaleSide() int {
	n, _ := strconv.Atoi(os.Getenv("PROVCAT_SIDE"))
	return n
}
