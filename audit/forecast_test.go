package audit

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// Each case has a bucket whose clock stands at 2026-10-01 08:00 and a bit, with
// commit 1 of f (a, b, c), then a overwritten, and commit 2.
func TestForecastFindings(t *testing.T) {
	const day = 24 * time.Hour
	trim := bucket.Rule{ID: "trim", Prefix: "f/", NoncurrentDays: 30}
	tagged := trim
	tagged.Tags = map[string]string{"keep": "no"}
	type setup struct {
		*world
		*ruled
		first bucket.Version // of a
	}
	rules := func(s setup, rules ...bucket.Rule) {
		for i := range rules {
			rules[i].Enabled = true
		}
		s.must(s.world.b.SetLifecycle(bg, rules))
	}
	for name, plant := range map[string]func(s setup) []want{
		"version-will-expire": func(s setup) []want {
			rules(s, trim)
			return []want{{id: "version-will-expire", severity: Risk, sure: Certain, folder: "f", versions: 1, commits: 1, repair: "change-rule",
				says: `"trim" will delete 1 version that commits of f name, on 2026-11-01`, shows: "f/a " + s.first.ID + " due 2026-11-01"}}
		},
		"version-will-expire, which commit breaks first": func(s setup) []want {
			rules(s, trim)
			s.pass(3 * day)
			s.put("f/a", "third")
			s.commit("f", "3")
			s.put("f/a", "fourth")
			return []want{{id: "version-will-expire", versions: 3, commits: 3, says: "Commit 1 of f breaks first, on 2026-11-01; 3 in all."}}
		},
		"version-will-expire, due already": func(s setup) []want {
			rules(s, trim)
			s.pass(100 * day)
			return []want{{id: "version-will-expire", versions: 1, says: "due since 2026-11-01"}, {id: "version-will-expire", says: "1 is due already and still there"}}
		},
		"version-will-expire of what is live, by expiration and then": func(s setup) []want {
			rules(s, bucket.Rule{ID: "both", Prefix: "f/b", ExpireDays: 10, NoncurrentDays: 5})
			return []want{{id: "version-will-expire", versions: 1, commits: 2, says: "on 2026-10-17", shows: "f/b"}} // 10-12, and 5
		},
		"version-will-expire, a folder and a rule each": func(s setup) []want {
			s.commit("", "all") // f is nearer
			s.put("top", "1")
			s.commit("", "all")
			s.put("top", "2")
			rules(s, bucket.Rule{ID: "one", Prefix: "f/", NoncurrentDays: 30}, bucket.Rule{ID: "two", Prefix: "top", NoncurrentDays: 3})
			return []want{{id: "version-will-expire", folder: "f", versions: 1, says: `"one"`}, {id: "version-will-expire", folder: "", versions: 1, commits: 1, says: `"two" will delete 1 version that commits of the whole bucket name, on 2026-10-05`}}
		},
		"version-will-expire under suspended versioning": func(s setup) []want {
			s.must(s.world.b.SetVersioning(bg, bucket.VersioningSuspended))
			v := s.put("f/b", "null")
			head, err := commit.LoadEntry(bg, s.world.b, commit.EntryKey("f", 2), "")
			s.must(err)
			h, files := s.load(head.Commit)
			h.Number, h.Parent, h.Time = 3, head.Commit, s.tick()
			files[1] = commit.File{Path: "b", Version: v.ID, ETag: v.ETag, Size: v.Size}
			s.entry("f", 3, s.object(h, files...), h.Time)
			rules(s, bucket.Rule{ID: "live", Prefix: "f/b", ExpireDays: 10})
			return []want{{id: "version-will-expire", versions: 1, commits: 1, says: "on 2026-10-12"}, {id: "versioning-suspended"}, {id: "version-null"}}
		},
		"tags that match": func(s setup) []want {
			rules(s, tagged)
			s.tags["f/a"+s.first.ID] = map[string]string{"keep": "no"}
			return []want{{id: "version-will-expire", sure: Certain, versions: 1}}
		},
		"tags that don't": func(s setup) []want {
			rules(s, tagged)
			s.tags["f/a"+s.first.ID] = map[string]string{"keep": "yes"}
			return nil
		},
		"tags that may not be read": func(s setup) []want {
			rules(s, tagged)
			s.denied = denied("read", "s3:GetObjectVersionTagging")
			return []want{{id: "version-will-expire", sure: Possible, versions: 1, says: "may delete 1 version"}, {id: "version-will-expire", says: "s3:GetObjectVersionTagging"}}
		},
		"tags of a version that has gone meanwhile": func(s setup) []want {
			rules(s, tagged)
			s.denied = fmt.Errorf("x: %w", bucket.ErrNotFound)
			return nil
		},
		"a legal hold": func(s setup) []want {
			rules(s, trim)
			s.locked = true
			s.locks["f/a"+s.first.ID] = bucket.Protection{LegalHold: true}
			return nil
		},
		"a retention that outlives the rule": func(s setup) []want {
			rules(s, trim)
			s.locked = true
			s.locks["f/a"+s.first.ID] = bucket.Protection{RetainUntil: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)}
			return []want{{id: "version-will-expire", sure: Certain, says: "on 2027-03-01"}}
		},
		"a lock that may not be read": func(s setup) []want {
			rules(s, trim)
			s.locked, s.denied = true, denied("read", "s3:GetObjectRetention")
			return []want{{id: "version-will-expire", sure: Possible, says: "Object lock may protect 1 version"}}
		},
		"version-archived": func(s setup) []want {
			s.class["f/a"+s.first.ID] = "GLACIER"
			return []want{{id: "version-archived", severity: Risk, sure: Certain, folder: "f", versions: 1, commits: 1, repair: "restore-version", shows: "is in the class GLACIER"}}
		},
		"version-archived by a rule, later": func(s setup) []want {
			rules(s, bucket.Rule{ID: "cold", Prefix: "f/", LargerThan: 1, Transitions: []bucket.Transition{{Noncurrent: true, Days: 7, StorageClass: "DEEP_ARCHIVE"}}})
			return []want{{id: "version-archived", sure: Certain, versions: 1, commits: 1, repair: "change-rule", says: `"cold" will archive 1 version that commits of f name, on 2026-10-09`}}
		},
		"version-archived by a rule, unless it is too small": func(s setup) []want {
			rules(s, bucket.Rule{ID: "cold", Prefix: "f/", Transitions: []bucket.Transition{{Noncurrent: true, Days: 7, StorageClass: "GLACIER"}}})
			return []want{{id: "version-archived", sure: Possible, versions: 1, says: "128 KB"}}
		},
		"lifecycle-covers-log": func(s setup) []want {
			rules(s, bucket.Rule{ID: "all", ExpireDays: 90})
			// Two entries and two commit objects, made on 10-01 after 08:00.
			return []want{{id: "lifecycle-covers-log", severity: Risk, sure: Certain, folder: "-", versions: 4, commits: 2, repair: "change-rule", says: "from 2026-12-31 on"}}
		},
		"lifecycle-covers-log: only the entries": func(s setup) []want {
			rules(s, bucket.Rule{ID: "log", Prefix: ".provcat/log/", ExpireDate: time.Date(2026, 12, 24, 0, 0, 0, 0, time.UTC)})
			return []want{{id: "lifecycle-covers-log", versions: 2, commits: 2, says: "Commits 1 and 2 of f break first, on 2026-12-24."}}
		},
		"lifecycle-covers-log by size: only the commit objects": func(s setup) []want {
			rules(s, bucket.Rule{ID: "big", ExpireDays: 90, LargerThan: 200}) // entries have some 180 bytes
			return []want{{id: "lifecycle-covers-log", versions: 2, commits: 2, shows: commit.Commits}}
		},
		"lifecycle-covers-log by tags that may not be read": func(s setup) []want {
			rules(s, bucket.Rule{ID: "tmp", ExpireDays: 90, Tags: map[string]string{"tmp": ""}})
			s.denied = denied("read", "s3:GetObjectVersionTagging")
			return []want{{id: "lifecycle-covers-log", severity: Risk, sure: Possible, versions: 4, says: "s3:GetObjectVersionTagging"}}
		},
		"lifecycle-covers-log by a rule that archives": func(s setup) []want {
			rules(s, bucket.Rule{ID: "cold", Prefix: ".provcat/", LargerThan: 1, Transitions: []bucket.Transition{{Days: 1, StorageClass: "GLACIER"}}})
			return []want{{id: "lifecycle-covers-log", severity: Risk, sure: Certain, folder: "-", versions: 4, commits: 2, repair: "change-rule",
				says: `"cold" archives the log itself: 4 log entries and commit objects, from 2026-10-03 on`, shows: "is archived 2026-10-03"}}
		},
		"lifecycle-covers-log by a rule that archives on a date": func(s setup) []want {
			rules(s, bucket.Rule{ID: "cold", Prefix: ".provcat/log/", LargerThan: 1, Transitions: []bucket.Transition{{Date: time.Date(2026, 12, 24, 0, 0, 0, 0, time.UTC), StorageClass: "DEEP_ARCHIVE"}}})
			return []want{{id: "lifecycle-covers-log", severity: Risk, versions: 2, says: "from 2026-12-24 on"}}
		},
		"lifecycle-covers-log by a rule that archives, unless they are too small": func(s setup) []want {
			rules(s, bucket.Rule{ID: "cold", Prefix: ".provcat/", Transitions: []bucket.Transition{{Days: 1, StorageClass: "GLACIER"}}})
			return []want{{id: "lifecycle-covers-log", severity: Info, sure: Possible, versions: 4, says: `"cold" may archive the log itself`}}
		},
		"no lifecycle-covers-log: a class that can be read, and noncurrent versions": func(s setup) []want {
			rules(s, bucket.Rule{ID: "cold", Prefix: ".provcat/", LargerThan: 1, Transitions: []bucket.Transition{{Days: 1, StorageClass: "GLACIER_IR"}, {Days: 1, StorageClass: "GLACIER", Noncurrent: true}}})
			return nil
		},
		"evidence-erased": func(s setup) []want {
			rules(s, bucket.Rule{ID: "old", NoncurrentDays: 365})
			// It also takes a's first version.
			return []want{{id: "evidence-erased", severity: Risk, sure: Certain, folder: "-", repair: "change-rule", says: "after 365 days"}, {id: "version-will-expire"}}
		},
		"evidence-erased with its markers": func(s setup) []want {
			rules(s, bucket.Rule{ID: "old", Prefix: ".provcat/", NoncurrentDays: 7, ExpireDeleteMarkers: true})
			return []want{{id: "evidence-erased", says: "leaves no trace"}}
		},
		"evidence-erased: markers": func(s setup) []want {
			rules(s, bucket.Rule{ID: "tidy", ExpireDeleteMarkers: true})
			return []want{{id: "evidence-erased", says: "removes old delete markers"}}
		},

		// What must not alarm.
		"live versions that only get a marker can still be read": func(s setup) []want {
			rules(s, bucket.Rule{ID: "live", Prefix: "f/", ExpireDays: 1})
			s.pass(50 * day)
			return nil
		},
		"versions that no commit names": func(s setup) []want {
			s.put("f/b", "between")
			s.put("f/b", "newest")
			rules(s, bucket.Rule{ID: "trim", Prefix: "f/b", NoncurrentDays: 1, NewerNoncurrent: 1}) // commits name the oldest: it is the one beyond
			s.kill("f/b", s.versions("f/b")[2].ID)
			return []want{{id: "version-missing"}}
		},
		"a rule that keeps enough": func(s setup) []want {
			rules(s, bucket.Rule{ID: "trim", Prefix: "f/", NoncurrentDays: 1, NewerNoncurrent: 1})
			return nil
		},
		"rules elsewhere": func(s setup) []want {
			rules(s, bucket.Rule{ID: "x", Prefix: "g/", NoncurrentDays: 1, ExpireDays: 1, ExpireDeleteMarkers: true}, bucket.Rule{ID: "y", Prefix: ".provcatx", ExpireDays: 1}, bucket.Rule{ID: "z", AbortUploadsDays: 1})
			return nil
		},
		"a rule with tags and a log without": func(s setup) []want {
			rules(s, bucket.Rule{ID: "tmp", ExpireDays: 1, NoncurrentDays: 1, Tags: map[string]string{"tmp": ""}})
			return nil
		},
		"a rule for what is bigger than any commit object": func(s setup) []want {
			rules(s, bucket.Rule{ID: "big", ExpireDays: 1, NoncurrentDays: 1, LargerThan: 1 << 30})
			return nil
		},
		"classes that can be read, or may be": func(s setup) []want {
			s.class["f/a"+s.first.ID] = "GLACIER_IR"
			s.class["f/b"+s.versions("f/b")[0].ID] = "INTELLIGENT_TIERING"
			rules(s, bucket.Rule{ID: "ir", LargerThan: 1, Transitions: []bucket.Transition{{StorageClass: "GLACIER_IR"}, {Noncurrent: true, StorageClass: "STANDARD_IA"}}})
			return nil
		},
		"rules that could not be read": func(s setup) []want {
			return []want{{id: "access-denied"}}
		},
	} {
		t.Run(strings.ReplaceAll(name, "/", " "), func(t *testing.T) {
			w := newWorld(t)
			for _, k := range []string{"f/a", "f/b", "f/c"} {
				w.put(k, "body of "+k)
			}
			w.commit("f", "1")
			s := setup{world: w, first: w.versions("f/a")[0]}
			s.ruled = &ruled{Bucket: w.b, tags: map[string]map[string]string{}, locks: map[string]bucket.Protection{}, class: map[string]string{}, reads: &counter{}}
			w.put("f/a", "second")
			w.commit("f", "2")
			wants := plant(s)
			var b bucket.Bucket = s.ruled
			if name == "rules that could not be read" {
				b = &tampered{Bucket: s.ruled, settings: func(s *bucket.Settings) {
					s.Lifecycle, s.LifecycleErr = []bucket.Rule{{ID: "trim", Enabled: true, NoncurrentDays: 1}}, denied("read", "s3:GetLifecycleConfiguration")
				}}
			}
			first, second := audited(t, b), audited(t, b)
			expect(t, first, unique(wants)...)
			for i, f := range first.Findings {
				if x := second.Findings[i]; x.Fingerprint != f.Fingerprint || x.Title != f.Title {
					t.Errorf("the second run differs:\n%+v\n%+v", f, x)
				}
				if dated := f.ID == "version-will-expire" || f.ID == "lifecycle-covers-log"; dated && (f.Due == nil || len(f.Affected.Schedule) == 0 || f.Affected.Commits[0].Due == nil) {
					t.Errorf("no date: %+v", f)
				}
			}
			for _, x := range wants { // several wants of one finding
				ok := false
				for _, f := range first.Findings {
					ok = ok || f.ID == x.id && x.differs(f) == ""
				}
				if !ok {
					t.Errorf("nothing says %q", x.says)
				}
			}
		})
	}
}

