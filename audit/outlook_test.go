package audit

import (
	"strings"
	"testing"

	"provcat-tui/bucket"
)

// The dates are worked out by hand, as in TestFates.
func TestOutlook(t *testing.T) {
	now := on("2026-05-01 12:00")
	s := bucket.Settings{Versioning: bucket.VersioningEnabled, Lifecycle: []bucket.Rule{{ID: "trim", Enabled: true, NoncurrentDays: 3}}}
	o := NewOutlook(s, now)
	got := o.Removals(made("2026-05-10 01:00", "2026-05-02 01:00"))
	if want := (Due{On: on("2026-05-14"), Rule: "trim", Sure: true}); got[0] != (Due{}) || got[1] != want {
		t.Errorf("removals are %v", got)
	}
	left := made("2026-04-20 10:00")
	for _, c := range []struct {
		named, says string
	}{
		{"2026-04-19", `The lifecycle rule "trim" explains it: it removes noncurrent versions, and was due from 2026-04-24 on.`},
		{"2026-04-21", "No lifecycle rule of the bucket explains it"}, // no successor is known
	} {
		if got := o.WhyGone("f/a", "9", 10, on(c.named), left); !strings.Contains(got, c.says) {
			t.Errorf("named %s: %s", c.named, got)
		}
	}
	var zero bucket.Version
	if got := o.WhyGone("f/a", "9", 10, zero.Modified, left); !strings.Contains(got, `"trim", which deletes noncurrent versions of this key, may have done it`) {
		t.Errorf("named at an unknown time: %s", got)
	}
	denied := NewOutlook(bucket.Settings{LifecycleErr: bucket.ErrDenied}, now)
	if denied.Err() == nil || !strings.Contains(denied.WhyGone("f/a", "9", 10, zero.Modified, left), "not known") {
		t.Error("rules that could not be read are taken for none")
	}
}
