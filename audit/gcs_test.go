package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/fakegcs"
)

func newGCSWorld(t *testing.T) (*world, *gcsStore) {
	t.Helper()
	w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	s := newGCSStore(t, w)
	w.b = s
	return w, s
}

// A soft-deleted object that was restored is a new generation: the commit stays broken,
// and the finding says why.
func TestRestoredSoftDeletedObject(t *testing.T) {
	w, s := newGCSWorld(t)
	s.server.SetSoftDelete(s.Name, 7*24*time.Hour)
	old := w.put("f/a", "the bytes")
	w.put("f/b", "other")
	w.commit("f", "1")
	w.kill("f/a", old.ID)
	missing := want{id: "version-missing", severity: Damage, folder: "f", versions: 1, commits: 1, says: "still keeps 1 of them as soft-deleted, the first until 2026-10-08T08:00:", shows: old.ID + " removed for good at 2026-10-01T08:00:"}
	expect(t, w.audit(Options{}), missing)
	number := s.server.Entries(s.Name, "f/")
	if len(number) != 1 {
		t.Fatalf("%+v", number)
	}
	var id int64
	if _, err := fmt.Sscan(old.ID, &id); err != nil {
		t.Fatal(err)
	}
	restored := s.server.Restore(s.Name, "f/a", id)
	missing.says = "as a new version with the same bytes: these commits name the old one and stay broken"
	expect(t, w.audit(Options{}), missing)
	missing.shows = fmt.Sprint("f/a ", restored, " the same bytes")
	expect(t, w.audit(Options{}), missing)
	w.commit("f", "2") // names the new one
	w.pass(8 * 24 * time.Hour)
	missing.says, missing.shows, missing.commits = "The complete listing of its key lacks it", "", 1
	r := w.audit(Options{})
	expect(t, r, missing)
	for _, f := range r.Findings {
		if strings.Contains(f.Detail, "soft-deleted") {
			t.Errorf("the store keeps nothing any more: %s", f.Detail)
		}
	}
}

// Looking through what is soft-deleted is bounded by the budget as all else is. The
// finding stays; it only says less.
func TestSoftDeletedWithinTheBudget(t *testing.T) {
	w, s := newGCSWorld(t)
	s.server.SetSoftDelete(s.Name, 7*24*time.Hour)
	first, last := w.put("f/a", "first"), w.put("f/z", "last")
	w.commit("f", "1")
	for i := range 60 { // listed between the two, two in a page
		key := fmt.Sprintf("f/gone %02d", i)
		w.kill(key, w.put(key, "x").ID)
	}
	w.kill("f/a", first.ID)
	w.kill("f/z", last.ID)
	s.server.Fail(fakegcs.Fault{Kind: "objects.list", Times: -1, Match: func(r fakegcs.Request) bool { return strings.Contains(r.Query, "softDeleted=true") }, Do: fakegcs.PageSize(2)})
	r := w.audit(Options{})
	whole := r.Requests.List + r.Requests.Get + r.Requests.Head
	const most = 25
	if whole < most+10 {
		t.Fatalf("%d requests without a bound: the test shows nothing", whole)
	}
	expect(t, r, want{id: "version-missing", versions: 2, says: "still keeps 2 of them as soft-deleted"})
	r = w.audit(Options{MaxRequests: most})
	if n := r.Requests.List + r.Requests.Get + r.Requests.Head; n > most {
		t.Errorf("%d requests, at most %d were allowed", n, most)
	}
	expect(t, r, want{id: "version-missing", versions: 2, says: "still keeps 1 of them as soft-deleted"})
}

