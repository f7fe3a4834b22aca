package audit

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// A memory is a bucket of versions that lie in memory, in the order of a listing.
// It has what an audit asks for and no more.
type memory struct {
	bucket.Bucket
	versions []bucket.Version
	bodies   map[string][]byte // by key: one version of each has a body
	at       time.Time
}

func (m *memory) URL() string               { return "s3://memory" }
func (m *memory) Requests() bucket.Requests { return bucket.Requests{} }
func (m *memory) Settings(context.Context) bucket.Settings {
	return bucket.Settings{Versioning: bucket.VersioningEnabled, Clock: m.at}
}

// Uploads: there are none.
func (m *memory) Uploads(context.Context, string) iter.Seq2[bucket.Upload, error] {
	return func(func(bucket.Upload, error) bool) {}
}

func (m *memory) Versions(_ context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		i, _ := slices.BinarySearchFunc(m.versions, r.Prefix, func(v bucket.Version, k string) int { return strings.Compare(v.Key, k) })
		for ; i < len(m.versions) && strings.HasPrefix(m.versions[i].Key, r.Prefix); i++ {
			if r.Through != "" && m.versions[i].Key > r.Through || !yield(m.versions[i], nil) {
				return
			}
		}
	}
}

func (m *memory) Open(_ context.Context, key, version string, _ int64) (io.ReadCloser, bucket.Version, error) {
	b, ok := m.bodies[key]
	if !ok {
		return nil, bucket.Version{}, &bucket.Error{Op: "read", Key: key, Kind: bucket.ErrNotFound}
	}
	return io.NopCloser(bytes.NewReader(b)), bucket.Version{Key: key, ID: version, Size: int64(len(b))}, nil
}

// add puts a version under a key's others; finish brings the keys in order.
func (m *memory) add(key, id string, marker bool, body []byte, size int64) {
	v := bucket.Version{Key: key, ID: id, DeleteMarker: marker, Modified: m.at, Size: size}
	if body != nil {
		m.bodies[key], v.Size = body, int64(len(body))
	}
	if !marker {
		v.ETag = "9b2cf535f27731c974343645a3985328"
	}
	m.versions = append(m.versions, v)
}

func (m *memory) finish() {
	slices.SortStableFunc(m.versions, func(a, b bucket.Version) int { return strings.Compare(a.Key, b.Key) })
	for i := range m.versions {
		m.versions[i].Latest = i == 0 || m.versions[i-1].Key != m.versions[i].Key
	}
}

func (m *memory) commit(t testing.TB, h commit.Header, files []commit.File) string {
	var body bytes.Buffer
	id, err := commit.Encode(&body, h, func(yield func(commit.File, error) bool) {
		for _, f := range files {
			if !yield(f, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	m.add(commit.CommitKey(id), "v", false, body.Bytes(), 0)
	return id
}

func (m *memory) entry(h commit.Header, id string) {
	m.add(commit.EntryKey(h.Folder, h.Number), "v", false,
		commit.EncodeEntry(commit.Entry{Commit: id, Folder: h.Folder, HasFolder: true, Number: h.Number, Time: h.Time}), 0)
}

// bigBucket has one folder of so many files in so many commits, between which one
// file in twenty is written again.
func bigBucket(t testing.TB, commits, files int) *memory {
	m := &memory{bodies: map[string][]byte{}, at: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	list := make([]commit.File, files)
	h := commit.Header{Folder: "big", Time: m.at}
	for n := range commits {
		for i := range list {
			if n == 0 || (i+n)%20 == 0 {
				list[i] = commit.File{Path: fmt.Sprintf("year=%04d/part-%07d.parquet", i/1000, i), Version: fmt.Sprintf("%032d", n*files+i), ETag: "9b2cf535f27731c974343645a3985328", Size: int64(i)}
				m.add("big/"+list[i].Path, list[i].Version, false, nil, int64(i))
			}
		}
		h.Number, h.Time = int64(n+1), h.Time.Add(time.Hour)
		h.Parent = m.commit(t, h, list)
		m.entry(h, h.Parent)
	}
	m.at = h.Time
	m.finish()
	return m
}

// An audit of 20 commits of 10,000 files each.
func BenchmarkAudit(b *testing.B) {
	m := bigBucket(b, 20, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		if r := auditOf(b, m, Options{}); r.Verdict != Pass || r.Coverage.Versions.Checked != 19_500 {
			b.Fatalf("%s, %+v", r.Verdict, r.Coverage)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/200_000, "ns/named-version")
}

// A log of many commits with damage of each kind all over it. What an audit takes
// must grow as the log does.
func BenchmarkDamagedLog(b *testing.B) {
	for _, n := range []int{2_500, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := damagedLog(b, n)
			for b.Loop() {
				r := auditOf(b, m, Options{})
				if r.Counts[Damage] < n/4 {
					b.Fatalf("%v", r.Counts)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/commit")
		})
	}
}

// damagedLog has n commits in one log, of ten numbers each one whose entry is
// deleted, one whose entry is absent, one with only a marker left, one whose object
// is absent, and one with a loser of a race.
func damagedLog(t testing.TB, n int) *memory {
	m := &memory{bodies: map[string][]byte{}, at: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	h := commit.Header{Folder: "f", Time: m.at}
	gone := map[string]bool{}
	for i := range n {
		h.Number, h.Time = int64(i+1), h.Time.Add(time.Minute)
		id := m.commit(t, h, nil)
		slot := commit.EntryKey("f", h.Number)
		switch i % 10 {
		case 2:
			m.add(slot, "marker", true, nil, 0)
			m.entry(h, id)
		case 4:
		case 5:
			m.add(slot, "marker", true, nil, 0)
		case 7:
			m.entry(h, id)
			gone[commit.CommitKey(id)] = true
		case 8:
			m.entry(h, id)
			loser := h
			loser.Author = "ben"
			m.commit(t, loser, nil)
		default:
			m.entry(h, id)
		}
		h.Parent = id
	}
	m.versions = slices.DeleteFunc(m.versions, func(v bucket.Version) bool { return gone[v.Key] })
	m.at = h.Time.Add(time.Hour)
	m.finish()
	return m
}

// Ten times the log takes some ten times as long, whatever is wrong with it; were
// anything quadratic it would be a hundred times.
func TestADamagedLogIsNotQuadratic(t *testing.T) {
	took := func(n int) time.Duration {
		m := damagedLog(t, n)
		best := time.Hour
		for range 2 {
			began := time.Now()
			auditOf(t, m, Options{})
			best = min(best, time.Since(began))
		}
		return best
	}
	small, large := took(300), took(3000)
	t.Logf("300 commits: %s; 3,000: %s", small, large)
	if large > 40*small {
		t.Errorf("300 commits took %s, 3,000 took %s", small, large)
	}
}
