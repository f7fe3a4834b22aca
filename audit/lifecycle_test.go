package audit

import (
	"math"
	"slices"
	"testing"
	"time"

	"provcat-tui/bucket"
)

// on is a moment; at the start of the day without a time.
func on(text string) time.Time {
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	panic(text)
}

// made gives the versions of one key, newest first, named 1, 2, … from the newest,
// each of 10 bytes; "marker 2006-01-02" is a marker, and "null …" has the ID null.
func made(times ...string) []bucket.Version {
	var out []bucket.Version
	for i, text := range times {
		v := bucket.Version{Key: "f/a", ID: string(rune('1' + i)), Latest: i == 0, Size: 10, StorageClass: "STANDARD"}
		for again := true; again; {
			again = false
			for _, word := range []string{"marker ", "null ", "big "} {
				if len(text) > len(word) && text[:len(word)] == word {
					text, again = text[len(word):], true
					switch word {
					case "marker ":
						v.DeleteMarker, v.Size = true, 0
					case "null ":
						v.ID = "null"
					case "big ":
						v.Size = 1 << 20
					}
				}
			}
		}
		v.Modified = on(text)
		out = append(out, v)
	}
	return out
}

// All dates are worked out by hand, by S3's user guide.
func TestFates(t *testing.T) {
	const none = "never"
	trim := bucket.Rule{NoncurrentDays: 3}
	tags := func(pairs map[string]string) known { return known{tags: pairs} }
	for name, c := range map[string]struct {
		versions   []bucket.Version
		rules      []bucket.Rule
		versioning bucket.Versioning // empty: enabled
		locks      bool
		known      map[int]known
		now        string // empty: 2026-05-01 12:00
		// by version, newest first: the day; "a..b": not sure.
		gone, archived []string
	}{
		"the example of the guide, 10:30 and three days": {versions: made("2026-01-15 10:30", "2026-01-01 08:00"), rules: []bucket.Rule{trim},
			gone: []string{none, "2026-01-19"}},
		"a successor at midnight": {versions: made("2026-05-10", "2026-01-01"), rules: []bucket.Rule{trim}, gone: []string{none, "2026-05-13"}},
		"a marker is a successor": {versions: made("marker 2026-05-10 00:01", "2026-01-01"), rules: []bucket.Rule{trim}, gone: []string{none, "2026-05-14"}},
		"each has its own successor": {versions: made("2026-05-10 01:00", "2026-05-02 01:00", "2026-04-29 01:00"), rules: []bucket.Rule{trim},
			gone: []string{none, "2026-05-14", "2026-05-06"}},
		"the newest two stay": {versions: made("2026-05-10 01:00", "2026-05-09 01:00", "2026-05-08 01:00", "2026-05-07 01:00"), rules: []bucket.Rule{{NoncurrentDays: 3, NewerNoncurrent: 2}},
			gone: []string{none, none, none, "2026-05-12"}},
		"the second newer one came late": {versions: made("2026-06-20 01:00", "2026-05-09 01:00", "2026-05-08 01:00"), rules: []bucket.Rule{{NoncurrentDays: 3, NewerNoncurrent: 1}},
			gone: []string{none, none, "2026-06-21"}},
		"whether a marker counts is open": {versions: made("2026-05-10 01:00", "marker 2026-05-09 01:00", "2026-05-08 01:00", "2026-05-07 01:00"), rules: []bucket.Rule{{NoncurrentDays: 3, NewerNoncurrent: 1}},
			gone: []string{none, none, "2026-05-13..never", "2026-05-12"}},
		"a live version only gets a marker": {versions: made("2026-04-28 12:00"), rules: []bucket.Rule{{ExpireDays: 10}}, gone: []string{none}},
		"a live version expires, then its clock starts": {versions: made("2026-04-28 12:00"), rules: []bucket.Rule{{ExpireDays: 10, NoncurrentDays: 5}},
			gone: []string{"2026-05-14"}}, // expires on 05-09
		"two rules do the same":                     {versions: made("2026-04-28 12:00"), rules: []bucket.Rule{{ExpireDays: 10}, {NoncurrentDays: 5}}, gone: []string{"2026-05-14"}},
		"an expiration that is overdue":             {versions: made("2026-01-01 12:00"), rules: []bucket.Rule{{ExpireDays: 10, NoncurrentDays: 5}}, gone: []string{"2026-05-07"}}, // marker on 05-02
		"a date":                                    {versions: made("2026-01-01 12:00"), rules: []bucket.Rule{{ExpireDate: on("2026-06-01"), NoncurrentDays: 1}}, gone: []string{"2026-06-02"}},
		"a date that has passed before it was made": {versions: made("2026-05-20 12:00"), rules: []bucket.Rule{{ExpireDate: on("2026-01-01"), NoncurrentDays: 1}}, gone: []string{"2026-05-22"}},
		"the live version's expiration frees those below": {versions: made("2026-04-28 12:00", "2026-04-27 12:00"), rules: []bucket.Rule{{ExpireDays: 10}, {NoncurrentDays: 1, NewerNoncurrent: 1}},
			gone: []string{none, "2026-05-09"}},
		"off: expiration deletes":                        {versioning: bucket.VersioningOff, versions: made("null 2026-04-28 12:00"), rules: []bucket.Rule{{ExpireDays: 10}}, gone: []string{"2026-05-09"}},
		"suspended: a null version is destroyed":         {versioning: bucket.VersioningSuspended, versions: made("null 2026-04-28 12:00"), rules: []bucket.Rule{{ExpireDays: 10, NoncurrentDays: 5}}, gone: []string{"2026-05-09"}},
		"suspended: one with an ID gets a null marker":   {versioning: bucket.VersioningSuspended, versions: made("2026-04-28 12:00"), rules: []bucket.Rule{{ExpireDays: 10}}, gone: []string{none}},
		"suspended: which takes an older null's place":   {versioning: bucket.VersioningSuspended, versions: made("2026-04-28 12:00", "null 2026-04-01 12:00"), rules: []bucket.Rule{{ExpireDays: 10}}, gone: []string{none, "2026-05-09"}},
		"enabled: an older null stays":                   {versions: made("2026-04-28 12:00", "null 2026-04-01 12:00"), rules: []bucket.Rule{{ExpireDays: 10}}, gone: []string{none, none}},
		"versioning unknown":                             {versioning: bucket.VersioningUnknown, versions: made("null 2026-04-28 12:00"), rules: []bucket.Rule{{ExpireDays: 10}}, gone: []string{"2026-05-09..never"}},
		"a null version may have replaced another":       {versions: made("null 2026-05-10 01:00", "2026-05-02 01:00"), rules: []bucket.Rule{trim}, gone: []string{none, "2026-05-06..2026-05-14"}},
		"the earliest of several rules":                  {versions: made("2026-05-10 01:00", "2026-05-02 01:00"), rules: []bucket.Rule{{NoncurrentDays: 30}, trim}, gone: []string{none, "2026-05-14"}},
		"another prefix":                                 {versions: made("2026-05-10 01:00", "2026-05-02 01:00"), rules: []bucket.Rule{{NoncurrentDays: 3, Prefix: "f/b"}}, gone: []string{none, none}},
		"larger is exclusive":                            {versions: made("2026-05-10 01:00", "2026-05-02 01:00"), rules: []bucket.Rule{{NoncurrentDays: 3, LargerThan: 10}}, gone: []string{none, none}},
		"larger":                                         {versions: made("2026-05-10 01:00", "2026-05-02 01:00"), rules: []bucket.Rule{{NoncurrentDays: 3, LargerThan: 9}}, gone: []string{none, "2026-05-14"}},
		"smaller is exclusive":                           {versions: made("2026-05-10 01:00", "2026-05-02 01:00"), rules: []bucket.Rule{{NoncurrentDays: 3, SmallerThan: 10}}, gone: []string{none, none}},
		"all of a filter must hold":                      {versions: made("2026-05-10 01:00", "2026-05-02 01:00"), rules: []bucket.Rule{{NoncurrentDays: 3, SmallerThan: 11, LargerThan: 10}}, gone: []string{none, none}},
		"tags unknown":                                   {versions: made("2026-05-10 01:00", "2026-05-02 01:00"), rules: []bucket.Rule{{NoncurrentDays: 3, Tags: map[string]string{"k": "v"}}}, gone: []string{none, "2026-05-14..never"}},
		"tags unknown, and a slower rule without":        {versions: made("2026-05-10 01:00", "2026-05-02 01:00"), rules: []bucket.Rule{{NoncurrentDays: 3, Tags: map[string]string{"k": "v"}}, {NoncurrentDays: 5}}, gone: []string{none, "2026-05-14..2026-05-16"}},
		"tags: all of the rule's":                        {versions: made("2026-05-10 01:00", "2026-05-02 01:00"), known: map[int]known{1: tags(map[string]string{"k": "v", "l": "w", "m": "x"})}, rules: []bucket.Rule{{NoncurrentDays: 3, Tags: map[string]string{"k": "v", "l": "w"}}}, gone: []string{none, "2026-05-14"}},
		"tags: one is missing":                           {versions: made("2026-05-10 01:00", "2026-05-02 01:00"), known: map[int]known{1: tags(map[string]string{"k": "v"})}, rules: []bucket.Rule{{NoncurrentDays: 3, Tags: map[string]string{"k": "v", "l": "w"}}}, gone: []string{none, none}},
		"tags: an empty value is no absent one":          {versions: made("2026-05-10 01:00", "2026-05-02 01:00"), known: map[int]known{1: tags(map[string]string{})}, rules: []bucket.Rule{{NoncurrentDays: 3, Tags: map[string]string{"k": ""}}}, gone: []string{none, none}},
		"retained until after the date":                  {versions: made("2026-05-10 01:00", "2026-05-02 01:00"), locks: true, known: map[int]known{1: {protection: &bucket.Protection{RetainUntil: on("2026-07-01 09:00")}}}, rules: []bucket.Rule{trim}, gone: []string{none, "2026-07-02"}},
		"retained until before the date":                 {versions: made("2026-05-10 01:00", "2026-05-02 01:00"), locks: true, known: map[int]known{1: {protection: &bucket.Protection{RetainUntil: on("2026-05-11 09:00")}}}, rules: []bucket.Rule{trim}, gone: []string{none, "2026-05-14"}},
		"under a legal hold":                             {versions: made("2026-05-10 01:00", "2026-05-02 01:00"), locks: true, known: map[int]known{1: {protection: &bucket.Protection{LegalHold: true}}}, rules: []bucket.Rule{trim}, gone: []string{none, none}},
		"not protected":                                  {versions: made("2026-05-10 01:00", "2026-05-02 01:00"), locks: true, known: map[int]known{1: {protection: &bucket.Protection{}}}, rules: []bucket.Rule{trim}, gone: []string{none, "2026-05-14"}},
		"protection unknown":                             {versions: made("2026-05-10 01:00", "2026-05-02 01:00"), locks: true, rules: []bucket.Rule{trim}, gone: []string{none, "2026-05-14..never"}},
		"no time of the successor":                       {versions: func() []bucket.Version { v := made("2026-05-10", "2026-05-02"); v[0].Modified = time.Time{}; return v }(), rules: []bucket.Rule{trim}, gone: []string{none, "2026-05-05..never"}},
		"only how many to keep, as MinIO takes it":       {versions: made("2026-05-10 01:00", "2026-05-09 01:00", "2026-05-08 01:00"), rules: []bucket.Rule{{NewerNoncurrent: 1}}, gone: []string{none, none, "2026-05-11..never"}},
		"a rule that removes markers removes no version": {versions: made("marker 2026-05-10 01:00", "2026-05-02 01:00"), rules: []bucket.Rule{{ExpireDeleteMarkers: true}}, gone: []string{none, none}},
		// 2 goes by the rule for big ones on the day on which 3 is due because of it.
		"two on one day, one counts for the other": {versions: made("2026-05-10 01:00", "big 2026-05-05 01:00", "2026-05-04 01:00"),
			rules: []bucket.Rule{{NoncurrentDays: 3, LargerThan: 1000}, {NoncurrentDays: 8, NewerNoncurrent: 1, SmallerThan: 1000}}, gone: []string{none, "2026-05-14", "2026-05-14..never"}},
		"the one that counts has gone before": {versions: made("2026-05-10 01:00", "big 2026-05-05 01:00", "2026-05-04 01:00"),
			rules: []bucket.Rule{{NoncurrentDays: 3, LargerThan: 1000}, {NoncurrentDays: 9, NewerNoncurrent: 1, SmallerThan: 1000}}, gone: []string{none, "2026-05-14", none}},
		"it stays until the live one is hidden and counts": {versions: made("2026-05-10 01:00", "big 2026-05-05 01:00", "2026-05-04 01:00"),
			rules: []bucket.Rule{{NoncurrentDays: 3, LargerThan: 1000}, {NoncurrentDays: 9, NewerNoncurrent: 1, SmallerThan: 1000}, {ExpireDays: 20}}, gone: []string{none, "2026-05-14", "2026-05-31"}},
		// The live one is hidden on 05-12 and, being big, deleted on 05-13, before 2
		// is due on 05-19.
		"the live one counts only while it is there": {versions: made("big 2026-05-10 01:00", "2026-05-04 01:00"),
			rules: []bucket.Rule{{ExpireDays: 1}, {NoncurrentDays: 1, LargerThan: 1000}, {NoncurrentDays: 8, NewerNoncurrent: 1, SmallerThan: 1000}}, gone: []string{"2026-05-13", none}},

		"archived, live":                   {versions: made("big 2026-04-28 12:00"), rules: []bucket.Rule{{Transitions: []bucket.Transition{{Days: 10, StorageClass: "GLACIER"}}}}, gone: []string{none}, archived: []string{"2026-05-09"}},
		"archived, by date":                {versions: made("big 2026-04-28 12:00"), rules: []bucket.Rule{{Transitions: []bucket.Transition{{Date: on("2026-08-01"), StorageClass: "DEEP_ARCHIVE"}}}}, gone: []string{none}, archived: []string{"2026-08-01"}},
		"archived at once":                 {versions: made("big 2026-05-28 12:00"), rules: []bucket.Rule{{Transitions: []bucket.Transition{{StorageClass: "GLACIER"}}}}, gone: []string{none}, archived: []string{"2026-05-29"}},
		"archived, noncurrent":             {versions: made("2026-05-28 12:00", "big 2026-04-28 12:00"), rules: []bucket.Rule{{Transitions: []bucket.Transition{{Noncurrent: true, Days: 2, StorageClass: "GLACIER"}}}}, gone: []string{none, none}, archived: []string{none, "2026-05-31"}},
		"small objects are not moved":      {versions: made("2026-04-28 12:00"), rules: []bucket.Rule{{Transitions: []bucket.Transition{{Days: 10, StorageClass: "GLACIER"}}}}, gone: []string{none}, archived: []string{"2026-05-09..never"}},
		"but by a filter of size":          {versions: made("2026-04-28 12:00"), rules: []bucket.Rule{{LargerThan: 1, Transitions: []bucket.Transition{{Days: 10, StorageClass: "GLACIER"}}}}, gone: []string{none}, archived: []string{"2026-05-09"}},
		"instant retrieval can be read":    {versions: made("big 2026-04-28 12:00"), rules: []bucket.Rule{{Transitions: []bucket.Transition{{Days: 10, StorageClass: "GLACIER_IR"}, {Days: 10, StorageClass: "INTELLIGENT_TIERING"}}}}, gone: []string{none}, archived: []string{none}},
		"deleted on the day":               {versions: made("2026-05-28 12:00", "big 2026-04-28 12:00"), rules: []bucket.Rule{{NoncurrentDays: 2, Transitions: []bucket.Transition{{Noncurrent: true, Days: 2, StorageClass: "GLACIER"}}}}, gone: []string{none, "2026-05-31"}, archived: []string{none, none}},
		"moved on the day of its marker":   {versions: made("big 2026-04-28 12:00"), rules: []bucket.Rule{{ExpireDays: 10, Transitions: []bucket.Transition{{Days: 10, StorageClass: "GLACIER"}}}}, gone: []string{none}, archived: []string{"2026-05-09"}},
		"hidden before it would be moved":  {versions: made("big 2026-04-28 12:00"), rules: []bucket.Rule{{ExpireDays: 10, Transitions: []bucket.Transition{{Days: 11, StorageClass: "GLACIER"}}}}, gone: []string{none}, archived: []string{none}},
		"hostile days":                     {versions: made("2026-05-28 12:00", "2026-04-28 12:00"), rules: []bucket.Rule{{ExpireDays: math.MaxInt, NoncurrentDays: math.MaxInt32, NewerNoncurrent: math.MaxInt}, {NoncurrentDays: math.MinInt, ExpireDays: -1, NewerNoncurrent: -5, Transitions: []bucket.Transition{{Days: math.MinInt, StorageClass: "GLACIER"}, {Noncurrent: true, Days: math.MaxInt, StorageClass: "GLACIER"}}}}, gone: []string{none, none}, archived: []string{none, none}},
		"the year 9999":                    {versions: made("9999-12-31 12:00", "9999-12-30 12:00"), rules: []bucket.Rule{{NoncurrentDays: 1, ExpireDays: 1}}, gone: []string{none, none}},
		"the last day that can be told":    {versions: made("9999-12-29 12:00", "2026-05-01"), rules: []bucket.Rule{{NoncurrentDays: 1}}, gone: []string{none, "9999-12-31"}},
		"the year 1":                       {versions: made("0001-01-02 12:00", "0001-01-01 12:00"), rules: []bucket.Rule{{NoncurrentDays: 1}}, gone: []string{none, "0001-01-04"}},
		"a rule's date in the year 20000":  {versions: made("2026-05-10"), rules: []bucket.Rule{{ExpireDate: time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC), NoncurrentDays: 1}}, gone: []string{none}},
		"a key without versions at all":    {rules: []bucket.Rule{trim}},
		"only markers":                     {versions: made("marker 2026-05-10 01:00", "marker 2026-05-09 01:00"), rules: []bucket.Rule{{ExpireDays: 1, NewerNoncurrent: 1, NoncurrentDays: 1}}, gone: []string{none, none}},
		"versions in no order of time":     {versions: made("2026-05-02 01:00", "2026-05-10 01:00"), rules: []bucket.Rule{trim}, gone: []string{none, "2026-05-06"}},
		"a class that is archived already": {versions: func() []bucket.Version { v := made("big 2026-05-10"); v[0].StorageClass = "GLACIER"; return v }(), rules: []bucket.Rule{{Transitions: []bucket.Transition{{StorageClass: "DEEP_ARCHIVE"}}}}, gone: []string{none}, archived: []string{none}},
	} {
		t.Run(name, func(t *testing.T) {
			l := &lifecycle{rules: slices.Clone(c.rules), versioning: c.versioning, locks: c.locks, now: on("2026-05-01 12:00")}
			if c.versioning == "" && name != "versioning unknown" {
				l.versioning = bucket.VersioningEnabled
			}
			for i := range l.rules {
				l.rules[i].Enabled = true
			}
			text := func(s dueSpan) string {
				day := func(t time.Time) string {
					if !t.Before(noDate) {
						return none
					}
					return t.Format(time.DateOnly)
				}
				if s.certain() {
					return day(s.earliest)
				}
				return day(s.earliest) + ".." + day(s.latest)
			}
			fates := l.foretell(c.versions, func(i int) known { return c.known[i] })
			var gone, archived []string
			for _, f := range fates {
				gone, archived = append(gone, text(f.gone)), append(archived, text(f.archived))
			}
			if !slices.Equal(gone, c.gone) {
				t.Errorf("gone %v, want %v", gone, c.gone)
			}
			if c.archived != nil && !slices.Equal(archived, c.archived) {
				t.Errorf("archived %v, want %v", archived, c.archived)
			}
			for i := range l.rules { // disabled rules do nothing
				l.rules[i].Enabled = false
			}
			for _, f := range l.foretell(c.versions, func(i int) known { return c.known[i] }) {
				if f.gone.earliest.Before(noDate) || f.archived.earliest.Before(noDate) || f.hidden.earliest.Before(noDate) {
					t.Errorf("disabled rules give %+v", f)
				}
			}
		})
	}
}
