package audit

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

func estimateOf(t testing.TB, b bucket.Bucket, o Options) *Estimate {
	t.Helper()
	e, err := MakeEstimate(bg, b, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// short is the numbers of an estimate: list, get and bound of each stage.
func short(e *Estimate) string {
	var out []string
	for _, s := range e.Stages {
		out = append(out, fmt.Sprintf("%s %d+%d %s", s.Stage, s.List, s.Get, s.Bound))
	}
	return strings.Join(out, ", ")
}

// Stages by hand: two logs of 5 and 3 commits, each with one body in each slot and
// three files.
func TestEstimateStages(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 5)
	w.history("other", 3)
	const log = "settings 0+2 counted, logs 1+0 counted, entries 0+8 counted"
	for _, c := range []struct {
		o    Options
		want string
		cost float64 // of list at 1 $ and get at 0.01 $ each
	}{
		{Options{Depth: DepthLog}, log, 1.10},
		{Options{Depth: DepthCommits}, log + ", commits 0+8 counted", 1.18},
		{Options{}, log + ", commits 0+8 counted, versions 2+0 minimum", 3.18},
		{Options{Depth: DepthReadable}, log + ", commits 0+8 counted, versions 2+0 minimum, reading 0+6 minimum", 3.24},
		{Options{Folder: sales}, log + ", commits 0+5 about, versions 1+0 minimum", 2.15},
		{Options{Folder: "other", Depth: DepthCommits}, log + ", commits 0+3 about", 1.13},
		{Options{Folder: "nothing"}, log + ", commits 0+0 about, versions 0+0 counted", 1.10},
		{Options{Folder: sales, Depth: DepthCommits, Sample: Sample{1, 3}}, log + ", commits 0+3 about", 1.13}, // the head and 4/3
	} {
		c.o.Prices = &Prices{List: 1000, Get: 10}
		e := estimateOf(t, w.b, c.o)
		if got := short(e); got != c.want {
			t.Errorf("%+v:\n got %s\nwant %s", c.o, got, c.want)
		}
		if diff := e.Requests.CostUSD - c.cost; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%+v: costs %v, want %v", c.o, e.Requests.CostUSD, c.cost)
		}
	}
}

// What is counted is what the audit then asks for, request by request.
func TestEstimateIsWhatTheAuditAsksFor(t *testing.T) {
	w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	server := fakes3.New(fakes3.Options{Now: w.tick})
	t.Cleanup(server.Close)
	b := s3test.New(t, server.URL())
	fill := func(folder string, files, commits int) {
		server.Fill(b.Name, files, func(i int) fakes3.Planted {
			return fakes3.Planted{Key: fmt.Sprintf("%s/part-%06d.parquet", folder, i), Body: []byte{byte(i)}}
		})
		for range commits {
			w.must(func() error { _, err := w.write(b, folder, "x"); return err }())
			server.Put(b.Name, folder+"/part-000001.parquet", []byte(w.tick().String()))
		}
		w.must(func() error { _, err := w.write(b, folder, "last"); return err }())
	}
	fill("big", 1100, 0) // in 2 pages; its commit object is longer than what is read of it
	fill("small", 12, 3) // 15 versions
	fill("big/inner", 40, 0)
	server.Forget()
	for _, o := range []Options{
		{Depth: DepthLog}, {Depth: DepthCommits}, {},
		{Folder: "small"}, {Folder: "big", Depth: DepthVersions}, {Folder: "big/inner", Depth: DepthReadable},
		{Sample: Sample{1, 3}}, {Sample: Sample{2, 3}}, {Sample: Sample{3, 3}},
	} {
		before := len(server.Requests())
		e := estimateOf(t, b, o)
		took := len(server.Requests()) - before
		r := auditOf(t, b, o)
		if r.Verdict != Pass || r.Requests.List != e.Requests.List || r.Requests.Get != e.Requests.Get {
			t.Errorf("%+v: %s, estimate %d list, %d get, audit %d list, %d get: %s", o, r.Verdict, e.Requests.List, e.Requests.Get, r.Requests.List, r.Requests.Get, short(e))
		}
		if int64(took) != e.Took.List+e.Took.Get || took > 15 {
			t.Errorf("%+v: the estimate took %+v, the server saw %d requests", o, e.Took, took)
		}
	}
	for _, q := range server.Requests() {
		if q.Method != "GET" && q.Method != "HEAD" {
			t.Errorf("%s %s", q.Method, q.Key)
		}
	}
	// What each stage reads: 1,100 and 12 files by the newest commits, the 40 of the inner folder are among them.
	e := estimateOf(t, b, Options{Depth: DepthReadable})
	if last := e.Stages[len(e.Stages)-2]; last.Stage != "reading" || last.Get < 1100-80 || last.Get > 1100+12+40 || last.Bound != AtLeast {
		t.Errorf("%+v", last)
	}
}

