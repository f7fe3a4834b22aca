package audit

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
)

// ruled is the embedded bucket with tags, object lock and storage classes.
type ruled struct {
	bucket.Bucket
	tags   map[string]map[string]string
	locked bool
	locks  map[string]bucket.Protection
	class  map[string]string
	denied error // of tags and protection
	reads  *counter
}

func (b *ruled) Tags(_ context.Context, key, version string) (map[string]string, error) {
	b.reads.add()
	return b.tags[key+version], b.denied
}

func (b *ruled) Protection(_ context.Context, key, version string) (bucket.Protection, error) {
	b.reads.add()
	return b.locks[key+version], b.denied
}

func (b *ruled) Settings(ctx context.Context) bucket.Settings {
	s := b.Bucket.Settings(ctx)
	s.ObjectLock.Enabled = b.locked
	return s
}

func (b *ruled) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		for v, err := range b.Bucket.Versions(ctx, r) {
			v.StorageClass = "STANDARD"
			if c := b.class[v.Key+v.ID]; c != "" {
				v.StorageClass = c
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// A sim is a store that applies lifecycle rules at each midnight UTC, day by day. It
// shares nothing with the forecast: no dates are computed, only ages compared. What
// S3 does not document is decided by chance, once for each sim.
type sim struct {
	testing.TB
	b     *local.Bucket
	store *ruled
	now   time.Time
	rules []bucket.Rule
	since map[string]time.Time // since when a version is noncurrent
	death map[string]time.Time // when a version was deleted for good, by rules
	// archived: when it was moved out of reach.
	archived map[string]time.Time

	countMarkers  bool // markers count among the versions to keep
	filterMarkers bool // filters of size and tags take in markers
	order         int  // in which the versions of a key are judged
	moveSmall     bool // transitions move objects of less than 128 KB
}

func newSim(t testing.TB, rnd *rand.Rand) *sim {
	s := &sim{TB: t, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), since: map[string]time.Time{}, death: map[string]time.Time{}, archived: map[string]time.Time{},
		countMarkers: rnd.IntN(2) == 0, filterMarkers: rnd.IntN(2) == 0, order: rnd.IntN(3), moveSmall: rnd.IntN(2) == 0}
	b, err := local.Create(filepath.Join(t.TempDir(), "sim.bucket"), local.Options{Now: func() time.Time { return s.now }, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	s.b = b
	s.store = &ruled{Bucket: b, tags: map[string]map[string]string{}, locks: map[string]bucket.Protection{}, class: map[string]string{}, reads: &counter{}}
	return s
}

func (s *sim) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// keys gives every key's versions, newest first, and notes which have become
// noncurrent, or live again.
func (s *sim) keys() [][]bucket.Version {
	var out [][]bucket.Version
	for v, err := range s.b.Versions(bg, bucket.Range{Prefix: "f/"}) {
		s.must(err)
		if n := len(out); n > 0 && out[n-1][0].Key == v.Key {
			out[n-1] = append(out[n-1], v)
		} else {
			out = append(out, []bucket.Version{v})
		}
	}
	for _, vs := range out {
		delete(s.since, vs[0].Key+vs[0].ID)
		for _, v := range vs[1:] {
			if _, ok := s.since[v.Key+v.ID]; !ok {
				s.since[v.Key+v.ID] = s.now
			}
		}
	}
	return out
}

// applies says whether a rule's filter takes in a version.
func (s *sim) applies(r bucket.Rule, v bucket.Version) bool {
	if !r.Enabled || len(v.Key) < len(r.Prefix) || v.Key[:len(r.Prefix)] != r.Prefix {
		return false
	}
	if v.DeleteMarker {
		return s.filterMarkers || r.LargerThan == 0 && r.SmallerThan == 0 && len(r.Tags) == 0
	}
	for k, want := range r.Tags {
		if got, ok := s.store.tags[v.Key+v.ID][k]; !ok || got != want {
			return false
		}
	}
	if r.LargerThan != 0 && !(v.Size > r.LargerThan) {
		return false
	}
	return r.SmallerThan == 0 || v.Size < r.SmallerThan
}

func (s *sim) old(since time.Time, days int) bool {
	return s.now.Sub(since) >= time.Duration(days)*24*time.Hour
}

func (s *sim) expired(r bucket.Rule, v bucket.Version) bool {
	return s.applies(r, v) && (r.ExpireDays > 0 && s.old(v.Modified, r.ExpireDays) || !r.ExpireDate.IsZero() && !s.now.Before(r.ExpireDate))
}

func (s *sim) move(v bucket.Version, noncurrent bool, newer int) {
	for _, r := range s.rules {
		if !s.applies(r, v) || !s.moveSmall && r.LargerThan == 0 && r.SmallerThan == 0 {
			continue
		}
		for _, t := range r.Transitions {
			since := v.Modified
			if noncurrent {
				since = s.since[v.Key+v.ID]
			}
			due := s.old(since, t.Days)
			if !t.Date.IsZero() {
				due = !s.now.Before(t.Date)
			}
			far := t.StorageClass == "GLACIER" || t.StorageClass == "DEEP_ARCHIVE"
			if t.Noncurrent == noncurrent && due && far && newer >= t.NewerNoncurrent {
				if _, ok := s.archived[v.Key+v.ID]; !ok {
					s.archived[v.Key+v.ID] = s.now
				}
			}
		}
	}
}

// midnight applies all rules once.
func (s *sim) midnight() {
	state, _, err := s.b.Versioning(bg)
	s.must(err)
	for _, vs := range s.keys() {
		live := vs[0]
		if live.DeleteMarker {
			continue
		}
		expired := slices.ContainsFunc(s.rules, func(r bucket.Rule) bool { return s.expired(r, live) })
		destroyed := expired && live.ID == "null" && state != bucket.VersioningEnabled
		if !destroyed {
			s.move(live, false, 0)
		}
		if expired {
			_, err := s.b.Delete(bg, live.Key)
			s.must(err)
			if destroyed {
				s.death[live.Key+live.ID] = s.now
			} else if state == bucket.VersioningSuspended {
				for _, v := range vs[1:] { // the null marker took its place
					if v.ID == "null" && !v.DeleteMarker {
						s.death[v.Key+v.ID] = s.now
					}
				}
			}
		}
	}
	for _, vs := range s.keys() {
		s.trim(vs)
	}
	for _, vs := range s.keys() {
		newer := 0
		for _, v := range vs[1:] {
			if !v.DeleteMarker {
				s.move(v, true, newer)
			}
			if !v.DeleteMarker || s.countMarkers {
				newer++
			}
		}
		if m := vs[0]; len(vs) == 1 && m.DeleteMarker && slices.ContainsFunc(s.rules, func(r bucket.Rule) bool {
			return s.applies(r, m) && r.ExpireDeleteMarkers || s.expired(r, m)
		}) {
			s.must(s.b.DeleteVersion(bg, m.Key, m.ID))
		}
	}
}

// trim removes noncurrent versions of one key: judged from the newest, from the
// oldest, or all at once.
func (s *sim) trim(vs []bucket.Version) {
	there := make([]bool, len(vs))
	for i := range there {
		there[i] = true
	}
	dies := func(i int) bool {
		v, newer := vs[i], 0
		for k := 1; k < i; k++ {
			if there[k] && (!vs[k].DeleteMarker || s.countMarkers) {
				newer++
			}
		}
		p := s.store.locks[v.Key+v.ID]
		if p.LegalHold || s.now.Before(p.RetainUntil) {
			return false
		}
		return slices.ContainsFunc(s.rules, func(r bucket.Rule) bool {
			return r.NoncurrentDays > 0 && s.applies(r, v) && s.old(s.since[v.Key+v.ID], r.NoncurrentDays) && newer >= r.NewerNoncurrent
		})
	}
	var dead []int
	for n := 1; n < len(vs); n++ {
		i := n
		if s.order == 1 {
			i = len(vs) - n
		}
		if dies(i) {
			dead = append(dead, i)
			there[i] = s.order == 2
		}
	}
	for _, i := range dead {
		s.must(s.b.DeleteVersion(bg, vs[i].Key, vs[i].ID))
		if !vs[i].DeleteMarker {
			s.death[vs[i].Key+vs[i].ID] = s.now
		}
	}
}

// run goes to each of the next midnights.
func (s *sim) run(days int) {
	for range days {
		s.now = s.now.Truncate(24 * time.Hour).Add(24 * time.Hour)
		s.midnight()
	}
}

// history writes some random history.
func (s *sim) history(rnd *rand.Rand) {
	tagged := rnd.IntN(2) == 0
	keys := []string{"f/a", "f/b/1", "f/b/2"}[:1+2*rnd.IntN(2)]
	if !s.store.locked && rnd.IntN(8) == 0 { // object lock wants versioning
		s.must(s.b.SetVersioning(bg, bucket.VersioningOff))
	}
	for range 4 + rnd.IntN(20) {
		switch rnd.IntN(5) {
		case 0: // the same second
		case 1: // a midnight
			s.now = s.now.Truncate(24 * time.Hour).Add(24 * time.Hour)
		default:
			s.now = s.now.Add(time.Duration(rnd.IntN(60*3600)) * time.Second)
		}
		key := keys[rnd.IntN(len(keys))]
		switch rnd.IntN(12) {
		case 0, 1:
			_, err := s.b.Delete(bg, key)
			s.must(err)
		case 2: // undelete
			for _, vs := range s.keys() {
				if vs[0].Key == key && vs[0].DeleteMarker {
					s.must(s.b.DeleteVersion(bg, key, vs[0].ID))
				}
			}
		case 3:
			if state, _, _ := s.b.Versioning(bg); state != bucket.VersioningOff && !s.store.locked {
				s.must(s.b.SetVersioning(bg, []bucket.Versioning{bucket.VersioningEnabled, bucket.VersioningSuspended}[rnd.IntN(2)]))
			}
		default:
			v, err := s.b.Put(bg, key, bytes.NewReader(make([]byte, rnd.IntN(30))))
			s.must(err)
			delete(s.since, v.Key+v.ID) // a null version is another one now
			delete(s.store.tags, v.Key+v.ID)
			if tagged && rnd.IntN(2) == 0 {
				s.store.tags[v.Key+v.ID] = map[string]string{"k": fmt.Sprint(rnd.IntN(2)), "x": "y"}
			}
			if s.store.locked && rnd.IntN(3) == 0 {
				s.store.locks[v.Key+v.ID] = bucket.Protection{LegalHold: rnd.IntN(3) == 0, RetainUntil: s.now.Add(time.Duration(rnd.IntN(30*24*3600)) * time.Second)}
			}
		}
		s.keys()
	}
	s.now = s.now.Add(time.Duration(rnd.IntN(100*3600)) * time.Second)
}
