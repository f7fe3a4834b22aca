package views

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"provcat-tui/commit"
	"provcat-tui/ui"
)

// changesAt are additions of one byte each.
func changesAt(paths ...string) []commit.Change {
	var out []commit.Change
	for _, p := range paths {
		out = append(out, commit.Change{Path: p, Kind: commit.Added, To: commit.File{Path: p, Version: "v", Size: 1}})
	}
	return out
}

// drawn are the rows of a tree, without what is right of the path.
func drawn(t *changeTree) []string {
	var out []string
	for i := range t.Len() {
		var r ui.Row
		t.Row(i, &r)
		out = append(out, r.Cells[1].Text)
	}
	return out
}

// grown is a tree that got its changes in batches.
func grown(changes []commit.Change, batch int) *changeTree {
	t := &changeTree{}
	for n := 0; n < len(changes); n += batch {
		t.add(changes[:min(n+batch, len(changes))])
	}
	return t
}

func TestChangesByFolder(t *testing.T) {
	changes := changesAt("a.txt", "a/b/c/1", "a/b/c/2", "a/b/d/e/3", "a/x", "f/g/4", "f/h/5", "z")
	want := []string{
		"  a.txt",
		"▾ a/  +4",
		"  ▾ b/  +3",
		"    ▾ c/  +2",
		"        1",
		"        2",
		"      d/e/3",
		"    x",
		"▾ f/  +2",
		"    g/4",
		"    h/5",
		"  z",
	}
	for batch := 1; batch <= len(changes); batch++ {
		if got := drawn(grown(changes, batch)); !slices.Equal(got, want) {
			t.Errorf("in batches of %d:\n%s\nwant\n%s", batch, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	tree := grown(changes, 3)
	tree.table.Cursor = 2
	tree.toggle()
	folded := append(append(slices.Clone(want[:2]), "  ▸ b/  +3"), want[7:]...)
	if got := drawn(tree); !slices.Equal(got, folded) {
		t.Errorf("b folded:\n%s", strings.Join(got, "\n"))
	}
	tree.toggle()
	if got := drawn(tree); !slices.Equal(got, want) {
		t.Errorf("b unfolded again:\n%s", strings.Join(got, "\n"))
	}
	tree.table.Cursor = 5
	tree.foldAll(true)
	if got := drawn(tree); !slices.Equal(got, []string{"  a.txt", "▸ a/  +4", "▸ f/  +2", "  z"}) || tree.table.Cursor != 1 {
		t.Errorf("all folded, cursor %d:\n%s", tree.table.Cursor, strings.Join(got, "\n"))
	}
	tree.reveal(3) // a/b/d/e/3
	if got := drawn(tree); tree.selected() != 3 || got[tree.table.Cursor] != "      d/e/3" || got[3] != "    ▸ c/  +2" {
		t.Errorf("revealed, cursor %d:\n%s", tree.table.Cursor, strings.Join(got, "\n"))
	}
	tree.outwards()
	if got := drawn(tree); got[tree.table.Cursor] != "  ▾ b/  +3" {
		t.Errorf("its heading is %q", got[tree.table.Cursor])
	}
}

func TestTotalsOfFolders(t *testing.T) {
	file := func(n int64) commit.File { return commit.File{Size: n} }
	tree := grown([]commit.Change{
		{Path: "a/1", Kind: commit.Added, To: file(10)},
		{Path: "a/b/2", Kind: commit.Removed, From: file(4)},
		{Path: "a/b/3", Kind: commit.Changed, From: file(3), To: file(7)},
		{Path: "a/b/4", Kind: commit.Changed, From: file(-1), To: file(-1)}, // sizes not recorded
	}, 2)
	want := map[string]totals{"a/": {1, 1, 2, 7, 17}, "a/b/": {0, 1, 2, 7, 7}}
	for g := range tree.groups {
		if p := tree.path(int32(g)); tree.groups[g].totals != want[p] {
			t.Errorf("%s: %+v, want %+v", p, tree.groups[g].totals, want[p])
		}
	}
	if len(tree.groups) != len(want) {
		t.Errorf("%d groups", len(tree.groups))
	}
	if got := drawn(tree)[0]; got != "▾ a/  +1 -1 ~2" {
		t.Errorf("the heading says %q", got)
	}
}

// Any paths in any batches, folded anywhere: the rows are those of a tree that was
// made in one go, every change is in each of its folders, and groups stay few.
func TestAnyTreeOfChanges(t *testing.T) {
	for seed := range 300 {
		rnd := rand.New(rand.NewPCG(uint64(seed), 1))
		set := map[string]bool{}
		for range 1 + rnd.IntN(40) {
			var p strings.Builder
			for range rnd.IntN(6) {
				p.WriteByte("ab./"[rnd.IntN(4)])
				if rnd.IntN(2) == 0 {
					p.WriteByte('/')
				}
			}
			set[p.String()+"f"] = true
		}
		var paths []string
		for p := range set {
			paths = append(paths, p)
		}
		slices.Sort(paths)
		changes := changesAt(paths...)
		whole := grown(changes, len(changes))
		tree := grown(changes, 1+rnd.IntN(5))
		if !slices.Equal(drawn(whole), drawn(tree)) {
			t.Fatalf("%d: batches change the rows of %q", seed, paths)
		}
		if len(tree.groups) >= 2*len(changes) {
			t.Fatalf("%d: %d groups of %d changes", seed, len(tree.groups), len(changes))
		}
		for g := range tree.groups {
			dir, n := tree.path(int32(g)), int64(0)
			for _, p := range paths {
				if strings.HasPrefix(p, dir) {
					n++
				}
			}
			if tree.groups[g].totals.added != n {
				t.Fatalf("%d: %s has %d files, not %d", seed, dir, n, tree.groups[g].totals.added)
			}
		}
		for range 20 {
			tree.table.Cursor = rnd.IntN(tree.Len())
			if rnd.IntN(4) == 0 {
				tree.reveal(rnd.IntN(len(changes)))
			} else {
				tree.toggle()
			}
			rows := slices.Clone(tree.rows)
			tree.dirty = 0
			tree.fill()
			if !slices.Equal(rows, tree.rows) {
				t.Fatalf("%d: folding gave rows %v, all anew %v", seed, rows, tree.rows)
			}
		}
	}
}

// A path of many folders costs no more groups than any other.
func TestDeepPathsMakeFewGroups(t *testing.T) {
	var paths []string
	for i := range 1000 {
		paths = append(paths, strings.Repeat("a/", i%500)+fmt.Sprintf("%04d/x", i))
	}
	slices.Sort(paths)
	tree := grown(changesAt(paths...), 100)
	if len(tree.groups) > 2*len(paths) {
		t.Errorf("%d groups", len(tree.groups))
	}
	tree.table.View(tree, 80, 24, ui.NewTheme(true, true))
}
