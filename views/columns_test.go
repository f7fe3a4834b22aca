package views

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/ui"
)

// The names that a config may give are those of the tables, and the page has them.
func TestColumnNamesAreThoseOfTheTables(t *testing.T) {
	e := newEnv(Start{})
	defer e.close()
	p := place{env: e}
	b := newBuckets(e)
	b.list.items = []bucketRow{{Bookmark: Bookmark{Profile: "p", Region: "r", Endpoint: "e"}}}
	b.columns()
	tables := map[string][]ui.Column{
		onBuckets:  b.list.table.Columns,
		onFolder:   append(slices.Clone(liveColumns), atColumns[3]),
		onLog:      newLog(p, "f").list.table.Columns,
		onCommit:   newCommit(p, "f", "id", 1).list.table.Columns,
		onDiff:     changeColumns,
		onObject:   newObject(p, "k", "").list.table.Columns,
		onAudit:    newAudit(p, "f").list.table.Columns,
		onPin:      newPin(p, "f", time.Time{}).rows.table.Columns,
		onRequests: newRequests(e).list.table.Columns,
	}
	page, err := os.ReadFile("../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	for screen, names := range columnNames {
		var has []string
		for _, c := range tables[screen] {
			has = append(has, c.Name())
		}
		if !slices.Equal(has, names) {
			t.Errorf("%s: the table has %v, a config may name %v", screen, has, names)
		}
		row := strings.ReplaceAll(strings.Join(names, ", "), ", etag", "; at a commit also etag")
		if screen != onFolder {
			row = strings.Join(names, ", ")
		}
		if line := "| `" + screen + "` | " + row + " |"; !strings.Contains(string(page), line) {
			t.Errorf("docs/config.md lacks %s", line)
		}
	}
	for _, c := range atColumns {
		if !slices.Contains(columnNames[onFolder], c.Name()) {
			t.Errorf("at a commit a folder has %q, which no config can name", c.Name())
		}
	}
}

// Each screen heeds the columns of its own, in their order; sorting goes through those
// that are shown.
func TestColumnsOfTheConfig(t *testing.T) {
	f, _ := damaged(t)
	s := f.start("sales/2026")
	s.Columns = map[string][]string{
		onFolder: {"modified", "name"}, onLog: {"message", "number"}, onCommit: {"size", "path"},
		onDiff: {"change", "path"}, onObject: {"version", "size"}, onAudit: {"what"},
		onPin: {"message", "log of"}, onRequests: {"what", "answer"}, onBuckets: {"url", "from"},
	}
	if wrong := CheckColumns(s.Columns); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	d := newDriver(t, s, 120, 40)
	titles := func(screen string, has []string, not ...string) {
		t.Helper()
		for _, line := range strings.Split(d.text(), "\n") {
			at := -1
			for _, title := range has {
				i := strings.Index(line, title)
				if i <= at {
					at = -1
					break
				}
				at = i
			}
			if at < 0 {
				continue
			}
			for _, title := range not {
				if strings.Contains(line, title) {
					t.Errorf("%s: %q is shown in %q", screen, title, line)
				}
			}
			return
		}
		t.Errorf("%s: no titles %q in\n%s", screen, has, d.text())
	}
	titles(onFolder, []string{"modified (UTC)", "name"}, "size", "versions")
	d.press("tab", "s", "s")
	titles(onFolder, []string{"modified (UTC) ▼", "name"}) // size is passed over
	d.press("p")
	titles(onPin, []string{"message", "log of"}, "author", "until", "commit  ")
	d.press("esc", "l")
	titles(onLog, []string{"message", "#"}, "author", "written")
	d.press("down", "enter")
	titles(onCommit, []string{"size", "path"}, "state", "ETag")
	d.press("enter")
	titles(onObject, []string{"version", "size"}, "modified", "named by")
	d.press("esc", "d")
	titles(onDiff, []string{"change", "path"}, "before", "after")
	d.press("esc", "esc", "a")
	titles(onAudit, []string{"what"}, "finding  ")
	d.press("R")
	titles(onRequests, []string{"what", "answer"}, "took", "ended")
	d.press("esc", "esc", "esc", "b")
	titles(onBuckets, []string{"URL", "from"}, "name")
}