// What is live, noncurrent or hidden in a log, planted with times and numbers that a
// writer would not give: the order is that of the times.
func TestLookAlikesOfGenerations(t *testing.T) {
	at := func(s int) time.Time { return time.Date(2026, 10, 1, 9, 0, s, 0, time.UTC) }
	for name, c := range map[string]struct {
		plant func(body, other []byte) []fakegcs.Planted
		want  string
	}{
		"written again with the same bytes": {func(body, _ []byte) []fakegcs.Planted {
			return []fakegcs.Planted{{Generation: 2, Body: body, Created: at(0)}, {Generation: 1, Body: body, Created: at(5)}}
		}, "log-entry-restored"},
		"overwritten, and the numbers go down": {func(body, other []byte) []fakegcs.Planted {
			return []fakegcs.Planted{{Generation: 9, Body: body, Created: at(0)}, {Generation: 3, Body: other, Created: at(5)}}
		}, "log-entry-overwritten"},
		"deleted and made anew": {func(body, other []byte) []fakegcs.Planted {
			return []fakegcs.Planted{{Generation: 9, Body: body, Created: at(0)}, {Marker: true, Created: at(3)}, {Generation: 3, Body: other, Created: at(5)}}
		}, "log-entry-remade"},
		"deleted": {func(body, _ []byte) []fakegcs.Planted {
			return []fakegcs.Planted{{Generation: 9, Body: body, Created: at(0)}, {Marker: true, Created: at(3)}}
		}, "log-entry-deleted"},
		"deleted and put back": {func(body, _ []byte) []fakegcs.Planted {
			return []fakegcs.Planted{{Generation: 9, Body: body, Created: at(0)}, {Marker: true, Created: at(3)}, {Generation: 3, Body: body, Created: at(5)}}
		}, "log-entry-restored"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, order := range []fakegcs.Order{fakegcs.Ascending, fakegcs.Descending, fakegcs.Shuffled} {
				w, s := newGCSWorld(t)
				s.server.SetOrder(s.Name, order)
				ids := w.history("f", 3)
				key := commit.EntryKey("f", 3)
				h, files := w.load(ids[3])
				h.Message = "another"
				h.Time = h.Time.Add(time.Microsecond)
				other := w.object(h, files...)
				body := []byte(w.body(key, ""))
				w.erase(key)
				w.pass(time.Hour)
				list := c.plant(body, commit.EncodeEntry(commit.Entry{Commit: other, Folder: "f", HasFolder: true, Number: 3, Time: h.Time}))
				for i := range list {
					list[i].Key = key
				}
				s.server.Plant(s.Name, list...)
				found := ""
				for _, f := range w.audit(Options{SkewTolerance: 100 * time.Hour}).Findings {
					if strings.HasPrefix(f.ID, "log-entry") {
						found += f.ID
					}
				}
				if found != c.want {
					t.Errorf("order %v: %s, want %s", order, found, c.want)
				}
			}
		})
	}
}

