package audit

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/inventory"
	"provcat-tui/bucket/inventory/inventorytest"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// inventoryOf makes a report of all that is in a bucket now, downloaded to a directory.
func (w *world) inventoryOf(b bucket.Bucket, o inventorytest.Options) *inventory.Report {
	w.Helper()
	var all []bucket.Version
	for v, err := range b.Versions(bg, bucket.Range{}) {
		w.must(err)
		all = append(all, v)
	}
	if o.Source == "" {
		o.Source = path.Base(b.URL())
	}
	if o.Created.IsZero() {
		o.Created = w.now
	}
	// In an order that nobody can rely on.
	slices.SortFunc(all, func(x, y bucket.Version) int { return strings.Compare(x.ID+x.Key, y.ID+y.Key) })
	made := inventorytest.Make(w, all, o)
	dir := w.TempDir()
	for key, data := range made.Objects {
		name := filepath.Join(dir, filepath.FromSlash(key))
		w.must(os.MkdirAll(filepath.Dir(name), 0o700))
		w.must(os.WriteFile(name, data, 0o600))
	}
	r, err := inventory.OpenFile(bg, filepath.Join(dir, filepath.FromSlash(made.Manifest)))
	w.must(err)
	w.must(CheckInventory(b, r))
	return r
}

// damaged is a bucket with each kind of damage to versions.
func damaged(t testing.TB) *world {
	w := newWorld(t)
	for i := range 40 {
		w.put(fmt.Sprintf("f/many/%03d", i), fmt.Sprint("one of many ", i))
	}
	for _, k := range []string{"gone", "kept", "marked", "changed", "odd +%2B\"ü"} {
		w.put("f/"+k, "of "+k)
	}
	w.put("g/a", "of g")
	w.put("g/copy", "of gone") // the bytes of what will be gone
	w.put("other", "nobody commits this")
	first := w.commit("f", "first").ID
	w.commit("g", "first")
	w.pass(time.Minute)
	m := w.del("f/marked")
	two := w.byHand("f", 2, first, func(files []commit.File) []commit.File {
		i := slices.IndexFunc(files, func(f commit.File) bool { return f.Path == "marked" })
		files[i] = commit.File{Path: "marked", Version: m.ID}
		return files
	})
	w.pass(time.Minute)
	w.byHand("f", 3, two, func(files []commit.File) []commit.File {
		i := slices.IndexFunc(files, func(f commit.File) bool { return f.Path == "changed" })
		files[i].ETag = strings.Repeat("0", 32)
		return files
	})
	w.erase("f/gone")
	for i := range 5 {
		w.erase(fmt.Sprintf("f/many/%03d", i*7))
	}
	w.must(w.b.SetVersioning(bg, bucket.VersioningSuspended))
	for i := range 25 {
		w.put(fmt.Sprintf("g/null/%03d", i), fmt.Sprint("null ", i))
	}
	w.put("g/deleted", "null, and deleted then")
	w.must(w.b.SetVersioning(bg, bucket.VersioningEnabled))
	w.commit("g", "with null versions")
	w.must(w.b.SetVersioning(bg, bucket.VersioningSuspended))
	w.del("g/deleted")
	w.must(w.b.SetVersioning(bg, bucket.VersioningEnabled))
	w.pass(time.Hour)
	return w
}

// aboutVersions are the findings that a report can tell as well as a listing.
func aboutVersions(r *Report) []string {
	var out []string
	for _, f := range r.Findings {
		if f.ID == "commit-not-snapshot" && f.Confidence == Certain { // it names a marker
			out = append(out, f.ID+" "+f.Fingerprint)
		}
		if strings.HasPrefix(f.ID, "version-") && f.ID != "version-will-expire" {
			out = append(out, fmt.Sprint(f.ID, " ", f.Fingerprint, " ", f.Title, " ", f.Affected.Versions, " ", f.Affected.Digest, " ", len(f.Affected.Commits), " ", f.Affected.Examples, f.Evidence))
		}
	}
	return out
}

