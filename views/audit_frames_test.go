package views

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
	"provcat-tui/demo"
	"provcat-tui/ui"
)

func sprint(x any) string { return fmt.Sprint(x) }

var bothSizes = [][2]int{{80, 24}, {200, 60}}

// steady has the frame of an audit say the same on every run: how many requests it
// takes depends on which of several workers is first.
func steady(d *driver) *auditScreen {
	s := d.m.stack.top().(*auditScreen)
	s.report.Requests = audit.Requests{List: 7, Get: 12, CostUSD: 0.00004}
	return s
}

// named is a bucket that says the same URL on every run: commands of repairs hold it.
type named struct{ bucket.Bucket }

func (named) URL() string { return "file:///data/demo.bucket" }

// Open says that URL in its errors too.
func (b named) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	body, v, err := b.Bucket.Open(ctx, key, version, first)
	if e := (*bucket.Error)(nil); errors.As(err, &e) {
		other := *e
		other.Bucket = b.URL()
		err = &other
	}
	return body, v, err
}

// ownTexts keeps the frames of a test as they are when an explanation is worded anew.
func ownTexts(t *testing.T) {
	t.Cleanup(func() { explain = audit.Explain })
	explain = func(id string) (audit.Explanation, bool) {
		return audit.Explanation{ID: id, Happened: "What else could look like " + id + ".",
			Works: "What readers can still do, and what they can't: " + strings.Repeat("this and that, ", 12) + "and more.",
			Do:    "What to do first. " + strings.Repeat("Then the next step. ", 8)}, true
	}
}

