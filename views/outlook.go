package views

import (
	"context"
	"time"

	"provcat-tui/audit"
)

// outlookFor is how long a bucket's rules are taken to stay as they were read.
const outlookFor = 5 * time.Minute

// An outlookAt is what a bucket's rules do, as they were read at a time.
type outlookAt struct {
	*audit.Outlook
	at time.Time
}

// outlook gives what the bucket's lifecycle rules do, read once for all screens.
// Rules that could not be read are asked for again by the next one. It waits: only
// for tasks.
func (p place) outlook(ctx context.Context) (*audit.Outlook, error) {
	p.mu.Lock()
	o, ok := p.outlooks[p.loc.Root()]
	p.mu.Unlock()
	if now := time.Now(); ok && now.Sub(o.at) < outlookFor {
		return o.Outlook, nil
	}
	got := audit.NewOutlook(p.b.Settings(ctx), p.Now())
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if got.Err() == nil {
		p.mu.Lock()
		p.outlooks[p.loc.Root()] = outlookAt{got, time.Now()}
		p.mu.Unlock()
	}
	return got, nil
}
