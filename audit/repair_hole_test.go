package audit

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// A denying bucket removes no version.
type denying struct{ bucket.Bucket }

func (d *denying) DeleteVersion(_ context.Context, key, _ string) error {
	return &bucket.Error{Op: "delete a version of", Key: key, Kind: bucket.ErrDenied}
}

func wantRefused(t *testing.T, err error) {
	t.Helper()
	var r *RefusedRepair
	if !errors.As(err, &r) {
		t.Errorf("%v, want it refused", err)
	}
}

// Under suspended versioning everything that is written next has the ID null, so
// that what was a marker or garbage when it was looked at may be somebody's object
// when it is removed. Once versioning is on it may go.
func TestNoRepairRemovesNullWhileVersioningIsNotOn(t *testing.T) {
	w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	server := fakes3.New(fakes3.Options{Now: w.tick})
	t.Cleanup(server.Close)
	b := s3test.New(t, server.URL())
	for n := range 3 {
		server.Put(b.Name, "f/n", []byte{byte('0' + n)})
		_, err := w.write(b, "f", "x")
		w.must(err)
	}
	hidden, dirty := commit.EntryKey("f", 3), commit.EntryKey("f", 2)
	body := server.Entries(b.Name, dirty)[0].Body
	server.SetVersioning(b.Name, "Suspended")
	marker := server.Delete(b.Name, hidden)
	server.Put(b.Name, dirty, []byte("junk"))
	if marker != bucket.NullID {
		t.Fatalf("the marker is %q", marker)
	}
	keep := filepath.Join(t.TempDir(), "kept")
	_, err := PlanMarkers(bg, b, hidden, []string{marker})
	wantRefused(t, err)
	server.SetVersioning(b.Name, "Enabled")
	server.Put(b.Name, dirty, body)
	server.SetVersioning(b.Name, "Suspended")
	_, err = PlanDiscard(bg, b, dirty, bucket.NullID, keep)
	wantRefused(t, err)

	server.SetVersioning(b.Name, "Enabled")
	for _, plan := range []func() (*RepairPlan, error){
		func() (*RepairPlan, error) { return PlanMarkers(bg, b, hidden, []string{marker}) },
		func() (*RepairPlan, error) { return PlanDiscard(bg, b, dirty, bucket.NullID, keep) },
	} {
		p, err := plan()
		w.must(err)
		_, err = p.Apply(bg)
		w.must(err)
	}
	expect(t, auditOf(t, b, Options{}))
}

// A marker that is given twice is refused, whatever else is at the key.
func TestAMarkerGivenTwice(t *testing.T) {
	for _, n := range []int64{2, 3} { // over an entry, and over nothing
		w := newWorld(t)
		w.history(sales, 2)
		m := w.del(slot(n))
		_, err := PlanMarkers(bg, w.b, slot(n), []string{m.ID, m.ID})
		wantRefused(t, err)
	}
}

// A line of repairs that stopped half-way may be run again from its start.
func TestARepairThatWasMadeIsDone(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 2)
	m := w.del(slot(1))
	for i := range 2 {
		before := w.b.Requests()
		p, err := PlanMarkers(bg, w.b, slot(1), []string{m.ID})
		w.must(err)
		if p.Done != (i == 1) {
			t.Errorf("run %d: done is %v", i+1, p.Done)
		}
		_, err = p.Apply(bg)
		w.must(err)
		if n := w.b.Requests().Delete - before.Delete; n != int64(1-i) {
			t.Errorf("run %d removed %d versions", i+1, n)
		}
	}
	expect(t, w.audit(Options{}))
	_, err := PlanMarkers(bg, w.b, slot(2), []string{"no such version"})
	w.must(err) // nothing hides the entry
	w.del(slot(2))
	_, err = PlanMarkers(bg, w.b, slot(2), []string{m.ID})
	wantRefused(t, err) // another marker does
}

// A copy that was kept before its version could be removed serves the next try; any
// other file is left alone.
func TestAKeptCopyServesTheNextTry(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 2)
	good := w.body(slot(2), "")
	junk := w.put(slot(2), "junk")
	w.put(slot(2), good)
	keep := filepath.Join(t.TempDir(), "kept")
	p, err := PlanDiscard(bg, &denying{w.b}, slot(2), junk.ID, keep)
	w.must(err)
	if _, err = p.Apply(bg); !errors.Is(err, bucket.ErrDenied) {
		t.Fatal(err)
	}
	p, err = PlanDiscard(bg, w.b, slot(2), junk.ID, keep)
	w.must(err)
	_, err = p.Apply(bg)
	w.must(err)
	expect(t, w.audit(Options{}))

	other := w.put(slot(1), "other junk")
	w.put(slot(1), w.body(slot(1), w.versions(slot(1))[1].ID))
	_, err = PlanDiscard(bg, w.b, slot(1), other.ID, keep)
	wantRefused(t, err)
}

// The commit objects are asked for a claim on a marker's number, each once for the
// plan and once before the write.
func TestAStrayMarkerAsksEveryCommit(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 40)
	m := w.del(slot(41))
	before := w.b.Requests()
	p, err := PlanMarkers(bg, w.b, slot(41), []string{m.ID})
	w.must(err)
	_, err = p.Apply(bg)
	w.must(err)
	if n := w.b.Requests().Get - before.Get; n != 80 {
		t.Errorf("%d reads", n)
	}
	h, files := w.load(ids[40])
	h.Number, h.Parent, h.Message = 41, ids[40], fmt.Sprint("claims ", 41)
	w.object(h, files...)
	m = w.del(slot(41))
	_, err = PlanMarkers(bg, w.b, slot(41), []string{m.ID})
	wantRefused(t, err)
}
