// Package report writes an audit's report in the formats that people and
// machines read. All that came from a bucket is escaped here.
package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"provcat-tui/audit"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// TextOptions of the text format.
type TextOptions struct {
	Color bool
	Width int // columns; 0: 80; never less than 40
}

// maxShown bounds the lists of a finding in the text; the JSON has them whole.
const maxShown = 8

// Text writes a report for people: the verdict first, then the findings, worst
// first, then what was checked.
func Text(w io.Writer, r *audit.Report, o TextOptions) error {
	if o.Width == 0 {
		o.Width = 80
	}
	p := &printer{w: bufio.NewWriter(w), o: o, width: max(o.Width, 40)}
	p.summary(r)
	var last audit.Severity
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity != last {
			p.line("")
			p.styled(colorOf(f.Severity), strings.ToUpper(string(f.Severity)))
			p.wrap("", meaning[f.Severity])
			last = f.Severity
		}
		p.finding(f)
	}
	p.coverage(r)
	return p.w.Flush()
}

var meaning = map[audit.Severity]string{
	audit.Damage:  "what a commit promises cannot be read now, or history was changed",
	audit.Risk:    "sound now, but a rule or a setting will break it",
	audit.Anomaly: "a state that the writer never makes; a harmless cause is possible",
	audit.Unknown: "could not be checked: neither sound nor damaged",
	audit.Info:    "worth knowing, nothing to do",
}

// colorOf gives an SGR parameter that reads on light and dark terminals.
func colorOf(s audit.Severity) string {
	switch s {
	case audit.Damage:
		return "1;31"
	case audit.Risk, audit.Unknown:
		return "1;35"
	case audit.Anomaly:
		return "1;36"
	}
	return "1"
}

// A printer writes lines. Its writer keeps the first error for Flush.
type printer struct {
	w     *bufio.Writer
	o     TextOptions
	width int
}

func (p *printer) line(s string) {
	_, _ = p.w.WriteString(s + "\n") // Flush tells
}

func (p *printer) styled(sgr, s string) {
	if p.o.Color {
		s = "\x1b[" + sgr + "m" + s + "\x1b[0m"
	}
	p.line(s)
}

func (p *printer) summary(r *audit.Report) {
	scope := "the whole bucket"
	if r.Scope.Folder != "" {
		scope = "folder " + safe.Text(r.Scope.Folder) + " and those below it"
	}
	p.wrap("", fmt.Sprintf("Audit of %s: %s, depth %s", safe.Text(r.Bucket), scope, r.Scope.Depth))
	p.line("")
	p.verdict(r)
	if r.Verdict == audit.Fail && !r.Complete {
		p.wrap("", "Besides, not everything could be checked.")
	}
	if r.Coverage.Entries.Total == 0 && len(r.Coverage.Logs.Skipped) == 0 {
		text := "0 of 0 commits: no log entry is in scope"
		if len(r.Findings) == 0 {
			text += ", so there was nothing to check"
		}
		p.wrap("", text+".")
	}
	var counts []string
	for _, s := range audit.Severities {
		counts = append(counts, fmt.Sprintf("%d %s", r.Counts[s], s))
	}
	p.wrap("", strings.Join(counts, ", "))
}

// verdict says it in words, the first of them in its colour.
func (p *printer) verdict(r *audit.Report) {
	word, sgr, text := "PASS:", "1;32", "everything in scope was checked and is sound."
	switch {
	case r.Verdict == audit.Fail:
		word, sgr, text = "FAIL:", "1;31", "there are findings that must be looked at."
	case r.Verdict == audit.Incomplete:
		word, sgr, text = "INCOMPLETE:", "1;35", "nothing that was checked makes the audit fail, but not everything could be checked."
	case !r.Complete:
		text = "what was checked is sound; not everything was."
	case r.Counts[audit.Damage]+r.Counts[audit.Risk]+r.Counts[audit.Anomaly] > 0:
		// --fail-on let them pass.
		text = "everything in scope was checked, and nothing makes the audit fail. The findings are below."
	}
	lines := p.lines("", word+" "+text)
	if p.o.Color {
		lines[0] = "\x1b[" + sgr + "m" + word + "\x1b[0m" + strings.TrimPrefix(lines[0], word)
	}
	for _, l := range lines {
		p.line(l)
	}
}

func (p *printer) finding(f *audit.Finding) {
	p.line("")
	head := f.Severity.Mark() + " " + string(f.Severity) + ": " + f.ID
	if f.Confidence != audit.Certain && f.Confidence != "" {
		head += " (" + string(f.Confidence) + ")"
	}
	p.styled(colorOf(f.Severity), head)
	p.wrap("  ", safe.Text(f.Title))
	if f.Folder != nil {
		p.wrap("  ", "Folder: "+folderName(*f.Folder))
	}
	if f.Due != nil {
		p.wrap("  ", "Due "+stamp(f.Due))
	}
	if f.Detail != "" {
		p.wrap("  ", safe.Text(f.Detail))
	}
	p.affected(f)
	if len(f.Evidence) > 0 {
		p.line("  Evidence:")
		p.evidence(f.Evidence, int64(len(f.Evidence)))
	}
	if f.Repair != nil {
		if f.Repair.Text != "" {
			p.wrap("  ", "Repair: "+safe.Text(f.Repair.Text))
		}
		if f.Repair.Command != "" {
			// One line, to be copied as it is. safe.Shell left no control
			// character in it; anything else would not be a command of ours.
			p.line("    " + printable(f.Repair.Command))
		}
	}
	p.line("  fingerprint " + safe.Text(f.Fingerprint))
}

