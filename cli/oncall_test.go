package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The line of docs/on-call.md that lists the commits which no damage names does so
// on the demo bucket: 9 of web/events has lost its object, 2 to 4 some versions.
func TestOnCallListsWhatCanBeRead(t *testing.T) {
	jq, err := exec.LookPath("jq")
	if err != nil {
		if os.Getenv("PROVCAT_CI") != "" {
			t.Fatal("CI needs jq (Debian: jq)")
		}
		t.Skip("no jq on this machine")
	}
	page, err := os.ReadFile("../docs/on-call.md")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^    provcat-tui log \S+ --format json \| jq -r --slurpfile a audit\.json '([^']+)'$`).FindSubmatch(page)
	if line == nil {
		t.Fatal("docs/on-call.md has no such line")
	}
	home := isolate(t)
	url := strings.TrimSpace(cli("demo", home, "--print").wants(t, 0).out)
	report := filepath.Join(home, "audit.json")
	cli("audit", url, "--format", "json", "--output", report).wants(t, 1)
	for folder, want := range map[string]string{"web/events": "13 12 11 10 8 7 6 5 1", "models/churn": "9 8 7 6 5 4 3 2 1"} {
		cmd := exec.Command(jq, "-r", "--slurpfile", "a", report, string(line[1])) //nolint:gosec // a line of the docs
		cmd.Stdin = strings.NewReader(cli("log", url+"/"+folder, "--format", "json").wants(t, 0).out)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		var got []string
		for _, l := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			number, _, _ := strings.Cut(l, "\t")
			got = append(got, number)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", folder, got, want)
		}
	}
}
