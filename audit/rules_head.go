package audit

import (
	"fmt"
	"slices"
	"strings"

	"provcat-tui/commit"
)

// headLost finds commits that no entry names and that were in the log once: history
// whose entries were cut off without a trace. A writer builds only on what is
// logged, so the parent of a commit was logged when the commit was made.
func (j *judge) headLost(l *logFacts, real []*slotFacts) {
	head, n := "", int64(0)
	var top *slotFacts
	if len(real) > 0 {
		top = real[0]
		head, n = top.named(), top.number
		if head == "" {
			return
		}
	}
	chain := j.chain(l.hash, head)
	above, replaced := j.looseChains(l, head, n)
	switch {
	case len(above) > 0:
		j.cutOff(l, top, n, chain, above)
	case len(chain) > 1:
		j.chainLost(l, top, n, chain)
	}
	if j.partly(l) {
		return // a commit that was left out may tell what became of their entries
	}
	for _, c := range replaced {
		j.usedAgain(l, c)
	}
}

// looseChains gives the chains of orphans that start at no head: above are those
// whose start no entry names and which reach beyond the next number, replaced the
// others of two or more. In order of their first commit's ID.
func (j *judge) looseChains(l *logFacts, head string, n int64) (above, replaced [][]*commitFacts) {
	loose := map[string]bool{}
	for _, c := range j.orphans[l.hash] {
		loose[c.id] = !j.behind[c.id]
	}
	starts := map[string]bool{}
	for _, c := range j.orphans[l.hash] {
		if p := c.header.Parent; loose[c.id] && !loose[p] && p != head {
			starts[p] = true
		}
	}
	for p := range starts {
		chain := j.chain(l.hash, p)
		if len(chain) == 0 {
			continue
		}
		cut := p != "" && len(j.entryOf[p]) == 0 && !j.behind[p]
		switch last := chain[len(chain)-1]; {
		case cut && last.header.Number > n+1:
			above = append(above, chain)
		case len(chain) > 1 && !j.remembered(l, chain):
			replaced = append(replaced, chain)
		}
	}
	for _, list := range [][][]*commitFacts{above, replaced} {
		slices.SortFunc(list, func(x, y []*commitFacts) int { return strings.Compare(x[0].id, y[0].id) })
	}
	return above, replaced
}

// remembered says that the witness saw one of a chain in the log, and so tells more.
func (j *judge) remembered(l *logFacts, chain []*commitFacts) bool {
	return slices.ContainsFunc(chain, func(c *commitFacts) bool {
		id, ok := j.a.saw(l.hash, c.header.Number)
		return ok && id == c.id
	})
}

// chainLost reports a chain of orphans that follows the head.
func (j *judge) chainLost(l *logFacts, top *slotFacts, n int64, chain []*commitFacts) {
	last := chain[len(chain)-1]
	f := Finding{ID: "log-head-lost", Severity: Damage, Confidence: Likely, Number: n + int64(len(chain)), Commit: last.id,
		Key: commit.SlotKey(l.hash, n+1)}
	f.Title = fmt.Sprintf("the newest %d entries of %s are lost", len(chain), l.name())
	f.Detail = fmt.Sprintf("%d commit objects, each the child of the one before, follow the head (number %d), and no entry names them. A single orphan is a writer that crashed or lost a race; a chain of them was committed, and its entries were removed for good. Readers get an older commit, and the next commit would take number %d and make a second history: don't commit to this folder before the entries are back.", len(chain), n, n+1)
	for i, c := range chain {
		j.lose(l, &f, c, n+1+int64(i))
	}
	f.Evidence = append(f.Evidence, slotEvidence(top)...)
	f.Repair = j.a.rebuild(l, n+1, chain[0], false)
	var commands []string
	for i, c := range chain {
		if r := j.a.rebuild(l, n+1+int64(i), c, false); r.Command != "" {
			commands = append(commands, r.Command)
		}
	}
	switch {
	case len(commands) < len(chain):
		f.Repair.Text += " Then the next ones, in the order of their parents."
	case len(chain) <= maxCommands:
		f.Repair.Text += fmt.Sprintf(" The line writes all %d, in the order of their parents.", len(chain))
		f.Repair.Command = strings.Join(commands, " && ")
	default:
		f.Repair.Text += fmt.Sprintf(" The line writes the first %d of %d, in the order of their parents; then audit again, before anybody commits.", maxCommands, len(chain))
		f.Repair.Command = strings.Join(commands[:maxCommands], " && ")
	}
	j.add(l, f)
}

