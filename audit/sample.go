package audit

import (
	"fmt"
	"strconv"
	"strings"
)

// A Sample is part n of t of the commits, by ID: t runs, 1/t to t/t, cover all. The
// zero value is every commit.
type Sample struct{ Part, Of int }

// maxParts bounds the parts of a sample.
const maxParts = 10_000

// ParseSample reads n/t, 1 ≤ n ≤ t ≤ 10,000.
func ParseSample(s string) (Sample, error) {
	n, t, ok := strings.Cut(s, "/")
	part, err := strconv.Atoi(n)
	of, err2 := strconv.Atoi(t)
	if !ok || err != nil || err2 != nil || part < 1 || of < part || of > maxParts {
		return Sample{}, fmt.Errorf("%q is no part of a sample: n/t with 1 ≤ n ≤ t ≤ %d, such as 1/7", s, maxParts)
	}
	return Sample{part, of}, nil
}

// holds says whether a commit is in the part: its ID's first 64 bits, modulo t.
func (s Sample) holds(id string) bool {
	if s.Of <= 1 || len(id) < 16 {
		return true
	}
	x, err := strconv.ParseUint(id[:16], 16, 64)
	return err != nil || x%uint64(s.Of) == uint64(s.Part-1)
}

// always are the commits that are read in every part, for what the logs promise
// rests on them: the newest of each log; those that follow an entry which does not
// tell what it names; those of which nothing was listed, which costs a listing; and
// every one that no entry names, since only they show that a log was cut off.
func (a *auditor) always() map[string]bool {
	out := map[string]bool{}
	named := map[string]bool{}
	for _, l := range a.f.logs {
		head := false
		for i, s := range l.slots {
			ids := s.distinct()
			_, live := s.live()
			below := int64(0)
			if i+1 < len(l.slots) {
				below = l.slots[i+1].number
			}
			gap := s.number-below > 1
			if i+1 < len(l.slots) {
				under := l.slots[i+1]
				v, ok := under.live()
				gap = gap || !ok || !v.parsed() || len(under.distinct()) != 1
			}
			for _, id := range ids {
				named[id] = true
				out[id] = out[id] || !head || gap || !live || len(ids) > 1
			}
			head = head || len(ids) > 0
		}
	}
	for id, c := range a.f.commits {
		out[id] = out[id] || !named[id] || len(c.versions) == 0
	}
	return out
}

// leaveOut marks the commits that lie outside of the sample as not read, and gives
// the others.
func (a *auditor) leaveOut(ids []string) []string {
	if a.o.Sample.Of <= 1 {
		return ids
	}
	always := a.always()
	var in []string
	for _, id := range ids {
		if always[id] || a.o.Sample.holds(id) {
			in = append(in, id)
			continue
		}
		c := a.f.commit(id)
		for i := range c.versions {
			if v := &c.versions[i]; !v.DeleteMarker {
				v.err = errSample
			}
		}
	}
	return in
}

// partly says whether a commit that a log's entries name was left out by choice: it
// may name as its parent what no entry names.
func (j *judge) partly(l *logFacts) bool {
	for _, s := range l.slots {
		for _, id := range s.distinct() {
			if c := j.f.commits[id]; c != nil {
				if _, ok := chosen(c.unreadErr()); ok {
					return true
				}
			}
		}
	}
	return false
}
