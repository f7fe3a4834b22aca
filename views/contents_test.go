package views

import (
	"context"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// A model has a commit with five files and one with each of them changed.
func model(t testing.TB) (*fixture, []commit.Result) {
	f := newFixture(t)
	script := func(rate, end string) string {
		var b strings.Builder
		b.WriteString("import sys\n\n\ndef train(rows, rate=" + rate + "):\n    \"\"\"Fits the model.\"\"\"\n")
		for i := range 30 {
			fmt.Fprintf(&b, "    step_%d = rows[%d]  # one of many\n", i, i)
		}
		return b.String() + end
	}
	f.put("m/train.py", script("0.1", "    return step_0\n"))
	f.put("m/scores.csv", "id,name,score\n1,ada,10\n2,ben,20\n3,chidi,30\n4,dora,40\n5,eva,50\n6,finn,60\n7,gus,70\n8,hana,80\n9,ivo,90\n")
	f.put("m/config.json", `{"rate": 0.1, "tags": ["a", "b"], "owner": {"name": "ana"}}`)
	f.put("m/weights.bin", "\x00\x01\x02\x03weights of the model\xff\xfe")
	f.put("m/old.txt", "soon gone\n")
	rs := []commit.Result{f.commit("m", "ana", "One")}
	f.day()
	f.put("m/train.py", script("0.25", "    return step_0, step_1\n"))
	f.put("m/scores.csv", "id,name,score\n1,ada,10\n2,ben,25\n3,chidi,30\n4,dora,40\n5,eva,50\n6,finn,60\n7,gus,70\n9,ivo,90\n10,jo,100\n")
	f.put("m/config.json", "{\n  \"owner\": {\"name\": \"ben\"},\n  \"rate\": 0.1,\n  \"tags\": [\"b\", \"c\"]\n}\n")
	f.put("m/weights.bin", "\x00\x01\x02\x04weights of the model\xff\xfe\x00")
	f.put("m/new.md", "# New\n")
	f.delete("m/old.txt")
	return f, append(rs, f.commit("m", "ben", "Two"))
}

// contentsAt opens the contents of a file of the model's diff.
func contentsAt(d *driver, name string) {
	d.t.Helper()
	d.press("/")
	d.write(name)
	d.press("enter", "enter")
	d.sees("Contents of " + name)
}

func modelDiff(t testing.TB, w, h int) *driver {
	f, _ := model(t)
	d := newDriver(t, f.start("m"), w, h)
	d.press("l", "enter", "d")
	d.sees("Diff of m: #1 to #2", "6 differences")
	return d
}

func TestCompareContents(t *testing.T) {
	d := modelDiff(t, 80, 24)
	contentsAt(d, "scores.csv")
	d.sees("key m/scores.csv", "- #1", "+ #2", "as a table by id: ~1 changed, +1 added, -1 removed, 7 the same",
		"› 2 -   2  ben       20", "  2 +   2  ben       25", "  8 -   8  hana      80", "  9 +  10  jo       100", "change 1 of 3")
	d.press("]")
	d.sees("› 8 -   8  hana", "change 2 of 3")
	d.press("n", "n")
	d.sees("› 2 -   2  ben", "change 1 of 3, from the first again")
	d.press("N")
	d.sees("change 3 of 3, from the last again")
	d.press("t")
	d.sees("as lines: ~1 changed, +1 added, -1 removed, 8 the same", "3 - 2,ben,20", "3 + 2,ben,25")
	d.press("t")
	d.sees("as bytes place by place", "69 64 2c 6e 61 6d 65 2c")
	d.press("t", "v")
	d.sees("2 -   2  ben       20", "│› 2 +   2  ben       25")
	d.press("v", "enter")
	d.sees("Object m/scores.csv", "named by")
	d.press("esc", "esc", "esc")

	contentsAt(d, "train.py")
	d.sees("as lines: ~2 changed, 34 the same", " 4 - def train(rows, rate=0.1):", " 4 + def train(rows, rate=0.25):", "┊ 25 lines the same", "36 +     return step_0, step_1")
	d.seesNot("step_10 =")
	d.press("z")
	d.sees("step_10 =")
	d.press("/")
	d.write("STEP_2")
	d.sees("line 1 of 11") // step_2 and step_20 to step_29
	d.press("enter", "n")
	d.sees("match 2 of 11", "step_20 = rows[20]")
	d.press("esc", "esc", "esc")

	contentsAt(d, "config.json")
	d.sees("as JSON by path: ~1 changed, +1 added, -1 removed, 2 the same",
		`- owner.name = "ana"`, `+ owner.name = "ben"`, "  rate = 0.1", `- tags[0] = "a"`, `  tags[0] = "b"`, `+ tags[1] = "c"`)
	d.press("esc", "esc")

	contentsAt(d, "old.txt")
	d.sees("+ #2  not there", "1 - soon gone", "as lines: -1 removed")
	d.press("z")
	d.sees("Not now: nothing is left out.")
	d.press("esc", "esc")

	contentsAt(d, "weights.bin")
	d.sees("as bytes place by place: ~2 changed", "00000000 - 00 01 02 03 77", "00000000 + 00 01 02 04 77", "....weights of t")
	d.press("v")
	d.press("Y")
	d.sees("Copied URL and version: file:///data/demo.bucket/m/weights.bin ver")
}

// What stands side by side is on one line of the screen.
func TestContentsStandSideBySideWhereThereIsRoom(t *testing.T) {
	d := modelDiff(t, 120, 40)
	contentsAt(d, "train.py")
	d.sees("› 4 - def train(rows, rate=0.1):  ", " │› 4 + def train(rows, rate=0.25):")
	d.press("v")
	d.seesNot("│")
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.press("v")
	d.sees("- def train(rows, rate=0.1): ", "│")
	d.press("t")
	d.sees("00000038 -", "00000038 +")
}

// odd answers for one version in its own way.
type odd struct {
	bucket.Bucket
	version string
	err     error
	as      func(v *bucket.Version)
	shut    bool // the versions of one key may not be listed

	mu    sync.Mutex
	asked []int64 // how many bytes of each version
}

func (b *odd) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	b.mu.Lock()
	b.asked = append(b.asked, first)
	b.mu.Unlock()
	if version == b.version && b.err != nil {
		return nil, bucket.Version{}, b.err
	}
	body, v, err := b.Bucket.Open(ctx, key, version, first)
	if err == nil && version == b.version && b.as != nil {
		b.as(&v)
	}
	return body, v, err
}

