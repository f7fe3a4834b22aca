package audit

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// Versions asks the script before each version, and at the end with an empty one.
func (b *tampered) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	if b.list == nil {
		return b.Bucket.Versions(ctx, r)
	}
	list := func(v bucket.Version) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.list(r, v)
	}
	return func(yield func(bucket.Version, error) bool) {
		for v, err := range b.Bucket.Versions(ctx, r) {
			if err == nil {
				err = list(v)
			}
			if errors.Is(err, errHide) {
				continue
			}
			if err != nil {
				yield(bucket.Version{}, err)
				return
			}
			if !yield(v, nil) {
				return
			}
		}
		if err := list(bucket.Version{}); err != nil {
			yield(bucket.Version{}, err)
		}
	}
}

func denied(op, permission string) error {
	return &bucket.Error{Op: op, Kind: bucket.ErrDenied, Permission: permission}
}

// What could not be read is neither sound nor damaged.
func TestCouldNotBeChecked(t *testing.T) {
	openDenied := func(match string) func(string, string, int64) error {
		return func(k, _ string, _ int64) error {
			if strings.Contains(k, match) {
				return denied("read", "s3:GetObjectVersion")
			}
			return nil
		}
	}
	for name, x := range map[string]struct {
		damage func(w *world, ids []string) // planted before
		fault  func(b *tampered, ids []string)
		o      Options
		want   []want
		check  func(t *testing.T, c CoverageSet)
	}{
		"one commit object": {
			fault: func(b *tampered, ids []string) { b.open = openDenied(ids[3]) },
			want:  []want{{id: "access-denied", severity: Unknown, repair: "grant-permission", says: "s3:GetObjectVersion", shows: "not read"}},
			check: func(t *testing.T, c CoverageSet) {
				if c.Commits.Checked != 5 || c.Commits.Total != 6 || c.Entries.Checked != 6 {
					t.Errorf("%+v", c)
				}
			},
		},
		"all commit objects are one finding": {
			fault: func(b *tampered, ids []string) { b.open = openDenied(commit.Commits) },
			want:  []want{{id: "access-denied", says: "6 commit objects"}},
			check: func(t *testing.T, c CoverageSet) {
				if c.Commits.Checked != 0 || c.Commits.Total != 6 || c.Versions.Total != 0 {
					t.Errorf("%+v", c)
				}
			},
		},
		"an entry in the middle: what it names is no orphan, and nobody's parent is wrong": {
			fault: func(b *tampered, ids []string) { b.open = openDenied(slot(3)) },
			want:  []want{{id: "access-denied", severity: Unknown, folder: sales, key: slot(3)}},
			check: func(t *testing.T, c CoverageSet) {
				if c.Entries.Checked != 5 || c.Entries.Total != 6 || c.Logs.Checked != 0 || c.Logs.Total != 1 {
					t.Errorf("%+v", c)
				}
			},
		},
		"the entry at the head: what it names is neither unfinished nor lost": {
			fault: func(b *tampered, ids []string) { b.open = openDenied(slot(6)) },
			want:  []want{{id: "access-denied", severity: Unknown, key: slot(6)}},
		},
		"the two entries at the head": {
			fault: func(b *tampered, ids []string) {
				b.open = func(k, v string, n int64) error {
					return errors.Join(openDenied(slot(6))(k, v, n), openDenied(slot(5))(k, v, n))
				}
			},
			want: []want{{id: "access-denied", says: "2 log entries"}},
		},
		"an entry that is read only halfway": {
			fault: func(b *tampered, ids []string) {
				b.open = func(k, _ string, _ int64) error {
					if k == slot(2) {
						return errors.New("reset")
					}
					return nil
				}
			},
			want: []want{{id: "check-incomplete", severity: Unknown, key: slot(2), repair: "-"}},
		},
		"the listing of .provcat/": {
			fault: func(b *tampered, ids []string) {
				b.list = func(r bucket.Range, _ bucket.Version) error {
					if r.Prefix == commit.Root {
						return denied("list versions of", "s3:ListBucketVersions")
					}
					return nil
				}
			},
			want: []want{{id: "access-denied", severity: Unknown, says: "s3:ListBucketVersions"}},
			check: func(t *testing.T, c CoverageSet) {
				if c.Logs.Checked != 0 || len(c.Logs.Skipped) != 1 || c.Entries.Total != 0 {
					t.Errorf("%+v", c)
				}
			},
		},
		"the listing of .provcat/ breaks midway": {
			fault: func(b *tampered, ids []string) {
				b.list = func(r bucket.Range, v bucket.Version) error {
					if r.Prefix == commit.Root && v.Key == slot(3) {
						return errors.New("reset")
					}
					return nil
				}
			},
			want: []want{{id: "check-incomplete", severity: Unknown}},
		},
		"the listing of a folder": {
			damage: func(w *world, ids []string) { w.erase(sales + "/readme") },
			fault: func(b *tampered, ids []string) {
				b.list = func(r bucket.Range, v bucket.Version) error {
					if strings.HasPrefix(r.Prefix, sales) {
						return denied("list versions of", "s3:ListBucketVersions")
					}
					return nil
				}
			},
			want: []want{{id: "access-denied", severity: Unknown, folder: sales}},
			check: func(t *testing.T, c CoverageSet) {
				if c.Versions.Checked != 0 || c.Versions.Total != 8 || c.Versions.Skipped[0].Count != 8 {
					t.Errorf("%+v", c.Versions)
				}
			},
		},
		"the listings of all folders are one finding": {
			damage: func(w *world, ids []string) { w.history("other", 2); w.erase("other/readme") },
			fault: func(b *tampered, ids []string) {
				b.list = func(r bucket.Range, v bucket.Version) error {
					if !strings.HasPrefix(r.Prefix, commit.Root) {
						return denied("list versions of", "s3:ListBucketVersions")
					}
					return nil
				}
			},
			want: []want{{id: "access-denied", severity: Unknown, folder: "-", says: "2 committed folders", shows: "other/"}},
			check: func(t *testing.T, c CoverageSet) {
				if c.Versions.Checked != 0 || c.Versions.Total != 8+4 || len(c.Versions.Skipped) != 2 {
					t.Errorf("%+v", c.Versions)
				}
			},
		},
		"the listing of a folder breaks midway: nothing after it is missing": {
			damage: func(w *world, ids []string) {
				w.erase(sales + "/readme")        // comes after the break
				w.erase(sales + "/de/prices.csv") // comes before
			},
			fault: func(b *tampered, ids []string) {
				b.list = func(r bucket.Range, v bucket.Version) error {
					if strings.HasPrefix(r.Prefix, sales) && v.Key == "" && r.Through == "" {
						return errors.New("reset")
					}
					return nil
				}
			},
			want: []want{
				{id: "check-incomplete", severity: Unknown, folder: sales},
				{id: "version-missing", severity: Damage, key: sales + "/de/prices.csv", versions: 1},
			},
			check: func(t *testing.T, c CoverageSet) {
				// Orders came last before the break, so their listing may not be whole.
				if c.Versions.Checked != 1 || c.Versions.Total != 8 || c.Versions.Skipped[0].Count != 7 {
					t.Errorf("%+v", c.Versions)
				}
			},
		},
		"the second look at a missing version": {
			damage: func(w *world, ids []string) { w.erase(sales + "/readme") },
			fault: func(b *tampered, ids []string) {
				b.list = func(r bucket.Range, v bucket.Version) error {
					if r.Through == sales+"/readme" {
						return errors.New("reset")
					}
					return nil
				}
			},
			want: []want{{id: "check-incomplete", severity: Unknown, key: sales + "/readme"}},
			check: func(t *testing.T, c CoverageSet) {
				if c.Versions.Checked != 7 || c.Versions.Total != 8 {
					t.Errorf("%+v", c.Versions)
				}
			},
		},
		"the second look at a log": {
			damage: func(w *world, ids []string) { w.del(slot(3)) },
			fault: func(b *tampered, ids []string) {
				b.list = func(r bucket.Range, v bucket.Version) error {
					if strings.HasPrefix(r.Prefix, commit.Logs) {
						return errors.New("reset")
					}
					return nil
				}
			},
			want: []want{{id: "check-incomplete", severity: Unknown, folder: sales}},
			check: func(t *testing.T, c CoverageSet) {
				if c.Logs.Checked != 0 || c.Entries.Checked != 0 || c.Entries.Total != 6 {
					t.Errorf("%+v", c)
				}
			},
		},
		"the second look at a commit object": {
			damage: func(w *world, ids []string) { w.erase(key(ids[3])) },
			fault: func(b *tampered, ids []string) {
				n := 0
				b.list = func(r bucket.Range, v bucket.Version) error {
					if r.Prefix == key(ids[3]) {
						if n++; n > 1 {
							return errors.New("reset")
						}
					}
					return nil
				}
			},
			want: []want{{id: "check-incomplete", severity: Unknown, key: ""}},
		},
		"the settings": {
			fault: func(b *tampered, ids []string) {
				b.settings = func(s *bucket.Settings) {
					s.Versioning, s.VersioningErr = bucket.VersioningUnknown, denied("read", "s3:GetBucketVersioning")
					s.LifecycleErr = denied("read", "s3:GetLifecycleConfiguration")
				}
			},
			want: []want{{id: "access-denied", says: "s3:GetBucketVersioning"}, {id: "access-denied", says: "s3:GetLifecycleConfiguration"}},
			check: func(t *testing.T, c CoverageSet) {
				if c.Settings.Checked != 1 || c.Settings.Total != 3 {
					t.Errorf("%+v", c.Settings)
				}
			},
		},
		"rules that could not be read explain nothing and rule nothing out": {
			damage: func(w *world, ids []string) { w.erase(sales + "/readme"); w.erase(slot(1)) },
			fault: func(b *tampered, ids []string) {
				b.settings = func(s *bucket.Settings) { s.LifecycleErr = denied("read", "s3:GetLifecycleConfiguration") }
			},
			want: []want{
				{id: "access-denied", says: "s3:GetLifecycleConfiguration"},
				{id: "version-missing", says: "is not known: the rules could not be read"},
				{id: "log-tail-missing", says: "is not known: the rules could not be read"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ids := w.history(sales, 6)
			if x.damage != nil {
				x.damage(w, ids)
			}
			w.pass(time.Hour)
			b := &tampered{Bucket: w.b}
			x.fault(b, ids)
			r := auditOf(t, b, x.o)
			expect(t, r, x.want...)
			verdict := Incomplete
			for _, f := range x.want {
				if f.severity == Damage || f.id == "version-missing" {
					verdict = Fail
				}
			}
			if r.Verdict != verdict || r.Complete {
				t.Errorf("verdict %s, complete %v; want %s", r.Verdict, r.Complete, verdict)
			}
			if x.check != nil {
				x.check(t, r.Coverage)
			}
		})
	}
}

// A store that has no lifecycle rules and no object lock has told all there is.
func TestSettingsThatTheStoreDoesNotHave(t *testing.T) {
	w := newWorld(t)
	r := auditOf(t, &tampered{Bucket: w.b, settings: func(s *bucket.Settings) {
		s.LifecycleErr = fmt.Errorf("x: %w", bucket.ErrUnsupported)
		s.ObjectLockErr = fmt.Errorf("x: %w", bucket.ErrUnsupported)
	}}, Options{})
	expect(t, r)
	if r.Verdict != Pass || r.Coverage.Settings.Checked != 3 {
		t.Errorf("%s, %+v", r.Verdict, r.Coverage.Settings)
	}
}
