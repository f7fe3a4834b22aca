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
	err := a.checkLooks(keys, nil)
	if err == nil || !strings.Contains(err.Error(), "/x/config.yaml") || !strings.Contains(err.Error(), "line 3") || !strings.Contains(err.Error(), "open") {
		t.Errorf("%v", err)
	}
	if err := a.checkLooks(map[string][]string{"reload": {"f5"}}, map[string][]string{"log": {"message", "age"}}); err != nil {
		t.Errorf("a good one: %v", err)
	}
}

// So are columns, each with its own line and what would be right.
func TestWrongColumnsAreToldWithTheirLine(t *testing.T) {
	c, problems := config.Parse([]byte("columns:\n  folder:\n    - name\n    - sise\n    - colour\n    - name\n  lgo: [age]\n  log: []\n  audit: mark\n  moon: [x]\n"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	a := &app{config: c}
	a.flags.config = "/x/config.yaml"
	columns := map[string][]string{}
	for screen, names := range c.Columns {
		columns[screen] = names
	}
	err := a.checkLooks(nil, columns)
	want := `the config file /x/config.yaml:
  line 4: folder has no column "sise"; did you mean "size"?
  line 5: folder has no column "colour"; it has mark, name, size, modified, versions, version, etag
  line 6: folder: the column "name" is there twice
  line 7: there is no screen "lgo"; did you mean "log"?
  line 8: log: no column is left; it has mark, number, commit, age, author, message, added, changed, removed, bytes, grew by, files, written
  line 9: audit: the marks alone tell nothing; it has mark, finding, what
  line 10: there is no screen "moon" with a table; there are audit, buckets, commit, diff, folder, log, object, pin, requests`
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant\n%s", err, want)
	}
}