func TestContentsOfWhichOneSideCannotBeRead(t *testing.T) {
	f, _ := model(t)
	from := f.named("m", 1, "scores.csv")
	to := f.named("m", 2, "scores.csv")
	for name, c := range map[string]struct {
		b    bucket.Bucket
		sees []string
	}{
		"denied": {&odd{Bucket: f.b, version: from, err: &bucket.Error{Op: "read", Bucket: "s3://b", Key: "k", Kind: bucket.ErrDenied, Permission: "s3:GetObjectVersion"}},
			[]string{"? could not be read: read s3://b/k: access denied, needs s3:GetObjectVersion", "? Nothing to compare with", "as a table: 9 rows", "2     2  ben       25"}},
		"archived": {&odd{Bucket: f.b, version: to, err: &bucket.Error{Op: "read", Kind: bucket.ErrUnsupported, Hint: "it is archived: restore it first"}},
			[]string{"! cannot be read as it is: it is archived: restore it first", "2     2  ben       20"}},
		"in another class": {&odd{Bucket: f.b, version: to, as: func(v *bucket.Version) { v.StorageClass = "STANDARD_IA" }},
			[]string{"STANDARD_IA", "~1 changed"}},
		"other bytes": {&odd{Bucket: f.b, version: to, as: func(v *bucket.Version) { v.ETag = "another" }},
			[]string{"✗ other bytes than recorded: ETag another, not ", "~1 changed"}},
		"the listing fails too": {&odd{Bucket: f.b, version: to, shut: true, err: &bucket.Error{Op: "read", Kind: bucket.ErrNotFound}},
			[]string{"? not found, and the listing that would tell whether it is gone failed", "as a table: 9 rows"}},
		"listed, not read": {&odd{Bucket: f.b, version: to, err: &bucket.Error{Op: "read", Kind: bucket.ErrNotFound}},
			[]string{"? listed, but not to be read", "as a table: 9 rows"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDriver(t, f.startOn(unclosed{c.b}, "m"), 110, 30)
			d.press("l", "enter", "d")
			contentsAt(d, "scores.csv")
			d.sees(c.sees...)
			if strings.Contains(d.text(), "Nothing to compare") {
				d.seesNot(" + ada", " - ada")
				d.press("v")
				d.sees("Not now: there is only one side.")
			}
		})
	}
	if err := f.b.DeleteVersion(t.Context(), "m/scores.csv", from); err != nil {
		t.Fatal(err)
	}
	d := newDriver(t, f.start("m"), 80, 24)
	d.press("l", "enter", "d")
	contentsAt(d, "scores.csv")
	d.sees("✗ gone: the complete listing of its key lacks this version", "? Nothing to compare with", "2     2  ben       25")
	d.golden("contents-gone-80x24", false)
	f.removeAll("m/scores.csv")
	d.press("r")
	d.sees("There are no bytes to show of either side.")
	d.seesNot("ada")
}