func TestAuditGoldenDemo(t *testing.T) {
	ownTexts(t)
	path := filepath.Join(t.TempDir(), "demo.bucket")
	if err := demo.Make(t.Context(), path, nil); err != nil {
		t.Fatal(err)
	}
	b, err := local.Open(path, local.Options{Now: func() time.Time { return later }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	f := &fixture{t: t}
	for _, size := range bothSizes {
		d, _ := onAuditOf(t, f.startOn(named{b}, ""), size[0], size[1])
		steady(d)
		d.golden(fmt.Sprintf("audit-demo-%dx%d", size[0], size[1]), false)
	}
}

// expiring has a rule that will delete what old commits name.
func expiring(t testing.TB) *fixture {
	f, _ := small(t)
	for week := range 3 {
		for range 7 {
			f.day()
		}
		for i := range 3 - week {
			f.put(fmt.Sprintf("sales/2026/eu/%d.csv", i), fmt.Sprint(week))
		}
		f.commit("sales/2026", "ana", "Another week")
	}
	if err := f.b.SetLifecycle(context.Background(), []bucket.Rule{{ID: "tidy", Enabled: true, Prefix: "sales/", NoncurrentDays: 60}}); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestAuditGoldenForecast(t *testing.T) {
	ownTexts(t)
	f := expiring(t)
	for _, size := range bothSizes {
		d, s := onAuditOf(t, f.startOn(named{f.b}, "sales/2026"), size[0], size[1])
		steady(d)
		d.press("/")
		d.write("version-will-expire")
		d.press("enter", "tab")
		d.sees("Risk: version-will-expire")
		x := s.selectedFinding().finding
		if len(x.Affected.Schedule) == 0 || x.Affected.Commits[0].Due == nil {
			t.Fatalf("no dates: %+v", x.Affected)
		}
		if size[0] < 130 {
			for s.pane.top < s.pane.lines && !strings.Contains(d.text(), "  breaks ") {
				d.press("down")
			}
		}
		d.sees("week of", "█", "breaks "+exact(*x.Affected.Commits[0].Due))
		d.golden(fmt.Sprintf("audit-forecast-%dx%d", size[0], size[1]), false)
	}
}

func TestAuditGoldenIncomplete(t *testing.T) {
	ownTexts(t)
	f, _ := small(t)
	for _, size := range bothSizes {
		d, _ := onAuditOf(t, f.startOn(denied{f.b}, "sales/2026"), size[0], size[1])
		steady(d)
		d.sees("? INCOMPLETE")
		d.golden(fmt.Sprintf("audit-incomplete-%dx%d", size[0], size[1]), false)
	}
}

// acknowledgedReport is the sample with one finding acknowledged.
func acknowledgedReport() *audit.Report {
	r := sampleReport()
	until := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	r.Acknowledged = []audit.Acknowledged{{Finding: r.Findings[2], By: "ignore", Reason: "The drill of November; ana knows", Expires: &until}}
	r.Findings = append(r.Findings[:2:2], r.Findings[3:]...)
	r.Counts[audit.Damage] = 1
	return r
}

func TestAuditGoldenAcknowledged(t *testing.T) {
	ownTexts(t)
	f, _ := small(t)
	for _, size := range bothSizes {
		d := audited(t, f, acknowledgedReport(), size[0], size[1])
		s := d.m.stack.top().(*auditScreen)
		s.IgnoreFile = "/home/ana/.config/provcat-tui/ignore.yaml"
		s.rebuild()
		for i := range s.list.Len() {
			if s.list.at(i).ack != nil {
				s.list.table.Cursor = i
			}
		}
		d.send(keyMsg("x"))
		d.sees("Acknowledged (1)", "The drill of November; ana knows", "2026-12-31", "1 acknowledged")
		d.golden(fmt.Sprintf("audit-acknowledged-%dx%d", size[0], size[1]), false)
		d.golden(fmt.Sprintf("audit-acknowledged-styled-%dx%d", size[0], size[1]), true)
		d.m.theme = ui.NewTheme(true, true)
		d.send(keyMsg("x"))
		d.golden(fmt.Sprintf("audit-acknowledged-nocolor-styled-%dx%d", size[0], size[1]), true)
	}
}

func TestAuditGoldenExport(t *testing.T) {
	ownTexts(t)
	t.Chdir("/")
	f, _ := small(t)
	for _, size := range bothSizes {
		d := audited(t, f, sampleReport(), size[0], size[1])
		d.press("e", "right")
		d.golden(fmt.Sprintf("audit-export-%dx%d", size[0], size[1]), false)
	}
}

// No string of a report breaks the screen, wherever it stands.
func TestAuditOfHostileStrings(t *testing.T) {
	f, _ := small(t)
	evil := append(append([]string{}, hostile...), strings.Repeat("x", 10000), strings.Repeat("日", 10000), strings.Repeat("\u202e\x1b[2J", 1000))
	at := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	r := &audit.Report{Verdict: audit.Fail, FailOn: audit.Damage, Counts: map[audit.Severity]int{audit.Damage: len(evil)}}
	for _, e := range evil {
		ev := []audit.Evidence{{Key: e, Version: e, ETag: e, Note: e, Modified: &at}}
		r.Findings = append(r.Findings, audit.Finding{ID: "version-missing", Severity: audit.Damage, Confidence: audit.Confidence(e), Folder: &e, Number: 3, Commit: e, Key: e,
			Version: e, Title: e, Detail: e, Due: &at, Evidence: ev, Fingerprint: strings.Repeat("a", 32), Repair: &audit.Repair{Kind: e, Text: e, Command: e},
			Affected: audit.Affected{Versions: 1 << 62, Examples: ev, Commits: []audit.CommitRef{{Folder: e, Number: 1 << 62, ID: e, Due: &at}},
				Schedule: []audit.Week{{Monday: e, Versions: 1 << 62, Commits: -1}}}})
		r.Acknowledged = append(r.Acknowledged, audit.Acknowledged{Finding: r.Findings[0], By: e, Reason: e, Expires: &at})
	}
	r.Coverage.Commits = audit.Coverage{Total: 1 << 62, Skipped: []audit.Skip{{Reason: hostile[0], Count: 1 << 61, Chosen: true}, {Reason: evil[len(evil)-1], Count: 1}}}
	for _, size := range [][2]int{{60, 15}, {80, 24}, {129, 30}, {200, 60}} {
		d := audited(t, f, r, size[0], size[1])
		n := d.m.stack.top().(*auditScreen).list.Len()
		for i := range n {
			d.send(keyMsg("down"))
			if i%5 == 0 {
				d.send(keyMsg("tab"))
				for _, k := range []string{"down", "down", "pgdown", "up", "end", "tab", "m", "esc"} {
					d.send(keyMsg(k))
				}
			}
		}
		d.press("home", "left", "right", "e", "esc")
		for _, theme := range []*ui.Theme{ui.NewTheme(false, false), ui.NewTheme(true, true)} {
			d.m.theme = theme
			d.press("down", "tab", "down", "tab")
		}
	}
}
