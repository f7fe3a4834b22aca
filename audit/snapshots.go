package audit

import "context"

// snapshots is whether the versions of each commit were live together.
type snapshots struct {
	a *auditor
	r *refs
}

func (a *auditor) newSnapshots(r *refs) *snapshots { return &snapshots{a: a, r: r} }

func (x *snapshots) look(history) {}

func (x *snapshots) broken(prefix, key string) {}

func (x *snapshots) merge(*snapshots) {}

func (x *snapshots) findings(context.Context, *joined) ([]Finding, error) { return nil, nil }
