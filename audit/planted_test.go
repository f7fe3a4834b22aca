package audit

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// planted notes which test planted the damage of which finding and got it: expect
// tells it of each finding that was as expected.
var planted struct {
	sync.Mutex
	by map[string]map[string]bool // by id: tests
	// bare are those that came without the place or the evidence that they must have.
	bare map[string]string
}

// What is about the whole bucket or one of its rules has no place in it, and a
// setting nothing to show besides.
var (
	ofTheBucket = []string{"versioning-off", "versioning-suspended", "evidence-erased", "bucket-copied"}
	ofASetting  = []string{"versioning-off", "versioning-suspended"}
)

func notePlanted(t testing.TB, f Finding) {
	planted.Lock()
	defer planted.Unlock()
	if planted.by == nil {
		planted.by, planted.bare = map[string]map[string]bool{}, map[string]string{}
	}
	if planted.by[f.ID] == nil {
		planted.by[f.ID] = map[string]bool{}
	}
	test, _, _ := strings.Cut(t.Name(), "/")
	planted.by[f.ID][test] = true
	place := slices.Contains(ofTheBucket, f.ID) || f.Folder != nil || f.Key != "" || f.Number > 0 || f.Commit != ""
	shown := slices.Contains(ofASetting, f.ID) || len(f.Evidence)+len(f.Affected.Examples)+len(f.Affected.Commits) > 0
	if f.Severity != Unknown && (!place || !shown) {
		planted.bare[f.ID] = t.Name()
	}
}

// TestMain fails where a kind of finding was planted by no test, or came without
// place or evidence. It can only tell when all tests ran.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	for _, narrow := range []string{"test.run", "test.skip", "test.list"} {
		if f := flag.Lookup(narrow); f != nil && f.Value.String() != "" {
			os.Exit(code)
		}
	}
	for _, e := range Explanations {
		if len(planted.by[e.ID]) == 0 {
			fmt.Printf("FAIL: no test plants %s and gets it\n", e.ID)
			code = max(code, 1)
		} else if testing.Verbose() {
			fmt.Printf("planted %s: %s\n", e.ID, strings.Join(slices.Sorted(maps.Keys(planted.by[e.ID])), ", "))
		}
	}
	for id := range planted.by {
		if _, ok := Explain(id); !ok {
			fmt.Printf("FAIL: %s is found, and nothing explains it\n", id)
			code = max(code, 1)
		}
	}
	for id, test := range planted.bare {
		fmt.Printf("FAIL: %s has no place or no evidence in %s\n", id, test)
		code = max(code, 1)
	}
	os.Exit(code)
}
