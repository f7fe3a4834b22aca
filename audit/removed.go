package audit

import (
	"context"
	"fmt"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// maxRemoved is the most removed versions that are looked through for those that
// commits name.
const maxRemoved = 100_000

// removed are lost versions that the store still keeps, by key, NUL and version.
type removed map[string]bucket.Removed

// keptRemoved looks among what was removed for good, and is still kept, for versions
// that are missing. Where the store keeps nothing, nothing is asked. A listing that
// fails, or is longer than we look, only finds less: it is evidence, not a check.
func (a *auditor) keptRemoved(ctx context.Context, r *refs, missing []lost) removed {
	if len(missing) == 0 || a.f.settings.SoftDelete <= 0 || a.budget != nil && a.budget.ended.Load() {
		return nil
	}
	want := map[string]bool{}
	first, last := r.key(int(missing[0].ref)), ""
	for _, l := range missing {
		x := r.at(l.ref)
		want[x.key+"\x00"+x.version] = true
		first, last = min(first, x.key), max(last, x.key)
	}
	out, n := removed{}, 0
	for v, err := range bucket.SoftDeleted(ctx, a.b, common(first, last)) {
		if n++; err != nil || n > maxRemoved || len(out) == len(want) {
			break
		}
		if name := v.Key + "\x00" + v.ID; want[name] {
			out[name] = v
		}
	}
	return out
}

// common is what two keys both start with.
func common(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return strings.ToValidUTF8(a[:n], "")
}

// tell adds what of a group is still kept to its finding.
func (x removed) tell(f *Finding, r *refs, g *group) {
	n, until := 0, time.Time{}
	for _, l := range g.lost {
		at := r.at(l.ref)
		v, ok := x[at.key+"\x00"+at.version]
		if !ok {
			continue
		}
		if n++; until.IsZero() || v.Until.Before(until) {
			until = v.Until
		}
		if len(f.Evidence) < maxExamples {
			f.Evidence = append(f.Evidence, evidence(v.Version, "removed for good at "+commit.FormatTime(v.Removed)+", and kept as soft-deleted until "+commit.FormatTime(v.Until)))
		}
	}
	if n == 0 {
		return
	}
	f.Detail += fmt.Sprintf(" The store still keeps %d of them as soft-deleted, the first until %s.", n, commit.FormatTime(until))
	f.Repair.Text += " What is soft-deleted can be restored (\"gcloud storage restore\"), but as a new version with the same bytes: these commits name the old one and stay broken. Restore, then commit the folder again."
}