// unique keeps the first want of each finding.
func unique(wants []want) []want {
	var out []want
	for _, w := range wants {
		again := false
		for _, x := range out {
			again = again || x.id == w.id && (x.folder == w.folder || w.folder == "" && w.versions == 0)
		}
		if !again {
			out = append(out, w)
		}
	}
	return out
}

func audited(t *testing.T, b bucket.Bucket) *Report {
	t.Helper()
	r, err := Run(bg, b, Options{Concurrency: 4})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Many versions: counts, weeks, dates by commit, bounded examples and reads.
func TestForecastOfMany(t *testing.T) {
	w := newWorld(t)
	const n = 1_200
	for round := range 3 {
		for i := range n {
			if round == 0 || i%2 == 0 {
				w.now = time.Date(2026, 10, 5+7*round, 1, 0, 0, 0, time.UTC) // Mondays
				w.put(fmt.Sprintf("f/%04d", i), fmt.Sprint("round ", round))
			}
		}
		w.commit("f", fmt.Sprint(round))
	}
	// 600 versions of round 0 became noncurrent on 10-12, 600 of round 1 on 10-19.
	w.must(w.b.SetLifecycle(bg, []bucket.Rule{{ID: "trim", Enabled: true, Prefix: "f/", NoncurrentDays: 9, Tags: map[string]string{"k": "v"}}}))
	b := &ruled{Bucket: w.b, tags: map[string]map[string]string{}, reads: &counter{}, class: map[string]string{}}
	for i := range n {
		for _, v := range w.versions(fmt.Sprintf("f/%04d", i)) {
			b.tags[v.Key+v.ID] = map[string]string{"k": "v"}
		}
	}
	r := audited(t, b)
	// 10-12 01:00 and nine days, rounded up: 10-22; 10-29. 1,000 are read: of the
	// first 500 keys that have old versions two each. 100 keys are left.
	expect(t, r, want{id: "version-will-expire", sure: Certain, versions: 1000, commits: 2, says: "from 2026-10-22 on"},
		want{id: "version-will-expire", sure: Possible, versions: 200, commits: 2, says: "an audit reads those of 1000 versions"})
	if b.reads.n != maxForecastReads {
		t.Errorf("%d reads", b.reads.n)
	}
	for _, f := range r.Findings {
		if f.Confidence != Certain {
			continue
		}
		weeks := fmt.Sprint(f.Affected.Schedule)
		if weeks != "[{2026-10-19 500 1} {2026-10-26 500 1}]" {
			t.Errorf("weeks %s", weeks)
		}
		var due []string
		for _, c := range f.Affected.Commits {
			due = append(due, fmt.Sprint(c.Number, " ", c.Due.Format(time.DateOnly)))
		}
		if fmt.Sprint(due) != "[1 2026-10-22 2 2026-10-29]" {
			t.Errorf("commits %v", due)
		}
		if len(f.Affected.Examples) != maxExamples || !f.Due.Equal(on("2026-10-22")) {
			t.Errorf("%d examples, due %v", len(f.Affected.Examples), f.Due)
		}
	}
	// A rule whose tags all keys lack says nothing; where some were not read, only
	// that.
	w.must(w.b.SetLifecycle(bg, []bucket.Rule{{ID: "no", Enabled: true, NoncurrentDays: 9, Tags: map[string]string{"k": "w"}}}))
	r = audited(t, b)
	expect(t, r, want{id: "version-will-expire", sure: Possible, versions: 200})
	b.denied = errors.New("the store is busy")
	r = audited(t, b)
	expect(t, r, want{id: "version-will-expire", sure: Possible, versions: 1200, says: "the store is busy"}, want{id: "evidence-erased", sure: Possible, says: "the store is busy"})
}
