package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// maxExamples is how many files of a kind are shown before the question; gone and
// refused ones are all shown.
const maxExamples = 10

// begin shows the plan.
func (r *restoring) begin() {
	a := r.a
	if a.format == "json" {
		r.doc = newDocument(a.out, "provcat-restore/1")
		r.doc.member("bucket", r.p.URL())
		r.doc.member("path", r.p.path)
		r.doc.member("at", refJSON(r.folder, r.ref))
		r.doc.member("delete", r.o.remove)
		r.doc.member("plan", r.counts)
		r.doc.array("steps")
		if r.o.dryRun || r.gone() > 0 && !r.o.partial {
			for _, s := range r.steps {
				r.item(s, "planned", "")
			}
		} else {
			for _, s := range r.steps {
				if s.Action == commit.RestoreGone || s.Action == commit.RestoreOverwritten || s.Action == commit.RestoreRefused {
					r.item(s, string(s.Action), s.Why)
				}
			}
		}
		return
	}
	a.printf("to        %s of %s\n", refText(r.ref), folderText(r.folder))
	a.printf("in        %s\n", safe.Text(r.p.URL()+"/"+r.p.path))
	live, same := r.counts[commit.RestoreLive], r.counts[commit.RestoreSame]
	a.printf("live      %s so already (%s)", count(live.Files+same.Files, "file"), size(live.Bytes+same.Bytes))
	if same.Files > 0 {
		a.printf(", %s of them by equal bytes", number(same.Files))
	}
	a.printf("\n")
	r.kind("copy", commit.RestoreCopy, "to be the newest version")
	if r.o.remove {
		r.kind("delete", commit.RestoreHide, "hidden under delete markers, since the commit does not name them")
	} else {
		r.kind("leave", commit.RestoreHide, "live, though the commit does not name them; --delete hides them")
	}
	r.kind("refused", commit.RestoreRefused, "")
	r.kind("gone", commit.RestoreGone, "no version with these bytes is left")
	r.kind("overwritten ", commit.RestoreOverwritten, "the version is there with other bytes, and no other version has the commit's")
}

// kind shows how many files of a kind there are, and some of them.
func (r *restoring) kind(word string, action commit.RestoreAction, what string) {
	t := r.counts[action]
	if t.Files == 0 {
		return
	}
	if what != "" {
		what = ": " + what
	}
	r.a.printf("%s%s, %s%s\n", pad(word, 10), count(t.Files, "file"), size(t.Bytes), what)
	shown := 0
	for _, s := range r.steps {
		if s.Action != action {
			continue
		}
		if shown++; shown > maxExamples && (action == commit.RestoreCopy || action == commit.RestoreHide) {
			r.a.printf("          and %s more\n", number(t.Files-maxExamples))
			return
		}
		line := pathText(s.File.Path)
		switch {
		case s.Why != "":
			line += ": " + s.Why
		case action == commit.RestoreGone:
			line += ": version " + safe.Text(s.File.Version)
		case action == commit.RestoreCopy && s.From != s.File.Version:
			line += ": from version " + safe.Text(s.From) + ", which has the same bytes; the commit's own is gone or overwritten"
		}
		r.a.printf("          %s\n", line)
	}
}

func pathText(path string) string {
	if path == "" {
		return "./"
	}
	return safe.Text(path)
}

// summary is the plan in a line.
func (r *restoring) summary() string {
	c, h := r.counts[commit.RestoreCopy], r.counts[commit.RestoreHide]
	s := fmt.Sprintf("%s: %s will be copied (%s)", folderText(r.folder), count(c.Files, "file"), size(c.Bytes))
	if r.o.remove {
		s += fmt.Sprintf(", %s hidden", number(h.Files))
	}
	return s
}

type restoreItem struct {
	Path    string  `json:"path"`
	Key     string  `json:"key"`
	Action  string  `json:"action"`
	Version string  `json:"version"`
	From    *string `json:"from,omitempty"`
	Size    *int64  `json:"size"`
	State   string  `json:"state"`
	Detail  string  `json:"detail,omitempty"`
}

func (r *restoring) item(s commit.RestoreStep, state, detail string) {
	action := string(s.Action)
	if s.Action == commit.RestoreHide && !r.o.remove {
		action = "leave"
	}
	// The document keeps its first error.
	_ = r.doc.item(restoreItem{s.File.Path, s.Key, action, s.File.Version, orNull(s.From), numberOrNull(s.File.Size, s.File.Size >= 0), state, detail})
}

// tell shows how a step ended; of those that ended well only in JSON.
func (r *restoring) tell(s stepped) {
	detail := ""
	if s.err != nil {
		detail = s.err.Error()
	}
	switch {
	case r.doc != nil:
		r.item(s.step, s.state, detail)
	case s.err != nil:
		r.a.printf("%s  %s: %s\n", pad(s.state, 8), pathText(s.step.File.Path), detail)
	}
}

// end tells what is so now, and commits if that was asked for.
func (r *restoring) end(ctx context.Context, state string, done map[string]int64, err error) error {
	interrupted := err != nil && ctx.Err() != nil
	if interrupted {
		state = "interrupted"
		err = &interruptedError{"interrupted; " + doneText(done) + "; each file is as it was or as the commit says; the same command goes on with the rest", err}
	}
	a := r.a
	if r.doc != nil {
		if err != nil && state != "refused" && !interrupted {
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
	} else if done != nil {
		a.printf("\n%s\n", doneText(done))
	}
	switch {
	case err != nil || state == "refused":
		return err
	case r.o.dryRun:
		if r.doc == nil && len(r.todo()) == 0 {
			a.printf("nothing to restore\n")
		}
		return nil
	case done == nil && r.doc == nil:
		a.printf("nothing to restore: all is live as the commit says\n")
	}
	if r.o.committing {
		o := r.o.commit
		return a.commitAtPlace(ctx, r.p, r.folder, o)
	}
	if r.doc == nil && done != nil {
		a.printf("not committed yet: %s\n", r.p.command("commit", r.folder, "-m", safe.Shell("Restored "+refText(r.ref))))
	}
	return nil
}

func nonNil(m map[string]int64) map[string]int64 {
	if m == nil {
		return map[string]int64{}
	}
	return m
}

// writtenText is how much was written before nothing could be any more.
func writtenText(done map[string]int64) string {
	n := done[stepRestored] + done[stepDeleted]
	if n+done[stepMoved]+done[stepUnclear] == 0 {
		return "and nothing was written"
	}
	return fmt.Sprintf("when %s had been written", count(n, "file"))
}

// doneText is how many files came to which end.
func doneText(done map[string]int64) string {
	var parts []string
	for _, s := range []string{stepRestored, stepDeleted, stepMoved, stepUnclear, stepFailed, "not tried"} {
		if done[s] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", number(done[s]), s))
		}
	}
	if len(parts) == 0 {
		return "nothing was written"
	}
	return strings.Join(parts, ", ")
}
