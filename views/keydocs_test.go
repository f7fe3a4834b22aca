package views

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"provcat-tui/ui"
)

const keysPage = "../docs/keys.md"

// The page of the keys is the table of the keys.
func TestThePageOfKeysIsGenerated(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Keys of the explorer\n\nMade from the program's table of keys (`go test ./views -run TestThePageOfKeys -update`). `?` shows those of the screen that you are on. The ID is what `keys:` in the [config file](config.md) names; a press like `g g` is one key after another.\n")
	var groups []string
	for _, k := range keyTable {
		if !slices.Contains(groups, k.Group) {
			groups = append(groups, k.Group)
		}
	}
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n\n| press | ID | on | what it does |\n|---|---|---|---|\n", g)
		for _, k := range keyTable {
			if k.Group != g {
				continue
			}
			var presses []string
			for _, p := range k.Press {
				presses = append(presses, "`"+strings.ReplaceAll(ui.PressName(p), "|", "\\|")+"`")
			}
			on := strings.Join(k.On, ", ")
			if len(k.On) == 0 {
				on = "every screen"
			}
			help := k.Help
			if k.Writes {
				help += "; not bound when read-only"
			}
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", strings.Join(presses, " "), k.ID, on, help)
		}
	}
	if *update {
		if err := os.WriteFile(keysPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(keysPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != b.String() {
		t.Error("docs/keys.md is not as the table of keys; run with -update")
	}
}
