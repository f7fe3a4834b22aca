package audit

import "time"

// A Pace measures how fast a stage of an audit goes by what its Progress tells, and
// from that how long the stage will still take. Not for several goroutines at once.
type Pace struct {
	stage string
	at    time.Time // of the last measure
	done  int64     // then
	rate  float64   // a second, smoothed; 0: not known yet
}

// longest is the most time that is an estimate; what takes longer is not known.
const longest = 100 * time.Hour

// Add takes the progress at a time.
func (p *Pace) Add(x Progress, now time.Time) {
	if x.Stage != p.stage || x.Done < p.done {
		*p = Pace{stage: x.Stage, at: now, done: x.Done}
		return
	}
	s := now.Sub(p.at).Seconds()
	if s < 0.5 {
		return // too short for a rate
	}
	rate := float64(x.Done-p.done) / s
	if p.rate > 0 {
		rate = 0.7*p.rate + 0.3*rate
	}
	p.at, p.done, p.rate = now, x.Done, rate
}

// Rate is how much is done in a second; 0: not known.
func (p *Pace) Rate() float64 { return p.rate }

// Left is how long the rest of the stage takes at this rate, in whole seconds; 0: not
// known.
func (p *Pace) Left(x Progress) time.Duration {
	if p.rate <= 0 || x.Total <= x.Done {
		return 0
	}
	left := float64(x.Total-x.Done) / p.rate
	if left >= longest.Seconds() {
		return 0
	}
	return time.Duration(left * float64(time.Second)).Round(time.Second)
}
