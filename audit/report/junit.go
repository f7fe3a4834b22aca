package report

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"provcat-tui/audit"
	"provcat-tui/internal/safe"
)

// maxSuites bounds the folders that have a suite of their own whether or not
// something was found there; beyond it the others share one, for a bucket of ten
// thousand folders would have half a million test cases.
const maxSuites = 100

// JUnit writes a report as JUnit XML, as Jenkins, GitLab and others read it: a
// suite for each folder in scope, in it one test case for each kind of finding that
// an audit of this depth looks for; a suite for what is about the bucket; and one
// for the coverage.
//
// A finding at or above what the audit fails on is a <failure>. What could not be
// checked is an <error>, never skipped and never passed: also each check that rests
// on it, or on what was not looked at at all, be it by choice. Where a part was left
// out by choice, as of a sample, a check passes and tells how much. Milder findings
// and acknowledged ones pass and stand in system-out. Where the verdict is
// incomplete there is an <error>.
func JUnit(w io.Writer, r *audit.Report) error {
	all := junitSuites{Name: "provcat-tui audit of " + safe.Text(r.Bucket), Time: seconds(r), Suites: newJUnit(r).suites()}
	word, sentence := verdictWords(r)
	first := &all.Suites[0]
	first.Properties = &junitProperties{[]junitProperty{{"bucket", safe.Text(r.Bucket)}, {"folder", safe.Text(r.Scope.Folder)},
		{"depth", string(r.Scope.Depth)}, {"fail-on", string(failOn(r))}, {"verdict", string(r.Verdict)}, {"complete", strconv.FormatBool(r.Complete)},
		{"version", safe.Text(r.Tool.Version)}}}
	first.Out = newText(strings.TrimSpace(strings.Join(append([]string{word + ": " + sentence, nothingChecked(r)}, AckNotes(r, "")...), "\n")))
	for i := range all.Suites {
		s := &all.Suites[i]
		s.Timestamp = r.Started.UTC().Format("2006-01-02T15:04:05")
		for _, c := range s.Cases {
			s.Tests++
			if c.Failure != nil {
				s.Failures++
			}
			if c.Error != nil {
				s.Errors++
			}
		}
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
	}
	out := bufio.NewWriter(w)
	_, _ = out.WriteString(xml.Header) // Flush tells
	e := xml.NewEncoder(out)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, _ = out.WriteString("\n") // as above
	return out.Flush()
}

// A junit sorts a report's findings into test cases.
type junit struct {
	r     *audit.Report
	found map[string]map[string]*junitFindings // by folder (wholeBucket: none) and ID
	gaps  map[string]string                    // by kind of thing: what was missed of it
	none  map[string]string                    // by kind of thing: why nothing of it was looked at
	part  map[string]string                    // by kind of thing: what was left out of it by choice
	all   bool                                 // what could not be checked may be in any folder
	where map[string]bool                      // folders in which something could not be checked
	known knownOf
}

type junitFindings struct {
	list         []*audit.Finding
	acknowledged []*audit.Acknowledged
}

// Places that are no folder's: a folder's name is not a slash alone.
const (
	ofBucket = "/"  // of findings that are about no folder
	ofOthers = "//" // of folders without any
)

func newJUnit(r *audit.Report) *junit {
	j := &junit{r: r, known: rulesByFinding(r), found: map[string]map[string]*junitFindings{}, gaps: map[string]string{}, none: map[string]string{}, part: map[string]string{}, where: map[string]bool{}}
	at := func(f *audit.Finding) *junitFindings {
		folder := ofBucket
		if f.Folder != nil {
			folder = *f.Folder
		}
		if j.found[folder] == nil {
			j.found[folder] = map[string]*junitFindings{}
		}
		if j.found[folder][f.ID] == nil {
			j.found[folder][f.ID] = &junitFindings{}
		}
		return j.found[folder][f.ID]
	}
	unknown := 0
	note := func(f *audit.Finding) {
		switch {
		case f.Severity != audit.Unknown:
			return
		case f.Folder == nil:
			j.all = true
		default:
			j.where[*f.Folder] = true
		}
		unknown++
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		x := at(f)
		x.list = append(x.list, f)
		note(f)
	}
	for i := range r.Acknowledged {
		a := &r.Acknowledged[i]
		x := at(&a.Finding)
		x.acknowledged = append(x.acknowledged, a)
		note(&a.Finding)
	}
	j.cover()
	j.all = j.all || unknown == 0
	return j
}

