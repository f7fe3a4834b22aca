//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// What a log lost is said once, when the command or the explorer has ended, and changes
// nothing of the answer.
func TestLogFileThatLosesLines(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	isolate(t)
	tb, _, _ := sales(t)
	told := func(said string) bool {
		return strings.Count(said, "log file") == 1 && strings.Contains(said, "provcat-tui: the log file is incomplete: ") && strings.Contains(said, "no space left on device")
	}
	for _, quiet := range []string{"--quiet=false", "--quiet"} {
		cmd := program(t, "audit", tb.path, "--format", "json", "--log-file", "/dev/full", quiet)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if ended(t, err) != 0 || !json.Valid(out) || !told(errs.String()) {
			t.Errorf("%v: %s", err, errs.String())
		}
	}
	s := explore(t, tb.at("sales"), "--log-file", "/dev/full")
	s.until("us.csv")
	if _, err := s.master.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	s.is(0)
	if !told(s.errs.String()) {
		t.Errorf("the explorer: %q", s.errs.String())
	}
}
