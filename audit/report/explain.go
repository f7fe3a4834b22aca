package report

import (
	"bufio"
	"io"
	"strings"

	"provcat-tui/audit"
)

// Explain writes for people what a kind of finding means.
func Explain(w io.Writer, e audit.Explanation, o TextOptions) error {
	p := newPrinter(w, o)
	var severities []string
	for _, s := range e.Severity {
		severities = append(severities, string(s))
	}
	p.styled("1", e.ID)
	p.wrap("", e.Means)
	p.line("")
	p.wrap("", "Severity: "+strings.Join(severities, " or ")+". Found from --depth "+string(e.Depth())+" on.")
	for _, x := range []struct{ title, text string }{{"What happened", e.Happened}, {"What works", e.Works}, {"What to do", e.Do}} {
		p.line("")
		p.styled("1", x.title)
		p.wrap("  ", x.text)
	}
	if len(e.Repairs) > 0 {
		p.line("")
		p.wrap("", "Repairs that it can come with: "+strings.Join(e.Repairs, ", ")+".")
	}
	return p.w.Flush()
}

// ExplainAll lists every kind of finding in a line or two.
func ExplainAll(w io.Writer, o TextOptions) error {
	p := newPrinter(w, o)
	for _, subject := range audit.Subjects {
		p.styled("1", strings.ToUpper(subject))
		for _, e := range audit.Explanations {
			if e.Subject == subject {
				p.line("  " + e.ID)
				p.wrap("      ", e.Means)
			}
		}
	}
	return p.w.Flush()
}

func newPrinter(w io.Writer, o TextOptions) *printer {
	if o.Width == 0 {
		o.Width = 80
	}
	return &printer{w: bufio.NewWriter(w), o: o, width: max(o.Width, 40)}
}
