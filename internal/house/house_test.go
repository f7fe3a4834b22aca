// Package house holds no code: it keeps the rules of docs/architecture.md about
// which package may know which, and that outside code stays in its rooms.
package house

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "provcat-tui"

// mayKnow gives for each package the packages of ours that its code (tests
// aside) may import. A package that is not named here has no room in the house.
var mayKnow = map[string][]string{
	".":                  {"cli"},
	"cli":                {"config", "state", "views", "ui", "demo", "audit", "audit/report", "commit", "bucket", "bucket/local", "bucket/s3", "bucket/gcs", "bucket/inventory", "internal/safe", "internal/whole", "internal/target"},
	"views":              {"ui", "compare", "audit", "audit/report", "commit", "bucket", "internal/safe", "internal/whole"},
	"compare":            {},
	"ui":                 {"internal/safe"},
	"config":             {"internal/safe"},
	"state":              {"internal/safe", "internal/whole"},
	"demo":               {"commit", "bucket", "bucket/local", "internal/safe"},
	"audit":              {"commit", "bucket", "bucket/inventory", "internal/safe", "internal/whole"},
	"audit/report":       {"audit", "commit", "bucket", "internal/safe"},
	"commit":             {"bucket", "internal/safe"},
	"bucket":             {"internal/safe"},
	"bucket/local":       {"bucket", "internal/safe"},
	"bucket/remote":      {"bucket", "internal/safe"},
	"bucket/s3":          {"bucket", "bucket/remote", "internal/safe"},
	"bucket/s3/s3test":   {"bucket", "bucket/s3", "bucket/buckettest", "internal/safe", "internal/fakes3"},
	"bucket/gcs":         {"bucket", "bucket/remote", "internal/safe"},
	"bucket/gcs/gcstest": {"bucket", "bucket/gcs"},
	"bucket/buckettest":  {"bucket", "internal/safe"},
	"internal/fakegcs":   {"internal/faults"},
	"internal/fakes3":    {"bucket", "internal/safe", "internal/faults"},
	"internal/faults":    {},
	"internal/synthetic": {},
	"internal/safe":      {},
	"internal/race":      {},
	"internal/whole":     {},
	"internal/target":    {"internal/safe"},
	"internal/house":     {},
	"internal/histories": {},
	"screenshots":        {"demo", "internal/fakes3"},
	"tools/realserver":   {},
	"tools/bench":        {"commit", "bucket", "bucket/s3", "bucket/gcs", "internal/synthetic"},

	"bucket/inventory":               {"bucket", "internal/safe"},
	"bucket/inventory/inventorytest": {"bucket"},
}

// onlyIn says which of our packages (and those below them) may import code from
// outside, by the start of its path. Tests are held to it too.
var onlyIn = map[string][]string{
	"charm.land/":                     {"ui", "views", "cli"},
	"github.com/charmbracelet/":       {"ui", "views", "cli", "screenshots"},
	"github.com/sahilm/":              {"ui"},
	"github.com/alecthomas/chroma":    {"ui"},
	"github.com/aymanbagabas/":        {"compare"},
	"github.com/spf13/":               {"cli"},
	"github.com/aws/":                 {"bucket/s3", "internal/fakes3", "tools/realserver"},
	"cloud.google.com/":               {"bucket/gcs", "internal/fakegcs"},
	"google.golang.org/":              {"bucket/gcs", "internal/fakegcs", "tools/realserver"},
	"github.com/anishathalye/":        {"internal/histories"},
	"modernc.org/sqlite":              {"bucket/local"},
	"github.com/go-json-experiment/":  {"commit", "bucket/gcs"},
	"github.com/parquet-go/":          {"bucket/inventory"},
	"github.com/klauspost/":           {"bucket/inventory"},
	"github.com/creack/pty":           {"cli", "views", "screenshots"},
	"github.com/santhosh-tekuri/json": {"audit", "cli", "config"},
}

func TestEachRoomKnowsOnlyThoseBelow(t *testing.T) {
	seen := 0
	for name, p := range packages(t) {
		known, ok := mayKnow[name]
		if !ok {
			t.Errorf("package %s is not in the table: say here what it may know", name)
			continue
		}
		for _, imported := range p.Imports {
			own, ok := strings.CutPrefix(imported, module+"/")
			if !ok {
				continue
			}
			seen++
			if !slices.Contains(known, own) {
				t.Errorf("%s imports %s; it may know only %v", name, own, known)
			}
		}
	}
	// Nothing seen would mean that this test looks in the wrong place.
	if seen < 10 {
		t.Errorf("only %d imports of our own packages were seen", seen)
	}
}

func TestOutsideCodeStaysInItsRooms(t *testing.T) {
	for name, p := range packages(t) {
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			for start, rooms := range onlyIn {
				if strings.HasPrefix(imported, start) && !slices.ContainsFunc(rooms, func(room string) bool {
					return name == room || strings.HasPrefix(name, room+"/")
				}) {
					t.Errorf("%s imports %s, which belongs in %v", name, imported, rooms)
				}
			}
		}
	}
}

// packages reads the imports of every package of the module, whatever system
// its files are for.
func packages(t *testing.T) map[string]*build.Package {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	every := build.Default
	every.UseAllFiles = true
	out := map[string]*build.Package{}
	err = filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		base := d.Name()
		if dir != root && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata") {
			return fs.SkipDir
		}
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && dir != root {
			return fs.SkipDir // a module of its own
		}
		goFiles, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(goFiles) == 0 {
			return err
		}
		p, err := every.ImportDir(dir, 0)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		out[filepath.ToSlash(name)] = p
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A person who asks why a module is here finds it in the docs.
func TestEachDirectDependencyHasItsReason(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	direct := 0
	for line := range strings.Lines(string(mod)) {
		name, _, ok := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "require ")), " v")
		if !ok || strings.Contains(line, "// indirect") {
			continue
		}
		direct++
		_, row, ok := strings.Cut(string(page), "| "+name+" | ")
		if !ok {
			t.Errorf("docs/dependencies.md has no row for %s", name)
			continue
		}
		told, why, _ := strings.Cut(row, " | ")
		if why, _, _ = strings.Cut(why, " |\n"); len(why) < 10 {
			t.Errorf("docs/dependencies.md gives no reason for %s: %q", name, why)
		}
		if is := strings.Join(licences(t, name), ", "); told != is {
			t.Errorf("docs/dependencies.md says that %s is under %q; its own files say %q", name, told, is)
		}
	}
	if direct < 5 {
		t.Errorf("only %d direct dependencies were seen", direct)
	}
}