// cover sorts what was not looked at. What is named by things of which nothing was
// looked at was not looked at either, though nobody could count it: the logs name
// the entries, these the commits, and these the versions.
func (j *junit) cover() {
	above := "" // why nothing of the kind above was looked at
	for _, c := range covered(j.r) {
		settings := c.Name == "settings"
		text := notChecked(c)
		switch {
		case missed(c.Coverage) > 0:
			j.gaps[c.Name] = text
		case len(c.Skipped) > 0 && c.Checked > 0:
			j.part[c.Name] = text
		}
		switch {
		case settings && len(c.Skipped) > 0 && c.Checked == 0, !settings && c.Checked == 0 && (len(c.Skipped) > 0 || above != "") && j.r.Scope.Depth.Covers(depthOf[c.Name]):
			j.none[c.Name] = text
			if !settings && above != "" {
				j.none[c.Name] = above + "\n" + text
			}
		}
		if !settings {
			above = j.none[c.Name]
		}
	}
}

// depthOf is the depth from which a kind of thing is looked at.
var depthOf = map[string]audit.Depth{"logs": audit.DepthLog, "entries": audit.DepthLog, "commits": audit.DepthCommits, "versions": audit.DepthVersions}

// notChecked says what was missed, and why.
func notChecked(c coverage) string {
	s := fmt.Sprintf("%d of %d %s were checked", c.Checked, c.Total, c.Title)
	for _, x := range c.Skipped {
		if x.Chosen {
			s += fmt.Sprintf("; %s left out by choice: %s", howMany(x), safe.Text(x.Reason))
		} else {
			s += fmt.Sprintf("; %s not: %s", howMany(x), safe.Text(x.Reason))
		}
	}
	return s
}

func (j *junit) suites() []junitSuite {
	var out []junitSuite
	out = append(out, j.suite("the bucket", ofBucket, func(e audit.Explanation) bool { return e.Subject == "bucket" || e.Subject == "not checked" }))
	ofFolder := func(e audit.Explanation) bool { return e.Subject != "bucket" }
	folders := slices.Clone(j.r.Folders)
	for f := range j.found {
		if f != ofBucket && !slices.Contains(folders, f) {
			folders = append(folders, f)
		}
	}
	if len(folders) == 0 {
		folders = []string{j.r.Scope.Folder}
	}
	slices.Sort(folders)
	others := 0
	for _, f := range folders {
		if len(folders) > maxSuites && j.found[f] == nil {
			others++
			continue
		}
		out = append(out, j.suite(suiteName(f), f, ofFolder))
	}
	if others > 0 {
		out = append(out, j.suite(fmt.Sprintf("the other %d folders", others), ofOthers, ofFolder))
	}
	return append(out, j.coverage())
}

func suiteName(folder string) string {
	if folder == "" {
		return "folder (the whole bucket)"
	}
	return "folder " + safe.Text(folder)
}

// suite has a case for each check that applies, and for each finding besides.
func (j *junit) suite(name, folder string, applies func(audit.Explanation) bool) junitSuite {
	s := junitSuite{Name: name}
	found := j.found[folder]
	done := map[string]bool{}
	for _, e := range audit.Explanations {
		if found[e.ID] == nil && !(applies(e) && j.lookedFor(e)) {
			continue
		}
		done[e.ID] = true
		s.Cases = append(s.Cases, j.cases(name, e.ID, found[e.ID], j.gap(e, folder), j.left(e))...)
	}
	var rest []string
	for id := range found {
		if !done[id] {
			rest = append(rest, id)
		}
	}
	slices.Sort(rest)
	for _, id := range rest {
		s.Cases = append(s.Cases, j.cases(name, id, found[id], "", "")...)
	}
	return s
}

// lookedFor says whether this audit looked for a kind of finding at all.
func (j *junit) lookedFor(e audit.Explanation) bool {
	if e.ID == "witness-regressed" && j.r.Witness == nil {
		return false
	}
	return j.r.Scope.Depth.Covers(e.Depth())
}

// gap says why the absence of a kind of finding in a folder means nothing; empty:
// it does mean that it is sound.
func (j *junit) gap(e audit.Explanation, folder string) string {
	here := j.all || folder == ofBucket || j.where[folder]
	var why []string
	for _, kind := range j.needs(e) {
		switch {
		case j.none[kind] != "":
			why = append(why, j.none[kind])
		case here && j.gaps[kind] != "" && e.Subject != "not checked": // which has findings of its own
			why = append(why, j.gaps[kind])
		}
	}
	return strings.Join(why, "\n")
}

