package report_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"provcat-tui/audit"
)

const page = "../../docs/audit.md"

// update writes the generated parts of docs/audit.md anew:
// go test ./audit/report -run TestThePageIsGenerated -update
var update = flag.Bool("update", false, "write the generated parts of docs/audit.md")

// anchors of the page's sections about repairs, by kind; empty: the table of
// repairs says all.
var anchors = map[string]string{
	"remove-delete-marker":  "#remove-a-delete-marker",
	"copy-version":          "#copy-an-earlier-version-back",
	"rebuild-entry":         "#write-a-lost-entry-again",
	"restore-commit-object": "#put-a-commit-object-back",
	"recommit":              "#a-version-is-gone",
	"enable-versioning":     "#switch-versioning-on",
	"restore-version":       "#restore-an-archived-version",
}

// findingsOf is the generated part of one subject: a table, then each finding.
func findingsOf(subject string) string {
	var b strings.Builder
	b.WriteString("| finding | severity | what it means |\n|---|---|---|\n")
	for _, e := range audit.Explanations {
		if e.Subject == subject {
			fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", e.ID, e.ID, severities(e), cellText(e.Means))
		}
	}
	for _, e := range audit.Explanations {
		if e.Subject != subject {
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\n_%s. From `--depth %s` on._\n\n**What happened.** %s\n\n**What works.** %s\n\n**What to do.** %s\n",
			e.ID, severities(e), e.Depth(), markdownText(e.Happened), markdownText(e.Works), markdownText(e.Do))
		var repairs []string
		for _, kind := range e.Repairs {
			text := "`" + kind + "`"
			if anchors[kind] != "" {
				text = "[" + text + "](" + anchors[kind] + ")"
			}
			repairs = append(repairs, text)
		}
		if len(repairs) > 0 {
			fmt.Fprintf(&b, "\nRepair: %s.\n", strings.Join(repairs, ", "))
		}
	}
	return b.String()
}

func severities(e audit.Explanation) string {
	var out []string
	for _, s := range e.Severity {
		out = append(out, string(s))
	}
	return strings.Join(out, " or ")
}

// markdownText marks what is a path, a flag or an ID as code, and leaves the rest.
func markdownText(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		body := strings.TrimRight(w, ".,;:)")
		tail := w[len(body):]
		head := ""
		if strings.HasPrefix(body, "(") {
			head, body = "(", body[1:]
		}
		_, explained := audit.Explain(body)
		if explained || strings.HasPrefix(body, "--") || strings.HasPrefix(body, ".provcat/") || strings.ContainsAny(body, "_*<>|$`#[]{}\\") {
			words[i] = head + "`" + body + "`" + tail
		}
	}
	return strings.Join(words, " ")
}

func cellText(s string) string { return strings.ReplaceAll(markdownText(s), "|", `\|`) }

// The parts of the page between the markers are made of the explanations.
func TestThePageIsGenerated(t *testing.T) {
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := string(data)
	for _, subject := range audit.Subjects {
		begin, end := "<!-- findings: "+subject+" -->\n", "<!-- end of findings -->\n"
		head, rest, ok := strings.Cut(want, begin)
		_, tail, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("docs/audit.md has no part for the findings about %s", subject)
		}
		want = head + begin + findingsOf(subject) + end + tail
	}
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil { //nolint:gosec // a page of the docs
			t.Fatal(err)
		}
		return
	}
	if want != string(data) {
		t.Error("docs/audit.md is stale: go test ./audit/report -run TestThePageIsGenerated -update")
	}
}

// Each kind of finding in the engine has an explanation, and each explanation a
// kind of finding; the page tells of each kind of repair.
func TestEveryFindingIsExplained(t *testing.T) {
	ids, kinds := literals(t)
	for id, file := range ids {
		if _, ok := audit.Explain(id); !ok && !kinds[id] {
			t.Errorf("%s: %s has no explanation", file, id)
		}
	}
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for kind := range kinds {
		if !bytes.Contains(data, fmt.Appendf(nil, "| `%s` |", kind)) {
			t.Errorf("docs/audit.md has no row for the repair %s", kind)
		}
	}
	seen := map[string]bool{}
	for _, e := range audit.Explanations {
		if seen[e.ID] {
			t.Errorf("%s is explained twice", e.ID)
		}
		seen[e.ID] = true
		if _, ok := ids[e.ID]; !ok {
			t.Errorf("%s is explained, but nothing finds it", e.ID)
		}
		if !slices.Contains(audit.Subjects, e.Subject) || len(e.Severity) == 0 {
			t.Errorf("%s: subject %q, severities %v", e.ID, e.Subject, e.Severity)
		}
		for _, s := range e.Severity {
			if !slices.Contains(audit.Severities, s) {
				t.Errorf("%s: severity %q", e.ID, s)
			}
		}
		for name, text := range map[string]string{"Means": e.Means, "Happened": e.Happened, "Works": e.Works, "Do": e.Do} {
			if text == "" || strings.ContainsAny(text, "\n\t") || !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %s must be whole sentences on one line: %q", e.ID, name, text)
			}
		}
		for _, kind := range e.Repairs {
			if !kinds[kind] {
				t.Errorf("%s: no finding comes with the repair %s", e.ID, kind)
			}
		}
	}
}

// ofCommands are words of command lines, which look like kinds of finding.
var ofCommands = map[string]bool{"provcat-tui": true, "commit-object": true, "abort-multipart-upload": true, "restore-object": true}

// literals gives the strings of the engine that look like a kind of finding, with
// their file, and those that are kinds of repair.
func literals(t *testing.T) (ids map[string]string, kinds map[string]bool) {
	t.Helper()
	ids, kinds = map[string]string{}, map[string]bool{}
	files, err := filepath.Glob("../*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no engine", err)
	}
	like := regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(filepath.Base(file), "explain") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Kind" {
					if x, ok := n.Value.(*ast.BasicLit); ok {
						s, _ := strconv.Unquote(x.Value)
						kinds[s] = true
						return false
					}
				}
			case *ast.BasicLit:
				if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && like.MatchString(s) && !ofCommands[s] {
					ids[s] = filepath.Base(file)
				}
			}
			return true
		})
	}
	return ids, kinds
}
