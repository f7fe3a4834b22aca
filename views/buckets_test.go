package views

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
)

// places is a program on its list of buckets.
func places(t *testing.T) Start {
	f, _ := small(t)
	s := f.start("")
	s.Location = nil
	s.Bookmarks = []Bookmark{
		{Name: "the sales", URL: "s3://team-data/sales"},
		{Name: "archive", URL: "s3://old/2019"},
	}
	s.Recent = []string{"s3://team-data/sales/2026", "file:///data/demo.bucket", "s3://my bucket's/x"}
	s.Way = func(url string) Bookmark {
		if strings.HasPrefix(url, "s3://team-data") {
			return Bookmark{Profile: "prod", Region: "eu-west-1"}
		}
		return Bookmark{}
	}
	s.Buckets = func(context.Context) ([]Bookmark, error) {
		return []Bookmark{{Name: "logs", URL: "s3://logs", Region: "us-east-1"}, {Name: "team-data", URL: "s3://team-data", Region: "eu-west-1"}}, nil
	}
	return s
}

func TestBucketsAreGroupedAndTellTheWay(t *testing.T) {
	d := newDriver(t, places(t), 120, 30)
	want := []string{
		"from     name", "bookmark the sales", "         archive", "recent   2026", "         demo.bucket", "listed   logs", "         team-data",
	}
	for i := 1; i < len(want); i++ {
		if a, b := strings.Index(d.text(), want[i-1]), strings.Index(d.text(), want[i]); a < 0 || b < a {
			t.Errorf("%q does not follow %q:\n%s", want[i], want[i-1], d.text())
		}
	}
	d.sees("profile", "region", "prod", "eu-west-1", "s3://team-data/sales, profile prod, region eu-west-1")
	d.seesNot("endpoint") // no place has one
	d.press("/")
	d.write("eu-west")
	d.sees("recent   2026", "3 of 7")
	d.press("esc")
	d.press("end", "r")
	if got := d.m.stack.top().(*buckets).selectedURL(); got != "s3://team-data" {
		t.Errorf("after a reload the cursor is on %s", got)
	}
}

func TestThePlaceLeftLastHasTheCursor(t *testing.T) {
	for command, want := range map[string]string{
		// Screens, and folders that no row leads to, have a row of their own.
		"provcat-tui s3://team-data/sales/2026 --commit 42":         "last s3://team-data/sales/2026",
		"provcat-tui s3://team-data/sales/2025":                     "last s3://team-data/sales/2025",
		"provcat-tui 's3://my bucket'\\''s/x' --log":                "last s3://my bucket's/x",
		"provcat-tui s3://elsewhere":                                "last s3://elsewhere",
		"provcat-tui s3://logs/y --audit":                           "last s3://logs/y",
		"provcat-tui s3://team-data/a.csv --object --version-id v1": "last s3://team-data/a.csv",
		"provcat-tui s3://team-data/sales/2026":                     "recent s3://team-data/sales/2026",
		// With the flags of another session it may be another bucket: only the place is marked.
		"provcat-tui s3://team-data/sales/2026 --log --endpoint http://127.0.0.1:9000": "recent s3://team-data/sales/2026",
		"provcat-tui s3://team-data/sales/2025 --lgo":                                  "bookmark s3://team-data/sales",
		"provcat-tui s3://logs/y --audit --region x":                                   "listed s3://logs", // comes with the listing
		"provcat-tui s3://elsewhere --profile p":                                       "",
		"rm -rf /":                                                                     "",
		"":                                                                             "",
	} {
		s := places(t)
		s.Last = command
		d := newDriver(t, s, 120, 30)
		switch {
		case want == "":
			d.seesNot("left last")
			want = "bookmark s3://team-data/sales"
		case !strings.HasPrefix(want, "last "):
			d.sees("(left last)")
		default:
			d.seesNot("(left last)") // on any other row
		}
		if got := d.m.stack.top().(*buckets).selectedID(); got != want {
			t.Errorf("%q: the cursor is on %q, want %q", command, got, want)
		}
	}
}

