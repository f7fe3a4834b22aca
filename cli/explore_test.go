package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExplorerIgnoreFile(t *testing.T) {
	a := &app{}
	if got := a.ignoreFile(); filepath.Base(got) != "ignore.yaml" || filepath.Dir(got) != filepath.Dir(configPath()) {
		t.Errorf("the default is %s", got)
	}
	wrong := filepath.Join(t.TempDir(), "wrong.yaml")
	if err := os.WriteFile(wrong, []byte("- id: no-such-thing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.flags.ignore = wrong
	if got := a.ignoreFile(); got != wrong {
		t.Errorf("--ignore gives %s", got)
	}
	if err := a.checkIgnore(); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a wrong file: %v", err)
	}
	a.flags.ignore = filepath.Join(t.TempDir(), "not-yet.yaml")
	if err := a.checkIgnore(); err != nil {
		t.Errorf("a file that is not there yet: %v", err)
	}
}
