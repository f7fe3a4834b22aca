package audit

import "context"

// forecast is what lifecycle rules will do to the named versions.
type forecast struct {
	a *auditor
	r *refs
}

func (a *auditor) newForecast(r *refs) *forecast { return &forecast{a: a, r: r} }

func (x *forecast) look(history) {}

func (x *forecast) broken(prefix, key string) {}

func (x *forecast) merge(*forecast) {}

func (x *forecast) findings(context.Context, *joined) ([]Finding, error) { return nil, nil }
