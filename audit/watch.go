package audit

import (
	"context"

	"provcat-tui/bucket"
)

// A history is all that is left of one key: every version and marker, newest
// first, and the refs that name some of them (r.all[first:end]; none: no commit
// names the key). It is only valid during the call that it is given to.
type history struct {
	key        string
	versions   []bucket.Version
	first, end int32
}

// watchers look at the history of every key of the committed folders as the walk
// passes it, named by a commit or not. Each walk has its own; they are merged
// afterwards, in the order of their keys. Their memory must not grow with the
// number of keys. A nil *watchers looks at nothing.
type watchers struct {
	forecast  *forecast
	snapshots *snapshots
}

func (a *auditor) newWatchers(r *refs) *watchers {
	return &watchers{forecast: a.newForecast(r), snapshots: a.newSnapshots(r)}
}

func (w *watchers) look(h history) {
	if w == nil {
		return
	}
	w.forecast.look(h)
	w.snapshots.look(h)
}

// broken says that the listing of prefix failed after key (empty: at its start):
// what lies beyond was not seen.
func (w *watchers) broken(prefix, key string) {
	if w == nil {
		return
	}
	w.forecast.broken(prefix, key)
	w.snapshots.broken(prefix, key)
}

// merge takes in what the watchers of a later walk saw.
func (w *watchers) merge(x *watchers) {
	if w == nil {
		return
	}
	w.forecast.merge(x.forecast)
	w.snapshots.merge(x.snapshots)
}

// findings is what the watchers conclude. j is what the join lost, confirmed.
func (w *watchers) findings(ctx context.Context, j *joined) ([]Finding, error) {
	out, err := w.forecast.findings(ctx, j)
	if err != nil {
		return nil, err
	}
	more, err := w.snapshots.findings(ctx, j)
	return append(out, more...), err
}