// What cannot be read is said, and never counted as nothing.
func TestEstimateOfWhatCannotBeRead(t *testing.T) {
	w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	server := fakes3.New(fakes3.Options{Now: w.tick})
	t.Cleanup(server.Close)
	b := s3test.New(t, server.URL())
	server.Put(b.Name, "sales/a", []byte("1"))
	w.must(func() error { _, err := w.write(b, "sales", "x"); return err }())

	server.Fail(fakes3.Fault{Kind: "GetObject", Prefix: commit.Commits, Times: -1, Do: fakes3.AccessDenied})
	e := estimateOf(t, b, Options{})
	if e.Bound != AtLeast || !slices.ContainsFunc(e.Unknown, func(s string) bool {
		return strings.Contains(s, "1 log, whose newest commit could not be read")
	}) {
		t.Errorf("%s: %q", short(e), e.Unknown)
	}
	server.Heal()
	server.Fail(fakes3.Fault{Kind: "GetObject", Prefix: commit.Logs, Times: -1, Do: fakes3.AccessDenied})
	if e = estimateOf(t, b, Options{Sample: Sample{1, 2}, Depth: DepthCommits}); e.Bound != AtLeast {
		t.Errorf("%s", short(e))
	}
	server.Heal()
	server.Fail(fakes3.Fault{Kind: "ListObjectVersions", Times: -1, Do: fakes3.AccessDenied})
	if e, err := MakeEstimate(bg, b, Options{}); !errors.Is(err, bucket.ErrDenied) || !strings.Contains(err.Error(), "s3:ListBucketVersions") {
		t.Errorf("%+v, %v", e, err)
	}
	server.Heal()
	if e, err := MakeEstimate(bg, b, Options{MaxRequests: 3}); err == nil || !strings.Contains(err.Error(), "would check nothing") {
		t.Errorf("%+v, %v", e, err)
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if _, err := MakeEstimate(ctx, b, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A budget fits where all that is counted lies within four fifths of it.
func TestEstimateAndBudget(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 5) // log: 2 settings, 1 page, 5 entries; commits: 5 more; versions: a page
	yes, no := true, false
	for _, c := range []struct {
		depth Depth
		max   int64
		want  *bool
	}{
		{DepthLog, 0, nil}, {DepthLog, 10, &yes}, {DepthLog, 9, &yes}, {DepthLog, 8, &no},
		{DepthCommits, 17, &yes}, {DepthCommits, 15, &no}, {DepthVersions, 17, nil}, {DepthVersions, 16, &no},
	} {
		e := estimateOf(t, w.b, Options{Depth: c.depth, MaxRequests: c.max})
		if e.MaxRequests != c.max || !reflect.DeepEqual(e.Fits, c.want) {
			t.Errorf("%s, %d: fits %v, %s", c.depth, c.max, e.Fits, short(e))
		}
	}
}

// Nested folders are listed once, with what the larger of both accounts knows.
func TestOutermost(t *testing.T) {
	for _, c := range []struct{ in, want []sized }{
		{nil, nil},
		{[]sized{{"a/", 5}, {"b/", 7}}, []sized{{"a/", 5}, {"b/", 7}}},
		{[]sized{{"a/", 5}, {"a/b/", 3}, {"a/c/", 4}, {"ab/", 1}}, []sized{{"a/", 7}, {"ab/", 1}}},
		{[]sized{{"a/", 9}, {"a/b/", 3}, {"a/b/c/", 8}}, []sized{{"a/", 9}}},
		{[]sized{{"", 0}, {"a/", 5}, {"a/b/", 6}, {"c/", 1}}, []sized{{"", 7}}},
	} {
		if got := outermost(c.in); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %v, want %v", c.in, got, c.want)
		}
	}
}

// Sizes that a store makes up overflow nothing.
func TestEstimateOfMadeUpSizes(t *testing.T) {
	var e EstimateStage
	for _, n := range []int64{1 << 62, 1 << 62, -5, 1 << 62} {
		e.read(n)
	}
	if e.Bytes != 1<<63-1 {
		t.Error(e.Bytes)
	}
}
