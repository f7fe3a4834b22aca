package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// licenceMarks are sentences by which a licence is known, with its SPDX name.
var licenceMarks = []struct{ name, mark string }{
	{"Apache-2.0", "Apache License"},
	{"MIT", "Permission is hereby granted, free of charge"},
	{"MPL-2.0", "Mozilla Public License"},
	{"Unlicense", "released into the public domain"},
}

// licences reads a module's own files in the module cache. What SQLite's translation
// carries from others stands in its LICENSE-3RD-PARTY.md, and is not looked at.
func licences(t *testing.T, module string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module).Output() //nolint:gosec // a name of go.mod
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		t.Fatalf("%s is not in the module cache: %v", module, err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		name := strings.ToUpper(f.Name())
		if f.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") || strings.Contains(name, "3RD-PARTY") || strings.Contains(name, "SQLITE") {
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(string(body)), " ")
		for _, l := range licenceMarks {
			if strings.Contains(text, l.mark) {
				found = append(found, l.name)
			}
		}
		if strings.Contains(text, "Redistribution and use in source and binary forms") {
			if strings.Contains(text, "Neither the name") {
				found = append(found, "BSD-3-Clause")
			} else {
				found = append(found, "BSD-2-Clause")
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
