package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"provcat-tui/audit"
	"provcat-tui/internal/safe"
)

// Markdown writes a report for a ticket, in GitHub's flavour. The same report
// gives the same bytes.
//
// Nothing from a bucket can become markup: lists of keys stand in fences that are
// longer than any run of backticks in them, and a word of a text that could be a
// link, a mention, an issue's number or a piece of HTML stands in a code span. A
// backslash before it would not do: mentions and references are looked for in what
// was rendered.
func Markdown(w io.Writer, r *audit.Report) error {
	m := &marker{w: bufio.NewWriter(w), known: rulesByFinding(r)}
	word, sentence := verdictWords(r)
	m.block("# Audit of " + code(r.Bucket) + ": " + word)
	m.block("**" + word + "**: " + sentence)
	if text := nothingChecked(r); text != "" {
		m.block(text)
	}
	scope := "the whole bucket"
	if r.Scope.Folder != "" {
		scope = "folder " + code(r.Scope.Folder) + " and those below it"
	}
	m.block(fmt.Sprintf("- Scope: %s, depth %s\n- Fails on: %s\n- Run: %s to %s, by %s %s", scope, code(string(r.Scope.Depth)), failOn(r),
		stamp(&r.Started), stamp(&r.Finished), prose(r.Tool.Name), prose(r.Tool.Version)))
	counts := "| severity | findings |\n|---|---:|\n"
	for _, s := range audit.Severities {
		counts += fmt.Sprintf("| %s %s | %d |\n", s.Mark(), s, r.Counts[s])
	}
	if n := len(r.Acknowledged); n > 0 {
		counts += fmt.Sprintf("| acknowledged | %d |\n", n)
	}
	m.block(counts)
	var last audit.Severity
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity != last {
			m.block("## " + f.Severity.Title())
			m.block("_" + meaning[f.Severity] + "_")
			last = f.Severity
		}
		m.finding(f)
	}
	if len(r.Acknowledged) > 0 {
		m.block("## Acknowledged")
		m.block("_known already: these don't count for the verdict_")
	}
	for i := range r.Acknowledged {
		a := &r.Acknowledged[i]
		m.block("### " + code(a.ID) + " " + inside(a.Title))
		m.block(m.facts(&a.Finding) + "\n- " + words(acknowledgement(a)))
	}
	if notes := AckNotes(r, ""); len(notes) > 0 {
		m.block("## Acknowledgements")
		list := ""
		for _, n := range notes {
			list += "- " + words(n) + "\n"
		}
		m.block(list)
	}
	m.block("## Checked")
	table := "| | checked | of | not checked |\n|---|---:|---:|---|\n"
	for _, c := range covered(r) {
		var why []string
		for _, s := range c.Skipped {
			text := fmt.Sprintf("%s: %s", howMany(s), cell(s.Reason))
			if s.Chosen {
				text += " (left out by choice)"
			}
			why = append(why, text)
		}
		table += fmt.Sprintf("| %s | %d | %d | %s |\n", c.Title, c.Checked, c.Total, strings.Join(why, "; "))
	}
	m.block(table)
	m.block(marked(cost(r), true))
	return m.w.Flush()
}

// A marker writes blocks of Markdown. Its writer keeps the first error for Flush.
type marker struct {
	w       *bufio.Writer
	started bool
	known   knownOf
}

func (m *marker) block(s string) {
	if m.started {
		_, _ = m.w.WriteString("\n") // Flush tells
	}
	m.started = true
	_, _ = m.w.WriteString(strings.TrimSuffix(s, "\n") + "\n") // as above
}

func (m *marker) finding(f *audit.Finding) {
	m.block("### " + f.Severity.Mark() + " " + code(f.ID) + " " + inside(f.Title))
	m.block(m.facts(f))
	if f.Detail != "" {
		m.block(prose(f.Detail))
	}
	m.commits(f.Affected.Commits)
	if len(f.Affected.Examples) > 0 {
		m.block("Versions:")
		m.block(fence("text", evidenceText(f.Affected.Examples, max(f.Affected.Versions, int64(len(f.Affected.Examples))))))
	} else if n := f.Affected.Versions; n > 0 {
		m.block(fmt.Sprintf("Versions: %d", n))
	}
	m.schedule(f.Affected.Schedule)
	if len(f.Evidence) > 0 {
		m.block("Evidence:")
		m.block(fence("text", evidenceText(f.Evidence, int64(len(f.Evidence)))))
	}
	for _, why := range m.known[f.Fingerprint] {
		m.block(words(why))
	}
	if e, ok := audit.Explain(f.ID); ok && f.Severity != audit.Info {
		m.block("What to do: " + inside(e.Do))
	}
	if f.Repair != nil {
		m.repair(f.Repair)
	}
}

func (m *marker) repair(r *audit.Repair) {
	for i, s := range steps(r) {
		switch {
		case s.command:
			m.block(fence("sh", commandLine(s.text)+"\n"))
		case i == 0:
			m.block("Repair: " + inside(s.text))
		default:
			m.block(prose(s.text))
		}
	}
}

// facts are the short ones of a finding, as a list.
func (m *marker) facts(f *audit.Finding) string {
	s := fmt.Sprintf("- %s, %s", f.Severity, f.Confidence)
	if f.Folder != nil {
		if s += "\n- Folder: "; *f.Folder == "" {
			s += "the whole bucket"
		} else {
			s += code(*f.Folder)
		}
	}
	if f.Number > 0 {
		s += fmt.Sprintf("\n- Number: %d", f.Number)
	}
	if f.Commit != "" {
		s += "\n- Commit: " + code(f.Commit)
	}
	if f.Due != nil {
		s += "\n- Due: " + stamp(f.Due)
	}
	return s + "\n- Fingerprint: " + code(f.Fingerprint)
}

