package report_test

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode"

	"provcat-tui/audit"
	"provcat-tui/audit/report"
)

// evil is what a hostile bucket puts where a key, a folder or a message is expected.
const evil = "\x1b[31m\x1b]8;;http://evil.example\x07x\n# h\r\n]]>&<script>alert(1)</script>|`` ``` ~~~ [a](http://evil.example) ![i](http://evil.example/i.png) " +
	"<img src=x> @ana #12 GH-12 deadbeefcafe www.evil.example http://evil.example mail@evil.example :smile: $`x`$ \u202e\u2066\u200b\xff\xfe\x00\ufffe {0} {{ \\| \\` \"q\" 'q' # EOF"

// hostile is a report in which every string from a bucket is evil, some of them in
// a way of their own, and times are beyond what can be said.
func hostile() *audit.Report {
	r := whole()
	late := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	r.Bucket, r.Scope.Folder, r.Tool.Version = "s3://"+evil, evil, evil
	r.Folders = []string{"", evil, "@ana", "..", "a:b"}
	r.Coverage.Logs.Skipped[0].Reason = evil
	r.Coverage.Logs.Skipped = append(r.Coverage.Logs.Skipped, audit.Skip{Reason: evil, Count: 3})
	base := r.Findings[0]
	base.Title, base.Detail, base.Key, base.Version, base.Folder = evil, evil, evil, evil, ptr(evil)
	base.Due = &late
	base.Repair = &audit.Repair{Kind: "remove-delete-marker", Text: evil, Command: evil}
	base.Affected = audit.Affected{Versions: 1 << 40, Commits: []audit.CommitRef{{Folder: evil, Number: 1, ID: evil, Due: &late}},
		Examples: []audit.Evidence{{Key: evil, Version: evil, Modified: &late, Size: -7, ETag: evil, Note: evil}},
		Schedule: []audit.Week{{Monday: "9999-12-27", Versions: 1, Commits: 1}}}
	base.Evidence = []audit.Evidence{{Key: evil, Version: evil, Modified: &late, Size: -7, ETag: evil, Note: evil}, {Key: "/etc/../x", Version: evil}}
	r.Findings = nil
	for i, title := range []string{evil, "- item", "1. item", "---", "===", "> quote", "    code", "```", "`", "` `", "| a | b |", "", "#", "<!-- c -->", "[x]: http://evil.example", "a\\", "&lt;b&gt;", "~~s~~", "![", "__init__"} {
		f := base
		f.Title, f.Detail, f.Severity, f.Number = title, title, audit.Severities[i%5], int64(i)
		r.Findings = append(r.Findings, f)
	}
	r.Findings = append(r.Findings, audit.Finding{ID: evil, Severity: audit.Unknown, Confidence: audit.Possible, Title: evil, Fingerprint: evil})
	r.Counts = map[audit.Severity]int{}
	for _, f := range r.Findings {
		r.Counts[f.Severity]++
	}
	r.Acknowledged = []audit.Acknowledged{{Finding: base, By: evil, Reason: evil, Expires: &late}, {Finding: base, By: "ignore", Reason: evil}}
	return r
}

// clean is a report of an audit that found nothing.
func clean() *audit.Report {
	r := whole()
	r.Verdict, r.Complete, r.Findings, r.Acknowledged = audit.Pass, true, []audit.Finding{}, []audit.Acknowledged{}
	r.Counts = map[audit.Severity]int{audit.Damage: 0, audit.Risk: 0, audit.Anomaly: 0, audit.Unknown: 0, audit.Info: 0}
	r.Scope.Folder = ""
	for _, c := range []*audit.Coverage{&r.Coverage.Logs, &r.Coverage.Entries, &r.Coverage.Commits, &r.Coverage.Versions, &r.Coverage.Settings} {
		*c = audit.Coverage{Checked: 7, Total: 7, Skipped: []audit.Skip{}}
	}
	return r
}

// reports to hold each format to.
func reports() map[string]*audit.Report {
	empty := clean()
	none := audit.Coverage{Skipped: []audit.Skip{}}
	empty.Folders, empty.Coverage = []string{}, audit.CoverageSet{Logs: none, Entries: none, Commits: none, Versions: none, Settings: none}
	incomplete := clean()
	incomplete.Verdict, incomplete.Complete = audit.Incomplete, false
	incomplete.Coverage.Settings = audit.Coverage{Checked: 6, Total: 7, Skipped: []audit.Skip{{Reason: "could not be read", Count: 1}}}
	// A budget that ended before the first log.
	spent := clean()
	spent.Verdict, spent.Complete, spent.Folders = audit.Incomplete, false, []string{}
	settings := spent.Coverage.Settings
	spent.Coverage = audit.CoverageSet{Logs: audit.Coverage{Total: 1, Skipped: []audit.Skip{{Reason: "the budget of time ended", Count: 1, Chosen: true}}},
		Entries: none, Commits: none, Versions: none, Settings: settings}
	acked := clean()
	acked.Rules, acked.Baseline = ackUse()
	return map[string]*audit.Report{"spent": spent, "acked": acked, "whole": whole(), "hostile": hostile(), "clean": clean(), "empty": empty, "incomplete": incomplete}
}

func format(t testing.TB, name string, r *audit.Report) string {
	t.Helper()
	f, ok := report.FormatNamed(name)
	if !ok {
		t.Fatalf("there is no format %s", name)
	}
	var b bytes.Buffer
	if err := f.Write(&b, r); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return b.String()
}

// Whatever a format is, on a terminal it does nothing; the same report gives the
// same bytes; and each format says the findings that it is given.
func TestNoFormatLetsABucketSpeak(t *testing.T) {
	for name, r := range reports() {
		for _, f := range report.Formats {
			out := format(t, f.Name, r)
			for _, c := range out {
				if c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == 0xfffe || c == unicode.ReplacementChar && f.Name != "json" && f.Name != "jsonl" && f.Name != "sarif") {
					t.Errorf("%s of the %s report holds %U", f.Name, name, c)
					break
				}
			}
			if again := format(t, f.Name, r); again != out {
				t.Errorf("%s of the %s report differs the second time", f.Name, name)
			}
			if !strings.HasSuffix(out, "\n") {
				t.Errorf("%s of the %s report does not end with a line feed", f.Name, name)
			}
			for _, found := range r.Findings {
				if name == "whole" && !strings.Contains(out, found.ID) {
					t.Errorf("%s does not tell of %s", f.Name, found.ID)
				}
			}
		}
	}
}

// A full disk is told, by every format.
func TestAFailedWriteIsTold(t *testing.T) {
	for _, f := range report.Formats {
		if err := f.Write(full{}, whole()); err == nil {
			t.Errorf("%s: no error", f.Name)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = bytes.ErrTooLarge

// No text may become markup. (The other formats put the same escaped text behind
// the escaping of a library.)
func FuzzMarkdown(f *testing.F) {
	f.Add(evil, "sales")
	f.Add("``` `a` ``", "../x//y")
	f.Fuzz(func(t *testing.T, text, key string) {
		r := clean()
		r.Findings = []audit.Finding{{ID: "commit-missing", Title: text, Detail: text, Key: key, Folder: &key,
			Evidence: []audit.Evidence{{Key: key, Version: text, Note: text}}, Repair: &audit.Repair{Kind: "recommit", Text: text, Command: text}}}
		isTame(t, format(t, "markdown", r))
	})
}
