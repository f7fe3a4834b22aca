package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each wrong input has a message of its own, and exit 2.
func TestWrongUsage(t *testing.T) {
	home := isolate(t)
	tb, _, _ := sales(t)
	text := filepath.Join(home, "notes.txt")
	write(t, text, "not a bucket")
	u := tb.at("sales")
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"lgo"}, []string{"lgo is no command", "log"}},
		{[]string{}, []string{"needs a terminal", "audit"}},
		{[]string{tb.path}, []string{"needs a terminal"}},
		{[]string{"--format", "json"}, []string{"has no --format"}},
		{[]string{tb.path, "b"}, []string{"takes no argument b"}},
		{[]string{"lgo", u}, []string{"lgo is no command", "did you mean log"}},
		{[]string{"shwo", u, "1", "--limit", "3"}, []string{"shwo is no command", "did you mean show?"}},
		{[]string{"shwo", u, "1", "2"}, []string{"shwo is no command", "did you mean show?"}},
		{[]string{"repair", "markr", tb.path}, []string{"repair markr", "marker"}},
		{[]string{"audit", u, "--inventory", "./nosuch/manifest.json"}, []string{"--inventory ./nosuch/manifest.json: there is no such file"}},
		{[]string{"audit", u, "--inventory", filepath.Join(home, "nosuch", "manifest.json")}, []string{"--inventory " + home, "there is no such file"}},
		{[]string{"audit", u, "--inventory", home}, []string{"--inventory " + home, "is a directory", "manifest.json"}},
		{[]string{"audit", u, "--inventory", "file://" + home}, []string{"--inventory file://" + home, "is a directory", "manifest.json"}},
		{[]string{"audit", u, "--inventory", "s3://"}, []string{"--inventory: s3:// names no bucket"}},
		{[]string{"--nope"}, []string{"unknown flag: --nope", "see provcat-tui --help"}},
		{[]string{"ls", "--\x1b[2J"}, []string{"unknown flag", `\x1b`}},
		{[]string{"show", u, "--nope"}, []string{"unknown flag: --nope", "see provcat-tui show --help"}},
		{[]string{"ls"}, []string{"needs a URL"}},
		{[]string{"log"}, []string{"needs the URL of a folder"}},
		{[]string{"show", u}, []string{"needs a REF"}},
		{[]string{"show", u, "1", "2"}, []string{"takes no argument 2"}},
		{[]string{"show", u, "live"}, []string{"live is not a commit"}},
		{[]string{"show", u, "1", "-n", "-2"}, []string{"--limit -2"}},
		{[]string{"log", u, "-n", "x"}, []string{"invalid argument", "--limit"}},
		{[]string{"diff", u}, []string{"needs a REF"}},
		{[]string{"diff", u, "live"}, []string{"compared with itself"}},
		{[]string{"ls", u, "--at", "1", "--all-versions"}, []string{"exclude each other"}},
		{[]string{"ls", u, "--folder", "sales"}, []string{"add --at"}},
		{[]string{"cat", tb.at("sales/us.csv"), "--folder", "sales"}, []string{"add --at"}},
		{[]string{"cat", tb.path}, []string{"is a bucket, not a file"}},
		{[]string{"cat", tb.at("sales/us.csv"), "--at", "1", "--folder", "hr"}, []string{"no folder hr"}},
		{[]string{"commit", u}, []string{"needs a message", "-m TEXT"}},
		{[]string{"commit", u, "-m", "x", "--read-only"}, []string{"read-only", "--dry-run"}},
		{[]string{"commit", tb.at("hr"), "-m", "x"}, []string{"hr"}},
		{[]string{"pin", u, "--at", "noon"}, []string{"noon is no time", "2026-10-30"}},
		{[]string{"pin", u, "--at", ""}, []string{"is no time"}},
		{[]string{"audit", u, "--depth", "deep"}, []string{"--depth deep", "log, commits, versions, readable"}},
		{[]string{"audit", u, "--fail-on", "info"}, []string{"--fail-on info", "damage, risk, anomaly"}},
		{[]string{"audit", tb.path, "--folder", "hr"}, []string{"no folder hr"}},
		{[]string{"audit", u, "--folder", "hr"}, []string{"--folder hr is not at or below sales"}},
		{[]string{"audit", u, "--folder", "sales2"}, []string{"--folder sales2 is not at or below sales"}},
		{[]string{"audit", u, "--output", filepath.Join(home, "nodir", "x")}, []string{"--output", "nodir", "no such file or directory"}},
		{[]string{"audit", u, "--output", home}, []string{"is a directory"}},
		{[]string{"audit", u, "--output", filepath.Join(text, "x")}, []string{"notes.txt is no directory"}},
		{[]string{"completion"}, []string{"needs a shell", "bash, zsh, fish or powershell"}},
		{[]string{"completion", "tcsh"}, []string{"completion tcsh", "bash, zsh, fish, powershell"}},
		{[]string{"audit", u, "--format", "yaml"}, []string{"--format yaml", "text, json"}},
		{[]string{"ls", u, "--concurrency", "-1"}, []string{"--concurrency -1"}},
		{[]string{"ls", u, "--log-file", home}, []string{"--log-file", home}},
		{[]string{"demo", home, "--read-only"}, []string{"read-only is on"}},
		{[]string{"ls", ""}, []string{"the URL is empty"}},
		{[]string{"ls", "ftp://x"}, []string{"unknown scheme", "s3://bucket/folder"}},
		{[]string{"ls", "s3://"}, []string{"names no bucket"}},
		{[]string{"ls", filepath.Join(home, "absent")}, []string{"there is no file", "provcat-tui demo"}},
		{[]string{"ls", home}, []string{"is a directory, not a bucket file"}},
		{[]string{"ls", text}, []string{"notes.txt"}},
		{[]string{"audit", text}, []string{"notes.txt"}},
		{[]string{"log", tb.path + "//"}, []string{"cannot be committed"}},
		{[]string{"log", tb.at(".provcat/log")}, []string{"belong to no folder"}},
		{[]string{"log", tb.at("hr")}, []string{"has no folder hr", "provcat-tui ls"}},
		{[]string{"ls", tb.at("hr")}, []string{"has no folder or file hr"}},
		{[]string{"ls", tb.at("hr"), "--all-versions"}, []string{"has no folder or file hr"}},
		{[]string{"pin", tb.at("hr")}, []string{"has no folder hr"}},
		{[]string{"show", tb.at("hr"), "1"}, []string{"has no folder hr"}},
		{[]string{"show", tb.at("hr"), "head"}, []string{"has no folder hr"}},
		{[]string{"diff", tb.at("hr"), "1"}, []string{"has no folder hr"}},
		{[]string{"show", u, "7"}, []string{"7"}},
		{[]string{"show", u, "head~2"}, []string{"head~2"}},
		{[]string{"show", u, "abcdef0"}, []string{"abcdef0"}},
		{[]string{"show", u, "what?"}, []string{"what?"}},
		{[]string{"diff", u, "1", "9"}, []string{"9"}},
		{[]string{"ls", u, "--at", "9"}, []string{"9"}},
		{[]string{"ls", tb.at("sales/none"), "--at", "1"}, []string{"no file at or under none"}},
		{[]string{"ls", tb.at("sales/eu/orders.csv")}, []string{"is deleted", "--all-versions"}},
	} {
		r := cli(c.args...).wants(t, 2)
		r.says(t, c.says...)
		if r.out != "" {
			t.Errorf("%q: stdout %q, want nothing", c.args, r.out)
		}
		if strings.Contains(r.err, "wrong usage: ") && strings.HasPrefix(r.err, "provcat-tui: wrong usage") {
			t.Errorf("%q: the kind is in the message: %s", c.args, r.err)
		}
	}
}

