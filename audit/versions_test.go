package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// Each case has a folder "f" with one commit of a, b and c, and does something to
// its versions.
func TestVersions(t *testing.T) {
	const day = 24 * time.Hour
	rule := func(w *world, r bucket.Rule) {
		r.Enabled = true
		w.must(w.b.SetLifecycle(bg, []bucket.Rule{{ID: "other", Enabled: true, Prefix: "g/", NoncurrentDays: 1}, r}))
	}
	// lose overwrites a and removes the committed version for good, as a rule does.
	lose := func(w *world) string {
		v := w.versions("f/a")[0]
		w.put("f/a", "newer")
		w.kill("f/a", v.ID)
		return v.ID
	}
	for name, plant := range map[string]func(w *world) []want{
		"version-missing": func(w *world) []want {
			return []want{{id: "version-missing", severity: Damage, folder: "f", key: "f/a", repair: "recommit", versions: 1, commits: 1, says: "No lifecycle rule of the bucket explains it", shows: "f/a " + lose(w) + " gone"}}
		},
		"version-missing by a rule": func(w *world) []want {
			rule(w, bucket.Rule{ID: "trim", Prefix: "f/", NoncurrentDays: 30})
			lose(w)
			w.pass(40 * day)
			return []want{{id: "version-missing", versions: 1, says: `"trim" explains it: it removes noncurrent versions, and was due from 2026-11-01`}}
		},
		"version-missing before the rule was due": func(w *world) []want {
			rule(w, bucket.Rule{ID: "trim", Prefix: "f/", NoncurrentDays: 30})
			lose(w)
			w.pass(20 * day)
			return []want{{id: "version-missing", says: "no other version within the bucket has its ETag and size"}}
		},
		"version-missing where the rule keeps newer ones": func(w *world) []want {
			rule(w, bucket.Rule{ID: "trim", Prefix: "f/", NoncurrentDays: 30, NewerNoncurrent: 1})
			lose(w)
			w.pass(40 * day)
			return []want{{id: "version-missing", says: "No lifecycle rule"}}
		},
		"version-missing where a rule of another prefix has tags": func(w *world) []want {
			rule(w, bucket.Rule{ID: "trim", Prefix: "g/", NoncurrentDays: 30, Tags: map[string]string{"k": "v"}})
			lose(w)
			w.pass(40 * day)
			return []want{{id: "version-missing", says: "No lifecycle rule of the bucket explains it"}}
		},
		"version-missing by a rule that keeps a number and asks for no days, as MinIO has": func(w *world) []want {
			rule(w, bucket.Rule{ID: "keep", Prefix: "f/", NewerNoncurrent: 1})
			lose(w)
			w.put("f/a", "newer still")
			w.pass(2 * day)
			return []want{{id: "version-missing", says: `"keep" explains it`}}
		},
		"version-missing where a rule has tags": func(w *world) []want {
			rule(w, bucket.Rule{ID: "trim", Prefix: "f/", NoncurrentDays: 30, Tags: map[string]string{"k": "v"}})
			lose(w)
			w.pass(40 * day)
			return []want{{id: "version-missing", says: "a filter of tags may explain it"}}
		},
		"version-missing with all that was at its key, by a rule that expires": func(w *world) []want {
			rule(w, bucket.Rule{ID: "expire", Prefix: "f/", ExpireDays: 10, NoncurrentDays: 5})
			w.erase("f/a")
			w.pass(40 * day)
			return []want{{id: "version-missing", says: `"expire" explains it`}, {id: "version-will-expire", versions: 2}}
		},
		"version-missing, one finding for a folder, which tells of each cause": func(w *world) []want {
			rule(w, bucket.Rule{ID: "trim", Prefix: "f/many/", NoncurrentDays: 30})
			for i := range 100 {
				w.put(fmt.Sprintf("f/many/%03d", i), "x")
			}
			w.commit("f", "many")
			w.put("f/b", "changed")
			w.commit("f", "more")
			for i := range 100 {
				k := fmt.Sprintf("f/many/%03d", i)
				old := w.versions(k)[0].ID
				w.put(k, "y")
				w.kill(k, old)
			}
			w.pass(40 * day)
			w.erase("f/c")
			return []want{
				{id: "version-missing", folder: "f", versions: 101, commits: 3, shows: "f/many/000",
					says: `Of 1 of them: No lifecycle rule of the bucket explains it: a person or a tool removed them, or a rule that has since been changed. Of 100 of them: The lifecycle rule "trim" explains it`},
			}
		},
		"version-missing where the same bytes survive elsewhere": func(w *world) []want {
			w.put("copies/of/a", "of a")
			lose(w)
			return []want{{id: "version-missing", key: "f/a", says: "The same bytes are still at copies/of/a, version ", shows: "the same bytes are still at copies/of/a"}}
		},
		"version-missing in a folder inside another": func(w *world) []want {
			w.put("f/in/x", "x")
			w.commit("f/in", "inner")
			w.commit("f", "outer")
			w.erase("f/in/x")
			return []want{{id: "version-missing", folder: "f/in", key: "f/in/x", versions: 1, commits: 2}}
		},
		"version-missing in a folder whose log came later than the commits that name it": func(w *world) []want {
			w.put("f/in/x", "x")
			w.commit("f", "outer")
			w.erase("f/in/x")
			w.put("f/in/y", "y")
			w.commit("f/in", "inner")
			return []want{{id: "version-missing", folder: "f/in", key: "f/in/x", commits: 1, says: "1 version that commits of folders above f/in name is gone"}}
		},
		"version-missing in the whole bucket": func(w *world) []want {
			w.commit("", "all")
			w.erase("f/b")
			return []want{{id: "version-missing", folder: "f", key: "f/b", versions: 1, commits: 2}}
		},
		"version-changed: the commit recorded another ETag": func(w *world) []want {
			v := w.versions("f/a")[0]
			id := w.object(commit.Header{Folder: "g", Number: 1}, commit.File{Path: "x", Version: w.put("g/x", "x").ID, ETag: v.ETag, Size: 1})
			h, _ := w.load(id)
			w.entry("g", 1, id, h.Time)
			return []want{{id: "version-changed", severity: Damage, folder: "g", key: "g/x", versions: 1, commits: 1}}
		},
		"version-changed: another size, and only in one of two commits": func(w *world) []want {
			v := w.put("g/x", "x")
			one := w.object(commit.Header{Folder: "g", Number: 1}, commit.File{Path: "x", Version: v.ID, ETag: v.ETag, Size: 1})
			h, _ := w.load(one)
			w.entry("g", 1, one, h.Time)
			two := w.object(commit.Header{Folder: "g", Number: 2, Parent: one}, commit.File{Path: "x", Version: v.ID, ETag: v.ETag, Size: 2})
			h, _ = w.load(two)
			w.entry("g", 2, two, h.Time)
			return []want{{id: "version-changed", folder: "g", versions: 1, commits: 1}}
		},
		"commit-not-snapshot: it names a marker": func(w *world) []want {
			id := w.object(commit.Header{Folder: "g", Number: 1}, commit.File{Path: "x", Version: w.del("g/x").ID})
			h, _ := w.load(id)
			w.entry("g", 1, id, h.Time)
			return []want{{id: "commit-not-snapshot", severity: Anomaly, sure: Certain, folder: "g", number: 1, commit: id, repair: "recommit", versions: 1, shows: "true"}}
		},
		"files of a corrupt commit object count for nothing": func(w *world) []want {
			e, err := commit.LoadEntry(bg, w.b, commit.EntryKey("f", 1), "")
			w.must(err)
			w.put(key(e.Commit), strings.Replace(w.body(key(e.Commit), ""), `"size":4`, `"size":5`, 1))
			return []want{{id: "commit-corrupt", folder: "f"}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, k := range []string{"a", "b", "c"} {
				w.put("f/"+k, "of "+k)
			}
			w.commit("f", "first")
			wants := plant(w)
			expect(t, w.audit(Options{}), wants...)
		})
	}
}

