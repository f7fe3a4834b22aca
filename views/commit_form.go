package views

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// A draft is what was typed for a commit that was not made.
type draft struct{ message, author string }

// commitForm commits a folder: it shows what would change, asks for the message,
// and tells truly how it went.
type commitForm struct {
	plain
	place
	folder   string
	phase    phase
	plan     commit.Plan
	changes  list[commit.Change]
	result   commit.Result
	progress commit.Progress
	form     *ui.Form
	message  *ui.Input
	author   *ui.Input
	err      error
}

func newCommitForm(p place, folder string) *commitForm {
	s := &commitForm{place: p, folder: folder}
	kept, ok := p.drafts[p.url(folder)]
	if !ok {
		kept.author = p.authorOf(folder)
	}
	s.message, s.author = ui.NewInput("", 2000), ui.NewInput(kept.author, 200)
	s.message.Lines = true
	s.message.Set(kept.message)
	s.form = ui.NewForm("", "", "Commit", ui.Field{Label: "Message", Input: s.message}, ui.Field{Label: "Author", Input: s.author})
	s.changes.text = func(c *commit.Change) string { return c.Path }
	s.changes.row = drawChange
	s.changes.table.Columns = changeColumns
	return s
}

func (s *commitForm) kind() string  { return onForm }
func (s *commitForm) crumb() string { return "Commit " + folderName(s.folder) }

func (s *commitForm) key(id string) action {
	if id == "audit" {
		return swap{newAudit(s.place, s.folder)}
	}
	return nil
}

func (s *commitForm) enabled(id string) (bool, string) {
	if id == "audit" && s.phase != ended {
		return false, "the commit is under way"
	}
	return true, ""
}

// tell shows how far the work is.
func (s *commitForm) tell(p []commit.Progress) action {
	s.progress = p[len(p)-1]
	return nil
}

func (s *commitForm) start() action {
	if s.phase == writing {
		return nil
	}
	s.phase, s.err, s.progress = looking, nil, commit.Progress{}
	s.changes.reset()
	var plan commit.Plan
	return begin{load("write", "Looking at what would change in "+folderName(s.folder), func(ctx context.Context, add func(commit.Progress)) (err error) {
		plan, err = commit.Preview(ctx, s.b, s.folder, add)
		return err
	}, s.tell, func(err error) action {
		s.plan, s.err = plan, err
		if err != nil || plan.Nothing {
			s.phase = ended
			return nil
		}
		s.phase = asking
		return s.changes.add(plan.Changes)
	})}
}

// write commits in earnest.
func (s *commitForm) write() action {
	s.phase, s.progress = writing, commit.Progress{}
	o := commit.WriteOptions{Author: s.author.Value(), Message: s.message.Value(), Concurrency: s.parallel(), Now: s.Now}
	var r commit.Result
	w := load("write", "Committing "+folderName(s.folder), func(ctx context.Context, add func(commit.Progress)) (err error) {
		o.Progress = add
		r, err = commit.Write(ctx, s.b, s.folder, o)
		return err
	}, s.tell, func(err error) action { return s.finished(r, err) })
	w.settle = true
	return begin{w}
}

func (s *commitForm) typing() bool { return s.phase == asking }

func (s *commitForm) input(m tea.Msg) action {
	if k, ok := m.(tea.KeyPressMsg); ok {
		switch k.String() {
		case "pgup":
			s.changes.move("pageup")
			return nil
		case "pgdown":
			s.changes.move("pagedown")
			return nil
		}
	}
	answer := s.form.Update(m)
	s.drafts[s.url(s.folder)] = draft{s.message.Value(), s.author.Value()}
	switch answer {
	case ui.Cancelled:
		if s.message.Value() != "" {
			return all{note{ui.Dim, s.keys("The message is kept: {commit} shows it again.")}, back{}}
		}
		return back{}
	case ui.Confirmed:
		return s.write()
	}
	return nil
}

// finished is the end of the writing: on the new commit, or on what went wrong.
func (s *commitForm) finished(r commit.Result, err error) action {
	s.result, s.err = r, err
	s.env.written, s.env.unclear = s.outcome()
	if err != nil || !r.Committed {
		s.phase = ended
		return nil
	}
	delete(s.drafts, s.url(s.folder))
	s.facts().wrote(s.folder)
	c := newCommit(s.place, s.folder, r.ID, r.Number)
	c.said = fmt.Sprintf("Committed #%d of %s: %s, %s.", r.Number, folderName(s.folder), plural(r.Files, "file"), size(r.Bytes))
	c.warning = strings.Join(slices.DeleteFunc([]string{s.other(r), r.Warning}, func(w string) bool { return w == "" }), " ")
	return swap{c}
}

