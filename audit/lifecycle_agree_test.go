package audit

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/race"
)

func randomRules(rnd *rand.Rand, now time.Time) []bucket.Rule {
	var out []bucket.Rule
	for n := range 1 + rnd.IntN(3) {
		r := bucket.Rule{ID: fmt.Sprint("r", n), Enabled: rnd.IntN(8) > 0, Prefix: []string{"", "f/", "f/", "f/a", "f/b/", "g/"}[rnd.IntN(6)]}
		if rnd.IntN(3) == 0 {
			r.Tags = map[string]string{"k": fmt.Sprint(rnd.IntN(2))}
			if rnd.IntN(2) == 0 {
				r.Tags["x"] = "y"
			}
		}
		if rnd.IntN(3) == 0 {
			r.LargerThan = int64(rnd.IntN(15))
		}
		if rnd.IntN(3) == 0 {
			r.SmallerThan = int64(10 + rnd.IntN(20))
		}
		if rnd.IntN(4) > 0 {
			r.NoncurrentDays = 1 + rnd.IntN(12)
			if rnd.IntN(2) == 0 {
				r.NewerNoncurrent = rnd.IntN(4)
			}
		}
		switch rnd.IntN(6) {
		case 0:
			r.ExpireDays = 1 + rnd.IntN(20)
		case 1:
			r.ExpireDate = now.AddDate(0, 0, rnd.IntN(20)-5).Truncate(24 * time.Hour)
		case 2:
			r.ExpireDeleteMarkers = true
		}
		for range rnd.IntN(3) {
			t := bucket.Transition{Noncurrent: rnd.IntN(2) == 0, Days: rnd.IntN(12), StorageClass: []string{"GLACIER", "DEEP_ARCHIVE", "GLACIER_IR", "STANDARD_IA", "INTELLIGENT_TIERING"}[rnd.IntN(5)]}
			if t.Noncurrent && rnd.IntN(3) == 0 {
				t.NewerNoncurrent = rnd.IntN(3)
			} else if !t.Noncurrent && rnd.IntN(3) == 0 {
				t.Date = now.AddDate(0, 0, rnd.IntN(20)-5).Truncate(24 * time.Hour)
			}
			r.Transitions = append(r.Transitions, t)
		}
		out = append(out, r)
	}
	return out
}

const horizon = 60 // days: beyond all that random rules can do

// agrees says how a dueSpan and what happened differ; empty: not.
func agrees(s dueSpan, clock, happened time.Time, ok bool) string {
	on := func(t time.Time) time.Time { // the first midnight from which t is over
		m := clock.Truncate(24 * time.Hour)
		for m.Before(t) || m.Before(clock) {
			m = m.Add(24 * time.Hour)
		}
		return m
	}
	switch far := clock.AddDate(1, 0, 0); {
	case !ok && s.latest.Before(far):
		return "it should have been by " + on(s.latest).String()
	case ok && !s.earliest.Before(far):
		return "it should never have been"
	case ok && happened.Before(on(s.earliest)):
		return "it was before " + on(s.earliest).String()
	case ok && s.latest.Before(far) && happened.After(on(s.latest)):
		return "it was after " + on(s.latest).String()
	}
	return ""
}