func TestVersionNull(t *testing.T) {
	w := newWorld(t)
	w.must(w.b.SetVersioning(bg, bucket.VersioningSuspended))
	w.put("f/old", "x")
	expect(t, w.audit(Options{}), want{id: "versioning-suspended", severity: Risk, folder: "-", repair: "enable-versioning"})
	w.must(w.b.SetVersioning(bg, bucket.VersioningEnabled))
	w.put("f/new", "x")
	w.commit("f", "both")
	null := want{id: "version-null", severity: Risk, folder: "f", key: "f/old", versions: 1, commits: 1, repair: "rewrite"}
	r := w.audit(Options{})
	expect(t, r, null)
	if r.Verdict != Pass {
		t.Errorf("the verdict is %s", r.Verdict)
	}
	if r := w.audit(Options{FailOn: Risk}); r.Verdict != Fail {
		t.Errorf("with risk to fail on the verdict is %s", r.Verdict)
	}
	// Under suspended versioning an overwrite destroys it.
	w.must(w.b.SetVersioning(bg, bucket.VersioningSuspended))
	w.put("f/old", "other")
	expect(t, w.audit(Options{}), want{id: "version-changed", severity: Damage, key: "f/old", versions: 1},
		want{id: "versioning-suspended", severity: Risk})
}