func (m *marker) commits(list []audit.CommitRef) {
	if len(list) == 0 {
		return
	}
	text := ""
	for _, c := range list[:min(len(list), maxShown)] {
		text += fmt.Sprintf("%d of %s  %s", c.Number, folderName(c.Folder), safe.Text(c.ID))
		if c.Due != nil {
			text += "  from " + stamp(c.Due)
		}
		text += "\n"
	}
	if n := len(list) - maxShown; n > 0 {
		text += fmt.Sprintf("and %d more (all in the JSON)\n", n)
	}
	m.block("Commits:")
	m.block(fence("text", text))
}

func (m *marker) schedule(weeks []audit.Week) {
	if len(weeks) == 0 {
		return
	}
	table := "| week of | versions due | commits that break |\n|---|---:|---:|\n"
	for _, w := range weeks[:min(len(weeks), maxShown)] {
		table += fmt.Sprintf("| %s | %d | %d |\n", cell(w.Monday), w.Versions, w.Commits)
	}
	m.block(table)
	if n := len(weeks) - maxShown; n > 0 {
		m.block(fmt.Sprintf("and %d more weeks (all in the JSON)", n))
	}
}

// evidenceText lists the first of what stands for total versions: a line for each
// key, and under it one for each of its versions.
func evidenceText(list []audit.Evidence, total int64) string {
	text, key := "", ""
	for i, e := range list[:min(len(list), maxShown)] {
		if i == 0 || e.Key != key {
			text += safe.Text(e.Key) + "\n"
			key = e.Key
		}
		text += "  " + strings.Join(evidenceParts(e), ", ") + "\n"
	}
	if n := total - int64(min(len(list), maxShown)); n > 0 {
		text += fmt.Sprintf("and %d more\n", n)
	}
	return text
}

// fence puts lines into a fenced block that nothing in them can end.
func fence(language, lines string) string {
	marks := strings.Repeat("`", max(3, longestRun(lines, '`')+1))
	return marks + language + "\n" + lines + marks
}

// code puts a string into a code span, escaped.
func code(s string) string { return codeSpan(safe.Text(s)) }

// codeSpan puts a line into a code span. One space on each side is taken away by
// readers where the line starts or ends with a backtick or a space.
//
// CommonMark 0.31, "Code spans".
func codeSpan(s string) string {
	if s == "" {
		return "(empty)"
	}
	marks := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || s[0] == ' ' && s[len(s)-1] == ' ' {
		s = " " + s + " "
	}
	return marks + s + marks
}

// cell is prose for a table: a pipe would end the cell even in a code span.
func cell(s string) string {
	return strings.ReplaceAll(marked(safe.Text(s), true), "|", `\x7c`)
}

// prose gives a text of ours with strings from the bucket in it: words that could
// be markup stand in code spans.
func prose(s string) string { return words(safe.Text(s)) }

// inside is prose that stands inside of a line.
func inside(s string) string { return marked(safe.Text(s), true) }

// words is prose of what is escaped already.
func words(s string) string { return marked(s, false) }

// marked is words; what stands inside a line may start with any of them.
func marked(s string, inside bool) string {
	list := strings.Fields(s)
	for i, w := range list {
		if !plain(w) || i == 0 && !inside && !startsPlainly(w) {
			list[i] = spanned(w)
		}
	}
	return strings.Join(list, " ")
}

// spanned puts a word into a code span, without the marks and brackets of the
// sentence around it.
func spanned(w string) string {
	body := strings.TrimLeft(w, `("'`)
	head := w[:len(w)-len(body)]
	for body != "" {
		c := body[len(body)-1]
		if !strings.ContainsRune(`.,;:!?"'`, rune(c)) && (c != ')' || strings.Count(body, ")") <= strings.Count(body, "(")) {
			break
		}
		body = body[:len(body)-1]
	}
	if body == "" {
		return codeSpan(w)
	}
	return head + codeSpan(body) + w[len(head)+len(body):]
}

// plain says whether a word means nothing to Markdown, nor to what GitHub makes of
// the rendered text: links without brackets, mentions, issues, commits, emoji.
func plain(w string) bool {
	if _, err := time.Parse("15:04:05", strings.TrimRight(w, ".,;")); err == nil {
		return true // and no emoji, for all its colons
	}
	hex := 0
	for _, r := range w {
		switch {
		case r >= 'a' && r <= 'f' || r >= '0' && r <= '9' || r >= 'A' && r <= 'F':
			if hex++; hex >= 7 {
				return false // a commit's ID
			}
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || strings.ContainsRune(`.,;:()'"/=%+?!-…`, r):
		default:
			return false
		}
		hex = 0
	}
	lower := strings.ToLower(w)
	return strings.Count(w, ":") < 2 && !strings.Contains(w, "://") && !strings.Contains(lower, "www.") && !strings.Contains(lower, "gh-")
}

// startsPlainly says whether a word can begin a block without making it a list, a
// heading or a rule.
func startsPlainly(w string) bool {
	if strings.Trim(w, "0123456789") == "" {
		return true // a number: an item of a list has a dot or a bracket after it
	}
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.IsLetter(r) || r == '(' || r == '"'
}

func longestRun(s string, c byte) (longest int) {
	for i, n := 0, 0; i < len(s); i++ {
		if n++; s[i] != c {
			n = 0
		}
		longest = max(longest, n)
	}
	return longest
}
