package audit

import (
	"context"
	"time"

	"provcat-tui/bucket"
)

// Options of an audit.
type Options struct {
	Folder      string   // scope: this folder, those below it, and what their logs name. Empty: the whole bucket
	Depth       Depth    // empty: DepthVersions
	FailOn      Severity // empty: Damage
	Concurrency int      // reads side by side; 0: 32
	Now         func() time.Time
	Version     string // of the tool, for the report
	// Progress is called at most 20 times a second, from one goroutine at a time.
	Progress func(Progress)
}

// Progress tells how far an audit is.
type Progress struct {
	Stage    string // "logs", "entries", "commits", "versions", "confirming"
	Done     int64
	Total    int64 // 0: not known
	Findings int   // so far
}

// Run audits a bucket; it only reads. An error means that nothing could be audited (the
// bucket cannot be opened, ctx was cancelled); what could not be checked within it
// is in the report.
func Run(ctx context.Context, b bucket.Bucket, o Options) (*Report, error) { panic("stub") }
