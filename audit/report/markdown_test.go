package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"provcat-tui/audit"
)

// A read is what a reader of GitHub's Markdown makes of a page.
type read struct {
	headings []string
	prose    string // all text that stands neither in code nor in a fence
	fences   []string
	cells    []int // of each table's rows
}

// isTame parses a page as GitHub does: nothing of it is a link, an image or HTML.
func isTame(t testing.TB, page string) read {
	t.Helper()
	source := []byte(page)
	var out read
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	err := ast.Walk(doc, func(n ast.Node, in bool) (ast.WalkStatus, error) {
		if !in {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link, *ast.AutoLink, *ast.Image, *ast.RawHTML, *ast.HTMLBlock, *ast.Blockquote, *ast.CodeBlock, *extast.Strikethrough, *extast.TaskCheckBox:
			t.Errorf("the page holds a %s", n.Kind())
		case *ast.Heading:
			out.headings = append(out.headings, strings.Repeat("#", n.Level)+" "+textOf(n, source))
		case *ast.FencedCodeBlock:
			var b bytes.Buffer
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				b.Write(line.Value(source))
			}
			out.fences = append(out.fences, b.String())
			return ast.WalkSkipChildren, nil
		case *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *extast.TableRow:
			out.cells = append(out.cells, n.ChildCount())
		case *ast.Text:
			out.prose += string(n.Segment.Value(source)) + "\n"
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.prose, "@#<>[]$") || strings.Contains(out.prose, "://") || strings.Contains(out.prose, "www.") || strings.Contains(out.prose, "GH-") {
		t.Errorf("prose that GitHub would make something of: %q", out.prose)
	}
	return out
}

func textOf(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, in bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && in {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

func TestMarkdown(t *testing.T) {
	for name, r := range reports() {
		page := isTame(t, format(t, "markdown", r))
		findings := 0
		for _, h := range page.headings {
			if strings.HasPrefix(h, "### ") {
				findings++
			}
		}
		if findings != len(r.Findings)+len(r.Acknowledged) {
			t.Errorf("%s: %d headings of %d findings and %d acknowledged\n%s", name, findings, len(r.Findings), len(r.Acknowledged), strings.Join(page.headings, "\n"))
		}
		for _, n := range page.cells {
			if n < 2 || n > 4 {
				t.Errorf("%s: a row of %d cells", name, n)
			}
		}
	}
}

func TestMarkdownSaysWhatTheReportSays(t *testing.T) {
	r := whole()
	r.Findings[0].Evidence[0].Key = "a```b"
	r.Findings[0].Repair.Command = "aws s3api x --key 'a````b'"
	out := format(t, "markdown", r)
	page := isTame(t, out)
	if got := strings.Join(page.headings, "\n"); got != "# Audit of s3://team-data: FAIL\n## Damage\n### ✗ log-entry-deleted entry 2 of sales is deleted\n## Acknowledged\n### log-entry-deleted entry 2 of sales is deleted\n## Checked" {
		t.Errorf("headings:\n%s", got)
	}
	want := []string{
		"2 of sales  " + strings.Repeat("0123456789abcdef", 4) + "  from 2026-11-21 01:10:00 UTC\n",
		"sales/eu.csv\n  version v1, 2026-11-21 01:10:00 UTC, 7 bytes, ETag e, live, there now\n",
		"a```b\n  version v1, 2026-11-21 01:10:00 UTC, 7 bytes, ETag e, live, there now\n",
		"aws s3api x --key 'a````b'\n"}
	if strings.Join(page.fences, "--") != strings.Join(want, "--") {
		t.Errorf("fences:\n%s", strings.Join(page.fences, "--\n"))
	}
	for _, line := range []string{"| ✗ damage | 1 |", "| acknowledged | 1 |", "| 2026-11-16 | 3 | 1 |", "- Due: 2026-11-21 01:10:00 UTC", "- Fingerprint: `" + r.Findings[0].Fingerprint + "`",
		"- Acknowledged in the list of ignored findings: known. It counts again from 2026-11-21 01:10:00 UTC.", "| named versions | 6 | 9 | 3: could not be read (left out by choice) |"} {
		if !strings.Contains(out, "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, out)
		}
	}
}

// A span covers a word, and not the sentence's marks around it.
func TestMarkdownSpans(t *testing.T) {
	for in, want := range map[string]string{
		"13 (bf9052161e, 2026-10-20T06:00:00.014620Z)": "13 (`bf9052161e`, `2026-10-20T06:00:00.014620Z`)",
		"16 versions are gone.":                        "16 versions are gone.",
		"1. item":                                      "`1`. item",
		"f(deadbeef1) and (f(deadbeef1)).":             "`f(deadbeef1)` and (`f(deadbeef1)`).",
		"\"a_b\": x":                                   "\"`a_b`\": x",
		"(@ana)":                                       "(`@ana`)",
		"says :smile:":                                 "says `:smile`:",
		"- x":                                          "`-` x",
		"':::'":                                        "'`:::'`",
	} {
		r := clean()
		r.Findings = []audit.Finding{{ID: "made-up", Severity: audit.Info, Detail: in}}
		out := format(t, "markdown", r)
		isTame(t, out)
		if in != "':::'" && !strings.Contains(out, "\n"+want+"\n") {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	r := clean()
	r.Findings = []audit.Finding{{ID: "version-missing", Severity: audit.Damage, Title: "16 versions are gone", Detail: "d"}}
	out := format(t, "markdown", r)
	e, _ := audit.Explain("version-missing")
	if !strings.Contains(out, "\n### ✗ `version-missing` 16 versions are gone\n") || !strings.Contains(out, "\nWhat to do: "+strings.SplitAfter(e.Do, " ")[0]) {
		t.Errorf("%s", out)
	}
}

// A command that has to be filled in stands in the text, and by itself for people.
func TestCommandsInRepairTexts(t *testing.T) {
	for _, x := range []struct {
		text, command string
		before, after string
	}{
		{"A copy is as good. With the copy in FILE: provcat-tui repair commit-object 's3://a b' --id 0a --from FILE",
			"provcat-tui repair commit-object 's3://a b' --id 0a --from FILE", "With the copy in FILE:", ""},
		{"For commit 7 it is: provcat-tui repair marker s3://x --key 'a. b' --version v.1. Then audit again.",
			"provcat-tui repair marker s3://x --key 'a. b' --version v.1", "it is:", "Then audit again."},
		{"Run provcat-tui repair --help; rm -rf x", "", "Run provcat-tui repair", ""},
		{"provcat-tui repair marker s3://x --key $(rm) --version v", "", "", ""},
	} {
		r := clean()
		r.Findings = []audit.Finding{{ID: "commit-missing", Severity: audit.Damage, Title: "t", Repair: &audit.Repair{Kind: "k", Text: x.text}}}
		page := isTame(t, format(t, "markdown", r))
		text := format(t, "text", r)
		if x.command == "" {
			if len(page.fences) != 0 {
				t.Errorf("%q: fences %q", x.text, page.fences)
			}
			continue
		}
		if len(page.fences) != 1 || page.fences[0] != x.command+"\n" || strings.Contains(page.prose, "provcat-tui repair") {
			t.Errorf("%q: fences %q, prose %q", x.text, page.fences, page.prose)
		}
		if !strings.Contains(text, "\n    "+x.command+"\n") || !strings.Contains(text, x.before+"\n") || !strings.Contains(text, x.after) {
			t.Errorf("%q as text:\n%s", x.text, text)
		}
		sarif := format(t, "sarif", r)
		if !strings.Contains(sarif, "```sh\\n"+x.command+"\\n```") {
			t.Errorf("%q: not in the SARIF's markdown:\n%s", x.text, sarif)
		}
	}
}
