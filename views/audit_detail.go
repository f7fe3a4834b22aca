package views

import (
	"fmt"
	"strings"

	"provcat-tui/audit"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
	"provcat-tui/ui"
)

// most is how many pieces of evidence, commits and weeks the screen lists; the JSON
// report has all.
const most = 50

// A sheet is the text of the detail, w columns wide, and the targets in it.
type sheet struct {
	e       *env
	w       int
	th      *ui.Theme
	lines   []string
	targets []*target
}

func (d *sheet) add(lines ...string) { d.lines = append(d.lines, lines...) }

// maxText is the most bytes of one text that are shown: it is drawn for each frame.
const maxText = 20_000

func (d *sheet) say(tone ui.Tone, text string) {
	d.add(d.th.Paragraph(tone, short(text), d.w)...)
}

func short(text string) string {
	if len(text) > maxText {
		return strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}

// head begins a part.
func (d *sheet) head(title string) { d.add("", d.th.Paint(ui.Strong, ui.Clean(title))) }

// link writes lines of which the first leads to a target; nil: nowhere.
func (d *sheet) link(t *target, tone ui.Tone, lines ...string) {
	mark := "- "
	if t != nil {
		mark = d.th.Paint(ui.Accent, "→ ")
		t.line = len(d.lines)
		d.targets = append(d.targets, t)
	}
	for _, l := range lines {
		d.add(mark + d.th.Paint(tone, l))
		mark = "  "
	}
}

// sheetOf tells all about a line of the list.
func (s *auditScreen) sheetOf(r *auditRow, w int, th *ui.Theme) *sheet {
	d := &sheet{e: s.env, w: w, th: th}
	switch {
	case r.finding != nil:
		s.findingSheet(d, r)
	case r.coverage != nil:
		coverageSheet(d, r)
	default:
		d.say(ui.Strong, r.title)
		if r.n > 0 {
			d.say(ui.Dim, plural(int64(r.n), "finding"))
		}
		if r.means != "" {
			d.say(ui.Plain, r.means)
		}
		if r.id == "acknowledged" && s.IgnoreFile != "" {
			d.say(ui.Plain, "The rules are in "+s.IgnoreFile+". m on a finding takes its rule back.")
			d.head("The same verdict from the command line")
			d.add(d.th.Shown(ui.Accent, safe.Text(short(s.sameVerdict())), d.w)...)
			d.say(ui.Dim, "Without --ignore the command reads no such file, and these findings count.")
		}
		d.add("")
		d.say(ui.Dim, d.e.keys("{open} folds and unfolds."))
	}
	return d
}

func coverageSheet(d *sheet, r *auditRow) {
	d.say(ui.Strong, r.kind+": "+covered(r.coverage))
	if r.coverage.Total == 0 && len(r.coverage.Skipped) == 0 {
		d.say(ui.Dim, "There was nothing of this kind in scope.")
	}
	for _, k := range r.coverage.Skipped {
		n := count(k.Count)
		if k.Count == 0 {
			n = "an unknown number"
		}
		if k.Chosen {
			d.say(ui.Dim, fmt.Sprintf("· %s left out by choice: %s", n, k.Reason))
		} else {
			d.say(ui.Unsure, fmt.Sprintf("? %s not checked: %s", n, k.Reason))
		}
	}
}

func (s *auditScreen) findingSheet(d *sheet, r *auditRow) {
	f := r.finding
	d.say(toneOf(f.Severity), fmt.Sprintf("%s %s: %s (%s)", f.Severity.Mark(), f.Severity.Title(), f.ID, f.Confidence))
	d.say(ui.Strong, f.Title)
	if r.ack != nil {
		d.say(ui.Warn, "Acknowledged: "+acknowledged(r.ack))
		if text := s.ruleOf(r.ack); text != "" {
			d.say(ui.Dim, text)
		}
	}
	if text := s.ruleNote(f); text != "" {
		d.say(ui.Warn, text)
	}
	if f.Due != nil {
		d.say(ui.Warn, "Due: "+exact(*f.Due))
	}
	if f.Folder != nil {
		d.say(ui.Dim, "in "+folderName(*f.Folder))
	}
	s.about(d, f)
	explainSheet(d, f)
	repairSheet(d, f)
	s.affectedSheet(d, f)
	s.evidenceSheet(d, f, "Evidence", f.Evidence, int64(len(f.Evidence)))
	s.evidenceSheet(d, f, "Examples", f.Affected.Examples, max(f.Affected.Versions, int64(len(f.Affected.Examples))))
	s.raw(d, f)
	if f.Fingerprint != "" {
		d.add("")
		d.say(ui.Dim, "fingerprint "+f.Fingerprint)
	}
}

// about is what the finding names itself: its entry, its commit and its key.
func (s *auditScreen) about(d *sheet, f *audit.Finding) {
	hash, n, isSlot := commit.ParseSlotKey(f.Key)
	switch {
	case isSlot:
		d.linkAs(s.entryTarget(hash, n, f.Folder))
	case f.Number > 0 && f.Folder != nil && entryNumber(f) > 0:
		d.linkAs(s.entryTarget(commit.FolderHash(*f.Folder), f.Number, f.Folder))
	}
	if f.Commit != "" {
		d.linkAs(s.commitTarget(s.folderIn(f), entryNumber(f), f.Commit))
	}
	if _, isCommit := commit.ParseCommitKey(f.Key); !isSlot && !isCommit && s.keyTarget(f, f.Key, f.Version) != nil {
		d.linkAs(s.objectTarget(f.Key, f.Version))
	}
}

// raw links the versions of an entry's or a commit's own object, which the log and
// the commit's screen don't list.
func (s *auditScreen) raw(d *sheet, f *audit.Finding) {
	_, _, isSlot := commit.ParseSlotKey(f.Key)
	if _, isCommit := commit.ParseCommitKey(f.Key); isSlot || isCommit {
		d.add("")
		d.linkAs(s.objectTarget(f.Key, f.Version))
	}
}

// linkAs links a target by its own name.
func (d *sheet) linkAs(t *target) {
	kind, name, _ := strings.Cut(t.label, " ")
	lines := ui.WrapPath(short(name), max(d.w-3-len(kind), 8))
	lines[0] = kind + " " + lines[0]
	d.link(t, ui.Plain, lines...)
}

// explain is what is known of a kind of finding; golden frames keep texts of their own.
var explain = audit.Explain

func explainSheet(d *sheet, f *audit.Finding) {
	e, ok := explain(f.ID)
	if f.Detail != "" || ok {
		d.head("What happened")
	}
	if f.Detail != "" {
		d.say(ui.Plain, f.Detail)
	}
	if !ok {
		return
	}
	d.say(ui.Dim, e.Happened) // what else it could be
	d.head("What still works")
	d.say(ui.Plain, e.Works)
	d.head("What to do now")
	d.say(ui.Plain, e.Do)
}

func repairSheet(d *sheet, f *audit.Finding) {
	if f.Repair == nil {
		return
	}
	d.head("Repair: " + f.Repair.Kind)
	if f.Repair.Text != "" {
		d.say(ui.Plain, f.Repair.Text)
	}
	if f.Repair.Command != "" {
		d.add(d.th.Shown(ui.Accent, short(f.Repair.Command), d.w)...)
		d.say(ui.Dim, d.e.keys("({copy} copies the command)"))
	}
}

func (s *auditScreen) affectedSheet(d *sheet, f *audit.Finding) {
	a := &f.Affected
	if a.Versions > 0 || len(a.Commits) > 0 {
		text := plural(int64(len(a.Commits)), "commit")
		if a.Versions > 0 {
			text = plural(a.Versions, "version") + " of " + text
		}
		d.head("Affects " + text)
	}
	d.weeks(a.Schedule)
	for _, c := range a.Commits[:min(len(a.Commits), most)] {
		when := ""
		if c.Due != nil {
			when = "  breaks " + exact(*c.Due)
		}
		name := fmt.Sprintf("#%d %s%s", c.Number, commit.ShortID(c.ID), when)
		if f.Folder == nil || c.Folder != *f.Folder {
			name += " of " + folderName(c.Folder)
		}
		d.link(s.commitTarget(c.Folder, c.Number, c.ID), ui.Plain, ui.Wrap(short(name), d.w-2)...)
	}
	d.more(int64(len(a.Commits)))
}

// more says how many of a list of n are not shown.
func (d *sheet) more(n int64) {
	if n > most {
		d.say(ui.Dim, fmt.Sprintf(d.e.keys("and %s more; the JSON report has all ({export} exports)"), count(n-most)))
	}
}

// weeks draws a forecast: a bar for each week, by its versions.
func (d *sheet) weeks(weeks []audit.Week) {
	if len(weeks) == 0 {
		return
	}
	var top int64
	versions, commits := len("versions"), len("commits break")
	for _, w := range weeks {
		top = max(top, w.Versions)
		versions, commits = max(versions, len(count(w.Versions))), max(commits, len(count(w.Commits)))
	}
	bar := min(max(d.w-16-versions-2-commits-2, 0), 40)
	line := func(tone ui.Tone, week, chart, v, c string) {
		d.add(d.th.Paint(tone, ui.Fit(week, 14, ui.Left)) + "  " + d.th.Paint(ui.Warn, ui.Fit(chart, bar, ui.Left)) +
			d.th.Paint(tone, "  "+ui.Fit(v, versions, ui.Right)+"  "+ui.Fit(c, commits, ui.Right)))
	}
	line(ui.Dim, "week of (UTC)", "", "versions", "commits break")
	for _, w := range weeks[:min(len(weeks), most)] {
		n := 0
		if top > 0 {
			n = int(float64(bar)*float64(w.Versions)/float64(top) + 0.5)
		}
		if w.Versions > 0 {
			n = max(n, 1)
		}
		line(ui.Plain, w.Monday, strings.Repeat("█", n), count(w.Versions), count(w.Commits))
	}
	d.more(int64(len(weeks)))
	d.add("")
}

func (s *auditScreen) evidenceSheet(d *sheet, f *audit.Finding, title string, es []audit.Evidence, total int64) {
	if len(es) == 0 {
		return
	}
	d.head(title)
	for _, e := range es[:min(len(es), most)] {
		d.link(s.keyTarget(f, e.Key, e.Version), ui.Plain, ui.WrapPath(short(e.Key), d.w-2)...)
		if text := evidenceText(e); text != "" {
			for _, l := range ui.Wrap(short(text), d.w-2) {
				d.add("  " + d.th.Paint(ui.Dim, l))
			}
		}
	}
	if n := total - int64(min(len(es), most)); n > 0 {
		d.say(ui.Dim, "and "+count(n)+" more")
	}
}

func evidenceText(e audit.Evidence) string {
	var parts []string
	if e.Version != "" {
		parts = append(parts, "version "+e.Version)
	}
	switch {
	case e.DeleteMarker:
		parts = append(parts, e.Marker())
	case e.ETag != "":
		parts = append(parts, size(e.Size), "ETag "+e.ETag)
	}
	if e.Latest && !e.Derived {
		parts = append(parts, "the newest of its key")
	}
	if e.Modified != nil {
		parts = append(parts, exact(*e.Modified))
	}
	if e.Note != "" {
		parts = append(parts, e.Note)
	}
	return strings.Join(parts, ", ")
}