// cutOff reports orphans whose numbers lie above the next one, chain being what
// follows the head: of the commits between them nothing can be read.
func (j *judge) cutOff(l *logFacts, top *slotFacts, n int64, chain []*commitFacts, above [][]*commitFacts) {
	var newest *commitFacts
	all := slices.Clone(chain)
	for _, list := range above {
		all = append(all, list...)
		if c := list[len(list)-1]; newest == nil || c.header.Number > newest.header.Number {
			newest = c
		}
	}
	f := Finding{ID: "log-head-lost", Severity: Damage, Confidence: Likely, Number: newest.header.Number, Commit: newest.id,
		Key: commit.SlotKey(l.hash, n+1)}
	f.Title = fmt.Sprintf("the newest entries of %s are lost, up to number %d at least", l.name(), newest.header.Number)
	f.Detail = fmt.Sprintf("The log ends at number %d. Commit %s says that it is number %d, and its parent was in the log when it was made; but no entry names either. The entries were removed for good. Not all of the commit objects between are left, or they cannot be read: what is known of the lost commits is listed. Readers get an older commit, and the next commit would take number %d and make a second history: don't commit to this folder before this is cleared up.", n, commit.ShortID(newest.id), newest.header.Number, n+1)
	for i, c := range all {
		number := c.header.Number
		if i < len(chain) {
			number = n + 1 + int64(i)
		}
		j.lose(l, &f, c, number)
	}
	f.Evidence = append(f.Evidence, slotEvidence(top)...)
	f.Repair = &Repair{Kind: "rebuild-entry", Text: "First look for copies of the commit objects between (a replica, a backup). Then write the entries again with put-if-absent, in the order of their parents, the lowest number first."}
	j.add(l, f)
}

// usedAgain reports a chain of orphans beside the log: its first was logged, for the
// second was built on it, and its number has been given to another commit since.
func (j *judge) usedAgain(l *logFacts, chain []*commitFacts) {
	first, last := chain[0], chain[len(chain)-1]
	f := Finding{ID: "log-head-lost", Severity: Damage, Confidence: Likely, Number: max(last.header.Number, 0), Commit: last.id, Key: commit.CommitKey(first.id)}
	f.Title = fmt.Sprintf("%d commits of %s were cut off from the log, and it went on without them", len(chain), l.name())
	f.Detail = fmt.Sprintf("They follow each other, after %s, and no entry names them. A single one is a writer that crashed or lost a race; but the second of them was built on the first, %s, which was in the log then. Their entries were removed for good, and the numbers were used again: both branches of history exist, and readers before and after saw different ones. Nothing mends this: find out who read which commit, and compare the two.",
		after(first.header.Parent), commit.ShortID(first.id))
	for _, c := range chain {
		j.lose(l, &f, c, c.header.Number)
	}
	if s := l.at(first.header.Number); s != nil {
		f.Evidence = append(f.Evidence, slotEvidence(s)...)
	}
	j.add(l, f)
}

func after(parent string) string {
	if parent == "" {
		return "no commit"
	}
	return "commit " + commit.ShortID(parent)
}

// lose adds to a finding a commit whose entry was cut off.
func (j *judge) lose(l *logFacts, f *Finding, c *commitFacts, number int64) {
	j.behind[c.id] = true
	if len(f.Affected.Commits) < maxExamples {
		f.Evidence = append(f.Evidence, objectEvidence(c)...)
	}
	f.Affected.Commits = append(f.Affected.Commits, commitRefs(l, number, c.id)...)
}

// chain gives the longest chain of orphans of a log that starts at the commit id.
func (j *judge) chain(hash, id string) []*commitFacts {
	children := map[string][]*commitFacts{}
	for _, c := range j.orphans[hash] {
		if !j.behind[c.id] && c.id != id {
			children[c.header.Parent] = append(children[c.header.Parent], c)
		}
	}
	// IDs are hashes of what names the parent, so there are no circles; but what
	// was read may not be what was hashed, so each is visited once.
	seen := map[string]bool{}
	type step struct {
		c  *commitFacts
		up *step
		n  int
	}
	var best *step
	stack := []*step{{}}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		at := id
		if s.c != nil {
			at = s.c.id
			if best == nil || s.n > best.n || s.n == best.n && s.c.id < best.c.id {
				best = s
			}
		}
		for _, c := range children[at] {
			if !seen[c.id] {
				seen[c.id] = true
				stack = append(stack, &step{c, s, s.n + 1})
			}
		}
	}
	var out []*commitFacts
	for s := best; s != nil && s.c != nil; s = s.up {
		out = append(out, s.c)
	}
	slices.Reverse(out)
	return out
}
