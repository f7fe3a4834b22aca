package report

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"provcat-tui/audit"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// A Format is one way to write a report.
type Format struct {
	Name      string // as --format takes it
	Extension string // of a file, with its dot
	About     string // one line for a person who chooses
	Write     func(w io.Writer, r *audit.Report) error
}

// Formats that a report can be written in, the one for people first. Each writes
// the whole report, and nothing that came from a bucket unescaped.
var Formats = []Format{
	{"text", ".txt", "for people", func(w io.Writer, r *audit.Report) error { return Text(w, r, TextOptions{}) }},
	{"json", ".json", "one document, for programs", JSON},
	{"jsonl", ".jsonl", "a line for each finding, with status lines as it runs", func(w io.Writer, r *audit.Report) error { return NewJSONL(w).Report(r) }},
	{"markdown", ".md", "for a ticket", Markdown},
	{"sarif", ".sarif", "SARIF 2.1.0, for code scanning", SARIF},
	{"junit", ".xml", "JUnit XML, for CI", JUnit},
	{"metrics", ".prom", "OpenMetrics text, for a cron job's textfile", Metrics},
}

// FormatNamed finds a format by its name.
func FormatNamed(name string) (Format, bool) {
	i := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{}, false
	}
	return Formats[i], true
}

// Names of the formats.
func Names() []string {
	var out []string
	for _, f := range Formats {
		out = append(out, f.Name)
	}
	return out
}

// maxShown bounds the lists of a finding in the formats for people; the JSON has
// them whole.
const maxShown = 8

var meaning = map[audit.Severity]string{
	audit.Damage:  "what a commit promises cannot be read now, or history was changed",
	audit.Risk:    "sound now, but a rule or a setting will break it",
	audit.Anomaly: "a state that the writer never makes; a harmless cause is possible",
	audit.Unknown: "could not be checked: neither sound nor damaged",
	audit.Info:    "worth knowing, nothing to do",
}

// verdictWords says the verdict in a word and a sentence.
func verdictWords(r *audit.Report) (word, sentence string) {
	switch {
	case r.Verdict == audit.Fail && !r.Complete:
		return "FAIL", "there are findings that must be looked at. Besides, not everything could be checked."
	case r.Verdict == audit.Fail:
		return "FAIL", "there are findings that must be looked at."
	case r.Verdict == audit.Incomplete && r.Coverage.Entries.Checked+r.Coverage.Commits.Checked+r.Coverage.Versions.Checked == 0:
		return "INCOMPLETE", "no log entry, commit object or version was checked, so nothing is known of them."
	case r.Verdict == audit.Incomplete:
		return "INCOMPLETE", "nothing that was checked makes the audit fail, but not everything could be checked."
	case !r.Complete:
		return "PASS", "what was checked is sound; not everything was."
	case r.Counts[audit.Damage]+r.Counts[audit.Risk]+r.Counts[audit.Anomaly] > 0:
		// --fail-on let them pass.
		return "PASS", "everything in scope was checked, and nothing makes the audit fail. The findings are below."
	case len(r.Acknowledged) > 0:
		return "PASS", "everything in scope was checked and is sound, except for what was acknowledged."
	}
	return "PASS", "everything in scope was checked and is sound."
}

// nothingChecked is said aloud: an audit of no commits is no proof of anything.
func nothingChecked(r *audit.Report) string {
	if r.Coverage.Entries.Total > 0 || len(r.Coverage.Logs.Skipped) > 0 {
		return ""
	}
	if len(r.Findings) == 0 {
		return "0 of 0 commits: no log entry is in scope, so there was nothing to check."
	}
	return "0 of 0 commits: no log entry is in scope."
}

// failOn is the severity from which the report fails.
func failOn(r *audit.Report) audit.Severity {
	if r.FailOn == "" {
		return audit.Damage
	}
	return r.FailOn
}

// whole says whether all that should have been checked could be: what was left
// out by choice is not missed.
func whole(r *audit.Report) bool {
	if r.Verdict == audit.Incomplete || r.Counts[audit.Unknown] > 0 ||
		slices.ContainsFunc(r.Acknowledged, func(a audit.Acknowledged) bool { return a.Severity == audit.Unknown }) {
		return false
	}
	for _, c := range covered(r) {
		if missed(c.Coverage) > 0 {
			return false
		}
	}
	return true
}

