package views

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
	"provcat-tui/ui"
)

// phase of a commit form.
type phase int

const (
	looking phase = iota // finding out what would change
	asking               // message and author
	writing
	ended // an error, or nothing to commit
)

// commitForm commits a folder: it shows what would change, asks for the message,
// and tells truly how it went.
type commitForm struct {
	plain
	place
	folder   string
	phase    phase
	would    commit.Result
	progress commit.Progress
	form     *ui.Form
	message  *ui.Input
	author   *ui.Input
	err      error
}

func newCommitForm(p place, folder string) *commitForm {
	s := &commitForm{place: p, folder: folder}
	s.message, s.author = ui.NewInput("", 2000), ui.NewInput(p.Author, 200)
	s.form = ui.NewForm("", "", "Commit", ui.Field{Label: "Message", Input: s.message}, ui.Field{Label: "Author", Input: s.author})
	return s
}

func (s *commitForm) kind() string      { return onForm }
func (s *commitForm) crumb() string     { return "Commit " + folderName(s.folder) }
func (s *commitForm) key(string) action { return nil }

// write runs commit.Write aside, as a dry run or in earnest.
func (s *commitForm) write(dry bool, done func(commit.Result, error) action) action {
	o := commit.WriteOptions{DryRun: dry, Author: s.author.Value(), Message: s.message.Value(), Concurrency: s.Concurrency, Now: s.Now}
	text := "Committing " + folderName(s.folder)
	if dry {
		text = "Looking at what would change in " + folderName(s.folder)
	}
	s.progress = commit.Progress{}
	var r commit.Result
	w := load("write", text, func(ctx context.Context, add func(commit.Progress)) (err error) {
		o.Progress = add
		r, err = commit.Write(ctx, s.b, s.folder, o)
		return err
	}, func(p []commit.Progress) action {
		s.progress = p[len(p)-1]
		return nil
	}, func(err error) action { return done(r, err) })
	w.settle = !dry
	return begin{w}
}

func (s *commitForm) start() action {
	s.phase, s.err = looking, nil
	return s.write(true, func(r commit.Result, err error) action {
		s.would, s.err = r, err
		s.phase = asking
		if err != nil || s.nothing() {
			s.phase = ended
		}
		return nil
	})
}

// nothing says that the folder is as its newest commit has it.
func (s *commitForm) nothing() bool {
	r := s.would
	return r.Added+r.Removed+r.ChangedFiles == 0 && (r.Number > 1 || r.ID != "")
}

func (s *commitForm) typing() bool { return s.phase == asking }

func (s *commitForm) input(m tea.Msg) action {
	switch s.form.Update(m) {
	case ui.Cancelled:
		return back{}
	case ui.Confirmed:
		s.phase = writing
		return s.write(false, s.finished)
	}
	return nil
}

// finished is the end of the writing.
func (s *commitForm) finished(r commit.Result, err error) action {
	switch {
	case err != nil:
		s.phase, s.err = ended, err
		return nil
	case !r.Committed:
		s.would, s.phase = r, ended
		return nil
	}
	c := newCommit(s.place, s.folder, r.ID, r.Number)
	c.said = fmt.Sprintf("Committed #%d of %s: %s, %s.", r.Number, folderName(s.folder), plural(r.Files, "file"), size(r.Bytes))
	return swap{c}
}

var stages = map[string]string{
	"settings": "Checking that versioning is on", "head": "Reading the head of the log", "listing": "Listing every version",
	"compare": "Comparing with the newest commit", "time": "Reading the heads of the logs around it",
	"commit object": "Writing the commit object", "commit point": "Creating the log entry: the commit point",
	"check": "Looking at what is there now",
}

func (s *commitForm) view(w, h int, th *ui.Theme) []string {
	iw := min(w-4, 100)
	switch s.phase {
	case looking, writing:
		return s.progressView(w, h, th)
	case asking:
		return indent(append(s.changeLines(iw, th), s.form.Lines(iw, th)...), w, h)
	}
	if s.err == nil {
		return indent(append(th.Paragraph(ui.Strong, fmt.Sprintf("Nothing to commit: %s is exactly as commit #%d has it.", folderName(s.folder), s.would.Number), iw),
			th.Paragraph(ui.Dim, "Nothing was written. esc goes back.", iw)...), w, h)
	}
	return indent(s.failureLines(iw, th), w, h)
}