// outcome is how a write ended in a sentence, for one who doesn't see the screen any
// more; an error where it is not known.
func (s *commitForm) outcome() (text string, unclear error) {
	var we *commit.WriteError
	switch r := s.result; {
	case errors.As(s.err, &we) && we.Unclear || errors.Is(s.err, bucket.ErrUnclear):
		return "", s.err
	case r.Committed:
		return fmt.Sprintf("committed %s as number %d, %s", safe.Text(folderName(s.folder)), r.Number, safe.Text(r.ID)), nil
	case errors.Is(s.err, context.Canceled):
		return "nothing was committed of " + safe.Text(folderName(s.folder)), nil
	case s.err != nil:
		return "nothing was committed: " + s.err.Error(), nil //nolint:nilerr // it is known how it ended
	}
	return "nothing to commit: " + safe.Text(folderName(s.folder)) + " is as its newest commit says", nil
}

// other says how what was committed is not what the person was shown: the folder was
// listed anew, as it is at the commit point. Every write or deletion adds a version.
func (s *commitForm) other(r commit.Result) string {
	p, was := s.plan, s.plan.Snapshot
	if r.Versions == was.Versions && r.Files == int64(len(was.Files)) && r.Bytes == was.Bytes && r.Number == p.Head.Number+1 {
		return ""
	}
	text := fmt.Sprintf("The folder changed after it was shown: committed were %s, %s, shown were %s, %s.",
		plural(r.Files, "file"), size(r.Bytes), plural(int64(len(was.Files)), "file"), size(was.Bytes))
	if r.Number != p.Head.Number+1 {
		text += fmt.Sprintf(" Others committed meanwhile, up to #%d.", r.Number-1)
	}
	return text + s.keys(" {diff} shows all that this commit changed.")
}

var stages = map[string]string{
	commit.StageSettings: "Checking that versioning is on", commit.StageHead: "Reading the head of the log",
	commit.StageListing: "Listing every version", commit.StageCompare: "Comparing with the newest commit",
	commit.StageTime: "Reading the heads of the logs around it", commit.StageObject: "Writing the commit object",
	commit.StagePoint: "Creating the log entry: the commit point", commit.StageCheck: "Looking at what is there now",
}

func (s *commitForm) view(w, h int, th *ui.Theme) []string {
	iw := min(w-4, 100)
	switch s.phase {
	case looking, writing:
		return s.progressView(w, h, th)
	case asking:
		return s.askView(w, h, th)
	}
	if s.err == nil {
		return indent(append(th.Paragraph(ui.Strong, fmt.Sprintf("Nothing to commit: %s is exactly as commit #%d has it.", folderName(s.folder), s.plan.Head.Number), iw),
			th.Paragraph(ui.Dim, s.keys("Nothing was written. {back} goes back."), iw)...), w, h)
	}
	return indent(s.failureLines(iw, th), w, h)
}

// messageLines shows a message of several lines as it will be, in n lines at most; one
// of a single line stands in its field.
func (s *commitForm) messageLines(w, n int, th *ui.Theme) []string {
	text := s.message.Value()
	if !strings.Contains(text, "\n") {
		return nil
	}
	var out []string
	wrapped := ui.Wrap(text, w-6)
	for i, l := range wrapped {
		if i == n-1 && len(wrapped) > n {
			l = th.Paint(ui.Dim, "… "+plural(int64(len(wrapped)-i), "more line"))
		}
		if i == n {
			break
		}
		out = append(out, "    "+th.Paint(ui.Dim, "│ ")+l)
	}
	return out
}

// nearDamage tells of what is known of damage above or below: the commit is sound all
// the same, but that may be what matters.
func (s *commitForm) nearDamage() string {
	if wrong := s.facts().damage[s.folder]; wrong != "" {
		return "This log is known to be damaged (" + wrong + "): a commit here does not mend it."
	}
	if f := s.facts().damagedBelow(s.folder); f != "" {
		return "Below it the log of " + f + " is known to be damaged: a commit here does not mend it."
	}
	if f, ok := s.facts().damagedAbove(s.folder); ok {
		return "Above it the log of " + folderName(f) + " is known to be damaged: a commit here does not mend it."
	}
	return ""
}

