package cli

import (
	"errors"
	"time"

	"github.com/spf13/pflag"
)

// A duration is a flag's value: a number with its unit.
type duration time.Duration

// durationVar adds a flag whose error tells how a duration is written.
func durationVar(f *pflag.FlagSet, to *time.Duration, name string, value time.Duration, usage string) {
	*to = value
	f.Var((*duration)(to), name, usage)
}

func (d *duration) Set(s string) error {
	v, err := time.ParseDuration(s)
	if err != nil {
		return errors.New("a duration is a number with its unit, such as 10s, 5m or 1h30m")
	}
	*d = duration(v)
	return nil
}

func (d *duration) String() string { return time.Duration(*d).String() }

// Type is the word for it in the help.
func (d *duration) Type() string { return "duration" }
