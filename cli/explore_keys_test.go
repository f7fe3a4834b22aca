package cli

import (
	"strings"
	"testing"

	"provcat-tui/config"
)

// Keys of the config file that cannot be used are told with their line.
func TestWrongKeysAreToldWithTheirLine(t *testing.T) {
	c, problems := config.Parse([]byte("keys:\n  reload: f5\n  opne: o\n  log: d d d d d d\n"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	a := &app{config: c}
	a.flags.config = "/x/config.yaml"
	keys := map[string][]string{}
	for id, p := range c.Keys {
		keys[id] = p
	}
	err := a.checkKeys(keys)
	if err == nil || !strings.Contains(err.Error(), "/x/config.yaml") || !strings.Contains(err.Error(), "line 3") || !strings.Contains(err.Error(), "open") {
		t.Errorf("%v", err)
	}
	if err := a.checkKeys(map[string][]string{"reload": {"f5"}}); err != nil {
		t.Errorf("a good one: %v", err)
	}
}
