package report

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/rivo/uniseg"

	"provcat-tui/audit"
)

func ptr[T any](v T) *T { return &v }

func sample() *audit.Report {
	at := time.Date(2026, 11, 21, 1, 10, 0, 0, time.UTC)
	return &audit.Report{
		Schema: "provcat-audit/1", Tool: audit.Tool{Name: "provcat-tui", Version: "v1"}, Bucket: "s3://b",
		Scope:   audit.Scope{Depth: audit.DepthVersions},
		Started: at, Finished: at.Add(1500 * time.Millisecond), Verdict: audit.Fail,
		Coverage: audit.CoverageSet{Logs: audit.Coverage{Checked: 1, Total: 1}, Entries: audit.Coverage{Checked: 2, Total: 3,
			Skipped: []audit.Skip{{Reason: "could not be read", Count: 1}}}},
		Requests: audit.Requests{List: 2, Get: 5, CostUSD: 0.000012},
		Counts:   map[audit.Severity]int{audit.Damage: 1},
		Findings: []audit.Finding{{
			ID: "log-entry-deleted", Severity: audit.Damage, Confidence: audit.Likely, Folder: ptr("sales"), Number: 2,
			Title: "entry 2 of sales is deleted", Detail: "Readers no longer find this commit.",
			Affected: audit.Affected{Commits: []audit.CommitRef{{Folder: "sales", Number: 2, ID: strings.Repeat("ab", 32)}}},
			Evidence: []audit.Evidence{
				{Key: ".provcat/log/x/1", Version: "v2", Modified: &at, Latest: true, DeleteMarker: true},
				{Key: ".provcat/log/x/1", Version: "v1", Modified: &at, ETag: "e", Size: 150, Note: "names commit abc"}},
			Repair:      &audit.Repair{Kind: "remove-delete-marker", Text: "Remove the delete marker.", Command: "aws s3api delete-object --bucket b --key 'it is' --version-id v2"},
			Fingerprint: "f00",
		}},
	}
}

