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
