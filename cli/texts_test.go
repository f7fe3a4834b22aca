package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A text that says "provcat-tui WORD" names a command that there is: a person in a hurry
// types it.
func TestTextsNameCommandsThatAreThere(t *testing.T) {
	there := map[string]bool{}
	for _, c := range (&app{}).root().Commands() {
		there[c.Name()] = true
	}
	// The words of sentences about the program, and the folder of an example.
	prose := map[string]bool{"refuses": true, "is": true, "shows": true, "in": true, "does": true, "dates": true, "lists": true, "data": true}
	names := regexp.MustCompile(`provcat-tui ([a-z]+)\b`)
	checked := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range names.FindAllStringSubmatch(text, -1) {
				if checked++; !there[m[1]] && !prose[m[1]] {
					t.Errorf("%s: %q names a command that is not there: %s", path, text, m[1])
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 30 {
		t.Errorf("only %d commands were seen in texts", checked)
	}
}
