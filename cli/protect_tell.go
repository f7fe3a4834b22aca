package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// commitsText names the commits.
func (r *protecting) commitsText() string {
	s := refText(r.refs[0]) + " of " + folderText(r.folder)
	if n := len(r.refs) - 1; n > 0 {
		s += " and " + count(int64(n), "commit") + " before it"
	}
	return s
}

// planText says what will be held or released.
func (r *protecting) planText() string {
	var parts []string
	for _, what := range []string{commit.KeptEntry, commit.KeptObject, commit.KeptFile} {
		t := r.plan[what]
		switch {
		case t.Files == 0:
		case what == commit.KeptFile:
			parts = append(parts, fmt.Sprintf("%s of files (%s)", count(t.Files, "version"), size(t.Bytes)))
		case what == commit.KeptEntry && t.Files > 1:
			parts = append(parts, number(t.Files)+" log entries")
		default:
			parts = append(parts, count(t.Files, what))
		}
	}
	return strings.Join(parts, ", ")
}

// begin shows the plan.
func (r *protecting) begin() {
	a := r.a
	if a.format == "json" {
		r.doc = newDocument(a.out, "provcat-protect/1")
		r.doc.member("bucket", r.p.URL())
		r.doc.member("folder", r.folder)
		var refs []*commitJSON
		for _, ref := range r.refs {
			refs = append(refs, refJSON(r.folder, ref))
		}
		r.doc.member("commits", refs)
		r.doc.member("off", r.o.off)
		r.doc.member("plan", r.plan)
		r.doc.member("stays", len(r.stays))
		r.doc.member("freezes_live", r.lock.HoldsLive && !r.o.off)
		r.doc.array("problems")
		return
	}
	a.printf("of        %s\n", r.commitsText())
	if r.o.off {
		a.printf("release   %s\n", r.planText())
		if n := len(r.stays); n > 0 {
			a.printf("stays     %s held, since other commits that are held name them\n", count(int64(n), "version"))
		}
		a.printf("after     whoever may delete versions, and lifecycle rules, can remove them\n")
		return
	}
	a.printf("hold      %s\n", r.planText())
	a.printf("after     nobody and no lifecycle rule can remove these versions, until: %s\n", r.offCommand())
	if r.lock.HoldsLive {
		a.printf("note      in this store a held file that is live can be neither overwritten nor deleted: who writes to it is refused\n")
	} else {
		a.printf("note      a delete marker can still be laid over them, which loses nothing\n")
	}
}

func (r *protecting) offCommand() string {
	args := []string{"--at", refWord(r.refs[0]), "--off"}
	if len(r.refs) > 1 {
		args = append(args, "--last", fmt.Sprint(len(r.refs)))
	}
	return r.p.command("protect", r.folder, args...)
}

// tell shows a version whose hold could not be changed.
func (r *protecting) tell(h heldOne) {
	if h.err == nil {
		return
	}
	if r.doc != nil {
		// The document keeps its first error.
		_ = r.doc.item(map[string]string{"what": h.What, "key": h.Key, "version": h.Version, "state": h.state, "detail": h.err.Error()})
		return
	}
	r.a.printf("%s  %s %s (%s): %s\n", pad(h.state, 8), h.What, safe.Text(h.Key), safe.Text(h.Version), h.err.Error())
}

// end tells what is so now.
func (r *protecting) end(ctx context.Context, state string, done map[string]int64, err error) error {
	if err != nil && ctx.Err() != nil {
		state = "interrupted"
		err = &interruptedError{"interrupted; " + r.doneText(done) + "; the same command goes on with the rest", err}
	}
	if r.doc != nil {
		if err != nil && state != "refused" && state != "interrupted" {
			state = "incomplete"
		}
		r.doc.member("state", state)
		r.doc.member("counts", nonNil(done))
		if err != nil {
			r.doc.member("error", err.Error())
		}
		if derr := r.doc.finish(nil); derr != nil {
			return errors.Join(err, derr)
		}
		return err
	}
	if done != nil {
		r.a.printf("\n%s\n", r.doneText(done))
	}
	return err
}

func (r *protecting) doneText(done map[string]int64) string {
	word := "held"
	if r.o.off {
		word = "released"
	}
	var parts []string
	for _, s := range [][2]string{{holdDone, word}, {holdStays, "stay held"}, {holdGone, "gone"}, {holdFailed, "failed"}, {"not tried", "not tried"}} {
		if n := done[s[0]]; n > 0 {
			parts = append(parts, number(n)+" "+s[1])
		}
	}
	if len(parts) == 0 {
		return "nothing was written"
	}
	return strings.Join(parts, ", ")
}