// askView shows what would be committed, the form, and the changes one by one.
func (s *commitForm) askView(w, h int, th *ui.Theme) []string {
	iw := min(w-4, 100)
	p := s.plan
	lines := th.Paragraph(ui.Strong, fmt.Sprintf("This becomes commit #%d of %s: %s, %s.", p.Head.Number+1, folderName(s.folder),
		plural(int64(len(p.Snapshot.Files)), "file"), size(p.Snapshot.Bytes)), iw)
	against := "The first commit of this folder: "
	if p.Head.Number > 0 {
		against = fmt.Sprintf("Against #%d %s: ", p.Head.Number, commit.ShortID(p.Head.Entry.Commit))
	}
	lines = append(lines, th.Paint(ui.Dim, against)+
		th.Paint(some(ui.Good, p.Added), fmt.Sprintf("+ %s added", count(p.Added)))+"  "+
		th.Paint(some(ui.Bad, p.Removed), fmt.Sprintf("- %s removed", count(p.Removed)))+"  "+
		th.Paint(some(ui.Warn, p.ChangedFiles), fmt.Sprintf("~ %s changed", count(p.ChangedFiles))), "")
	if warn := s.nearDamage(); warn != "" {
		lines = append(lines, th.Paragraph(ui.Warn, "! "+warn, iw)...)
	}
	lines = append(lines, s.form.Lines(iw, th)...)
	lines = append(lines, s.messageLines(iw, max(h/4, 3), th)...)
	out := indent(lines, w, min(len(lines)+1, h))
	title := "what changes"
	if n := int64(len(p.Changes)); n < p.Added+p.Removed+p.ChangedFiles {
		title += ": the first " + count(n)
	}
	out = append(out, ui.Rule(title+" (PgUp, PgDn)", w, false, th))
	return append(out, s.changes.view(w, h-len(out), false, th)...)
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
		lines = append(lines, ui.WrapShown(p.Detail, w-8)...)
	}
	if s.phase == looking {
		lines = append(lines, "", th.Paint(ui.Dim, s.keys("Nothing is written yet. {back} cancels.")))
	} else {
		lines = append(lines, "", th.Paint(ui.Dim, s.keys("{back} cancels as long as the commit point is not reached; the answer is waited for.")))
	}
	return ui.Centre(lines, w, h)
}

// failureLines say truly what is known: refused, contended, or unclear.
func (s *commitForm) failureLines(w int, th *ui.Theme) []string {
	var we *commit.WriteError
	isWrite := errors.As(s.err, &we)
	if isWrite && we.Unclear || errors.Is(s.err, bucket.ErrUnclear) {
		out := th.Paragraph(ui.Unsure, "? Unclear: the commit may be there, or may still arrive.", w)
		out = append(out, ui.WrapShown(s.err.Error(), w)...)
		if isWrite && we.ID != "" {
			out = append(out, "", th.Paint(ui.Dim, ui.Fit("commit", 8, ui.Left))+ui.Fit(we.ID, w-8, ui.Left), "")
			out = append(out, th.Paragraph(ui.Plain, "It landed if the log names it; this tells:", w)...)
			out = append(out, th.Paragraph(ui.Accent, "provcat-tui log "+safe.Shell(s.url(s.folder)), w)...)
		}
		return out
	}
	if errors.Is(s.err, context.Canceled) {
		return th.Paragraph(ui.Plain, s.keys("Cancelled: nothing was committed. {back} goes back."), w)
	}
	tone, head := ui.Bad, "✗ Nothing was committed."
	if s.result.Committed {
		head = fmt.Sprintf("! Commit #%d %s is there, but damage was seen beside it.", s.result.Number, commit.ShortID(s.result.ID))
	}
	if isWrite && !s.result.Committed {
		switch we.Reason {
		case commit.ReasonContended:
			head = "✗ Not committed: other writers were faster, ten times."
		case commit.ReasonStale:
			head = "✗ Not committed: the store's listings do not show the newest entry of the log."
		case commit.ReasonUnsettled:
			head = "✗ Not committed: the folder kept changing while it was listed."
		case commit.ReasonDamageAfter:
			head = "✗ Damage was seen right after the commit."
		case commit.ReasonUnknownFormat:
			tone, head = ui.Unsure, "? Nothing was committed: the newest commit could not be checked."
		default:
			head = "✗ Refused (" + we.Reason + "): nothing was committed."
		}
	}
	out := th.Paragraph(tone, head, w)
	var be *bucket.Error
	if isWrite && we.Reason == commit.ReasonDamagedLog && errors.As(s.err, &be) && be.Err != nil {
		out = append(out, ui.WrapShown(strings.TrimSuffix(be.Op, ",")+": "+be.Err.Error()+".", w)...)
		if be.Key != "" {
			out = append(out, "")
			out = append(out, ui.WrapPath(be.Key, w)...)
		}
		out = append(out, "", th.Paint(ui.Accent, s.keys("Press {audit} to audit this folder.")))
	} else {
		out = append(out, ui.WrapShown(s.err.Error(), w)...)
	}
	return append(out, "", th.Paint(ui.Dim, s.keys("{back} goes back.")))
}

func (s *commitForm) status() string { return "" }