// What rules of Google's kind do, to a key with three generations, made on days 0, 10
// and 20 of October at noon, the last one live: worked out by hand, on day 21.
func TestForecastOfConditions(t *testing.T) {
	n := func(i int) *int { return &i }
	is := func(b bool) *bool { return &b }
	day := func(d int) time.Time { return time.Date(2026, 10, 1+d, 12, 0, 0, 0, time.UTC) }
	midnight := func(d int) time.Time { return time.Date(2026, 10, 1+d, 0, 0, 0, 0, time.UTC) }
	vs := []bucket.Version{
		{Key: "f/k.csv", ID: "3", Latest: true, Modified: day(20), StorageClass: "STANDARD"},
		{Key: "f/k.csv", ID: "2", Modified: day(10), StorageClass: "NEARLINE"},
		{Key: "f/k.csv", ID: "1", Modified: day(0), StorageClass: "STANDARD"},
	}
	const never, maybe = "-", "?"
	date := func(d int) string { return day(d).Format(time.DateOnly) }
	for name, c := range map[string]struct {
		when bucket.Conditions
		want string // when 3, 2 and 1 are gone
	}{
		"age, live and noncurrent alike":       {bucket.Conditions{AgeDays: n(30)}, join(date(50), date(40), date(30))},
		"age of noncurrent ones":               {bucket.Conditions{AgeDays: n(30), Live: is(false)}, join(never, date(40), date(30))},
		"age of live ones hides only":          {bucket.Conditions{AgeDays: n(30), Live: is(true)}, join(never, never, never)},
		"days since noncurrent":                {bucket.Conditions{Noncurrent: n(7)}, join(never, date(27), date(17))},
		"both must hold":                       {bucket.Conditions{Noncurrent: n(7), AgeDays: n(25)}, join(never, date(35), date(25))},
		"one newer version":                    {bucket.Conditions{Newer: 1}, join(never, date(20), date(10))},
		"two newer versions":                   {bucket.Conditions{Newer: 2}, join(never, never, date(10))},
		"three newer versions":                 {bucket.Conditions{Newer: 3}, join(never, never, never)},
		"noncurrent before a day":              {bucket.Conditions{GoneBefore: midnight(15)}, join(never, never, date(10))},
		"noncurrent before a day, that day":    {bucket.Conditions{GoneBefore: midnight(10)}, join(never, never, never)},
		"made before a day":                    {bucket.Conditions{MadeBefore: midnight(5), Live: is(false)}, join(never, never, date(10))},
		"a prefix that fits":                   {bucket.Conditions{Noncurrent: n(7), Prefixes: []string{"x/", "f/"}}, join(never, date(27), date(17))},
		"a prefix that doesn't":                {bucket.Conditions{Noncurrent: n(7), Prefixes: []string{"x/"}}, join(never, never, never)},
		"a suffix that fits":                   {bucket.Conditions{Noncurrent: n(7), Suffixes: []string{".csv"}}, join(never, date(27), date(17))},
		"a suffix that doesn't":                {bucket.Conditions{Noncurrent: n(7), Suffixes: []string{".parquet"}}, join(never, never, never)},
		"a class":                              {bucket.Conditions{Noncurrent: n(7), Classes: []string{"NEARLINE"}}, join(never, date(27), never)},
		"a custom time that no listing tells":  {bucket.Conditions{CustomDays: n(7), Live: is(false)}, join(never, maybe, maybe)},
		"a condition of tomorrow":              {bucket.Conditions{Live: is(false), Unknown: []string{"moonPhase"}}, join(never, maybe, maybe)},
		"another action":                       {bucket.Conditions{Action: bucket.ActionClass, StorageClass: "ARCHIVE", AgeDays: n(1)}, join(never, never, never)},
		"more days than there are in calendar": {bucket.Conditions{Noncurrent: n(1 << 40)}, join(never, never, never)},
	} {
		t.Run(name, func(t *testing.T) {
			w := c.when
			if w.Action == "" {
				w.Action = bucket.ActionDelete
			}
			o := NewOutlook(bucket.Settings{Versioning: bucket.VersioningEnabled, Clock: day(21), Lifecycle: []bucket.Rule{{ID: "1", Enabled: true, When: &w}}}, day(21))
			var got []string
			for _, d := range o.Removals(vs) {
				switch {
				case d.Rule == "":
					got = append(got, never)
				case !d.Sure:
					got = append(got, maybe)
				default:
					got = append(got, d.On.Format(time.DateOnly))
				}
			}
			if s := join(got...); s != c.want {
				t.Errorf("%s, want %s: the rule %s", s, c.want, describeRule(bucket.Rule{When: &w}))
			}
		})
	}
}

func join(s ...string) string { return strings.Join(s, " ") }

// Rules of Cloud Storage's kind are told in its words: their conditions count from when
// a version was made unless they say otherwise, and there are no tags.
func TestRulesThatTakeTheLog(t *testing.T) {
	for rule, says := range map[string]string{
		`{"action":{"type":"Delete"},"condition":{"age":30,"isLive":false}}`:                     "count from when a version was made, not from its deletion",
		`{"action":{"type":"Delete"},"condition":{"daysSinceNoncurrentTime":3}}`:                 "can be brought back for that long only",
		`{"action":{"type":"Delete"},"condition":{"numNewerVersions":2,"age":3}}`:                "deleted or overwritten more than 1 time",
		`{"action":{"type":"Delete"},"condition":{"noncurrentTimeBefore":"2099-01-01"}}`:         "deleted or overwritten before that day is gone soon after",
		`{"action":{"type":"Delete"},"condition":{"createdBefore":"2099-01-01","isLive":false}}`: "count from when a version was made",
	} {
		w, s := newGCSWorld(t)
		w.put("f/a", "1")
		w.commit("f", "1")
		s.server.SetLifecycle(s.Name, `[`+rule+`]`)
		r := w.audit(Options{})
		i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ID == "evidence-erased" })
		if i < 0 {
			t.Errorf("%s: %+v", rule, r.Findings)
			continue
		}
		f := r.Findings[i]
		if !strings.Contains(f.Detail, says) || strings.Contains(f.Title, " 0 days") ||
			!strings.Contains(f.Repair.Text, "matchesPrefix takes several") || strings.Contains(f.Repair.Text, "tag") {
			t.Errorf("%s: %s\n%s\n%s", rule, f.Title, f.Detail, f.Repair.Text)
		}
	}
}

