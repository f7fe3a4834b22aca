package views

import (
	"fmt"
	"time"

	"provcat-tui/audit"
	"provcat-tui/ui"
)

// tellAudit is the last audit of this session that covers the folder.
func (s *folder) tellAudit() (fact, bool) {
	name, _ := canCommit(s.prefix())
	in, kept := s.facts().auditOf(name)
	if kept == nil {
		return fact{}, false
	}
	when := "at " + kept.at.UTC().Format("15:04")
	if s.Now().Sub(kept.at) > 20*time.Hour {
		when = "on " + stamp(kept.at)
	}
	then := s.keys("; {audit} opens it")
	if kept.stale {
		when += ", before your commit"
		then = s.keys("; {audit} audits anew")
	}
	f := fact{label: "audit", rank: 3}
	var mark, text string
	switch v := kept.report.Verdict; {
	case in != name:
		mark, text, f.tone = s.damageHere(name, kept.report)
	case v == audit.Fail:
		mark, text, f.tone = "✗", fmt.Sprintf("FAIL: %d damage", kept.report.Counts[audit.Damage]), ui.Bad
	case v == audit.Incomplete:
		mark, text, f.tone = "?", "INCOMPLETE", ui.Unsure
	default:
		mark, text, f.tone = "●", "PASS", ui.Good
	}
	if f.tone != ui.Good {
		f.rank = 9
	}
	f.text = mark + " " + text + ", " + when + then
	if in != name {
		f.short, f.text = f.text, mark+" "+text+", "+when+", of "+folderName(in)+then
	}
	return f, true
}

// damageHere is what the audit of a folder above says of this one.
func (s *folder) damageHere(name string, r *audit.Report) (mark, text string, tone ui.Tone) {
	here, above := 0, false
	for i := range r.Findings {
		f := &r.Findings[i]
		switch {
		case f.Severity != audit.Damage:
		case f.Folder != nil && inside(name, *f.Folder):
			here++
		case f.Folder == nil, inside(*f.Folder, name): // it may concern what lies here
			above = true
		}
	}
	switch {
	case here > 0:
		return "✗", fmt.Sprintf("%d damage here", here), ui.Bad
	case above:
		return "!", "no damage here, but above", ui.Warn
	case !r.Complete:
		return "?", "INCOMPLETE", ui.Unsure
	}
	return "●", "no damage here", ui.Good
}
