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
		"provcat-tui s3://team-data/sales/2026 --commit 42": "s3://team-data/sales/2026",
		"provcat-tui s3://team-data/sales/2025":             "s3://team-data/sales",
		"provcat-tui s3://team-data/salesman":               "s3://team-data",
		"provcat-tui 's3://my bucket'\\''s/x' --log":        "s3://my bucket's/x",
		"provcat-tui s3://logs/y --audit":                   "s3://logs", // comes with the listing
		"provcat-tui s3://elsewhere":                        "",
		"":                                                  "",
	} {
		s := places(t)
		s.Last = command
		d := newDriver(t, s, 120, 30)
		if want == "" {
			d.seesNot("left last")
			want = "s3://team-data/sales"
		} else {
			d.sees("(left last)")
		}
		if got := d.m.stack.top().(*buckets).selectedURL(); got != want {
			t.Errorf("%q: the cursor is on %q, want %q", command, got, want)
		}
	}
}

// A listing that comes late does not take the cursor from where the person put it.
func TestALateListingLeavesTheCursor(t *testing.T) {
	s := places(t)
	s.Last = "provcat-tui s3://logs"
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
