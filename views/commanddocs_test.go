package views

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const commandsPage = "../docs/commands.md"

// The page of the commands is the table of the commands.
func TestThePageOfCommandsIsGenerated(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Commands of the explorer\n\nMade from the program's table of commands (`go test ./views -run TestThePageOfCommands -update`). `:` opens the line for them; [explorer.md](explorer.md#commands) tells how it completes and what it remembers. A FOLDER that is not given is the current one. A REF is a commit's number, at least six digits of its ID, `head` or `head~2`; a TIME is `2026-10-30T12:00Z`, `2026-10-30`, `-3d` or `now`. A word with spaces stands in quotes.\n\n| command | also | key | what it does |\n|---|---|---|---|\n")
	for _, c := range commands {
		var also []string
		for _, a := range c.aliases {
			also = append(also, "`:"+a+"`")
		}
		key := ""
		if c.key != "" {
			key = "`" + c.key + "`"
		}
		help := strings.TrimSuffix(c.help, ".") + "."
		if c.about != "" {
			help += " " + c.about
		}
		if c.writes {
			help += " Not there when read-only."
		}
		fmt.Fprintf(&b, "| `:%s` | %s | %s | %s |\n", strings.ReplaceAll(c.usage(), "|", "\\|"), strings.Join(also, " "), key, strings.ToUpper(help[:1])+help[1:])
	}
	b.WriteString("\nUnder \"key\" stands the ID of the key that does the same, as [keys.md](keys.md) names it.\n")
	if *update {
		if err := os.WriteFile(commandsPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(commandsPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != b.String() {
		t.Error("docs/commands.md is not as the table of commands; run with -update")
	}
}

// The table says of each command what the line, the help and the page need.
func TestTheTableOfCommandsIsWhole(t *testing.T) {
	keys := map[string]bool{"": true}
	for _, k := range keyTable {
		keys[k.ID] = true
	}
	seen := map[string]bool{}
	for _, c := range commands {
		for _, name := range append([]string{c.name}, c.aliases...) {
			if seen[name] || name == "" {
				t.Errorf("%q names two commands", name)
			}
			seen[name] = true
		}
		if c.help == "" || c.plan == nil || !keys[c.key] || c.needs && len(c.takes) == 0 || (c.args == "") != (len(c.takes) == 0) {
			t.Errorf("%+v", c)
		}
	}
}