func (b *odd) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	if b.shut && r.Through != "" && r.Through == r.Prefix {
		return unlisted{}.Versions(ctx, r)
	}
	return b.Bucket.Versions(ctx, r)
}

// named is the version of a file that a commit names.
func (f *fixture) named(folder string, number int64, path string) string {
	f.t.Helper()
	ref, err := commit.Resolve(f.t.Context(), f.b, folder, fmt.Sprint(number))
	if err != nil {
		f.t.Fatal(err)
	}
	for file, err := range commit.FilesOf(f.t.Context(), f.b, folder, ref) {
		if err != nil {
			f.t.Fatal(err)
		}
		if file.Path == path {
			return file.Version
		}
	}
	f.t.Fatalf("#%d does not name %s", number, path)
	return ""
}

// A delete marker that a commit names, against the format, is told as one.
func TestContentsOfADeleteMarker(t *testing.T) {
	f := newFixture(t)
	v := f.put("k", "x")
	marker, err := f.b.Delete(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	d := newDriver(t, f.start(""), 80, 24)
	p := place{env: d.m.env, b: f.b, loc: *d.m.env.Location}
	file := func(id string) commit.File { return commit.File{Path: "k", Version: id, Size: -1} }
	d.run(d.m.do(d.m.stack.top(), push{newContents(p, "k", side{ref: "#1", file: file(v.ID), there: true}, side{ref: "#2", file: file(marker.ID), there: true})}))
	d.idle()
	d.sees("✗ a delete marker: it has no bytes", "1   x")
}

// Never more than a bound is read; what lies past it is not taken for a difference.
func TestContentsAreReadInSteps(t *testing.T) {
	was := contentsSteps
	contentsSteps = []int64{1000, 5000}
	t.Cleanup(func() { contentsSteps = was })
	f := newFixture(t)
	long := func(n int, mark string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "line %04d\n", i) // 10 bytes
		}
		return b.String() + mark
	}
	f.put("m/a.log", long(300, "old\n"))
	f.put("m/b.csv", "id,x\n"+numbered(1, 300))
	f.commit("m", "ana", "One")
	f.put("m/a.log", "put in\n"+long(300, "new\n"))
	f.put("m/b.csv", "id,x\n"+numbered(50, 300))
	f.commit("m", "ana", "Two")
	b := &odd{Bucket: f.b}
	d := newDriver(t, f.startOn(unclosed{b}, "m"), 100, 30)
	d.press("l", "enter", "d")
	b.asked = nil
	contentsAt(d, "a.log")
	if fmt.Sprint(b.asked) != "[1000 1000]" {
		t.Errorf("asked for %v bytes", b.asked)
	}
	d.sees("+1 added", "99 the same", "? 1 not known", "Only the first 1000 B of each side were read; w reads on, up to 4.9 KiB")
	d.seesNot("removed")
	d.press("w")
	if fmt.Sprint(b.asked) != "[1000 1000 5000 5000]" {
		t.Errorf("asked for %v bytes", b.asked)
	}
	d.sees("as lines: +2 added, -1 removed, 300 the same")
	d.press("w")
	d.sees("Not now: more than 4.9 KiB of each side are not compared here")
	d.press("esc", "esc")
	// By key, a record that is on one side only may be further on in the other.
	contentsAt(d, "b.csv")
	d.sees("as a table by id: ? 85 not known, 85 the same")
	d.seesNot("added", "removed")
}

