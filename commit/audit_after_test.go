package commit_test

import (
	"context"
	"testing"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// After a race the audit must pass: lost races may leave orphans, nothing else.
func init() {
	commit.AuditAfter = func(t testing.TB, b bucket.Bucket) {
		t.Helper()
		r, err := audit.Run(context.Background(), b, audit.Options{FailOn: audit.Anomaly})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != audit.Pass || r.Coverage.Commits.Checked == 0 {
			t.Errorf("the audit says %s of %d commits: %+v", r.Verdict, r.Coverage.Commits.Checked, r.Findings)
		}
	}
}
