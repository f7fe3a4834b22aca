package cli

import (
	"time"

	"github.com/spf13/pflag"

	"provcat-tui/audit"
)

// budgetOptions are the flags that leave things out by choice.
type budgetOptions struct {
	sample      string
	maxRequests int64
	maxDuration time.Duration
	estimate    bool
	set         *pflag.FlagSet
}

func addBudgetFlags(f *pflag.FlagSet, o *budgetOptions) {
	o.set = f
	f.StringVar(&o.sample, "sample", "", "read only part n of t of the commits (`n/t`), by ID, and the newest of each log: t runs cover all")
	f.Int64Var(&o.maxRequests, "max-requests", 0, "end early, after this many requests; a fifth is kept for second looks")
	durationVar(f, &o.maxDuration, "max-duration", 0, "end early, after this time; a fifth is kept for second looks")
	f.BoolVar(&o.estimate, "estimate", false, "no audit: how many requests it would make with these flags, and what they cost")
}

// apply checks the flags and hands them on.
func (o *budgetOptions) apply(to *audit.Options) error {
	if o.sample != "" || o.set.Changed("sample") {
		s, err := audit.ParseSample(o.sample)
		if err != nil {
			return usagef("--sample: %s", err)
		}
		to.Sample = s
	}
	if o.set.Changed("max-requests") && o.maxRequests < 1 {
		return usagef("--max-requests %d: 1 or more", o.maxRequests)
	}
	if o.set.Changed("max-duration") && o.maxDuration <= 0 {
		return usagef("--max-duration %v: more than zero, such as 10m", o.maxDuration)
	}
	to.MaxRequests, to.MaxDuration = o.maxRequests, o.maxDuration
	return nil
}
