package views

import (
	"slices"
	"sync"
	"testing"

	"provcat-tui/commit"
)

// A URL says what it names: a folder, a file, or nothing that is there. Only a place
// where somebody may want to go again is kept as recent.
func TestURLOpensWhatItNames(t *testing.T) {
	f, _ := small(t)
	f.delete("sales/2026/logo.png")
	f.removeAll("web/index.html") // its commit is left
	f.put("both", "an object")
	f.put("both/below.txt", "and a folder")
	const notThere = "There is no folder "
	for path, c := range map[string]struct {
		sees, lacks []string
		kept        bool
	}{
		"":                         {[]string{"files, live", "README.md"}, nil, true},
		"sales":                    {[]string{"files, live", "c commit"}, []string{notThere}, true},
		"sales/2026/":              {[]string{"files, live", "notes.txt"}, []string{notThere}, true},
		"both":                     {[]string{"files, live", "below.txt"}, nil, true},
		"web":                      {[]string{"No key is left here", "has a log of"}, nil, true},
		"README.md":                {[]string{"Object README.md", "● Readable", "A bucket to look at."}, []string{notThere}, false},
		"sales/2026/eu/orders.csv": {[]string{"Object sales/2026/eu/orders.csv", "● Readable"}, nil, false},
		"sales/2026/logo.png":      {[]string{"Object sales/2026/logo.png", "✗ Deleted"}, nil, false},
		"salse":                    {[]string{notThere + "salse/", "no such folder, and no commit of it"}, []string{"c makes the first", "c commit"}, false},
		"README.md/":               {[]string{notThere + "README.md/"}, []string{"c makes the first", "c commit"}, false},
		"sales/2072":               {[]string{notThere + "sales/2072/", "commits: sales"}, []string{"c commit"}, false},
	} {
		t.Run(path, func(t *testing.T) {
			if path == "sales/2072" {
				f.commit("sales", "ana", "All of sales")
			}
			s := f.start(path)
			var mu sync.Mutex
			var visited []string
			s.Visited = func(url string) {
				mu.Lock()
				visited = append(visited, url)
				mu.Unlock()
			}
			d := newDriver(t, s, 120, 30)
			d.sees(c.sees...)
			d.seesNot(c.lacks...)
			url := "file:///data/demo.bucket"
			if path != "" {
				url += "/" + path
			}
			mu.Lock()
			defer mu.Unlock()
			if got := slices.Contains(visited, url); got != c.kept {
				t.Errorf("kept for the next run: %v", visited)
			}
			if got := slices.Contains(d.m.env.Recent, url); got != c.kept {
				t.Errorf("kept for this run: %v", d.m.env.Recent)
			}
			if len(c.lacks) > 1 {
				d.press("c")
				d.sees("Not now: there is nothing here to commit")
			}
		})
	}
}

// A folder that is not there and has a log is one: its commit can be looked at, and the
// deletion of all its files be committed.
func TestFolderWithALogAloneMayCommit(t *testing.T) {
	f, _ := small(t)
	f.removeAll("web/index.html")
	d := newDriver(t, f.start("web"), 120, 30)
	d.sees("c commit")
	f.removeAll(commit.EntryKey("web", 1))
	d = newDriver(t, f.start("web"), 120, 30)
	d.sees("There is no folder web/")
	d.seesNot("c commit")
}
