package buckettest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"sync"
	"time"

	"provcat-tui/bucket"
)

type named struct {
	name string
	rule bucket.Rule
}

// rules that a store must give back as they were set.
var rules = []named{
	{"noncurrent", bucket.Rule{ID: "r", Enabled: true, Prefix: "sales/", NoncurrentDays: 30}},
	{"noncurrent-but-the-newest", bucket.Rule{ID: "r", Enabled: true, Prefix: "sales/", NoncurrentDays: 30, NewerNoncurrent: 5}},
	{"expire-days", bucket.Rule{ID: "r", Enabled: true, Prefix: "tmp/", ExpireDays: 7}},
	{"expired-markers", bucket.Rule{ID: "r", Enabled: true, Prefix: "old/", ExpireDeleteMarkers: true}},
	{"whole-bucket", bucket.Rule{ID: "r", Enabled: true, NoncurrentDays: 365}},
	{"disabled", bucket.Rule{ID: "r", Enabled: false, Prefix: "sales/", NoncurrentDays: 1}},
}

func settingsChecks() []check {
	all := []check{
		{"versioning", func(r *recorder) {
			for _, want := range []bucket.Versioning{bucket.VersioningEnabled, bucket.VersioningSuspended, bucket.VersioningEnabled} {
				r.versioning(want)
				if r.generations && want == bucket.VersioningSuspended {
					want = bucket.VersioningOff
				}
				got, _, err := r.b.Versioning(r.ctx)
				if got != want || err != nil {
					r.errorf("Versioning is %q, %v; want %q", got, err, want)
				}
				if s := r.b.Settings(r.ctx); s.Versioning != want || s.VersioningErr != nil {
					r.errorf("Settings tell the versioning %q, %v; want %q", s.Versioning, s.VersioningErr, want)
				}
			}
		}},
		{"enabled-from-the-start", func(r *recorder) {
			if got, _, err := r.b.Versioning(r.ctx); got != bucket.VersioningEnabled || err != nil {
				r.errorf("Versioning of a fresh bucket is %q, %v", got, err)
			}
		}},
		{"clock", func(r *recorder) {
			_, clock, err := r.b.Versioning(r.ctx)
			r.must("Versioning", err)
			for _, c := range []time.Time{clock, r.b.Settings(r.ctx).Clock} {
				if d := time.Since(c); d > time.Minute || d < -time.Minute {
					r.errorf("the bucket's clock says %v, which is %v from ours", c, d)
				}
			}
		}},
		{"object-lock-none", func(r *recorder) {
			if s := r.b.Settings(r.ctx); s.ObjectLock.Enabled || s.ObjectLockErr != nil {
				r.errorf("object lock of a fresh bucket: %+v, %v; want none", s.ObjectLock, s.ObjectLockErr)
			}
		}},
		{"lifecycle-none", func(r *recorder) { r.hasRules() }},
		{"cancelled", func(r *recorder) {
			ctx, cancel := context.WithCancel(r.ctx)
			cancel()
			if v, _, err := r.b.Versioning(ctx); v != bucket.VersioningUnknown || !errors.Is(err, context.Canceled) {
				r.errorf("a cancelled Versioning says %q, %v", v, err)
			}
			s := r.b.Settings(ctx)
			if s.VersioningErr == nil || s.LifecycleErr == nil {
				r.errorf("cancelled Settings: %+v; want errors, not \"none\"", s)
			}
		}},
	}
	return all
}

// ruleChecks: what was set is given back, one rule at a time and several.
func ruleChecks(rules []named) []check {
	all := []check{{"lifecycle-replaced-and-removed", func(r *recorder) {
		one, two := rules[0].rule, rules[1].rule
		if one.When == nil {
			one.ID, two.ID = "one", "two"
		} else {
			two.ID = "2" // they have no names: their places
		}
		r.must("SetLifecycle", r.b.SetLifecycle(r.ctx, []bucket.Rule{one, two}))
		r.hasRules(one, two)
		if two.When != nil {
			two.ID = "1"
		}
		r.must("SetLifecycle", r.b.SetLifecycle(r.ctx, []bucket.Rule{two}))
		r.hasRules(two)
		r.must("SetLifecycle", r.b.SetLifecycle(r.ctx, nil))
		r.hasRules()
	}}}
	for _, c := range rules {
		all = append(all, check{"lifecycle-" + c.name, func(r *recorder) {
			r.must("SetLifecycle", r.b.SetLifecycle(r.ctx, []bucket.Rule{c.rule}))
			r.hasRules(c.rule)
		}})
	}
	return all
}

func (r *recorder) hasRules(want ...bucket.Rule) {
	s := r.b.Settings(r.ctx)
	got := s.Lifecycle
	sort.Slice(got, func(i, j int) bool { return got[i].ID < got[j].ID })
	for i := range got {
		// "None" may be nil or empty.
		if len(got[i].Tags) == 0 {
			got[i].Tags = nil
		}
		if len(got[i].Transitions) == 0 {
			got[i].Transitions = nil
		}
	}
	if s.LifecycleErr != nil || len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
		r.errorf("the lifecycle rules are %+v, %v; want %+v", got, s.LifecycleErr, want)
	}
}

var callChecks = []check{
	{"url", func(r *recorder) {
		if u := r.b.URL(); !strings.Contains(u, "://") || strings.HasSuffix(u, "/") {
			r.errorf("URL is %q; want scheme://bucket without a final slash", u)
		}
	}},
	{"requests-are-counted", func(r *recorder) {
		before := r.b.Requests()
		r.create("k", "x")
		r.listsAll()
		r.reads("k", "", "x")
		r.del("k")
		if _, _, err := r.b.Versioning(r.ctx); err != nil {
			r.errorf("Versioning: %v", err)
		}
		after := r.b.Requests()
		if after.Put <= before.Put || after.List <= before.List || after.Get <= before.Get ||
			after.Delete <= before.Delete || after.Settings <= before.Settings {
			r.errorf("requests were %+v and are %+v; want more puts, lists, gets, deletes and settings", before, after)
		}
	}},
	{"errors-name-the-bucket-and-the-key", func(r *recorder) {
		_, _, err := r.body("no/such\x1b[2Jkey", "", 0)
		if err == nil || !strings.Contains(err.Error(), r.b.URL()) || !strings.Contains(err.Error(), "no/such") {
			r.errorf("the error %v doesn't name %s and the key", err, r.b.URL())
		} else if strings.Contains(err.Error(), "\x1b") {
			r.errorf("the error %q has a raw escape", err.Error())
		}
	}},
	{"from-many-goroutines", func(r *recorder) {
		written := make([]bucket.Version, r.racers)
		var wg sync.WaitGroup
		for i := range written {
			wg.Go(func() {
				key := fmt.Sprintf("k%02d", i)
				v, err := r.b.PutIfAbsent(r.ctx, key, strings.NewReader(key))
				if err != nil {
					r.errorf("PutIfAbsent %s: %v", key, err)
					return
				}
				written[i] = v
				for v, err := range r.b.Versions(r.ctx, bucket.Range{PageSize: 2}) {
					if err != nil {
						r.errorf("Versions: %v at %q", err, v.Key)
					}
				}
				if got, _, err := r.body(key, v.ID, 0); got != key || err != nil {
					r.errorf("Open %s: %q, %v", key, got, err)
				}
			})
		}
		wg.Wait()
		for i, v := range written {
			key := fmt.Sprintf("k%02d", i)
			r.wrote(v, key, key)
		}
		r.listsAll()
	}},
}