func (s *commitForm) changeLines(w int, th *ui.Theme) []string {
	r := s.would
	out := th.Paragraph(ui.Strong, fmt.Sprintf("This becomes commit #%d of %s: %s, %s.", r.Number, folderName(s.folder), plural(r.Files, "file"), size(r.Bytes)), w)
	if r.Parent == "" {
		out = append(out, th.Paragraph(ui.Plain, "It is the first commit of this folder.", w)...)
	} else {
		out = append(out, th.Paint(ui.Dim, "Against commit "+commit.ShortID(r.Parent)+": ")+
			th.Paint(ui.Good, fmt.Sprintf("+ %s added", count(r.Added)))+"  "+
			th.Paint(ui.Bad, fmt.Sprintf("- %s removed", count(r.Removed)))+"  "+
			th.Paint(ui.Warn, fmt.Sprintf("~ %s changed", count(r.ChangedFiles))))
	}
	return append(out, th.Paragraph(ui.Dim, "What is live when it is written is what it names; this is how it looks now.", w)...)
}

func (s *commitForm) progressView(w, h int, th *ui.Theme) []string {
	p := s.progress
	text := stages[p.Stage]
	if text == "" {
		text = "Starting"
	}
	if p.Listing > 0 {
		text += fmt.Sprintf(", listing %d", p.Listing)
	}
	lines := []string{th.Paint(ui.Strong, text)}
	if p.Versions > 0 {
		lines = append(lines, plural(p.Versions, "version"))
	}
	if p.Attempt > 1 {
		lines = append(lines, fmt.Sprintf("attempt %d of 10: others commit this folder too", p.Attempt))
	}
	if p.Detail != "" {
		lines = append(lines, ui.Wrap(p.Detail, w-8)...)
	}
	if s.phase == looking {
		lines = append(lines, "", th.Paint(ui.Dim, "Nothing is written yet. esc cancels."))
	} else {
		lines = append(lines, "", th.Paint(ui.Dim, "esc cancels as long as the commit point is not reached; the answer is waited for."))
	}
	return ui.Centre(lines, w, h)
}

// failureLines say truly what is known: refused, contended, or unclear.
func (s *commitForm) failureLines(w int, th *ui.Theme) []string {
	var we *commit.WriteError
	isWrite := errors.As(s.err, &we)
	if isWrite && we.Unclear || errors.Is(s.err, bucket.ErrUnclear) {
		out := th.Paragraph(ui.Unsure, "? Unclear: the commit may be there, or may still arrive.", w)
		out = append(out, ui.Wrap(s.err.Error(), w)...)
		if isWrite && we.ID != "" {
			out = append(out, "", th.Paint(ui.Dim, ui.Fit("commit", 8, ui.Left))+ui.Fit(we.ID, w-8, ui.Left), "")
			out = append(out, th.Paragraph(ui.Plain, "This tells whether it landed:", w)...)
			out = append(out, th.Paragraph(ui.Accent, "provcat-tui show "+safe.Shell(s.url(s.folder))+" "+we.ID, w)...)
		}
		return out
	}
	if errors.Is(s.err, context.Canceled) {
		return th.Paragraph(ui.Plain, "Cancelled: nothing was committed. esc goes back.", w)
	}
	head := "✗ Nothing was committed."
	if isWrite {
		switch we.Reason {
		case commit.ReasonContended:
			head = "✗ Not committed: other writers were faster, ten times."
		case commit.ReasonUnsettled:
			head = "✗ Not committed: the folder kept changing while it was listed."
		case commit.ReasonDamageAfter:
			head = "✗ Damage was seen right after the commit."
		default:
			head = "✗ Refused (" + we.Reason + "): nothing was committed."
		}
	}
	out := th.Paragraph(ui.Bad, head, w)
	out = append(out, ui.Wrap(s.err.Error(), w)...)
	if isWrite && we.Reason == commit.ReasonDamagedLog {
		out = append(out, "", th.Paint(ui.Dim, "Go back (esc) and audit the folder (a)."))
	}
	return append(out, "", th.Paint(ui.Dim, "esc goes back."))
}

func (s *commitForm) status() string { return "" }