func text(t *testing.T, r *audit.Report, o TextOptions) string {
	t.Helper()
	var out bytes.Buffer
	if err := Text(&out, r, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestText(t *testing.T) {
	want := map[int]string{80: `Audit of s3://b: the whole bucket, depth versions

FAIL: there are findings that must be looked at. Besides, not everything could
be checked.
1 damage, 0 risk, 0 anomaly, 0 unknown, 0 info

DAMAGE
what a commit promises cannot be read now, or history was changed

✗ damage: log-entry-deleted (likely)
  entry 2 of sales is deleted
  Folder: sales
  Readers no longer find this commit.
  Commits: 2 of sales (ababababab)
  Evidence:
    .provcat/log/x/1
      version v2, 2026-11-21 01:10:00 UTC, delete marker, newest
      version v1, 2026-11-21 01:10:00 UTC, 150 bytes, ETag e, names commit abc
  Repair: Remove the delete marker.
    aws s3api delete-object --bucket b --key 'it is' --version-id v2
  fingerprint f00

Checked
  logs            1 of 1
  entries         2 of 3
                  not checked: 1, could not be read
  commit objects  0 of 0
  named versions  0 of 0
  settings        0 of 0
2 list, 5 get and 0 head requests, about $0.0000 at list prices, in 1.5s
`, 40: `Audit of s3://b: the whole bucket, depth
versions

FAIL: there are findings that must be
looked at. Besides, not everything could
be checked.
1 damage, 0 risk, 0 anomaly, 0 unknown,
0 info

DAMAGE
what a commit promises cannot be read
now, or history was changed

✗ damage: log-entry-deleted (likely)
  entry 2 of sales is deleted
  Folder: sales
  Readers no longer find this commit.
  Commits: 2 of sales (ababababab)
  Evidence:
    .provcat/log/x/1
      version v2, 2026-11-21 01:10:00
      UTC, delete marker, newest
      version v1, 2026-11-21 01:10:00
      UTC, 150 bytes, ETag e, names
      commit abc
  Repair: Remove the delete marker.
    aws s3api delete-object --bucket b --key 'it is' --version-id v2
  fingerprint f00

Checked
  logs            1 of 1
  entries         2 of 3
                  not checked: 1, could
                  not be read
  commit objects  0 of 0
  named versions  0 of 0
  settings        0 of 0
2 list, 5 get and 0 head requests, about
$0.0000 at list prices, in 1.5s
`}
	for width, want := range want {
		if got := text(t, sample(), TextOptions{Width: width}); got != want {
			t.Errorf("width %d: got\n%s\nwant\n%s", width, got, want)
		}
	}
	if text(t, sample(), TextOptions{}) != want[80] {
		t.Error("without a width it is not 80 columns")
	}
}

// hostile has control characters, escape sequences and tricks of direction in
// every string that may come from a bucket.
func hostile() *audit.Report {
	const bad = "\x1b[31mred\x1b]0;x\x07\r\n\t\u009b2J\u202e\u2066日本語 " + "very/long/" + "0123456789012345678901234567890123456789012345678901234567890123456789"
	r := sample()
	r.Bucket, r.Scope.Folder = "s3://"+bad, bad
	f := &r.Findings[0]
	f.Folder, f.Title, f.Detail, f.Key, f.Version = ptr(bad), bad, bad, bad, bad
	f.Affected = audit.Affected{Commits: []audit.CommitRef{{Folder: bad, Number: 1, ID: bad}}, Versions: 12,
		Examples: []audit.Evidence{{Key: bad, Version: bad, ETag: bad, Note: bad}}}
	f.Evidence = []audit.Evidence{{Key: bad, Version: bad, ETag: bad, Note: bad}}
	f.Repair = &audit.Repair{Kind: bad, Text: bad, Command: bad}
	f.Fingerprint = bad
	r.Coverage.Logs.Skipped = []audit.Skip{{Reason: bad, Count: 1}}
	return r
}

func TestNothingFromABucketIsRaw(t *testing.T) {
	for _, width := range []int{1, 40, 80, 200} {
		var text, doc bytes.Buffer
		if err := Text(&text, hostile(), TextOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		if err := JSON(&doc, hostile()); err != nil {
			t.Fatal(err)
		}
		if !json.Valid(doc.Bytes()) {
			t.Error("the JSON does not parse")
		}
		for name, s := range map[string]string{"text": text.String(), "json": doc.String()} {
			for _, r := range s {
				if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
					t.Errorf("%s at width %d holds %U", name, width, r)
				}
			}
		}
	}
}

func TestLinesFitTheWidth(t *testing.T) {
	for _, width := range []int{40, 60, 80, 120} {
		var out bytes.Buffer
		if err := Text(&out, hostile(), TextOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(out.String(), "\n") {
			// Keys, commands and fingerprints stay whole, to be copied.
			if strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "      ") || strings.Contains(line, "fingerprint") {
				continue
			}
			if n := uniseg.StringWidth(line); n > width {
				t.Errorf("width %d: a line of %d columns: %q", width, n, line)
			}
		}
	}
}

func TestColorOnlyWhenAsked(t *testing.T) {
	for _, color := range []bool{false, true} {
		var out bytes.Buffer
		if err := Text(&out, sample(), TextOptions{Color: color}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "\x1b["); got != color {
			t.Errorf("color %v: escape sequences %v", color, got)
		}
	}
}

func TestVerdictsInWords(t *testing.T) {
	checked := audit.CoverageSet{Entries: audit.Coverage{Checked: 1, Total: 1}}
	for want, r := range map[string]*audit.Report{
		"\nPASS: everything in scope was checked and is sound.\n0 damage":  {Verdict: audit.Pass, Complete: true, Coverage: checked},
		"\nPASS: what was checked is sound; not everything was.\n0 damage": {Verdict: audit.Pass, Coverage: checked},
		"\nPASS: everything in scope was checked, and nothing makes the audit fail. The\nfindings are below.\n0 damage, 2 risk": {
			Verdict: audit.Pass, Complete: true, Coverage: checked, Counts: map[audit.Severity]int{audit.Risk: 2}},
		"\nINCOMPLETE: nothing that was checked makes the audit fail, but not everything\ncould be checked.\n0 damage": {
			Verdict: audit.Incomplete, Coverage: checked},
		"\n0 of 0 commits: no log entry is in scope, so there was nothing to check.\n": {Verdict: audit.Pass, Complete: true},
		"\n0 of 0 commits: no log entry is in scope.\n": {Verdict: audit.Pass, Complete: true,
			Findings: []audit.Finding{{ID: "commit-stray", Severity: audit.Anomaly}}},
	} {
		if got := text(t, r, TextOptions{}); !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
	// A listing that failed is not "no commit".
	r := &audit.Report{Verdict: audit.Incomplete, Coverage: audit.CoverageSet{Logs: audit.Coverage{Total: 1, Skipped: []audit.Skip{{Reason: "the listing failed", Count: 1}}}}}
	if got := text(t, r, TextOptions{}); strings.Contains(got, "0 of 0 commits") {
		t.Errorf("an unread log counts as none:\n%s", got)
	}
}

// Of 100 affected commits, 30 pieces of evidence, and 5,000 versions with 20
// examples the first eight are shown, and how many more there are.
func TestLongListsAreCut(t *testing.T) {
	r := sample()
	f := &r.Findings[0]
	f.Affected.Versions = 5000
	for i := range 100 {
		f.Affected.Commits = append(f.Affected.Commits[:i], audit.CommitRef{Folder: "", Number: int64(i + 1), ID: strings.Repeat("c", 64)})
	}
	f.Evidence = make([]audit.Evidence, 30)
	f.Affected.Examples = make([]audit.Evidence, 20)
	got := text(t, r, TextOptions{Width: 2000})
	for _, want := range []string{"8 of the whole bucket (cccccccccc), and 92 more (all in the JSON)\n", "    and 22 more\n", "    and 4992 more\n"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("want %q once in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "      0 bytes\n"); n != 16 {
		t.Errorf("%d versions shown, want 8 and 8", n)
	}
}

// A command must do what it did before it was printed: it stays whole at any
// width, backslashes and all.
func TestCommandsStayWhole(t *testing.T) {
	r := sample()
	r.Findings[0].Repair.Command = `aws s3api delete-object --key $'a\033\\b' --version-id ` + strings.Repeat("日", 50)
	if got := text(t, r, TextOptions{Width: 40}); !strings.Contains(got, "\n    "+r.Findings[0].Repair.Command+"\n") {
		t.Errorf("changed:\n%s", got)
	}
}

// What is between the escape sequences is the same with colours as without, and
// the severity stands there in words.
func TestColorsSayNothingThatWordsDoNot(t *testing.T) {
	plain := text(t, sample(), TextOptions{})
	stripped := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(text(t, sample(), TextOptions{Color: true}), "")
	if stripped != plain || !strings.Contains(plain, "✗ damage: ") {
		t.Errorf("with colours taken out:\n%s", stripped)
	}
}

// Of a key at which nothing is no size is told.
func TestEvidenceOfNothing(t *testing.T) {
	r := sample()
	r.Findings[0].Evidence = []audit.Evidence{{Key: "k", Note: "nothing is there"}, {Key: "empty", Version: "v", Note: "there"}}
	got := text(t, r, TextOptions{})
	if !strings.Contains(got, "    k\n      nothing is there\n") || !strings.Contains(got, "version v, 0 bytes, there") {
		t.Error(got)
	}
}