// numbered are records from one to before another.
func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "%d,v%d\n", i, i)
	}
	return b.String()
}

func TestContentsThatAreTheSame(t *testing.T) {
	f := newFixture(t)
	f.put("m/a.json", `{"a":1,"b":2}`)
	f.put("m/b.txt", "same\n")
	f.commit("m", "ana", "One")
	f.put("m/a.json", `{"b": 2, "a": 1}`)
	f.put("m/b.txt", "same\n")
	f.commit("m", "ana", "Two")
	d := newDriver(t, f.start("m"), 80, 24)
	d.press("l", "enter", "d")
	contentsAt(d, "a.json")
	d.sees("! The values are the same, the bytes differ", "a = 1", "as JSON by path: 2 the same")
	d.press("t")
	d.sees("as lines: ~1 changed", `- {"a":1,"b":2}`, `+ {"b": 2, "a": 1}`)
	d.press("]", "esc", "esc")
	contentsAt(d, "b.txt")
	d.sees("= No difference: the bytes of both versions are the same.", "1   same")
	d.press("]")
	d.sees("Not now: nothing differs.")
}

// The frames of the contents at each size, light and dark.
func TestGoldenContents(t *testing.T) {
	d := modelDiff(t, 200, 60)
	for _, name := range []string{"train.py", "scores.csv", "config.json", "weights.bin"} {
		contentsAt(d, name)
		short := "contents-" + name[strings.IndexByte(name, '.')+1:]
		d.frames(filepath.Join("matrix", short), false)
		if name == "train.py" || name == "scores.csv" {
			d.face(false)
			d.frames(filepath.Join("matrix", "light-"+short), true)
			d.face(true)
			d.frames(filepath.Join("matrix", "dark-"+short), true)
		}
		d.press("esc", "esc")
	}
}

// Whatever the files hold, and at any size: the driver checks every frame.
func TestHostileContents(t *testing.T) {
	f := newFixture(t)
	bodies := func(turn int) map[string]string {
		h := func(i int) string { return hostile[(i+turn)%len(hostile)] }
		all := strings.Join(hostile, "\n")
		var csv, jsonl strings.Builder
		csv.WriteString("id," + strings.NewReplacer("\n", " ", "\r", " ").Replace(h(1)) + ",x\n")
		for i := range hostile {
			fmt.Fprintf(&csv, "%d,\"%s\",%d\n", i, strings.ReplaceAll(h(i), `"`, ""), i*turn)
			fmt.Fprintf(&jsonl, "{%q: [%q, %d]}\n", h(i+2), h(i), i)
		}
		return map[string]string{
			"a.txt": all + fmt.Sprint(turn), "b.csv": csv.String(), "c.jsonl": strings.ReplaceAll(jsonl.String(), `\x`, `\\x`), "d.bin": "\x00" + all + h(3),
			"e.py": "x = '" + all + "'\n" + h(0), "f.json": fmt.Sprintf("%q", strings.Repeat("long", 5000+turn)), "g\x1b[31m.md": "# " + all + h(1), "h.csv": "\xff,\xfe\n" + h(2),
		}
	}
	for turn := range 2 {
		for name, body := range bodies(turn) {
			f.put("m/"+name, body)
		}
		f.commit("m", "ana", "x")
	}
	for _, size := range [][2]int{{60, 15}, {100, 24}, {160, 45}} {
		d := newDriver(t, f.start("m"), size[0], size[1])
		d.press("l", "enter", "d")
		n := len(d.m.stack.top().(*diffScreen).list.items)
		if n != 8 {
			t.Fatalf("%d differences", n)
		}
		for range n {
			d.press("enter")
			if _, ok := d.m.stack.top().(*contentsScreen); !ok {
				t.Fatalf("no contents:\n%s", d.text())
			}
			d.press("]", "t", "v", "end", "z", "right", "right", "t", "n", "/")
			d.write("o")
			d.press("enter", "n", "esc", "esc", "down")
		}
	}
	d := newDriver(t, f.start("m"), 160, 45)
	d.press("l", "enter", "d", "enter")
	for w := 1; w <= 170; w += 7 {
		for h := 1; h <= 30; h += 4 {
			d.send(tea.WindowSizeMsg{Width: w, Height: h})
		}
	}
}
