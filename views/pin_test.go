package views

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"provcat-tui/commit"
	"provcat-tui/internal/race"
)

func TestParsePinTime(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	at := func(y, mo, d, h, mi int) time.Time { return time.Date(y, time.Month(mo), d, h, mi, 0, 0, time.UTC) }
	for text, want := range map[string]time.Time{
		"": {}, "now": {}, " now ": {},
		"2026-10-30T12:34:56Z":      time.Date(2026, 10, 30, 12, 34, 56, 0, time.UTC),
		"2026-10-30T12:00Z":         at(2026, 10, 30, 12, 0),
		"2026-10-30T12:00+02:00":    at(2026, 10, 30, 10, 0),
		"2026-10-30 12:00Z":         at(2026, 10, 30, 12, 0),
		"2026-10-30 12:00 UTC":      at(2026, 10, 30, 12, 0),
		"2026-10-30 12:34:56 UTC":   time.Date(2026, 10, 30, 12, 34, 56, 0, time.UTC),
		"2026-10-30":                at(2026, 10, 30, 0, 0),
		"-3d":                       at(2026, 11, 17, 12, 0),
		"-2h":                       at(2026, 11, 20, 10, 0),
		"-10min":                    at(2026, 11, 20, 11, 50),
		"-1w":                       at(2026, 11, 13, 12, 0),
		"0001-01-01T00:00:00Z":      time.Time{}.Add(1), // not "no bound"
		"9999-12-31T23:59:59+00:00": time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
	} {
		if got, err := parsePinTime(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"yesterday", "2026-10-30T12:00", "3d", "-3y", "-", "2026-13-01", "-999999w x", "12:00Z"} {
		if got, err := parsePinTime(text, now); err == nil || !strings.Contains(err.Error(), "-3d") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func FuzzParsePinTime(f *testing.F) {
	for _, s := range []string{"now", "-3d", "-999999w", "2026-10-30", "2026-10-30T12:00Z", "x"} {
		f.Add(s)
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		at, err := parsePinTime(s, now)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("raw: %q", err)
			}
			return
		}
		// What it gave can be given again.
		if again, err := parsePinTime(at.Format(time.RFC3339Nano), now); at.Year() > 0 && at.Year() < 9999 && !at.IsZero() && (err != nil || !again.Equal(at)) {
			t.Errorf("%q: %v, again %v, %v", s, at, again, err)
		}
	})
}

// small's commits of sales/2026 are of 1 to 5 October, 8 o'clock; see fixture.
func TestPin(t *testing.T) {
	f, rs := small(t)
	d := newDriver(t, f.start("sales/2026"), 100, 30)
	d.press("p")
	d.sees("Pin of sales/2026", "reads   ● commit #5  "+commit.ShortID(rs[4].ID)+"  of sales/2026", "the only log that has one",
		"› ", "● pin", "The logo instea", "provcat-tui pin file:///data/demo.bucket/sales/2026", "↑")
	// A time: the newest at or before it.
	d.press("t")
	d.write("2026-10-03T23:00Z")
	d.press("enter")
	d.sees("Pin of sales/2026 at 2026-10-03 23:00:00 UTC", "reads   ● commit #3", "later", "--at 2026-10-03T23:00:00Z", "asked for")
	// To the one before, and on until now.
	d.press("left")
	d.sees("reads   ● commit #2")
	d.press("left")
	d.sees("reads   ● commit #1")
	d.press("left")
	d.sees("Not now: no earlier commit is listed")
	d.press("right", "right", "right", "right")
	d.sees("reads   ● commit #5")
	d.press("right")
	d.sees("now, 2026-11-20 12:00:00 UTC")
	// Before the first one there is none.
	d.press("t")
	d.write("2026-09-01")
	d.press("enter")
	d.sees("reads   none: no commit of sales/2026 or of a folder above it is at or before that time")
	d.press("right")
	d.sees("reads   ● commit #1")
	// What is wrong is said in the form, which stays.
	d.press("t")
	for range 40 {
		d.press("backspace")
	}
	d.write("noon")
	d.press("enter")
	d.sees("noon is no time: write 2026-10-30T12:00:00Z")
	d.press("esc")
	// Where it leads.
	d.press("enter")
	d.sees("Commit #1 of sales/2026")
	d.press("esc", "@")
	d.sees("files at #1", "notes.txt")
	d.press("esc", "esc")
	if d.m.stack.top().kind() != onPin {
		d.press("esc")
	}
	d.press("d")
	d.sees("Diff of sales/2026: #1 to live")
}

// A commit of the folder above at the very same time counts as newer. Only another
// program's writer makes such a pair.
func TestPinTellsTies(t *testing.T) {
	f, rs := small(t)
	h, err := commit.LoadHeader(t.Context(), f.b, rs[4].ID)
	if err != nil {
		t.Fatal(err)
	}
	var body bytes.Buffer
	id, err := commit.Encode(&body, commit.Header{Folder: "sales", Number: 1, Author: "eve", Message: "At once", Time: h.Time}, func(func(commit.File, error) bool) {})
	if err != nil {
		t.Fatal(err)
	}
	f.put(commit.CommitKey(id), body.String())
	f.put(commit.EntryKey("sales", 1), string(commit.EncodeEntry(commit.Entry{Commit: id, Folder: "sales", Number: 1, Time: h.Time})))
	d := newDriver(t, f.start("sales/2026"), 160, 30)
	d.press("p")
	d.sees("● commit #1  "+commit.ShortID(id)+"  of sales", "it has the same time as #5 of sales/2026: the folder above counts as newer", "~ never", "same time as ne")
}

