package views

import (
	"context"
	"io"
	"strings"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// gated holds the put of a log entry back until the test lets it go, whatever
// becomes of its context: as a request that is already on its way.
type gated struct {
	bucket.Bucket
	reached, free chan struct{}
}

func (b gated) PutIfAbsent(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	if strings.HasPrefix(key, commit.Logs) {
		close(b.reached)
		<-b.free
		ctx = context.WithoutCancel(ctx)
	}
	return b.Bucket.PutIfAbsent(ctx, key, body)
}

// A write that is cancelled at the commit point is waited for, and what came of
// it is told as it is.
func TestCancelAtTheCommitPoint(t *testing.T) {
	f, _ := small(t)
	b := gated{f.b, make(chan struct{}), make(chan struct{})}
	s := f.startOn(unclosed{b}, "sales/2026")
	s.Now = f.now
	d := newDriver(t, s, 100, 30)
	d.press("c")
	d.write("m")
	d.press("enter", "enter", "right")
	d.send(keyMsg("enter"))
	d.until("at the commit point", func() bool {
		select {
		case <-b.reached:
			return true
		default:
			return false
		}
	})
	d.send(keyMsg("esc"))
	d.send(keyMsg("q")) // does not leave: the answer is not there yet
	d.until("showing that it waits", func() bool { return strings.Contains(d.text(), "waiting for an answer") })
	d.sees("Commit sales/2026")
	close(b.free)
	d.idle()
	d.sees("Committed #6 of sales/2026", "● right")
	if n := headOf(t, f.b, "sales/2026"); n != 6 {
		t.Errorf("the head is #%d", n)
	}
}

// ctrl+c during a write waits for its answer once, then leaves.
func TestQuitDuringAWrite(t *testing.T) {
	f, _ := small(t)
	b := gated{f.b, make(chan struct{}), make(chan struct{})}
	s := f.startOn(unclosed{b}, "sales/2026")
	s.Now = f.now
	d := newDriver(t, s, 100, 30)
	d.press("c", "enter", "enter", "right")
	d.send(keyMsg("enter"))
	<-b.reached
	d.send(keyMsg("ctrl+c"))
	d.sees("waiting for the answer to a write. ctrl+c again leaves")
	if d.quit {
		t.Fatal("left without an answer")
	}
	close(b.free)
	d.until("left", func() bool { return d.quit })
	if d.m.abandoned {
		t.Error("the answer was there, but the write counts as abandoned")
	}
}

// A program that must end waits for the answer to a write, and tells it afterwards; one
// that doesn't come is not waited for for ever.
func TestEndDuringAWrite(t *testing.T) {
	for _, answered := range []bool{true, false} {
		f, _ := small(t)
		b := gated{f.b, make(chan struct{}), make(chan struct{})}
		s := f.startOn(unclosed{b}, "sales/2026")
		s.Now = f.now
		d := newDriver(t, s, 100, 30)
		d.press("c", "enter", "enter", "right")
		d.send(keyMsg("enter"))
		<-b.reached
		d.send(endMsg{})
		d.send(endMsg{}) // the context's, and the signal's
		if d.quit {
			t.Fatal("ended without an answer")
		}
		if !answered {
			d.send(overdueMsg{})
			d.until("ended", func() bool { return d.quit })
			if !d.m.abandoned {
				t.Error("nobody knows how the write ended, but it does not count as abandoned")
			}
			close(b.free)
			continue
		}
		close(b.free)
		d.until("ended", func() bool { return d.quit })
		if d.m.abandoned || d.m.env.unclear != nil || !strings.Contains(d.m.env.written, "committed") {
			t.Errorf("%v, %q, %v", d.m.abandoned, d.m.env.written, d.m.env.unclear)
		}
	}
}

func TestUnclearIsSaidTruly(t *testing.T) {
	f, _ := small(t)
	form := newCommitForm(place{newEnv(f.start("")), f.b, bucket.Location{Scheme: "s3", Bucket: "b"}}, "sales 2026")
	show := func(err error) string {
		form.finished(commit.Result{}, err)
		return ui.Plainly(strings.Join(form.view(100, 20, ui.NewTheme(true, true)), "\n"))
	}
	id := strings.Repeat("ab", 32)
	got := show(&commit.WriteError{Reason: commit.ReasonUnclear, Unclear: true, ID: id, Detail: "no answer came"})
	for _, want := range []string{"? Unclear: the commit may be there", id, "no answer came", "provcat-tui log 's3://b/sales 2026'"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	if strings.Contains(strings.ToLower(got), "nothing was committed") {
		t.Errorf("unclear is not nothing:\n%s", got)
	}
	for err, want := range map[*commit.WriteError]string{
		{Reason: commit.ReasonContended, Detail: "x"}:  "other writers were faster",
		{Reason: commit.ReasonStale, Detail: "x"}:      "do not show the newest entry",
		{Reason: commit.ReasonUnsettled, Detail: "x"}:  "kept changing",
		{Reason: commit.ReasonVersioning, Detail: "x"}: "Refused (versioning): nothing was committed",
	} {
		if got := show(err); !strings.Contains(got, want) {
			t.Errorf("%s: %q is missing:\n%s", err.Reason, want, got)
		}
	}
}

// The author that is filled in is the place's own.
func TestAuthorOfAPlace(t *testing.T) {
	f, _ := small(t)
	s := f.start("sales/2026")
	s.AuthorAt = func(l bucket.Location) string { return "the team of " + l.Path }
	d := newDriver(t, s, 80, 24)
	d.press("c")
	d.sees("the team of sales/2026")
}
