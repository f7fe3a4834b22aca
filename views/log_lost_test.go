package views

import (
	"fmt"
	"slices"
	"testing"

	"provcat-tui/commit"
)

// Entries that were removed for good leave commit objects that follow the newest entry:
// they stand in their place, and can be opened and compared.
func TestLogFindsLostHeads(t *testing.T) {
	f, rs := small(t)
	f.removeAll(commit.EntryKey("sales/2026", 4))
	f.removeAll(commit.EntryKey("sales/2026", 5))
	d := newDriver(t, f.start("sales/2026"), 120, 30)
	d.press("l")
	d.sees("3 entries", "were newer ones cut off? L looks")
	d.seesNot("Week 4")
	d.press("L")
	d.sees("2 commits after the newest entry, which no entry names", "lost · Week 4 of", "#4", "The logo instead of notes", "writes its entry again")
	if r := d.m.stack.top().(*logScreen).current(); r == nil || r.commit() != rs[4].ID || r.slot.Number != 5 {
		t.Errorf("the cursor is on %+v", r)
	}
	d.press("enter")
	d.sees("Commit", rs[4].ID)
	d.press("esc", "L") // once more gives the same
	d.sees("2 commits after the newest entry")
	if n := len(d.m.stack.top().(*logScreen).list.items); n != 5 {
		t.Errorf("%d rows, want 3 entries and 2 lost ones", n)
	}
}

func TestLogFindsNoLostHeads(t *testing.T) {
	f, rs := small(t)
	d := newDriver(t, f.start("sales/2026"), 120, 30)
	d.press("l", "L")
	d.sees("5 entries; no commit follows the newest entry")
	// A single one may be a writer that crashed, and is said so.
	f.object("sales/2026", rs[4].ID, 6)
	d.press("L")
	d.sees("1 commit after the newest entry", "no entry · Unf", "#6: no entry: no entry names it")
}

// Under a filter the rows that are found are filtered too, and the others stay.
func TestLogFindsLostHeadsUnderAFilter(t *testing.T) {
	f, _ := small(t)
	f.removeAll(commit.EntryKey("sales/2026", 4))
	f.removeAll(commit.EntryKey("sales/2026", 5))
	d := newDriver(t, f.start("sales/2026"), 120, 30)
	d.press("l", "/")
	d.write("week")
	d.press("enter")
	d.sees("2 of 3", "Week 3", "Week 2")
	d.press("L")
	d.sees("3 of 5", "Week 4", "Week 3", "Week 2")
	d.seesNot("The logo")
}

// Where it is not known what the newest entry named, nothing is said to follow it: the
// first commits of logs, which have no parent either, least of all.
func TestLostRowsOfAnUnknownHead(t *testing.T) {
	first := orphan{"first", commit.Header{Number: 1}}
	if rows := lostRows("", 4, []orphan{first}); len(rows) != 0 {
		t.Errorf("%d rows follow an unknown head", len(rows))
	}
	if rows := lostRows("", 0, []orphan{first}); len(rows) != 1 || rows[0].slot.Number != 1 {
		t.Errorf("%v: of a log without entries the first commit was lost", rows)
	}
}

// Readers got the lost ones too: the newest that is left was not read until now alone.
func TestTheSpanKnowsOfLostCommits(t *testing.T) {
	f, _ := small(t)
	f.removeAll(commit.EntryKey("sales/2026", 4))
	f.removeAll(commit.EntryKey("sales/2026", 5))
	d := newDriver(t, f.start("sales/2026"), 120, 30)
	d.press("l")
	d.sees("until now")
	d.press("L", "down", "down")
	d.sees("Week 3 of orders", "until ? lost commits follow")
	d.seesNot("until now")
}

// By hand: the log ends at 2. The chain b, c follows it; x beside it is a single one; far
// says to be number 9, on a commit that is not there; old was a loser of the race for 2.
func TestLostRows(t *testing.T) {
	o := func(id, parent string, n int64) orphan {
		return orphan{id, commit.Header{Parent: parent, Number: n}}
	}
	rows := lostRows("a", 2, []orphan{o("x", "a", 3), o("c", "b", 4), o("b", "a", 3), o("far", "gone", 9), o("old", "root", 2), o("self", "self", 3)})
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprintf("#%d %s %s", r.slot.Number, r.commit(), r.kind.word()))
	}
	if want := []string{"#9 far lost", "#4 c lost", "#3 x no entry", "#3 b lost"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