// left says what a check that found nothing did not look at, by choice.
func (j *junit) left(e audit.Explanation) string {
	var out []string
	for _, kind := range j.needs(e) {
		if j.part[kind] != "" {
			out = append(out, j.part[kind]+"\n")
		}
	}
	return strings.Join(out, "")
}

// needs are those of the explanation; what could not be checked shows itself only
// where it was tried.
func (j *junit) needs(e audit.Explanation) []string {
	if e.Subject == "not checked" {
		return []string{"logs"}
	}
	return e.Needs()
}

// cases makes the case of one check in one folder; two, where it found something
// and could besides not check everything.
func (j *junit) cases(suite, id string, x *junitFindings, gap, left string) []junitCase {
	c := junitCase{Name: safe.Text(id), Class: suite}
	var failures, unknown []*audit.Finding
	var out bytes.Buffer
	out.WriteString(left)
	if x != nil {
		for _, f := range x.list {
			switch {
			case f.Severity == audit.Unknown:
				unknown = append(unknown, f)
			case f.Severity.AtLeast(failOn(j.r)):
				failures = append(failures, f)
			default:
				j.tell(&out, f)
			}
		}
		for _, a := range x.acknowledged {
			j.tell(&out, &a.Finding)
			out.WriteString("  " + acknowledgement(a) + "\n")
			if a.Severity == audit.Unknown {
				unknown = append(unknown, &a.Finding) // known, and as unchecked as before
			}
		}
	}
	c.Out = newText(out.String())
	if len(failures) > 0 {
		c.Failure = j.trouble(failures, string(failures[0].Severity))
	}
	var not *junitTrouble
	switch {
	case len(unknown) > 0:
		not = j.trouble(unknown, "unknown")
	case gap != "" && len(failures) == 0:
		not = &junitTrouble{Message: "could not be checked", Type: "unknown", Text: gap}
	}
	if not == nil {
		return []junitCase{c}
	}
	if c.Failure == nil {
		c.Error = not
		return []junitCase{c}
	}
	return []junitCase{c, {Name: c.Name + " (not checked)", Class: suite, Error: not}}
}

func (j *junit) trouble(list []*audit.Finding, kind string) *junitTrouble {
	t := &junitTrouble{Message: safe.Text(list[0].Title), Type: kind}
	if n := len(list) - 1; n > 0 {
		t.Message += fmt.Sprintf(", and %d more", n)
	}
	var b bytes.Buffer
	for _, f := range list {
		j.tell(&b, f)
	}
	t.Text = strings.TrimPrefix(b.String(), "\n")
	return t
}

// tell writes a finding as the text format has it.
func (j *junit) tell(b *bytes.Buffer, f *audit.Finding) {
	p := &printer{w: bufio.NewWriter(b), width: 100, known: j.known}
	p.finding(f)
	_ = p.w.Flush() // a buffer takes all
}

// coverage has a case for each kind of thing that is read, and one for all.
func (j *junit) coverage() junitSuite {
	s := junitSuite{Name: "coverage"}
	for _, x := range covered(j.r) {
		c := junitCase{Name: x.Title, Class: s.Name}
		switch {
		case j.gaps[x.Name] != "":
			c.Error = &junitTrouble{Message: "could not all be checked", Type: "unknown", Text: notChecked(x)}
		case j.none[x.Name] != "":
			c.Error = &junitTrouble{Message: "nothing of it was checked", Type: "unknown", Text: j.none[x.Name]}
		default:
			c.Out = newText(notChecked(x))
		}
		s.Cases = append(s.Cases, c)
	}
	all := junitCase{Name: "all that should be checked", Class: s.Name}
	word, sentence := verdictWords(j.r)
	if text := word + ": " + sentence; whole(j.r) {
		all.Out = newText(text)
	} else {
		all.Error = &junitTrouble{Message: "could not all be checked", Type: "unknown", Text: text}
	}
	s.Cases = append(s.Cases, all)
	return s
}

func seconds(r *audit.Report) string {
	return strconv.FormatFloat(max(r.Finished.Sub(r.Started).Seconds(), 0), 'f', 3, 64)
}
