package views

import (
	"fmt"
	"slices"
	"strings"

	"provcat-tui/audit"
	"provcat-tui/commit"
)

// A target is something in the detail that can be gone to.
type target struct {
	label string // as a person would call it
	to    func() screen
	line  int // on which it stands in the detail
}

// entryTarget is a log at one of its entries. folder may be nil, or that of another
// log: then the log keeps its hash as its name.
func (s *auditScreen) entryTarget(hash string, number int64, folder *string) *target {
	name, named := s.folder, false
	if folder != nil && commit.FolderHash(*folder) == hash {
		name, named = *folder, true
	}
	return &target{label: fmt.Sprintf("log entry #%d", number), to: func() screen {
		l := newLogByHash(s.place, name, hash, named)
		l.goTo = number
		return l
	}}
}

// commitTarget is a commit; number is its entry's, 0: none is known.
func (s *auditScreen) commitTarget(folder string, number int64, id string) *target {
	return &target{label: "commit " + commit.ShortID(id), to: func() screen { return newCommit(s.place, folder, id, number) }}
}

func (s *auditScreen) objectTarget(key, version string) *target {
	return &target{label: "object " + key, to: func() screen { return newObject(s.place, key, version) }}
}

// keyTarget is what a key of the bucket holds: an entry, a commit, else an object;
// nil: there is no key.
func (s *auditScreen) keyTarget(f *audit.Finding, key, version string) *target {
	if key == "" || strings.HasSuffix(key, "/") && strings.HasPrefix(key, commit.Root) {
		return nil // a prefix of the layout is no key
	}
	if hash, n, ok := commit.ParseSlotKey(key); ok {
		return s.entryTarget(hash, n, f.Folder)
	}
	if id, ok := commit.ParseCommitKey(key); ok {
		folder, number := s.folderIn(f), int64(0)
		if id == f.Commit {
			number = entryNumber(f)
		}
		return s.commitTarget(folder, number, id)
	}
	return s.objectTarget(key, version)
}

func (s *auditScreen) folderIn(f *audit.Finding) string {
	if f.Folder != nil {
		return *f.Folder
	}
	return s.folder
}

// entryNumber is the number of the entry that names a finding's commit; 0: none
// does, and the commit's screen looks whether that is so.
func entryNumber(f *audit.Finding) int64 {
	if slices.Contains([]string{"commit-unfinished", "commit-lost-race", "commit-stray"}, f.ID) {
		return 0
	}
	return f.Number
}

// mainTarget is what a finding is mainly about; nil: there is nothing to go to.
func (s *auditScreen) mainTarget(f *audit.Finding) func() screen {
	folder := s.folderIn(f)
	hash, number, isSlot := commit.ParseSlotKey(f.Key)
	var t *target
	switch {
	case strings.HasPrefix(f.ID, "log-") && isSlot:
		t = s.entryTarget(hash, number, f.Folder)
	case strings.HasPrefix(f.ID, "log-") && f.Folder != nil:
		t = s.entryTarget(commit.FolderHash(folder), f.Number, f.Folder)
	case f.Key != "" && slices.Contains([]string{"commit-deleted", "commit-missing", "commit-corrupt", "commit-rewritten"}, f.ID):
		t = s.objectTarget(f.Key, f.Version)
	case strings.HasPrefix(f.ID, "commit-") && f.Commit != "":
		t = s.commitTarget(folder, entryNumber(f), f.Commit)
	case f.Key != "":
		t = s.keyTarget(f, f.Key, f.Version)
	}
	for _, e := range slices.Concat(f.Affected.Examples, f.Evidence) {
		if t == nil {
			t = s.keyTarget(f, e.Key, e.Version)
		}
	}
	if t == nil && len(f.Affected.Commits) > 0 {
		c := f.Affected.Commits[0]
		t = s.commitTarget(c.Folder, c.Number, c.ID)
	}
	if t == nil && f.Commit != "" {
		t = s.commitTarget(folder, entryNumber(f), f.Commit)
	}
	if t == nil {
		return nil
	}
	return t.to
}

// detailPane is where a person stands in the detail of a finding.
type detailPane struct {
	top     int // first line that is shown
	page    int // lines that are shown
	lines   int
	targets []*target
	at      int // the selected target; -1: none
}

// selected is the target that enter opens; it is always on the screen.
func (p *detailPane) selected() *target {
	if p.at < 0 || p.at >= len(p.targets) {
		return nil
	}
	if t := p.targets[p.at]; t.line >= p.top && t.line < p.top+p.page {
		return t
	}
	return nil
}

// enter selects the first target on the screen, unless one is selected already.
func (p *detailPane) enter() {
	if p.selected() != nil {
		return
	}
	p.at = slices.IndexFunc(p.targets, func(t *target) bool { return t.line >= p.top && t.line < p.top+p.page })
}

// follow brings the selected target onto the screen, which may be another size than
// when it was selected.
func (p *detailPane) follow() {
	if p.at < 0 || p.at >= len(p.targets) {
		return
	}
	line := p.targets[p.at].line
	p.top = min(max(p.top, line-p.page+1), line)
	p.clamp()
}

// walk moves: up and down go through the targets on the screen, and else scroll.
func (p *detailPane) walk(id string) {
	switch id {
	case "down":
		p.step(1)
	case "up":
		p.step(-1)
	case "pageup":
		p.top, p.at = p.top-max(p.page-1, 1), -1
	case "pagedown":
		p.top, p.at = p.top+max(p.page-1, 1), -1
	case "top":
		p.top, p.at = 0, -1
	case "bottom":
		p.top, p.at = p.lines, -1
	}
	p.clamp()
}

// Wheel scrolls, for the mouse; what goes off the screen is no longer selected.
func (p *detailPane) Wheel(n int) {
	p.top += n
	p.clamp()
	if p.selected() == nil {
		p.at = -1
	}
}

// point selects the target on a line, for the mouse.
func (p *detailPane) point(y int) bool {
	i := slices.IndexFunc(p.targets, func(t *target) bool { return t.line == p.top+y })
	was := p.at
	if i >= 0 {
		p.at = i
	}
	return i >= 0 && i == was
}

func (p *detailPane) clamp() { p.top = max(min(p.top, p.lines-p.page), 0) }

func (p *detailPane) step(by int) {
	from := p.top - 1
	if by < 0 {
		from = p.top + p.page
	}
	if t := p.selected(); t != nil {
		from = t.line
	}
	next := -1
	for i, t := range p.targets {
		if t.line < p.top || t.line >= p.top+p.page {
			continue
		}
		if by > 0 && t.line > from && next < 0 || by < 0 && t.line < from {
			next = i
		}
	}
	if next >= 0 {
		p.at = next
		return
	}
	p.top += by
	p.clamp()
	if p.selected() == nil {
		p.at = -1 // it went off the screen: nobody sees any more what enter would open
	}
}
