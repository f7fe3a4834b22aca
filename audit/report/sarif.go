package report

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"provcat-tui/audit"
	"provcat-tui/internal/safe"
)

// SARIF writes a report as a SARIF 2.1.0 log of one run, in the part of it that
// code scanning services take.
//
// What could not be checked is a result of the kind "open" (SARIF 3.27.9: "there
// was insufficient information to decide whether a problem exists"), whose level
// must then be "none", and besides a notification of the run, which then counts as
// not successful. "review" would be wrong: no person can decide it from the
// result.
func SARIF(w io.Writer, r *audit.Report) error {
	r = timely(r)
	run := sarifRun{
		Invocations: []sarifInvocation{invocation(r)},
		Bases: map[string]sarifPlace{bucketBase: {Description: &sarifMessage{Text: literal("the root of the bucket " + r.Bucket)},
			Properties: map[string]any{"bucket": r.Bucket}}},
		ColumnKind: "utf16CodeUnits",
		Properties: map[string]any{"bucket": r.Bucket, "scope": r.Scope, "failOn": failOn(r), "verdict": r.Verdict, "complete": r.Complete,
			"coverage": r.Coverage, "requests": r.Requests, "counts": r.Counts, "acknowledged": len(r.Acknowledged)},
		Results: []sarifResult{},
	}
	if r.Rules != nil {
		run.Properties["rules"] = r.Rules
	}
	if r.Baseline != nil {
		run.Properties["baseline"] = r.Baseline
	}
	run.Tool.Driver = sarifDriver{Name: r.Tool.Name, Version: r.Tool.Version}
	index := map[string]int{}
	for _, e := range audit.Explanations {
		index[e.ID] = len(run.Tool.Driver.Rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(e))
	}
	add := func(f *audit.Finding, a *audit.Acknowledged) {
		if _, ok := index[f.ID]; !ok { // a kind that nothing explains
			index[f.ID] = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: f.ID})
		}
		x := sarifResultOf(f)
		x.RuleIndex = index[f.ID]
		if a != nil {
			s := sarifSuppression{Kind: "external", Status: "accepted", Justification: acknowledgement(a), Properties: map[string]any{"by": a.By}}
			if a.Expires != nil {
				s.Properties["expires"] = a.Expires
			}
			x.Suppressions = &[]sarifSuppression{s}
		} else if len(r.Acknowledged) > 0 {
			// SARIF 3.27.23: present for all results of a run or for none.
			x.Suppressions = &[]sarifSuppression{}
		}
		run.Results = append(run.Results, x)
	}
	for i := range r.Findings {
		add(&r.Findings[i], nil)
	}
	for i := range r.Acknowledged {
		add(&r.Acknowledged[i].Finding, &r.Acknowledged[i])
	}
	out, err := safe.JSON(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

// invocation tells of the run. A finding is no failure of it; what could not be
// looked at is.
func invocation(r *audit.Report) sarifInvocation {
	i := sarifInvocation{ExecutionSuccessful: whole(r), ExitCode: map[audit.Verdict]int{audit.Pass: 0, audit.Fail: 1, audit.Incomplete: 3}[r.Verdict],
		Start: r.Started.UTC().Format(time.RFC3339Nano), End: r.Finished.UTC().Format(time.RFC3339Nano), Notifications: []sarifNotification{}}
	for j := range r.Findings {
		f := &r.Findings[j]
		if f.Severity != audit.Unknown {
			continue
		}
		i.Notifications = append(i.Notifications, sarifNotification{Level: "error", Message: sarifMessage{Text: literal(sentences(f))},
			Rule: sarifReference{ID: f.ID}, Locations: []sarifLocation{location(f)}})
	}
	for _, c := range covered(r) {
		for _, s := range c.Skipped {
			n := sarifNotification{Level: "error", Message: sarifMessage{Text: literal(fmt.Sprintf("%s of %d %s were not checked: %s", howMany(s), c.Total, c.Title, s.Reason))}}
			if s.Chosen {
				n.Level = "note"
				n.Message.Text += " (left out by choice)"
			}
			i.Notifications = append(i.Notifications, n)
		}
	}
	return i
}

// sarifMarkdown is a finding's message, with what mends it.
func sarifMarkdown(f *audit.Finding) string {
	s := prose(strings.TrimSuffix(f.Title, ".")) + "."
	if f.Detail != "" {
		s += " " + inside(f.Detail)
	}
	if f.Repair == nil {
		return s
	}
	for _, x := range steps(f.Repair) {
		if x.command {
			s += "\n\n" + strings.TrimSuffix(fence("sh", commandLine(x.text)+"\n"), "\n")
		} else {
			s += "\n\n" + prose(x.text)
		}
	}
	return s
}

func sarifRuleOf(e audit.Explanation) sarifRule {
	level := "note"
	if len(e.Severity) > 0 {
		_, level = kindAndLevel(e.Severity[0], audit.Certain)
	}
	text := "What happened: " + e.Happened + "\n\nWhat works: " + e.Works + "\n\nWhat to do: " + e.Do
	markdown := "**What happened.** " + prose(e.Happened) + "\n\n**What works.** " + prose(e.Works) + "\n\n**What to do.** " + prose(e.Do)
	return sarifRule{ID: e.ID, Name: pascal(e.ID), Short: &sarifText{Text: e.Means}, Full: &sarifText{Text: e.Means + " " + e.Happened},
		Help: &sarifText{Text: text, Markdown: markdown}, Default: &sarifConfiguration{Level: level},
		Properties: map[string]any{"tags": []string{e.Subject}, "depth": e.Depth()}}
}

func sarifResultOf(f *audit.Finding) sarifResult {
	kind, level := kindAndLevel(f.Severity, f.Confidence)
	x := sarifResult{RuleID: f.ID, Kind: kind, Level: level, Message: sarifMessage{Text: literal(sentences(f)), Markdown: sarifMarkdown(f)},
		Locations: []sarifLocation{location(f)},
		// GitHub looks for the second name, and would else make one of the file's text.
		Fingerprints: map[string]string{"provcat/v1": f.Fingerprint, "primaryLocationLineHash": f.Fingerprint},
		Properties: map[string]any{"severity": f.Severity, "confidence": f.Confidence, "folder": f.Folder, "affected": map[string]any{
			"commits": len(f.Affected.Commits), "versions": f.Affected.Versions}}}
	if f.Number > 0 {
		x.Properties["number"] = f.Number
	}
	if f.Commit != "" {
		x.Properties["commit"] = f.Commit
	}
	if f.Due != nil {
		x.Properties["due"] = f.Due
	}
	if len(f.Affected.Schedule) > 0 {
		x.Properties["schedule"] = f.Affected.Schedule
	}
	if f.Repair != nil {
		x.Properties["repair"] = f.Repair
	}
	for i, e := range f.Evidence[:min(len(f.Evidence), maxShown)] {
		l := place(e.Key, e.Version)
		l.ID = i + 1
		l.Message = &sarifMessage{Text: literal(strings.Join(evidenceParts(e), ", "))}
		l.Properties = map[string]any{"evidence": e}
		x.Related = append(x.Related, l)
	}
	return x
}

// kindAndLevel follows SARIF 3.27.9 and 3.27.10: only a result of the kind "fail"
// has a level other than "none".
func kindAndLevel(s audit.Severity, c audit.Confidence) (kind, level string) {
	switch s {
	case audit.Damage:
		return "fail", "error"
	case audit.Risk:
		return "fail", "warning"
	case audit.Anomaly:
		if c == audit.Possible {
			return "fail", "note"
		}
		return "fail", "warning"
	case audit.Unknown:
		return "open", "none"
	}
	return "fail", "note"
}

// location is where a finding is: its key, or that of its evidence, else its
// folder; what is about the bucket is put at the root of the logs, since a result
// without a place is refused by code scanning.
func location(f *audit.Finding) sarifLocation {
	key, version := f.Key, f.Version
	if key == "" && len(f.Evidence) > 0 {
		key, version = f.Evidence[0].Key, f.Evidence[0].Version
	}
	if key == "" && len(f.Affected.Examples) > 0 {
		key, version = f.Affected.Examples[0].Key, f.Affected.Examples[0].Version
	}
	if key == "" && f.Folder != nil && *f.Folder != "" {
		key = *f.Folder + "/"
	}
	if key == "" {
		key = ".provcat/"
	}
	l := place(key, version)
	if f.Folder != nil {
		name := *f.Folder
		if name == "" {
			name = "(the whole bucket)"
		}
		l.Logical = []sarifLogical{{Name: name, Full: name, Kind: "folder"}}
	}
	return l
}

// bucketBase is what the URIs of keys are relative to. It has no URI of its own:
// code scanning refuses a log whose places have another scheme than the checkout.
const bucketBase = "BUCKET"

func place(key, version string) sarifLocation {
	a := sarifPlace{URI: keyURI(key), Base: bucketBase, Properties: map[string]any{"key": key}}
	if version != "" {
		a.Properties["version"] = version
	}
	// Objects have no lines; code scanning wants one.
	return sarifLocation{Physical: &sarifPhysical{Place: a, Region: &sarifRegion{StartLine: 1}}}
}

// keyURI is a key as a relative reference (RFC 3986, 4.2), each byte that is not
// unreserved percent-encoded. A slash at the start would make it absolute, and
// segments of dots would lead out of the bucket.
func keyURI(key string) string {
	segments := strings.Split(key, "/")
	for i, s := range segments {
		s = url.PathEscape(s)
		for _, c := range "$&+=:@" { // which it leaves
			s = strings.ReplaceAll(s, string(c), fmt.Sprintf("%%%02X", c))
		}
		if s == "." || s == ".." {
			s = strings.ReplaceAll(s, ".", "%2E")
		}
		segments[i] = s
	}
	uri := strings.Join(segments, "/")
	if strings.HasPrefix(uri, "/") {
		uri = "%2F" + uri[1:]
	}
	return uri
}

// sentences says a finding as a text whose first sentence can stand alone.
func sentences(f *audit.Finding) string {
	return strings.TrimSpace(strings.TrimSuffix(f.Title, ".") + ". " + f.Detail)
}

// literal is a text for a message: escaped, with braces doubled, since {0} would be
// a placeholder, and with brackets escaped, since [a](b) would be a link.
//
// SARIF 3.11.5 and 3.11.6.
func literal(s string) string {
	return strings.NewReplacer("{", "{{", "}", "}}", "[", `\[`, "]", `\]`).Replace(safe.Text(s))
}

func pascal(id string) string {
	out := ""
	for _, word := range strings.Split(id, "-") {
		if word != "" {
			out += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return out
}
