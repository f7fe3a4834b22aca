package audit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
)

// A budget that ends in the middle of a listing, on a store with pages of ten: what
// was not listed is left out, never missing. A page that is under way is counted but
// not held back.
func TestBudgetEndsWithinAListing(t *testing.T) {
	w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	server := fakes3.New(fakes3.Options{Now: w.tick, PageCap: 10})
	t.Cleanup(server.Close)
	b := s3test.New(t, server.URL())
	const files = 95
	server.Fill(b.Name, files, func(i int) fakes3.Planted {
		return fakes3.Planted{Key: fmt.Sprintf("sales/%03d", i), Body: []byte{byte(i)}}
	})
	for n := range 6 { // 12 keys under .provcat/: two pages
		server.Put(b.Name, "sales/000", []byte{byte(n)})
		_, err := w.write(b, "sales", "x")
		w.must(err)
	}
	const versions = files + 5 // that commits name: 101 are listed, in 11 pages
	all := auditOf(t, b, Options{})
	if all.Requests.List != 2+11+1 || // and unfinished uploads
		all.Requests.Get != 3+6+6 || all.Verdict != Pass || all.Coverage.Versions.Checked != versions {
		t.Fatalf("%+v, %s, %+v", all.Requests, all.Verdict, all.Coverage.Versions)
	}
	within, logCut := 0, 0
	for n := int64(1); n <= 40; n++ {
		server.Forget()
		r := auditOf(t, b, Options{MaxRequests: n, Concurrency: 2})
		addsUp(t, r)
		if made := int64(server.Count("")); made > n+1 || made != r.Requests.List+r.Requests.Get {
			t.Errorf("%d requests made, %d told, %d allowed", made, r.Requests.List+r.Requests.Get, n)
		}
		if len(r.Findings) > 0 || r.Verdict == Fail {
			t.Errorf("%d requests: %s, %+v", n, r.Verdict, r.Findings)
		}
		c := r.Coverage.Versions
		switch {
		case len(r.Coverage.Logs.Skipped) > 0 && r.Coverage.Entries.Total == 0:
			logCut++
			if r.Verdict != Incomplete {
				t.Errorf("%d requests: %s though the log's listing was cut off", n, r.Verdict)
			}
		case 0 < c.Checked && c.Checked < versions:
			within++
			if len(c.Skipped) != 1 || !c.Skipped[0].Chosen || c.Total != versions || r.Complete || r.Verdict != Pass {
				t.Errorf("%d requests: %+v", n, c)
			}
		case c.Checked == versions:
			// Without the uploads it is not complete.
			if r.Complete != (r.Requests.List == all.Requests.List) || r.Verdict != Pass || n < 28 {
				t.Errorf("%d requests: complete %v, %s", n, r.Complete, r.Verdict)
			}
		}
	}
	if within < 5 || logCut == 0 {
		t.Errorf("ended %d times within the listing of versions, %d times within that of the logs", within, logCut)
	}
}

// Versions that only unread commits name have no place in the total, and that is
// said beside it.
func TestVersionsOfUnreadCommitsAreNotCounted(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 5)
	for _, c := range []struct {
		name   string
		o      Options
		fail   bool
		says   string
		chosen bool
	}{
		{"a budget for the log alone", Options{MaxRequests: 10}, false, "what only 5 commits name is not counted: they were not read, by choice", true},
		{"a sample", Options{Sample: Sample{1, 10_000}}, false, "what only 4 commits name is not counted: they were not read, by choice", true},
		{"a denied object", Options{}, true, "what only 1 commit names is not counted: they could not be read", false},
		{"everything", Options{}, false, "", false},
	} {
		var r *Report
		if c.fail {
			r = auditOf(t, refusing{w.b, key(ids[2]), w.versions(key(ids[2]))[0].ID}, c.o)
		} else {
			r = w.audit(c.o)
		}
		addsUp(t, r)
		v := r.Coverage.Versions
		if c.says == "" {
			if len(v.Skipped) > 0 {
				t.Errorf("%s: %+v", c.name, v)
			}
			continue
		}
		if len(v.Skipped) != 1 || v.Skipped[0] != (Skip{Reason: c.says, Chosen: c.chosen}) || r.Complete {
			t.Errorf("%s: %+v, complete %v", c.name, v, r.Complete)
		}
		if strings.Contains(c.name, "budget") && v.Total != 0 {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}
