package views

import (
	"strings"
	"time"

	"provcat-tui/audit"
	"provcat-tui/commit"
)

// known is what this run of the program learned about one bucket beyond what is on
// the screen. Its screens share it, in the program's own goroutine only.
type known struct {
	// audits are the last reports, by the folder that was audited.
	audits map[string]*keptAudit
	// damage says in words what is wrong with the log of a folder, or with what it names.
	damage map[string]string
	// logs holds the hashes of the folders that have a log; logsWhole says that these
	// are all, logsStale that they are to be looked for again.
	logs      map[string]bool
	logsWhole bool
	logsStale bool
	// levels are the folders that the finder's walks listed, by prefix; levelNames is
	// how many names they have.
	levels     map[string]*walkLevel
	levelNames int
}

// keptAudit is the report of an audit that ran in this session.
type keptAudit struct {
	report *audit.Report
	at     time.Time
	// stale: this session wrote to the folder since, and the report does not know it.
	stale bool
}

// known gives what is known of a bucket, by its own URL.
func (e *env) known(root string) *known {
	k := e.learned[root]
	if k == nil {
		k = &known{audits: map[string]*keptAudit{}, damage: map[string]string{}}
		e.learned[root] = k
	}
	return k
}

// facts is what is known of the place's bucket.
func (p place) facts() *known { return p.env.known(p.loc.Root()) }

// inside says whether folder x is f or lies below it.
func inside(f, x string) bool {
	return f == "" || x == f || strings.HasPrefix(x, f+"/")
}

// keepAudit keeps a report of a folder and those below. What it says of their
// damage takes the place of what was known of it.
func (k *known) keepAudit(folder string, r *audit.Report, now time.Time) {
	k.audits[folder] = &keptAudit{report: r, at: now}
	if r.Complete {
		for f := range k.damage {
			if inside(folder, f) {
				delete(k.damage, f)
			}
		}
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity == audit.Damage && f.Folder != nil {
			k.damage[*f.Folder] = f.Title
		}
	}
}

// auditOf gives the newest report that covers a folder, and the folder that was
// audited; nil: there is none.
func (k *known) auditOf(folder string) (in string, kept *keptAudit) {
	for f, a := range k.audits {
		if inside(f, folder) && (kept == nil || a.at.After(kept.at) || a.at.Equal(kept.at) && len(f) > len(in)) {
			in, kept = f, a
		}
	}
	return in, kept
}

// wrote marks the reports that cover a folder which was written to, and forgets what
// the finder listed.
func (k *known) wrote(folder string) {
	k.forgetLevels()
	for f, a := range k.audits {
		if inside(f, folder) {
			a.stale = true
		}
	}
}

// auditScreen shows the newest report that covers a folder, or audits it where there
// is none, or none that still holds.
func (p place) auditScreen(folder string) *auditScreen {
	if in, kept := p.facts().auditOf(folder); kept != nil && !kept.stale {
		return newAuditAgain(p, in, kept)
	}
	return newAudit(p, folder)
}

// hasLog says whether a folder has a log; sure is false where that is not known.
func (k *known) hasLog(folder string) (has, sure bool) {
	has = k.logs[commit.FolderHash(folder)]
	return has, has || k.logsWhole
}

// damagedAbove gives the nearest folder above one that is known to be damaged.
func (k *known) damagedAbove(folder string) (nearest string, ok bool) {
	for f := range k.damage {
		if f != folder && inside(f, folder) && (!ok || len(f) > len(nearest)) {
			nearest, ok = f, true
		}
	}
	return nearest, ok
}

// damagedBelow gives the first folder below one, in order of name, that is known to
// be damaged; empty: none is.
func (k *known) damagedBelow(folder string) (first string) {
	for f := range k.damage {
		if f != folder && inside(folder, f) && (first == "" || f < first) {
			first = f
		}
	}
	return first
}

// looked keeps what a look at a folder's own log told; empty: nothing wrong was
// seen, which says nothing against what an audit found.
func (k *known) looked(folder, wrong string) {
	if wrong != "" {
		k.damage[folder] = wrong
		return
	}
	if _, a := k.auditOf(folder); a == nil {
		delete(k.damage, folder)
	}
}
