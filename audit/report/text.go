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
	"provcat-tui/internal/safe"
)

// TextOptions of the text format.
type TextOptions struct {
	Color bool
	Width int // columns; 0: 80; never less than 40
}

// Text writes a report for people: the verdict first, then the findings, worst
// first, then what was checked.
func Text(w io.Writer, r *audit.Report, o TextOptions) error {
	p := newPrinter(w, o)
	p.known = rulesByFinding(r)
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
	p.acknowledged(r)
	p.acknowledgements(r)
	p.coverage(r)
	return p.w.Flush()
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
	known knownOf // what is said of a finding that a rule is about
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
	p.wrap("", fmt.Sprintf("Audit of %s: %s, depth %s", safe.Text(r.Bucket), scopeName(r), r.Scope.Depth))
	p.line("")
	p.verdict(r)
	if text := nothingChecked(r); text != "" {
		p.wrap("", text)
	}
	var counts []string
	for _, s := range audit.Severities {
		counts = append(counts, fmt.Sprintf("%d %s", r.Counts[s], s))
	}
	if n := len(r.Acknowledged); n > 0 {
		counts = append(counts, fmt.Sprintf("%d acknowledged", n))
	}
	p.wrap("", strings.Join(counts, ", "))
}

// verdict says it in words, the first of them in its colour.
func (p *printer) verdict(r *audit.Report) {
	word, text := verdictWords(r)
	lines := p.lines("", word+": "+text)
	if p.o.Color {
		sgr := map[audit.Verdict]string{audit.Pass: "1;32", audit.Fail: "1;31", audit.Incomplete: "1;35"}[r.Verdict]
		lines[0] = "\x1b[" + sgr + "m" + word + ":\x1b[0m" + strings.TrimPrefix(lines[0], word+":")
	}
	for _, l := range lines {
		p.line(l)
	}
}

func (p *printer) finding(f *audit.Finding) {
	p.line("")
	head := f.Severity.Mark() + " " + string(f.Severity) + ": " + safe.Text(f.ID)
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
		p.repair(f.Repair)
	}
	for _, why := range p.known[f.Fingerprint] {
		p.wrap("  ", why)
	}
	p.line("  fingerprint " + safe.Text(f.Fingerprint))
}

func (p *printer) repair(r *audit.Repair) {
	for i, s := range steps(r) {
		switch {
		case s.command:
			p.line("    " + commandLine(s.text)) // one line, to be copied as it is
		case i == 0:
			p.wrap("  ", "Repair: "+safe.Text(s.text))
		default:
			p.wrap("  ", safe.Text(s.text))
		}
	}
}

func (p *printer) affected(f *audit.Finding) {
	if n := len(f.Affected.Commits); n > 0 {
		var names []string
		for _, c := range f.Affected.Commits[:min(n, maxShown)] {
			name := fmt.Sprintf("%d of %s (%s)", c.Number, folderName(c.Folder), shortID(c.ID))
			if c.Due != nil {
				name += " from " + stamp(c.Due)
			}
			names = append(names, name)
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
	p.schedule(f.Affected.Schedule)
}

// schedule shows the weeks of a forecast.
func (p *printer) schedule(weeks []audit.Week) {
	if len(weeks) == 0 {
		return
	}
	p.line("  By week:")
	for _, w := range weeks[:min(len(weeks), maxShown)] {
		p.wrap("    ", fmt.Sprintf("from %s: %s due, %s break", safe.Text(w.Monday), count(w.Versions, "version"), count(w.Commits, "commit")))
	}
	if n := len(weeks) - maxShown; n > 0 {
		p.line(fmt.Sprintf("    and %d more weeks (all in the JSON)", n))
	}
}

// evidence shows the first of a list that stands for total versions.
func (p *printer) evidence(list []audit.Evidence, total int64) {
	key := ""
	for _, e := range list[:min(len(list), maxShown)] {
		if e.Key != key {
			p.line("    " + safe.Text(e.Key)) // whole, to be copied
			key = e.Key
		}
		p.wrap("      ", strings.Join(evidenceParts(e), ", "))
	}
	if n := total - int64(min(len(list), maxShown)); n > 0 {
		p.line(fmt.Sprintf("    and %d more", n))
	}
}

// acknowledged lists what somebody knows of already, in short: what each means
// was read before.
func (p *printer) acknowledged(r *audit.Report) {
	if len(r.Acknowledged) == 0 {
		return
	}
	p.line("")
	p.styled("1", "ACKNOWLEDGED")
	p.wrap("", "known already: these don't count for the verdict")
	for i := range r.Acknowledged {
		a := &r.Acknowledged[i]
		p.line("")
		p.line(a.Severity.Mark() + " " + string(a.Severity) + ": " + safe.Text(a.ID))
		p.wrap("  ", safe.Text(a.Title))
		if a.Folder != nil {
			p.wrap("  ", "Folder: "+folderName(*a.Folder))
		}
		p.wrap("  ", acknowledgement(a))
		p.line("  fingerprint " + safe.Text(a.Fingerprint))
	}
}

// acknowledgements tells which rules need a look.
func (p *printer) acknowledgements(r *audit.Report) {
	notes := AckNotes(r, "")
	if len(notes) == 0 {
		return
	}
	p.line("")
	p.styled("1", "Acknowledgements")
	for _, n := range notes {
		p.wrap("  ", n)
	}
}

func (p *printer) coverage(r *audit.Report) {
	p.line("")
	p.styled("1", "Checked")
	for _, x := range covered(r) {
		p.line(fmt.Sprintf("  %-15s %d of %d", x.Title, x.Checked, x.Total))
		for _, s := range x.Skipped {
			why := "not checked"
			if s.Chosen {
				why = "left out by choice"
			}
			p.wrap("                  ", fmt.Sprintf("%s: %s, %s", why, howMany(s), safe.Text(s.Reason)))
		}
	}
	p.wrap("", cost(r))
}

// cost says what the audit took.
func cost(r *audit.Report) string {
	q := r.Requests
	prices := "list prices"
	if q.Prices != nil {
		prices = "your prices"
	}
	return fmt.Sprintf("%d list, %d get and %d head requests, about $%.4f at %s, in %s",
		q.List, q.Get, q.Head, q.CostUSD, prices, r.Finished.Sub(r.Started).Round(10*time.Millisecond))
}

// count is a number of things in words.
func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func bytesOf(n int64) string { return fmt.Sprintf("%d bytes", n) }

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