// What is foretold of random histories under random rules happens, on the very day
// where it is certain; and with some tags and locks unknown, within what may be.
func TestForecastAgreesWithSimulation(t *testing.T) {
	seeds := []uint64{uint64(time.Now().UnixNano())}
	fixed := uint64(80)
	if race.On {
		fixed = 8
	}
	for n := range fixed {
		seeds = append(seeds, n)
	}
	certain, open := 0, 0
	for _, seed := range seeds {
		rnd := rand.New(rand.NewPCG(seed, 7))
		s := newSim(t, rnd)
		s.store.locked = rnd.IntN(4) == 0
		s.history(rnd)
		s.rules = randomRules(rnd, s.now)
		state, _, err := s.b.Versioning(bg)
		s.must(err)
		clock, before := s.now, s.keys()
		l := &lifecycle{rules: s.rules, versioning: state, locks: s.store.locked, now: clock}
		blind := map[string]bool{}
		all, some := map[string]fate{}, map[string]fate{}
		for _, vs := range before {
			know := func(i int) known {
				v := vs[i]
				p, tags := s.store.locks[v.Key+v.ID], s.store.tags[v.Key+v.ID]
				if tags == nil {
					tags = map[string]string{}
				}
				return known{tags, &p}
			}
			for i, f := range l.foretell(vs, know) {
				all[vs[i].Key+vs[i].ID] = f
				blind[vs[i].Key+vs[i].ID] = rnd.IntN(2) == 0
			}
			for i, f := range l.foretell(vs, func(i int) known {
				if blind[vs[i].Key+vs[i].ID] {
					return known{}
				}
				return know(i)
			}) {
				some[vs[i].Key+vs[i].ID] = f
			}
		}
		var told map[string]string
		if seed%4 == 0 {
			told = s.audited(before)
		}
		s.run(horizon)
		for id, day := range told {
			got := "never"
			if died, ok := s.death[id]; ok {
				got = died.Format(time.DateOnly)
			}
			f := all[id].gone
			if f.certain() && f.earliest.Before(clock) && got != "never" && day <= clock.Format(time.DateOnly) {
				continue // overdue: it went at the next midnight
			}
			if f.certain() && day != got {
				t.Errorf("seed %d: the audit says that %s goes %s, and it went %s", seed, id, day, got)
			}
		}
		for _, vs := range before {
			for _, v := range vs {
				if v.DeleteMarker {
					continue
				}
				id := v.Key + v.ID
				for _, fates := range []map[string]fate{all, some} {
					f := fates[id]
					died, dead := s.death[id]
					moved, gone := s.archived[id]
					why := agrees(f.gone, clock, died, dead)
					if why == "" {
						why = agrees(f.archived, clock, moved, gone)
					}
					if why != "" {
						t.Errorf("seed %d: %s: %s\nforetold %+v\nrules %+v\nversioning %s, clock %v, blind %v\n%+v\ndied %v, archived %v", seed, id, why, f, s.rules, state, clock, blind[id], listed(vs), died, moved)
					}
					for _, at := range []time.Time{f.gone.earliest, f.gone.latest, f.archived.earliest, f.archived.latest} {
						if !at.Equal(at.Truncate(24*time.Hour)) || at.After(noDate) {
							t.Errorf("seed %d: %v is no midnight", seed, at)
						}
					}
				}
				if f := all[id]; f.gone.earliest.Before(noDate) {
					if f.gone.certain() {
						certain++
					} else {
						open++
					}
				}
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if !race.On && (certain < 100 || open*4 > certain) { // else there are too few to tell
		t.Errorf("%d versions were sure to be deleted, %d only may be: too little is foretold", certain, open)
	}
	t.Logf("new seed %d; %d certain, %d open", seeds[0], certain, open)
}

// audited makes commits that name every version, and gives the day on which each is
// surely deleted, by the audit's findings.
func (s *sim) audited(keys [][]bucket.Version) map[string]string {
	told := map[string]string{}
	var states []map[string]bucket.Version // the n-th body of each key
	for _, vs := range keys {
		n := 0
		for _, v := range vs {
			if v.DeleteMarker {
				continue
			}
			told[v.Key+v.ID] = "never"
			if n == len(states) {
				states = append(states, map[string]bucket.Version{})
			}
			states[n][v.Key] = v
			n++
		}
	}
	parent := ""
	for n, state := range states {
		var body bytes.Buffer
		h := commit.Header{Folder: "f", Number: int64(n + 1), Parent: parent, Time: s.now.Add(time.Duration(n) * time.Microsecond)}
		id, err := commit.Encode(&body, h, func(yield func(commit.File, error) bool) {
			for _, key := range slices.Sorted(maps.Keys(state)) {
				v := state[key]
				if !yield(commit.File{Path: key[2:], Version: v.ID, ETag: v.ETag, Size: v.Size}, nil) {
					return
				}
			}
		})
		s.must(err)
		_, err = s.b.Put(bg, commit.CommitKey(id), bytes.NewReader(body.Bytes()))
		s.must(err)
		_, err = s.b.Put(bg, commit.EntryKey("f", h.Number), bytes.NewReader(commit.EncodeEntry(commit.Entry{Commit: id, Folder: "f", HasFolder: true, Number: h.Number, Time: h.Time})))
		s.must(err)
		parent = id
	}
	s.must(s.b.SetLifecycle(bg, s.rules))
	r, err := Run(bg, s.store, Options{Concurrency: 2})
	s.must(err)
	for _, f := range r.Findings {
		if f.ID != "version-will-expire" || f.Confidence != Certain {
			continue
		}
		if f.Affected.Versions > maxExamples {
			return nil // not all are told one by one
		}
		for _, e := range f.Affected.Examples {
			told[e.Key+e.Version] = strings.TrimPrefix(e.Note, "due ")
		}
	}
	return told
}

func listed(vs []bucket.Version) string {
	var b strings.Builder
	for _, v := range vs {
		fmt.Fprintf(&b, "  %s %s marker=%v %s size %d\n", v.Key, v.ID, v.DeleteMarker, v.Modified.Format(time.DateTime), v.Size)
	}
	return b.String()
}