// A rule whose dates have passed takes nothing that is deleted from now on: it is told
// only where something that was deleted in time still lies there.
func TestRulesWhoseDatesHavePassed(t *testing.T) {
	for _, c := range []struct {
		rule string
		lost bool // an entry was deleted before the audit
		told bool
	}{
		{`"noncurrentTimeBefore":"2020-01-01"`, false, false},
		{`"noncurrentTimeBefore":"2020-01-01"`, true, false}, // deleted later
		{`"noncurrentTimeBefore":"2099-01-01"`, false, true},
		{`"noncurrentTimeBefore":"TOMORROW"`, false, true},
		{`"noncurrentTimeBefore":"TODAY"`, false, false},
		{`"createdBefore":"2020-01-01","isLive":false`, true, false},
		{`"createdBefore":"TOMORROW","isLive":false`, false, true},
		{`"daysSinceNoncurrentTime":3,"noncurrentTimeBefore":"2020-01-01"`, true, false},
	} {
		w, s := newGCSWorld(t)
		w.put("f/a", "1")
		w.commit("f", "1")
		w.put("f/a", "2")
		w.commit("f", "2")
		if c.lost {
			w.del(commit.EntryKey("f", 1))
		}
		day := func(n int) string { return w.pass(0).AddDate(0, 0, n).Format(time.DateOnly) }
		rule := strings.NewReplacer("TOMORROW", day(1), "TODAY", day(0)).Replace(c.rule)
		s.server.SetLifecycle(s.Name, `[{"action":{"type":"Delete"},"condition":{`+rule+`}}]`)
		r := w.audit(Options{})
		if told := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.ID == "evidence-erased" }); told != c.told {
			t.Errorf("%+v: %+v", c, r.Findings)
		}
	}
	// What was deleted before the day is told of also after it.
	w, s := newGCSWorld(t)
	w.put("f/a", "1")
	w.commit("f", "1")
	w.del(commit.EntryKey("f", 1))
	w.pass(5 * day)
	s.server.SetLifecycle(s.Name, `[{"action":{"type":"Delete"},"condition":{"noncurrentTimeBefore":"`+w.pass(0).AddDate(0, 0, -2).Format(time.DateOnly)+`"}}]`)
	expect(t, w.audit(Options{}), want{id: "log-entry-deleted"}, want{id: "evidence-erased", says: "one that goes later stays"})
}

// A gap in the generations is not told as a deletion: one that was removed for good
// leaves the same.
func TestGapsAreToldAsWhatTheyAre(t *testing.T) {
	for _, after := range []bool{true, false} { // whether something followed
		w, _ := newGCSWorld(t)
		w.put("f/a", "old")
		w.put("f/a", "named")
		w.commit("f", "1")
		if after {
			w.put("f/a", "new")
		}
		i := 0
		if after {
			i = 1
		}
		w.kill("f/a", w.versions("f/a")[i].ID)
		f := findingOf(t, w.audit(Options{}), "version-missing")
		gaps := 0
		for _, e := range f.Evidence {
			if !e.DeleteMarker {
				if e.Marker() != "" {
					t.Errorf("%+v", e)
				}
				continue
			}
			gaps++
			if !e.Derived || e.Latest == after || !strings.Contains(e.Marker(), "no live version") || !strings.Contains(e.Marker(), "removed for good") {
				t.Errorf("%+v is told as %q", e, e.Marker())
			}
		}
		if gaps != 1 {
			t.Errorf("%d gaps in %+v", gaps, f.Evidence)
		}
	}
	w := newWorld(t)
	w.put("f/a", "named")
	w.commit("f", "1")
	w.del(commit.EntryKey("f", 1))
	f := findingOf(t, w.audit(Options{}), "log-entry-deleted")
	if e := f.Evidence[0]; e.Derived || e.Marker() != "delete marker" {
		t.Errorf("%+v is told as %q", e, e.Marker())
	}
}