func TestVersionAndHelp(t *testing.T) {
	isolate(t)
	if r := cli("--version").wants(t, 0); !strings.HasPrefix(r.out, "provcat-tui ") || strings.Count(r.out, "\n") != 1 {
		t.Errorf("--version printed %q", r.out)
	}
	for _, c := range []string{"", "ls", "log", "show", "diff", "commit", "pin", "cat", "get", "restore", "protect", "audit", "demo", "completion"} {
		args := []string{"--help"}
		if c != "" {
			args = []string{c, "--help"}
		}
		r := cli(args...).wants(t, 0)
		if !strings.Contains(r.out, "Usage:") || r.err != "" {
			t.Errorf("help of %q: %q, %q", c, r.out, r.err)
		}
	}
}

func TestLogFile(t *testing.T) {
	home := isolate(t)
	tb, _, _ := sales(t)
	path := filepath.Join(home, "requests.log")
	cli("ls", tb.at("sales"), "--log-file", path).wants(t, 0)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the log file has mode %v, want 0600", info.Mode().Perm())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if lines[0] == "" {
		t.Fatal("the log file has no line for the listing")
	}
	for _, l := range lines {
		var m map[string]any
		result{out: l}.json(t, &m)
		if m["msg"] == nil || m["time"] == nil {
			t.Errorf("line %s", l)
		}
	}
}

func TestCompletion(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"audit", tb.path, "--depth", ""}, []string{"log\n", "commits\n", "versions\n", "readable\n"}},
		{[]string{"audit", tb.path, "--fail-on", "r"}, []string{"risk\n"}},
		{[]string{"ls", "--format", ""}, []string{"text\n", "json\n"}},
		{[]string{"show", tb.at("sales"), ""}, []string{"head\t", "live\t", "2\t", "1\t"}},
		{[]string{"ls", tb.at("sales"), "--at", "h"}, []string{"head\t"}},
		{[]string{"cat", tb.at("sales/us.csv"), "--at", ""}, []string{"2\t", "1\t"}},
	} {
		r := cli(append([]string{"__complete"}, c.args...)...).wants(t, 0)
		for _, w := range c.want {
			if !strings.Contains(r.out, w) {
				t.Errorf("%q offers %q, want %q in it", c.args, r.out, w)
			}
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if r := cli("completion", shell); r.code != 0 || len(r.out) < 1000 {
			t.Errorf("completion %s: exit code %d, %d bytes", shell, r.code, len(r.out))
		}
	}
}
