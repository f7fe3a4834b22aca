package cli

import (
	"errors"
	"fmt"
	"strings"

	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// begin says which commit it is and where its files go.
func (g *getter) begin() {
	a, pt := g.a, g.part
	if a.format == "json" {
		g.doc = newDocument(a.out, "provcat-get/1")
		g.doc.member("bucket", pt.p.URL())
		g.doc.member("path", pt.p.path)
		g.doc.member("at", refJSON(pt.folder, pt.ref))
		g.doc.member("dir", g.o.dir)
		g.doc.member("dry_run", g.o.dryRun)
		g.doc.member("total", g.total)
		g.doc.array("files")
		return
	}
	newest := ""
	if g.o.at == "head" {
		newest = ", the newest"
	}
	a.printf("from      %s of %s%s: %s, %s\n", refText(pt.ref), folderText(pt.folder), newest, count(g.total.Files, "file"), size(g.total.Bytes))
	a.printf("to        %s\n", safe.Text(g.o.dir))
}

// tell shows a file that was not fetched, and with --dry-run every one. An output that
// cannot be written to is told when all is fetched.
func (g *getter) tell(r got) {
	if g.doc != nil {
		_ = g.doc.item(r) // the document keeps its first error
		return
	}
	name := safe.Text(r.Name)
	if name == "" {
		name = "./"
	}
	switch r.State {
	case gotFetched:
		return
	case gotPresent, gotPlanned:
		if !g.o.dryRun {
			return
		}
	}
	line := pad(r.State, 8) + "  " + name
	if r.State == gotPlanned && r.Size != nil {
		line += "  " + size(*r.Size)
	}
	if r.Detail != "" {
		line += ": " + r.Detail
	}
	g.a.printf("%s\n", line)
}

// counts are the files and bytes of each state that occurs.
func (g *getter) counts() map[string]getTotal {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := map[string]getTotal{}
	for state, t := range g.done {
		out[state] = t
	}
	return out
}

// stateTexts say what a state means of so many files.
var stateTexts = map[string]string{
	gotFetched: "fetched",
	gotPlanned: "would be fetched",
	gotPresent: "were there already",
	gotDiffers: "differ from what is there and were left",
	gotRefused: "cannot have their names there",
	gotGone:    "gone",
	gotDamaged: "damaged",
	gotFailed:  "could not be fetched",
}

// standing tells the counts in one line.
func (g *getter) standing() string {
	counts := g.counts()
	var parts []string
	var seen int64
	for _, s := range gotStates {
		t := counts[s]
		seen += t.Files
		if t.Files > 0 {
			parts = append(parts, fmt.Sprintf("%s %s (%s)", number(t.Files), stateTexts[s], size(t.Bytes)))
		}
	}
	if left := g.total.Files - seen; left > 0 {
		parts = append(parts, number(left)+" not tried")
	}
	if len(parts) == 0 {
		return "no files"
	}
	return fmt.Sprintf("of %s %s", count(g.total.Files, "file"), strings.Join(parts, ", "))
}

func (g *getter) totals() { g.a.printf("%s\n", g.standing()) }

// verdict is nil where all files are there, or would be.
func (g *getter) verdict() error {
	c := g.counts()
	var todo []string
	if c[gotGone].Files > 0 || c[gotDamaged].Files > 0 {
		todo = append(todo, "what is gone nothing but another copy of its bytes brings back: which versions with equal bytes are left, and since when it is gone, says: "+g.part.p.command("audit", g.part.folder))
	}
	if c[gotDiffers].Files > 0 {
		todo = append(todo, "--overwrite replaces what differs")
	}
	if c[gotRefused].Files > 0 {
		todo = append(todo, "what was refused can be read one by one: "+g.part.p.command("cat", commit.KeyPrefix(g.part.folder)+"…", "--at", refWord(g.part.ref), ">", "FILE"))
	}
	if c[gotFailed].Files > 0 {
		todo = append(todo, "the same command tries again what could not be fetched")
	}
	if len(todo) == 0 {
		return nil
	}
	code := exitIncomplete
	if c[gotDiffers].Files+c[gotRefused].Files+c[gotFailed].Files == 0 {
		code = exitNegative
	}
	return &exitError{code, errors.New("not all files of the commit are there: " + strings.Join(todo, "; "))}
}