// The screen that was left last opens with enter, and esc goes back through what is
// below it. Quitting remembers it in this form.
func TestTheScreenLeftLastOpens(t *testing.T) {
	f, _ := damaged(t)
	s := f.start("sales/2026")
	s.Location = &bucket.Location{Scheme: "s3", Bucket: "demo", Path: "sales/2026"}
	for _, keys := range [][]string{{"l"}, {"l", "enter"}, {"p"}, {"a"}} {
		d := newDriver(t, s, 120, 40)
		d.press(keys...)
		kind := d.m.stack.top().kind()
		last, err := d.m.command()
		if err != nil {
			t.Fatal(err)
		}
		again := s
		again.Location, again.Last = nil, last
		d = newDriver(t, again, 120, 40)
		if got := d.m.stack.top().kind(); got != onBuckets {
			t.Fatalf("it starts on %s", got)
		}
		d.press("enter")
		if got, err := d.m.command(); err != nil || got != last || d.m.stack.top().kind() != kind {
			t.Errorf("%q leads to %s, %q, %v", last, d.m.stack.top().kind(), got, err)
		}
		for range 4 {
			d.press("esc")
		}
		if got := d.m.stack.top().kind(); got != onBuckets {
			t.Errorf("esc from %q ends on %s", last, got)
		}
	}
}

// A listing that comes late does not take the cursor from where the person put it.
func TestALateListingLeavesTheCursor(t *testing.T) {
	s := places(t)
	s.Last = "provcat-tui s3://logs --profile other"
	gate := make(chan struct{})
	was := s.Buckets
	s.Buckets = func(ctx context.Context) ([]Bookmark, error) { <-gate; return was(ctx) }
	d := newDriverBusy(t, s, 80, 24)
	d.send(keyMsg("down"))
	close(gate)
	d.idle()
	if got := d.m.stack.top().(*buckets).selectedURL(); got != "s3://old/2019" {
		t.Errorf("the cursor is on %s", got)
	}
}

func TestNoBucketsTeaches(t *testing.T) {
	s := Start{ConfigFile: "/home/ana/.config/provcat-tui/config.yaml", Now: func() time.Time { return later }}
	for _, size := range [][2]int{{60, 15}, {80, 24}, {200, 60}} {
		d := newDriver(t, s, size[0], size[1])
		d.sees("provcat-tui demo", "s3://bucket/folder", "data/x.bucket")
		if size[1] > 15 {
			d.sees("/home/ana/.config/provcat-tui/config.yaml", "url: s3://team-data/sales", "AWS_PROFILE")
		}
	}
	s.Buckets = func(context.Context) ([]Bookmark, error) {
		return nil, &bucket.Error{Op: "list the buckets", Kind: bucket.ErrDenied, Hint: "no credentials were found"}
	}
	d := newDriver(t, s, 80, 24)
	d.sees("no credentials were found", "Press r to list them again.", "provcat-tui demo")
}

// Another bucket and back: each is as it was left.
func TestSwitchingBucketsKeepsTheState(t *testing.T) {
	d := newDriver(t, places(t), 80, 24)
	d.press("enter", "right", "down", "tab", "end")
	before := d.text()
	d.press("b", "end", "enter")
	d.sees("› ▾ s3://team-data", "▸ web/")
	d.press("q", "q")
	if got := d.text(); got != before {
		t.Errorf("the first bucket is now\n%s\nwant\n%s", got, before)
	}
}

func TestHostilePlaces(t *testing.T) {
	s := places(t)
	for i, h := range hostile {
		s.Bookmarks = append(s.Bookmarks, Bookmark{Name: h, URL: "s3://b/" + h, Profile: h, Region: h, Endpoint: h})
		s.Recent = append(s.Recent, fmt.Sprintf("s3://b%d/%s", i, h))
	}
	s.Way = func(url string) Bookmark { return Bookmark{Profile: url, Region: url, Endpoint: url} }
	s.Last = "provcat-tui s3://b/" + hostile[0]
	for _, size := range [][2]int{{60, 15}, {80, 24}, {200, 60}} {
		d := newDriver(t, s, size[0], size[1])
		for range 2 * len(hostile) {
			d.press("down")
		}
	}
}

// What was opened in this run is among the recent places, first and once.
func TestOpenedPlacesAreRecent(t *testing.T) {
	f, _ := small(t)
	s := f.start("sales/2026")
	s.Recent = []string{"s3://old", "file:///data/demo.bucket/sales/2026"}
	d := newDriver(t, s, 100, 30)
	d.press("b")
	d.sees("recent", "file:///data/demo.bucket/sales/2026", "s3://old")
	if got := d.m.env.Recent; len(got) != 2 || got[0] != "file:///data/demo.bucket/sales/2026" || got[1] != "s3://old" {
		t.Errorf("%q", got)
	}
}
