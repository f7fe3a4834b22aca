package views

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// Each state of a commit's versions, and which a rule will remove.
func TestCommitTellsWhatBecameOfItsVersions(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{"deleted", "live", "lost", "replaced", "wholly-lost"} {
		f.put("data/"+name, "x")
	}
	lost := f.put("data/lost", "y")
	f.commit("data", "ana", "All")
	f.day() // 2026-10-02
	f.put("data/replaced", "z")
	f.put("data/lost", "z")
	f.delete("data/deleted")
	if err := f.b.DeleteVersion(t.Context(), "data/lost", lost.ID); err != nil {
		t.Fatal(err)
	}
	f.removeAll("data/wholly-lost")
	if err := f.b.SetLifecycle(t.Context(), []bucket.Rule{{ID: "expire-old", Enabled: true, Prefix: "data/rep", NoncurrentDays: 30}}); err != nil {
		t.Fatal(err)
	}
	d := newDriver(t, f.start("data"), 80, 24)
	d.press("l", "enter")
	// The successor was made on 2026-10-02 at 08:00: 30 days later, at the next midnight.
	d.sees("✗ 2 gone  ● 1 live  ○ 2 noncurrent", "! 1 will be removed from 2026-11-02 on (rule expire-old)",
		"○ deleted", "● live", "✗ gone", "○ replaced    ! 2026-11-02")
	line := func(name string) int {
		return slices.IndexFunc(strings.Split(d.text(), "\n"), func(l string) bool { return strings.HasPrefix(strings.TrimLeft(l, "› "), name) })
	}
	d.press("s", "s") // by state
	if !(line("lost") < line("replaced") && line("wholly-lost") < line("replaced") && line("replaced") < line("deleted") && line("deleted") < line("live")) {
		t.Errorf("not the worst first:\n%s", d.text())
	}
	d.press("/")
	d.write("gone")
	d.sees("2 of 5", "wholly-lost")
	d.seesNot("replaced")
	d.press("esc", "/")
	d.write("will be removed")
	d.sees("1 of 5", "replaced")
	d.press("enter", "enter")
	d.sees("○ Readable by its version ID; replaced since", "The lifecycle rule expire-old")
	d.press("esc", "esc", "w")
	d.sees("Not now: all versions were checked")
	d.press("D")
	d.sees("Diff of data: #1 to live")
}

// From a commit to its child and back.
func TestCommitLeadsToItsChild(t *testing.T) {
	f, rs := small(t)
	d := newDriver(t, f.start("sales/2026"), 80, 24)
	d.press("l", "end", "enter")
	d.sees("child    #2 " + rs[1].ID)
	d.press("P")
	d.sees("Commit #2 of sales/2026", "parent   #1 "+rs[0].ID, "child    #3 "+rs[2].ID)
	d.press("p")
	d.sees("Commit #1 of sales/2026")
}

// unlistable refuses listings of the folder, and gives settings to nobody.
type unlistable struct{ bucket.Bucket }

func (b unlistable) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	if strings.HasPrefix(r.Prefix, commit.Root) {
		return b.Bucket.Versions(ctx, r)
	}
	return func(yield func(bucket.Version, error) bool) {
		yield(bucket.Version{}, &bucket.Error{Op: "list versions of", Bucket: "s3://b", Kind: bucket.ErrDenied, Permission: "s3:ListBucketVersions"})
	}
}

func (b unlistable) Settings(context.Context) bucket.Settings {
	return bucket.Settings{LifecycleErr: bucket.ErrDenied, VersioningErr: bucket.ErrDenied}
}

// What could not be listed is not checked, and never gone.
func TestCommitWithoutTheRightToList(t *testing.T) {
	f, rs := small(t)
	b := unclosed{unlistable{f.b}}
	d := newDriver(t, f.startOn(b, "sales/2026"), 80, 24)
	d.run(d.m.do(d.m.stack.top(), push{newCommit(place{d.m.env, b, bucket.Location{Scheme: "file", Bucket: "/data/demo.bucket"}}, "sales/2026", rs[4].ID, 5)}))
	d.idle()
	d.sees("? 3 not checked", "? the listing broke off", "s3:ListBucketVersions", "? not checked")
	d.seesNot("gone", "✗")
}