// missed counts what should have been checked and was not; an unknown number is at
// least one.
func missed(c audit.Coverage) (n int64) {
	for _, s := range c.Skipped {
		if !s.Chosen {
			n += max(s.Count, 1)
		}
	}
	return n
}

// Tally says in words how many findings there are of each severity that was found.
func Tally(r *audit.Report) string {
	var out []string
	for _, s := range audit.Severities {
		if n := r.Counts[s]; n > 0 {
			word := string(s)
			if s == audit.Risk && n > 1 {
				word = "risks"
			}
			if s == audit.Anomaly && n > 1 {
				word = "anomalies"
			}
			out = append(out, strconv.Itoa(n)+" "+word)
		}
	}
	if n := len(r.Acknowledged); n > 0 {
		out = append(out, strconv.Itoa(n)+" acknowledged")
	}
	if len(out) == 0 {
		return "no findings"
	}
	return strings.Join(out, ", ")
}

// howMany is the count of a skip in words.
func howMany(s audit.Skip) string {
	if s.Count == 0 {
		return "an unknown number"
	}
	return strconv.FormatInt(s.Count, 10)
}

// A coverage is that of one kind of thing.
type coverage struct {
	Name  string // for programs
	Title string // for people
	audit.Coverage
}

func covered(r *audit.Report) []coverage {
	c := &r.Coverage
	return []coverage{{"logs", "logs", c.Logs}, {"entries", "entries", c.Entries}, {"commits", "commit objects", c.Commits},
		{"versions", "named versions", c.Versions}, {"settings", "settings", c.Settings}}
}

// scopeName is the scope in words, escaped.
func scopeName(r *audit.Report) string { return scopeText(r.Scope.Folder) }

func scopeText(folder string) string {
	if folder == "" {
		return "the whole bucket"
	}
	return "folder " + safe.Text(folder) + " and those below it"
}

// folderName is a folder in words, escaped.
func folderName(folder string) string {
	if folder == "" {
		return "the whole bucket"
	}
	return safe.Text(folder)
}

// evidenceParts tells of one piece of evidence: all but its key, escaped.
func evidenceParts(e audit.Evidence) []string {
	var parts []string
	if e.Version != "" {
		parts = append(parts, "version "+safe.Text(e.Version))
	}
	if e.Modified != nil {
		parts = append(parts, stamp(e.Modified))
	}
	switch {
	case e.DeleteMarker:
		parts = append(parts, e.Marker())
	case e.Note != "" && e.Version == "" && e.Modified == nil && e.ETag == "" && e.Size == 0:
		// Nothing is there, or nothing is known of it: the note says which.
	default:
		parts = append(parts, bytesOf(e.Size))
		if e.ETag != "" {
			parts = append(parts, "ETag "+safe.Text(e.ETag))
		}
	}
	switch {
	case e.Derived: // said already
	case e.Latest && e.DeleteMarker:
		parts = append(parts, "newest")
	case e.Latest:
		parts = append(parts, "live")
	}
	if e.Note != "" {
		parts = append(parts, safe.Text(e.Note))
	}
	return parts
}

// acknowledgement says who set a finding aside, why and until when, escaped.
func acknowledgement(a *audit.Acknowledged) string {
	s := "Acknowledged by " + safe.Text(a.By)
	switch a.By {
	case "ignore":
		s = "Acknowledged in the list of ignored findings"
	case "baseline":
		s = "Already in the baseline"
	}
	if a.Reason != "" {
		s += ": " + strings.TrimSuffix(safe.Text(a.Reason), ".")
	}
	if a.Expires != nil {
		return s + ". It counts again from " + stamp(a.Expires) + "."
	}
	return s + "."
}

func stamp(t *time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// commandLine is a command without anything that a terminal would obey. safe.Shell
// left no control character in it; anything else would not be a command of ours.
func commandLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || safe.Text(string(r)) != string(r) && r != '\\' {
			return '?'
		}
		return r
	}, s)
}

func shortID(id string) string { return safe.Text(commit.ShortID(id)) }