func TestAnInventoryGivesTheFindingsOfAListing(t *testing.T) {
	for name, o := range map[string]inventorytest.Options{
		"CSV":     {Files: 3},
		"Parquet": {Format: "Parquet", Files: 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := damaged(t)
			live := w.audit(Options{})
			want := aboutVersions(live)
			if len(want) < 5 {
				t.Fatalf("only %d findings: %v", len(want), want)
			}
			report := w.inventoryOf(w.b, o)
			w.pass(26 * time.Hour)
			b := &tampered{Bucket: w.b, list: func(r bucket.Range, _ bucket.Version) error {
				if r.Prefix != commit.Root && r.Through == "" && !strings.HasPrefix(r.Prefix, ".provcat/") {
					t.Errorf("it lists all of %q", r.Prefix)
				}
				return nil
			}}
			r := auditOf(t, b, Options{Inventory: report})
			if got := aboutVersions(r); !slices.Equal(got, want) {
				t.Errorf("with the report:\n%s\nby listing:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if r.Complete || r.Verdict != Fail {
				t.Errorf("complete %v, verdict %s", r.Complete, r.Verdict)
			}
			if c, l := r.Coverage.Versions, live.Coverage.Versions; c.Checked != l.Checked || c.Total != l.Total {
				t.Errorf("checked %d of %d, by listing %d of %d", c.Checked, c.Total, l.Checked, l.Total)
			}
			u := r.Inventory
			if u == nil || u.Known+u.Live != r.Coverage.Versions.Total || u.FilesRead != o.Files || u.Live == 0 || u.Known < 30 || u.AgeSeconds < 26*3600 {
				t.Errorf("of the report it tells %+v", u)
			}
		})
	}
}

// sound is a folder with 30 files in two commits.
func sound2(t testing.TB) *world {
	w := newWorld(t)
	for i := range 30 {
		w.put(fmt.Sprintf("f/%03d", i), fmt.Sprint(i))
	}
	w.commit("f", "")
	w.put("f/000", "changed")
	w.commit("f", "")
	w.pass(time.Hour)
	return w
}

func TestAnInventoryIsOld(t *testing.T) {
	t.Run("nothing has changed", func(t *testing.T) {
		w := sound2(t)
		r := auditOf(t, w.b, Options{Inventory: w.inventoryOf(w.b, inventorytest.Options{})})
		expect(t, r)
		if r.Verdict != Pass || r.Complete || r.Inventory.Known != 31 || r.Inventory.Live != 0 {
			t.Errorf("%s, complete %v, %+v", r.Verdict, r.Complete, r.Inventory)
		}
		if s := r.Coverage.Versions.Skipped; len(s) != 1 || !s[0].Chosen || !strings.Contains(s[0].Reason, "31 versions are known from the inventory report of 2026-10-01T") {
			t.Errorf("the coverage says %+v", s)
		}
	})
	t.Run("committed since", func(t *testing.T) {
		w := sound2(t)
		report := w.inventoryOf(w.b, inventorytest.Options{})
		for i := range 12 {
			w.put(fmt.Sprintf("f/%03d", i), "new")
		}
		w.commit("f", "")
		r := auditOf(t, w.b, Options{Inventory: report})
		expect(t, r)
		if r.Inventory.Known != 31 || r.Inventory.Live != 12 {
			t.Errorf("%+v", r.Inventory)
		}
	})
	t.Run("committed and removed since", func(t *testing.T) {
		w := sound2(t)
		report := w.inventoryOf(w.b, inventorytest.Options{})
		v := w.put("f/001", "new")
		w.commit("f", "")
		w.kill("f/001", v.ID)
		expect(t, auditOf(t, w.b, Options{Inventory: report}), want{id: "version-missing", key: "f/001", versions: 1})
	})
	t.Run("the report lacks what is there", func(t *testing.T) {
		w := sound2(t)
		var report *inventory.Report
		hide := &tampered{Bucket: w.b, list: func(_ bucket.Range, v bucket.Version) error {
			if v.Key == "f/007" {
				return errHide
			}
			return nil
		}}
		report = w.inventoryOf(hide, inventorytest.Options{})
		r := auditOf(t, w.b, Options{Inventory: report})
		expect(t, r)
		if r.Inventory.Live != 1 {
			t.Errorf("%+v", r.Inventory)
		}
	})
	t.Run("removed since shows only where each is read", func(t *testing.T) {
		w := sound2(t)
		report := w.inventoryOf(w.b, inventorytest.Options{})
		w.erase("f/003")
		w.put("h", "3") // its bytes, but after the report
		expect(t, auditOf(t, w.b, Options{Inventory: report}))
		r := auditOf(t, w.b, Options{Inventory: report, Depth: DepthReadable})
		expect(t, r, want{id: "version-missing", key: "f/003", versions: 1, commits: 2})
		if r.Inventory.Live != 1 || r.Inventory.Known != 30 {
			t.Errorf("%+v", r.Inventory)
		}
	})
	t.Run("too old", func(t *testing.T) {
		w := sound2(t)
		report := w.inventoryOf(w.b, inventorytest.Options{})
		w.pass(9 * 24 * time.Hour)
		old := want{id: "check-incomplete", severity: Unknown, says: "9 days before this audit, and at most 8 days is allowed"}
		r := auditOf(t, w.b, Options{Inventory: report, Now: w.tick})
		expect(t, r, old)
		if r.Verdict != Incomplete {
			t.Error(r.Verdict)
		}
		expect(t, auditOf(t, w.b, Options{Inventory: report, InventoryAge: 10 * 24 * time.Hour, Now: w.tick}))
	})
	t.Run("of a time to come", func(t *testing.T) {
		w := sound2(t)
		report := w.inventoryOf(w.b, inventorytest.Options{Created: w.now.Add(48 * time.Hour)})
		expect(t, auditOf(t, w.b, Options{Inventory: report, Now: w.tick}), want{id: "check-incomplete", says: "after the bucket's own clock"})
	})
}