func (p *printer) affected(f *audit.Finding) {
	if n := len(f.Affected.Commits); n > 0 {
		var names []string
		for _, c := range f.Affected.Commits[:min(n, maxShown)] {
			names = append(names, fmt.Sprintf("%d of %s (%s)", c.Number, folderName(c.Folder), safe.Text(commit.ShortID(c.ID))))
		}
		text := "Commits: " + strings.Join(names, ", ")
		if n > maxShown {
			text += fmt.Sprintf(", and %d more (all in the JSON)", n-maxShown)
		}
		p.wrap("  ", text)
	}
	if len(f.Affected.Examples) > 0 {
		p.line("  Versions:")
		p.evidence(f.Affected.Examples, max(f.Affected.Versions, int64(len(f.Affected.Examples))))
	} else if n := f.Affected.Versions; n > 0 {
		p.line(fmt.Sprintf("  Versions: %d", n))
	}
}

// folderName is a folder in words, escaped.
func folderName(folder string) string {
	if folder == "" {
		return "the whole bucket"
	}
	return safe.Text(folder)
}

// evidence shows the first of a list that stands for total versions.
func (p *printer) evidence(list []audit.Evidence, total int64) {
	key := ""
	for _, e := range list[:min(len(list), maxShown)] {
		if e.Key != key {
			p.line("    " + safe.Text(e.Key)) // whole, to be copied
			key = e.Key
		}
		var parts []string
		if e.Version != "" {
			parts = append(parts, "version "+safe.Text(e.Version))
		}
		if e.Modified != nil {
			parts = append(parts, stamp(e.Modified))
		}
		switch {
		case e.DeleteMarker:
			parts = append(parts, "delete marker")
		default:
			parts = append(parts, fmt.Sprintf("%d bytes", e.Size))
			if e.ETag != "" {
				parts = append(parts, "ETag "+safe.Text(e.ETag))
			}
		}
		switch {
		case e.Latest && e.DeleteMarker:
			parts = append(parts, "newest")
		case e.Latest:
			parts = append(parts, "live")
		}
		if e.Note != "" {
			parts = append(parts, safe.Text(e.Note))
		}
		p.wrap("      ", strings.Join(parts, ", "))
	}
	if n := total - int64(min(len(list), maxShown)); n > 0 {
		p.line(fmt.Sprintf("    and %d more", n))
	}
}

func (p *printer) coverage(r *audit.Report) {
	p.line("")
	p.styled("1", "Checked")
	for _, x := range []struct {
		name string
		c    audit.Coverage
	}{{"logs", r.Coverage.Logs}, {"entries", r.Coverage.Entries}, {"commit objects", r.Coverage.Commits},
		{"named versions", r.Coverage.Versions}, {"settings", r.Coverage.Settings}} {
		p.line(fmt.Sprintf("  %-15s %d of %d", x.name, x.c.Checked, x.c.Total))
		for _, s := range x.c.Skipped {
			p.wrap("                  ", fmt.Sprintf("not checked: %d, %s", s.Count, safe.Text(s.Reason)))
		}
	}
	q := r.Requests
	p.wrap("", fmt.Sprintf("%d list, %d get and %d head requests, about $%.4f at list prices, in %s",
		q.List, q.Get, q.Head, q.CostUSD, r.Finished.Sub(r.Started).Round(10*time.Millisecond)))
}

func stamp(t *time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// printable is s without anything that a terminal would obey.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if safe.Text(string(r)) != string(r) && r != '\\' {
			return '?'
		}
		return r
	}, s)
}

// wrap writes text in lines, by lines.
func (p *printer) wrap(indent, text string) {
	for _, l := range p.lines(indent, text) {
		p.line(l)
	}
}

// lines breaks text into lines of at most the width, each after the indent. A
// word that is longer than a line is cut between characters. There is at least
// one line.
func (p *printer) lines(indent, text string) []string {
	room := max(p.width-len(indent), 10)
	var out []string
	line, used := "", 0
	flush := func() {
		out = append(out, indent+line)
		line, used = "", 0
	}
	for _, word := range strings.Split(text, " ") {
		n := uniseg.StringWidth(word)
		if used > 0 && used+1+n > room {
			flush()
		}
		if used > 0 {
			line, used = line+" ", used+1
		}
		if n <= room {
			line, used = line+word, used+n
			continue
		}
		for rest, state := word, -1; rest != ""; {
			var c string
			var cw int
			c, rest, cw, state = uniseg.FirstGraphemeClusterInString(rest, state)
			if used+cw > room && used > 0 {
				flush()
			}
			line, used = line+c, used+cw
		}
	}
	if line != "" || len(out) == 0 {
		flush()
	}
	return out
}