// fixed is a bucket with these versions.
type fixed struct {
	bucket.Bucket
	vs []bucket.Version
}

func (b fixed) Versions(context.Context, bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		for _, v := range b.vs {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// join gives the states that a join finds, by index of the file.
func join(t *testing.T, files []commitFile, vs []bucket.Version, v *valve) (map[int]fileState, error) {
	t.Helper()
	got := map[int]fileState{}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	j := &joining{files: files, order: inPathOrder(files), prefix: "f/", outlook: audit.NewOutlook(bucket.Settings{}, later), add: func(c checked) {
		if c.file >= 0 {
			got[c.file] = c.state
		}
	}}
	if v.limit < len(vs) {
		go func() {
			for !v.waits() {
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
	}
	err := j.run(ctx, fixed{vs: vs}, v)
	return got, err
}

func TestJoiningFilesAndVersions(t *testing.T) {
	version := func(key, id string, latest bool) bucket.Version {
		return bucket.Version{Key: "f/" + key, ID: id, Latest: latest, Size: 1, ETag: "e", Modified: later}
	}
	file := func(path, id string) commitFile {
		return commitFile{File: commit.File{Path: path, Version: id, ETag: "e", Size: 1}}
	}
	cold, other, marker := version("c", "1", true), version("o", "1", true), version("m", "1", true)
	cold.StorageClass, other.ETag, marker.DeleteMarker = "GLACIER", "other", true
	vs := []bucket.Version{version("a", "2", true), version("a", "1", false), version("b", "9", true), cold, marker, other}
	// Out of order, one path twice, one before and one after all keys.
	files := []commitFile{file("o", "1"), file("a", "1"), file("a", "2"), file("b", "1"), file("", "1"), file("c", "1"), file("m", "1"), file("z", "1")}
	want := map[int]fileState{0: versionChanged, 1: versionReplaced, 2: versionLive, 3: versionGone, 4: versionGone, 5: versionArchived, 6: versionMarker, 7: versionGone}
	got, err := join(t, files, vs, newValve(100))
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v, %v\nwant %v", got, err, want)
	}
	// Past the budget it waits; what was not listed to the end of its key is not judged.
	got, err = join(t, files, vs, newValve(2))
	if !errors.Is(err, context.Canceled) || fmt.Sprint(got) != "map[]" {
		t.Errorf("after two versions: %v, %v", got, err)
	}
	got, err = join(t, files, vs, newValve(3))
	if !errors.Is(err, context.Canceled) || fmt.Sprint(got) != fmt.Sprint(map[int]fileState{1: versionReplaced, 2: versionLive, 4: versionGone}) {
		t.Errorf("after three versions: %v, %v", got, err)
	}
	slices.Reverse(vs)
	if _, err = join(t, files, vs, newValve(100)); !errors.Is(err, errNoOrder) {
		t.Errorf("out of order: %v", err)
	}
}

// A day far away or hostile is none; the others come out as they went in.
func TestFileStateKeepsADay(t *testing.T) {
	on := time.Date(2026, 12, 24, 0, 0, 0, 0, time.UTC)
	if s := versionReplaced.withRemoval(on, true); s.kind() != versionReplaced || !s.sure() || !s.removed().Equal(on) {
		t.Errorf("%v %v %v", s.kind(), s.sure(), s.removed())
	}
	for _, day := range []time.Time{{}, time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(1<<62, 0)} {
		if s := versionLive.withRemoval(day, false); s != versionLive {
			t.Errorf("%v gives %v", day, s)
		}
	}
	if s := versionLive.withRemoval(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), false); s.removed().Year() != 9999 {
		t.Error("the year 9999 is lost")
	}
}