// A file that is not what the manifest says tells nothing: what it may have held is
// looked up, and that it could not be read is told.
func TestABrokenFileOfAnInventory(t *testing.T) {
	for name, change := range map[string]func(data []byte) []byte{
		"cut off":   func(d []byte) []byte { return d[:len(d)/2] },
		"changed":   func(d []byte) []byte { d[len(d)/2] ^= 1; return d },
		"not there": func([]byte) []byte { return nil },
	} {
		for _, format := range []string{"CSV", "Parquet"} {
			t.Run(format+" "+name, func(t *testing.T) {
				w := sound2(t)
				w.erase("f/005")
				report := w.inventoryOf(w.b, inventorytest.Options{Format: format, Files: 3, Change: func(i int, d []byte) []byte {
					if i == 1 {
						return change(d)
					}
					return d
				}})
				r := auditOf(t, w.b, Options{Inventory: report})
				expect(t, r, want{id: "version-missing", key: "f/005"},
					want{id: "check-incomplete", severity: Unknown, says: "files of the inventory report could not be checked"})
				if r.Inventory.FilesRead != 2 || r.Inventory.Live < 9 || r.Coverage.Versions.Checked != 31 {
					t.Errorf("%+v %+v", r.Inventory, r.Coverage.Versions)
				}
			})
		}
	}
}

// A missing row that cannot be looked up is not damage.
func TestASuspectThatCannotBeLookedUp(t *testing.T) {
	w := sound2(t)
	w.erase("f/005")
	report := w.inventoryOf(w.b, inventorytest.Options{})
	denied := &bucket.Error{Op: "list versions of", Kind: bucket.ErrDenied, Permission: "s3:ListBucketVersions"}
	b := &tampered{Bucket: w.b, list: func(r bucket.Range, v bucket.Version) error {
		if strings.HasPrefix(r.Prefix, "f") {
			return denied
		}
		return nil
	}}
	w.put("f/005", "again") // else the listing is empty, and nothing can be refused
	r := auditOf(t, b, Options{Inventory: report})
	expect(t, r, want{id: "access-denied", severity: Unknown, key: "f/005", says: "s3:ListBucketVersions"})
	if c := r.Coverage.Versions; r.Verdict != Incomplete || c.Checked != 30 || c.Total != 31 {
		t.Errorf("%s, %+v", r.Verdict, c)
	}
}

// What lies close together is looked up by pages; what lies apart one by one.
func TestSuspectsComeInFewRequests(t *testing.T) {
	w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	server := fakes3.New(fakes3.Options{Now: w.tick})
	t.Cleanup(server.Close)
	b := s3test.New(t, server.URL())
	put := func(key string, n int) {
		for i := range n {
			server.Put(b.Name, fmt.Sprintf(key, i), []byte(fmt.Sprint(i)))
		}
	}
	put("f/seed/%05d", 1)
	_, err := w.write(b, "f", "")
	w.must(err)
	report := w.inventoryOf(b, inventorytest.Options{Format: "Parquet"})
	put("f/dense/é%05d", 2300)
	for i := range 5 {
		put(fmt.Sprintf("f/wide/%d/named", i)+"%.0d", 1)
	}
	_, err = w.write(b, "f", "")
	w.must(err)
	for i := range 5 {
		put(fmt.Sprintf("f/wide/%d/other", i)+"%05d", 1200) // that no commit names
	}
	r := auditOf(t, b, Options{Inventory: report})
	expect(t, r)
	plain := auditOf(t, b, Options{})
	if r.Inventory.Live != 2305 || r.Inventory.Known != 1 {
		t.Errorf("%+v", r.Inventory)
	}
	// 3 batches of a thousand: three pages, one more where each goes on, and a few for
	// what lies apart. The bucket has 9 pages.
	if n := r.Requests.List; n > 15 {
		t.Errorf("%d list requests; the listing takes %d", n, plain.Requests.List)
	}
}

