package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Each sign that a screen draws has an ASCII one of the same width.
func TestEachSignHasAnASCIIOne(t *testing.T) {
	seen := 0
	for _, pattern := range []string{"*.go", "../views/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING && lit.Kind != token.CHAR {
					return true
				}
				text, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range text {
					if r < 0x80 || r >= 0xe000 && r < 0xf900 || r == 0x10ffff { // stand-ins and a bound of keys: never shown
						continue
					}
					seen++
					if got := ASCII(string(r)); len(got) != 1 || got[0] < 0x20 || got[0] >= 0x7f || Width(string(r)) != 1 {
						t.Errorf("%s: %q has no ASCII sign of one column: %q", name, r, got)
					}
				}
				return true
			})
		}
	}
	if seen < 100 {
		t.Errorf("only %d signs were seen", seen)
	}
}

func TestPoorTerminal(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{map[string]string{"TERM": "xterm-256color", "LANG": "C.UTF-8"}, false},
		{map[string]string{"TERM": "xterm-256color", "LANG": "de_DE.utf8"}, false},
		{map[string]string{"TERM": "xterm-256color"}, false}, // over ssh often nothing is set
		{map[string]string{"TERM": "xterm-256color", "LANG": "C"}, true},
		{map[string]string{"TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": "POSIX"}, true},
		{map[string]string{"TERM": "xterm-256color", "LANG": "C", "LC_CTYPE": "C.UTF-8"}, false},
		{map[string]string{"TERM": "linux", "LANG": "C.UTF-8"}, true},
		{map[string]string{"TERM": "vt220", "LANG": "C.UTF-8"}, true},
	} {
		if got := PoorTerminal(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: %v", c.env, got)
		}
	}
}
