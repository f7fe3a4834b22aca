package demo

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"provcat-tui/audit"
)

// The audit finds what Planted lists, each once, and nothing else that is worse
// than information.
func TestTheAuditFindsWhatIsPlanted(t *testing.T) {
	r, err := audit.Run(context.Background(), open(t), audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != audit.Fail {
		t.Errorf("verdict %q, want %q", r.Verdict, audit.Fail)
	}
	left := slices.Clone(r.Findings)
	for _, p := range Planted {
		n := slices.IndexFunc(left, func(f audit.Finding) bool { return tells(f, p) })
		if n < 0 {
			t.Errorf("not found: %s in %s, number %d (%s)", p.Finding, p.Folder, p.Number, p.Story)
			continue
		}
		f := left[n]
		left = slices.Delete(left, n, n+1)
		if got := f.Severity == audit.Damage; got != p.Damage {
			t.Errorf("%s in %s: severity %s, want damage: %v", p.Finding, p.Folder, f.Severity, p.Damage)
		}
		if p.Finding == "version-missing" {
			checkExpired(t, f)
		}
	}
	for _, f := range left {
		folder := "?"
		if f.Folder != nil {
			folder = *f.Folder
		}
		if f.Severity != audit.Info {
			t.Errorf("not planted: %s (%s) in %s, number %d: %s", f.ID, f.Severity, folder, f.Number, f.Title)
		}
	}
}

func tells(f audit.Finding, p Plant) bool {
	if f.ID != p.Finding || f.Folder == nil || *f.Folder != p.Folder {
		return false
	}
	return f.Number == p.Number || slices.ContainsFunc(f.Affected.Commits, func(c audit.CommitRef) bool {
		return c.Folder == p.Folder && c.Number == p.Number
	})
}

// checkExpired holds the finding to the story: the March rollup of 16 countries
// was committed three times before it was written again on 6 May.
func checkExpired(t *testing.T, f audit.Finding) {
	t.Helper()
	var commits []string
	for _, c := range f.Affected.Commits {
		commits = append(commits, fmt.Sprintf("%s#%d", c.Folder, c.Number))
	}
	slices.Sort(commits)
	if want := []string{events + "#2", events + "#3", events + "#4"}; !slices.Equal(commits, want) {
		t.Errorf("version-missing breaks %v, want %v", commits, want)
	}
	if f.Affected.Versions != 16 {
		t.Errorf("version-missing counts %d versions, want 16", f.Affected.Versions)
	}
}