// A deletion under suspended versioning destroys a null version and leaves a marker
// with its ID: the commit names no marker, its version is gone.
func TestVersionNullDeleted(t *testing.T) {
	for name, x := range map[string]struct {
		rule bucket.Rule
		says string
	}{
		"by a person":                       {bucket.Rule{}, "a delete marker took its place: somebody deleted it while versioning was suspended"},
		"by a rule that expires":            {bucket.Rule{ID: "old", Enabled: true, Prefix: "f/", ExpireDays: 10}, `"old" explains it: it expires live objects, which destroys one with the version ID null while versioning is suspended, and was due from 2026-10-12 on`},
		"by a person before a rule was due": {bucket.Rule{ID: "old", Enabled: true, Prefix: "f/", ExpireDays: 100}, "somebody deleted it"},
		"where a rule is for other keys":    {bucket.Rule{ID: "old", Enabled: true, Prefix: "g/", ExpireDays: 10}, "somebody deleted it"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.must(w.b.SetVersioning(bg, bucket.VersioningSuspended))
			w.put("f/old", "x")
			w.must(w.b.SetVersioning(bg, bucket.VersioningEnabled))
			w.put("f/new", "y")
			w.commit("f", "both")
			w.must(w.b.SetVersioning(bg, bucket.VersioningSuspended))
			if x.rule.ID != "" {
				w.must(w.b.SetLifecycle(bg, []bucket.Rule{x.rule}))
			}
			w.pass(20 * 24 * time.Hour)
			w.del("f/old")
			var found []string
			for _, f := range w.audit(Options{}).Findings {
				if f.ID == "version-missing" {
					found = append(found, want{id: f.ID, severity: Damage, folder: "f", key: "f/old", versions: 1, commits: 1, says: x.says}.differs(f))
				}
				if f.ID == "commit-not-snapshot" || f.ID == "version-changed" {
					t.Errorf("also %s", f.ID)
				}
			}
			if len(found) != 1 || found[0] != "" {
				t.Errorf("%q", found)
			}
		})
	}
}

func TestVersioningOff(t *testing.T) {
	w := newWorld(t)
	w.must(w.b.SetVersioning(bg, bucket.VersioningOff))
	r := w.audit(Options{})
	expect(t, r, want{id: "versioning-off", severity: Risk, folder: "-", repair: "enable-versioning"})
	if r.Verdict != Pass {
		t.Errorf("the verdict is %s", r.Verdict)
	}
}

// A tampered bucket fails some reads, as a script says.
type tampered struct {
	bucket.Bucket
	open     func(key, version string, first int64) error
	list     func(r bucket.Range, v bucket.Version) error
	settings func(*bucket.Settings)
	mu       sync.Mutex // held while open or list runs: an audit asks side by side
}

func (b *tampered) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	if b.open != nil {
		b.mu.Lock()
		err := b.open(key, version, first)
		b.mu.Unlock()
		if err != nil {
			return nil, bucket.Version{}, err
		}
	}
	return b.Bucket.Open(ctx, key, version, first)
}

func (b *tampered) Settings(ctx context.Context) bucket.Settings {
	s := b.Bucket.Settings(ctx)
	if b.settings != nil {
		b.settings(&s)
	}
	return s
}

// A kmsError is what the SDK gives for a key that is disabled.
type kmsError struct{}

func (kmsError) Error() string     { return "the key is disabled" }
func (kmsError) ErrorCode() string { return "KMS.DisabledException" }

func TestVersionUnreadable(t *testing.T) {
	for name, x := range map[string]struct {
		err     error
		depth   Depth
		want    []want
		verdict Verdict
	}{
		"a disabled key":          {&bucket.Error{Op: "read", Err: kmsError{}}, DepthReadable, []want{{id: "version-unreadable", severity: Damage, folder: "f", key: "f/a", versions: 1, commits: 1, says: "the key is disabled"}}, Fail},
		"listed, but not there":   {&bucket.Error{Op: "read", Kind: bucket.ErrNotFound}, DepthReadable, []want{{id: "version-unreadable", severity: Damage, key: "f/a"}}, Fail},
		"403":                     {&bucket.Error{Op: "read", Kind: bucket.ErrDenied, Permission: "s3:GetObjectVersion"}, DepthReadable, []want{{id: "access-denied", severity: Unknown, key: "f/a", repair: "grant-permission"}}, Incomplete},
		"a store that cannot":     {&bucket.Error{Op: "read", Kind: bucket.ErrUnsupported}, DepthReadable, []want{{id: "check-incomplete", severity: Unknown, key: "f/a"}}, Incomplete},
		"a reset":                 {errors.New("connection reset"), DepthReadable, []want{{id: "check-incomplete", severity: Unknown, key: "f/a"}}, Incomplete},
		"not read at that depth":  {errors.New("connection reset"), DepthVersions, nil, Pass},
		"an empty file is enough": {nil, DepthReadable, nil, Pass},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.put("f/a", "x")
			w.put("f/empty", "")
			w.commit("f", "")
			r := auditOf(t, &tampered{Bucket: w.b, open: func(key, _ string, _ int64) error {
				if key == "f/a" {
					return x.err
				}
				return nil
			}}, Options{Depth: x.depth})
			expect(t, r, x.want...)
			if r.Verdict != x.verdict {
				t.Errorf("the verdict is %s, want %s", r.Verdict, x.verdict)
			}
			if x.verdict == Incomplete && (r.Coverage.Versions.Checked != 1 || r.Coverage.Versions.Total != 2 || len(r.Coverage.Versions.Skipped) != 1) {
				t.Errorf("versions: %+v", r.Coverage.Versions)
			}
		})
	}
}
