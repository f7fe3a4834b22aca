package buckettest

import (
	"errors"
	"strings"
	"time"

	"provcat-tui/bucket"
)

// generationChecks are about what Cloud Storage does and S3 does not.
var generationChecks = []check{
	{"written-over-while-suspended", func(r *recorder) {
		r.put("k", "one")
		r.put("k", "two")
		r.suspend(true)
		r.put("k", "three")
		r.listsAll() // two is gone for good, and leaves a gap
		r.suspend(false)
		r.put("k", "four")
		r.listsAll()
		r.reads("k", "", "four")
	}},
	{"deleted-while-suspended", func(r *recorder) {
		one := r.put("k", "one")
		r.suspend(true)
		if v, err := r.b.Delete(r.ctx, "k"); err == nil || errors.Is(err, bucket.ErrNotFound) {
			r.errorf("Delete under suspended versioning: %+v, %v; want an error that says that it is gone for good", v, err)
		}
		r.model.removeGeneration("k", one.ID)
		r.listsAll()
		r.notFound("k", one.ID)
	}},
	{"put-if-absent-over-what-was-written-while-suspended", func(r *recorder) {
		r.put("k", "one")
		r.suspend(true)
		r.put("k", "two")
		r.refused("k", "three")
		r.listsAll()
	}},
	{"deletion-undone-twice", func(r *recorder) {
		r.put("k", "one")
		for range 2 {
			m := r.del("k")
			r.destroy(m)
			r.listsAll()
			r.destroy(m) // not the latest any more
			r.reads("k", "", "one")
		}
		if n := len(r.model["k"]); n != 5 {
			r.errorf("%d versions and deletions; want three generations and two deletions", n)
		}
	}},
	{"deletion-that-is-not-there", func(r *recorder) {
		one := r.put("k", "one")
		for _, id := range []string{deletion(one.ID), deletion("1"), deletion("x"), "null", "x"} {
			if err := r.b.DeleteVersion(r.ctx, "k", id); err != nil {
				r.errorf("DeleteVersion of %s, which is not there: %v; want no error", id, err)
			}
			r.notFound("k", id)
		}
		r.listsAll()
	}},
	{"undone-over-what-came-meanwhile", func(r *recorder) {
		r.put("k", "one")
		m := r.del("k")
		r.put("k", "two")
		r.destroy(m)
		r.listsAll()
		r.reads("k", "", "two")
	}},
	{"ids-of-other-stores", func(r *recorder) {
		one := r.put("k", "one")
		for _, id := range []string{"0" + one.ID, "+" + one.ID, " " + one.ID, "-1", "null", "3sL4kqtJlcpXroDTDmJ", strings.Repeat("9", 40)} {
			r.notFound("k", id)
		}
	}},
}

func (r *recorder) suspend(on bool) {
	state := bucket.VersioningEnabled
	if on {
		state = bucket.VersioningSuspended
	}
	r.must("SetVersioning "+string(state), r.b.SetVersioning(r.ctx, state))
	r.suspended = on
}

// conditions are rules of Google's kind that a store must give back as they were set.
func conditions() []named {
	n := func(i int) *int { return &i }
	is := func(b bool) *bool { return &b }
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	all := []named{
		{"noncurrent", bucket.Rule{When: &bucket.Conditions{Action: bucket.ActionDelete, Live: is(false), Noncurrent: n(30), Newer: 3}}},
		{"age", bucket.Rule{When: &bucket.Conditions{Action: bucket.ActionDelete, AgeDays: n(365), Prefixes: []string{"tmp/", "old/"}, Suffixes: []string{".csv"}}}},
		{"age-of-nothing", bucket.Rule{When: &bucket.Conditions{Action: bucket.ActionDelete, AgeDays: n(0)}}},
		{"noncurrent-for-no-days", bucket.Rule{When: &bucket.Conditions{Action: bucket.ActionDelete, Noncurrent: n(0)}}},
		{"class", bucket.Rule{When: &bucket.Conditions{Action: bucket.ActionClass, StorageClass: "ARCHIVE", Classes: []string{"STANDARD", "NEARLINE"}, Live: is(true), MadeBefore: day}}},
		{"gone-before", bucket.Rule{When: &bucket.Conditions{Action: bucket.ActionDelete, GoneBefore: day}}},
		{"custom-time", bucket.Rule{When: &bucket.Conditions{Action: bucket.ActionDelete, CustomDays: n(10), CustomBefore: day}}},
		{"uploads", bucket.Rule{When: &bucket.Conditions{Action: bucket.ActionAbort, AgeDays: n(7)}}},
	}
	for i := range all {
		all[i].rule.ID, all[i].rule.Enabled = "1", true
	}
	return all
}
