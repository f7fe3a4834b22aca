package audit

import (
	"context"

	"provcat-tui/bucket"
)

// A history is all that is left of one key: every version and marker, newest
// first, and the refs that name some of them (their places are first to end-1; none: no commit
// names the key). It is only valid during the call that it is given to.
type history struct {
	key        string
	versions   []bucket.Version
	first, end int32
}

// watchers look at the history of every key of the committed folders as the walk
// passes it, named by a commit or not. Keys ascend within a part of a walk; parts come
// in any order, some to these watchers and some to others, which are merged afterwards:
// what they conclude must not hang on that. Their memory must not grow with the number
// of keys. A nil *watchers looks at nothing.
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

// broken says that a listing failed: not all was seen. What was seen before stands, for
// nothing rests on what was not seen.
func (w *watchers) broken() {
	if w != nil {
		w.forecast.cut = true
	}
}

// passed says that a part of a walk is over.
func (w *watchers) passed() {
	if w != nil {
		w.forecast.trim()
	}
}

// merge takes in what other watchers saw.
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
