package audit

import (
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
)

// What is archived is told once, whether its class or only a read tells; it is
// neither unreadable nor denied, and does not keep a bucket from passing.
func TestArchivedVersionsAtAnyDepth(t *testing.T) {
	w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	server := fakes3.New(fakes3.Options{Now: w.tick})
	t.Cleanup(server.Close)
	b := s3test.New(t, server.URL())
	server.Plant(b.Name,
		fakes3.Planted{Key: "f/cold", ID: "v-cold", Body: []byte("1"), Class: "GLACIER"},
		fakes3.Planted{Key: "f/deep", ID: "v-deep", Body: []byte("22"), Class: "DEEP_ARCHIVE"},
		fakes3.Planted{Key: "f/instant", Body: []byte("1"), Class: "GLACIER_IR"},
		fakes3.Planted{Key: "f/restored", ID: "v-restored", Body: []byte("1"), Class: "GLACIER", Restored: true},
		fakes3.Planted{Key: "f/std", Body: []byte("1")},
		fakes3.Planted{Key: "f/tiered", ID: "v-tiered", Body: []byte("333"), Class: "INTELLIGENT_TIERING"})
	for range 2 { // two commits name the same versions: each counts once
		if _, err := w.write(b, "f", ""); err != nil {
			t.Fatal(err)
		}
		server.Put(b.Name, "f/std", []byte("2"))
	}
	byClass := want{id: "version-archived", severity: Risk, sure: Certain, folder: "f", versions: 3, commits: 2, repair: "restore-version", shows: "f/deep v-deep is in the class DEEP_ARCHIVE"}
	sleeps := func() {
		server.Fail(fakes3.Fault{Kind: "GetObject", Key: "f/tiered", Times: -1,
			Do: fakes3.Error(403, "InvalidObjectState", "The operation is not valid for the object's access tier")})
	}
	for _, x := range []struct {
		name    string
		depth   Depth
		before  func()
		want    []want
		verdict Verdict
		checked int64 // of seven versions
	}{
		{"the listing tells classes", DepthVersions, nil, []want{byClass}, Pass, 7},
		{"a read agrees", DepthReadable, nil, []want{byClass}, Pass, 7},
		{"a tier shows only by a read", DepthVersions, sleeps, []want{byClass}, Pass, 7},
		{"and there it shows", DepthReadable, nil, []want{{id: "version-archived", severity: Risk, folder: "f", versions: 4, commits: 2,
			shows: "f/tiered v-tiered a read of it says that it is archived"}}, Pass, 7},
		{"a read that is denied is denied", DepthReadable, func() {
			server.Fail(fakes3.Fault{Kind: "GetObject", Key: "f/restored", Times: -1, Do: fakes3.AccessDenied})
		}, []want{{id: "version-archived", versions: 4}, {id: "access-denied", severity: Unknown, key: "f/restored", says: "s3:GetObjectVersion"}}, Incomplete, 6},
	} {
		t.Run(x.name, func(t *testing.T) {
			if x.before != nil {
				x.before()
			}
			r := auditOf(t, b, Options{Depth: x.depth})
			expect(t, r, x.want...)
			if c := r.Coverage.Versions; r.Verdict != x.verdict || r.Complete != (x.verdict == Pass) || c.Checked != x.checked || c.Total != 7 {
				t.Errorf("verdict %s, complete %v, versions %+v", r.Verdict, r.Complete, c)
			}
		})
	}
}

// Out of a tier a version comes back for good: the request names no days.
func TestRestoringOutOfATier(t *testing.T) {
	w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	server := fakes3.New(fakes3.Options{Now: w.tick})
	t.Cleanup(server.Close)
	b := s3test.New(t, server.URL())
	server.Plant(b.Name, fakes3.Planted{Key: "f/it's", ID: "v1", Body: []byte("1"), Class: "INTELLIGENT_TIERING"})
	if _, err := w.write(b, "f", ""); err != nil {
		t.Fatal(err)
	}
	server.Fail(fakes3.Fault{Kind: "GetObject", Key: "f/it's", Times: -1, Do: fakes3.Error(403, "InvalidObjectState", "archived")})
	r := auditOf(t, b, Options{Depth: DepthReadable})
	expect(t, r, want{id: "version-archived", versions: 1})
	calls, _ := shell(t, r.Findings[0].Repair.Command)
	if got := strings.Join(calls[0], " "); got != "s3api restore-object --bucket "+b.Name+" --key f/it's --version-id v1 --restore-request {}" {
		t.Errorf("%q", got)
	}
}