// Damage that may change the answer is said.
func TestPinInDamage(t *testing.T) {
	f, _ := damaged(t) // 2 is deleted, 3 is missing, 4 re-made, 5 without its object
	d := newDriver(t, f.start("sales/2026"), 120, 40)
	d.press("p")
	d.sees("✗ commit #5", "its object cannot be read: not found", "? gap", "entry 3 is missing", "✗ not found")
	d.press("t")
	d.write("2026-10-02T20:00Z")
	d.press("enter")
	// The re-made entry says a later time; its commit's own counts.
	d.sees("? commit #4", "its log entry was written more than once", "! its entry says another time")
}

// The rules look at the live version of an entry. One that was deleted and written
// again with another commit is no sound answer to what readers got.
func TestPinTellsRemadeEntry(t *testing.T) {
	f, rs := small(t)
	h, err := commit.LoadHeader(t.Context(), f.b, rs[3].ID)
	if err != nil {
		t.Fatal(err)
	}
	key := commit.EntryKey("sales/2026", 4)
	f.delete(key)
	f.put(key, string(commit.EncodeEntry(commit.Entry{Commit: rs[2].ID, Folder: "sales/2026", Number: 4, Time: h.Time})))
	d := newDriver(t, f.start("sales/2026"), 120, 30)
	d.press("p")
	d.sees("reads   ● commit #5") // its own entry is sound
	d.press("t")
	d.write("2026-10-04T23:00Z")
	d.press("enter")
	d.sees("reads   ? commit #4", "its log entry was written more than once")
}

// Who may not read is told so, and nothing is claimed.
func TestPinDenied(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.startOn(unclosed{shut{f.b}}, "sales/2026"), 100, 30)
	d.press("p")
	d.sees("? could not be decided: access denied, needs s3:ListBucketVersions")
	d.seesNot("none: no commit", "No commit of")
}

func TestPinOfNothing(t *testing.T) {
	d := newDriver(t, newFixture(t).start(""), 80, 24)
	d.press("p")
	d.sees("reads   none: no commit of the whole bucket is there", "No commit of the whole bucket yet")
	d.press("enter")
	d.sees("Not now: there is no commit")
}

// Hand-made: who was the pin from when until when.
func TestOrderPins(t *testing.T) {
	at := func(h int) time.Time { return time.Date(2026, 1, 1, h, 0, 0, 0, time.UTC) }
	row := func(depth int, n int64, h int) *pinRow {
		return &pinRow{PinEntry: commit.PinEntry{Depth: depth, Slot: commit.Slot{Number: n}}, time: at(h)}
	}
	a1, a2, a3, b1, b2 := row(0, 1, 1), row(0, 2, 5), row(0, 3, 3), row(1, 1, 3), row(1, 2, 9)
	rows := []*pinRow{a3, a2, a1, b2, b1}
	orderPins(rows)
	want := []*pinRow{b2, a2, b1, a3, a1} // at 3 o'clock the folder above counts as newer
	for i := range want {
		if rows[i] != want[i] {
			t.Fatalf("place %d: %+v, want %+v", i, rows[i], want[i])
		}
	}
	if !b2.until.IsZero() || !a2.until.Equal(at(9)) || !b1.until.Equal(at(5)) || !a3.never || b1.never || !a1.until.Equal(at(3)) {
		t.Errorf("%+v", rows)
	}
}

// What was read answers for every time: another time asks the bucket nothing, r does.
func TestPinAsksOncePerScreen(t *testing.T) {
	f, _ := small(t)
	b := &counting{Bucket: f.b, opens: map[string]int{}}
	d := newDriver(t, f.startOn(unclosed{b}, "sales/2026"), 100, 30)
	d.press("p")
	d.sees("reads   ● commit #5")
	entries, commits := b.count("log"), b.count("commits")
	for range 4 {
		d.press("left")
	}
	d.sees("reads   ● commit #1")
	d.press("t")
	d.clear()
	d.write("2026-10-03T23:00Z")
	d.press("enter")
	d.sees("reads   ● commit #3")
	if b.count("log") != entries || b.count("commits") != commits {
		t.Errorf("%d entries and %d commits were read again", b.count("log")-entries, b.count("commits")-commits)
	}
	d.press("r")
	d.sees("reads   ● commit #3")
	if got := b.count("log") - entries; got != 5 {
		t.Errorf("%d entries were read again by r, want 5", got)
	}
}

// A long log is read in part, which is said, until the person goes on.
func TestPinOfALongLog(t *testing.T) {
	if race.On {
		t.Skip("too many requests for the race detector")
	}
	f := long(t, pinFirst+10)
	d := newDriver(t, f.start("a"), 100, 30)
	d.press("p")
	d.sees("? commit #5010", "only the newest entries of a were read: w reads on", "5,000 entries so far")
	d.press("w")
	d.sees("● commit #5010", "5,010 entries")
	d.seesNot("so far", "reads on")
	d.press("w")
	d.sees("Not now: the logs were read to their ends")
}
