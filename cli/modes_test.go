package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	remembered "provcat-tui/state"
)

// What the program keeps is the person's alone, also where the file was there before
// with another mode; of files that are not its own it says who else may use them.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such modes")
	}
	isolate(t)
	tb, _, _ := sales(t)
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	with := func(path, text string, m os.FileMode) {
		write(t, path, text)
		if err := os.Chmod(path, m); err != nil {
			t.Fatal(err)
		}
	}

	for _, text := range []string{`{"recent":["s3://a"]}`, "rubbish"} {
		with(remembered.Path(), text, 0o644)
		(&app{}).memory().Visited("s3://b")
		if m := mode(remembered.Path()); m != 0o600 {
			t.Errorf("the state has mode %v after %q", m, text)
		}
	}
	if m := mode(remembered.Path() + ".broken"); m != 0o600 {
		t.Errorf("the state that was put aside has mode %v", m)
	}

	log := filepath.Join(t.TempDir(), "log")
	for m, says := range map[os.FileMode]string{0o600: "", 0o644: "can be read by others", 0o620: "can be written by others"} {
		with(log, "", m)
		r := cli("ls", tb.path, "--log-file", log).wants(t, 0)
		if got := strings.Contains(r.err, "--log-file"); got != (says != "") || !strings.Contains(r.err, says) {
			t.Errorf("a log file of mode %v: %q", m, r.err)
		}
		if r := cli("ls", tb.path, "--log-file", log, "--quiet").wants(t, 0); r.err != "" {
			t.Errorf("--quiet: %q", r.err)
		}
	}

	config := filepath.Join(t.TempDir(), "config.yaml")
	for m, says := range map[os.FileMode]string{0o600: "", 0o644: "", 0o664: "can be written by others", 0o606: "can be written by others"} {
		with(config, "author: ana\n", m)
		r := cli("ls", tb.path, "--config", config).wants(t, 0)
		if (r.err != "") != (says != "") || !strings.Contains(r.err, says) {
			t.Errorf("a config file of mode %v: %q", m, r.err)
		}
	}
	if r := cliAt(time.Now(), "__complete", "ls", "--config", config, "").wants(t, 0); strings.Contains(r.err, "by others") {
		t.Errorf("completion: %q", r.err)
	}
}