// What a report asks for counts, and ends with the budget.
func TestTheBudgetCountsTheInventory(t *testing.T) {
	w := sound2(t)
	var all []bucket.Version
	for v, err := range w.b.Versions(bg, bucket.Range{}) {
		w.must(err)
		all = append(all, v)
	}
	reports := newWorld(t)
	made := inventorytest.Make(t, all, inventorytest.Options{Source: path.Base(w.b.URL()), Created: w.now, Files: 10, Prefix: "inv/x/weekly/"})
	for key, data := range made.Objects {
		reports.put(key, string(data))
	}
	open := func() *inventory.Report {
		r, err := inventory.Open(bg, reports.b, made.Manifest)
		w.must(err)
		return r
	}
	before := w.b.Requests()
	plain := w.audit(Options{Since: &before})
	since := withInventory{w.b, open()}.Requests()
	r := auditOf(t, w.b, Options{Inventory: open(), Since: &since})
	// The manifest and its checksum, read twice here, and ten files.
	if got, want := r.Requests.Get, plain.Requests.Get+10+2; got != want {
		t.Errorf("%d gets, want %d", got, want)
	}
	expect(t, r)
	short := auditOf(t, w.b, Options{Inventory: open(), MaxRequests: r.Requests.Get + r.Requests.List})
	expect(t, short)
	if c := short.Coverage.Versions; short.Complete || c.Checked == c.Total || short.Inventory.FilesRead == 10 || short.Inventory.FilesRead == 0 {
		t.Errorf("%+v %+v", c, short.Inventory)
	}
	e, err := MakeEstimate(bg, w.b, Options{Inventory: open()})
	w.must(err)
	i := slices.IndexFunc(e.Stages, func(s EstimateStage) bool { return s.Stage == "inventory" })
	if i < 0 || e.Stages[i].Get != 10 || e.Stages[i].Bytes == 0 {
		t.Errorf("the estimate has %+v", e.Stages)
	}
}

// A report tells what is archived, by class as a listing does.
func TestAnInventoryTellsWhatIsArchived(t *testing.T) {
	w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	server := fakes3.New(fakes3.Options{Now: w.tick})
	t.Cleanup(server.Close)
	b := s3test.New(t, server.URL())
	server.Plant(b.Name, fakes3.Planted{Key: "f/cold", ID: "v-cold", Body: []byte("1"), Class: "GLACIER"}, fakes3.Planted{Key: "f/std", Body: []byte("1")})
	_, err := w.write(b, "f", "")
	w.must(err)
	report := w.inventoryOf(b, inventorytest.Options{})
	server.Plant(b.Name, fakes3.Planted{Key: "f/deep", ID: "v-deep", Body: []byte("22"), Class: "DEEP_ARCHIVE"})
	_, err = w.write(b, "f", "")
	w.must(err)
	for _, depth := range []Depth{DepthVersions, DepthReadable} {
		expect(t, auditOf(t, b, Options{Inventory: report, Depth: depth}), want{id: "version-archived", severity: Risk, folder: "f", versions: 2, commits: 2, shows: "f/cold v-cold is in the class GLACIER"})
	}
}

func TestAReportOfAnotherBucketIsRefused(t *testing.T) {
	w := sound2(t)
	other := w.inventoryOf(w.b, inventorytest.Options{})
	elsewhere := s3test.New(t, fakes3.New(fakes3.Options{}).URL())
	if err := CheckInventory(elsewhere, other); !errors.Is(err, bucket.ErrUsage) || !strings.Contains(err.Error(), "x.bucket, not of "+elsewhere.Name) {
		t.Error(err)
	}
}
