package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/race"
)

// seeds gives fixed seeds and ten new ones. PROVCAT_SEED asks for one alone, as a
// failure names it; PROVCAT_HISTORIES for so many new ones, and for all fixed ones where
// the worlds lie on another store too, which is slow.
func seeds(t *testing.T, fixed int) (out []uint64) {
	number := func(name string, otherwise uint64) uint64 {
		s := os.Getenv(name)
		if s == "" {
			return otherwise
		}
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("%s=%s: %v", name, s, err)
		}
		return n
	}
	if os.Getenv("PROVCAT_SEED") != "" {
		return []uint64{number("PROVCAT_SEED", 0)}
	}
	if race.On || os.Getenv(storeEnv) != "" && os.Getenv("PROVCAT_HISTORIES") == "" {
		fixed /= 10
	}
	for i := range fixed {
		out = append(out, uint64(i))
	}
	fresh := rand.Uint64() >> 1
	for i := range number("PROVCAT_HISTORIES", 10) {
		out = append(out, fresh+i)
	}
	t.Logf("new histories from PROVCAT_SEED=%d on", fresh)
	return out
}

// A random bucket: what people and programs do with it that is within the format,
// and what the audit may say of it nevertheless.
type random struct {
	*world
	*rand.Rand
	folders []string
	// left are the IDs of the orphans, which may be told of and are no damage.
	left map[string]bool
}

func newRandom(t *testing.T, seed uint64) *random {
	return &random{world: newWorld(t), Rand: rand.New(rand.NewPCG(seed, 7)), left: map[string]bool{},
		folders: []string{"", "a", "a/b", "a/b/c", "ab", "a b+%", "é\x01\"<&>", "zz"}}
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func (r *random) folder() string { return pick(r.Rand, r.folders) }

func (r *random) file() string {
	name := pick(r.Rand, []string{"x", "y", "d/z", "é", "-", "new\nline", "%2F&<>\"'", "\u202e"})
	if _, ok := r.b.(*gcsStore); ok {
		name = strings.ReplaceAll(name, "\n", "\t") // no name there has a new line
	}
	return commit.KeyPrefix(r.folder()) + name
}

func (r *random) text() string { return fmt.Sprint(r.Uint32()) }

// log gives the entries of a log that can be read, the newest first.
func (r *random) log(folder string) []commit.Slot {
	var out []commit.Slot
	for s, err := range commit.Log(bg, r.b, commit.FolderHash(folder), 1) {
		r.must(err)
		if s.Gap == 0 && s.Err == nil {
			out = append(out, s)
		}
	}
	return out
}

// try commits; a folder without a version is no failure.
func (r *random) try(b bucket.Bucket, folder string) bool {
	r.Helper()
	res, err := r.write(b, folder, r.text())
	var refused *commit.WriteError
	if err != nil && (!errors.As(err, &refused) || refused.Reason != commit.ReasonNoFolder) {
		r.Fatal(err)
	}
	return res.Committed
}

var errCrash = errors.New("crashed")

// step does one thing.
func (r *random) step() {
	folder := r.folder()
	switch r.IntN(18) {
	case 0, 1, 2, 3:
		r.put(r.file(), r.text())
	case 4:
		r.del(r.file())
	case 5: // a folder is deleted on purpose
		for _, v := range r.all(commit.KeyPrefix(folder)) {
			if v.Live() {
				r.del(v.Key)
			}
		}
	case 6, 7, 8, 9:
		r.try(r.b, folder)
	case 10: // a race
		r.put(commit.KeyPrefix(folder)+"race", r.text())
		r.try(&racing{r.b, func() {
			r.put(commit.KeyPrefix(folder)+"race", r.text())
			r.try(r.b, folder)
		}}, folder)
	case 11: // a crash between the two writes
		r.put(commit.KeyPrefix(folder)+"crash", r.text())
		before := r.objects()
		_, err := r.write(&crashing{r.b}, folder, r.text())
		if err == nil {
			r.Fatal("the crash was a success")
		}
		for id := range r.objects() {
			if !before[id] {
				r.left[id] = true
			}
		}
	case 12: // an entry is deleted and restored, with or without a trace
		if log := r.log(folder); len(log) > 0 {
			k := pick(r.Rand, log).Key
			if r.IntN(2) == 0 {
				r.kill(k, r.del(k).ID)
			} else {
				body := r.body(k, "")
				r.del(k)
				r.put(k, body)
			}
		}
	case 13: // a commit object is put again
		if log := r.log(folder); len(log) > 0 {
			k := commit.CommitKey(pick(r.Rand, log).Entry.Commit)
			r.put(k, r.body(k, ""))
		}
	case 14: // a rule removes old versions of files that no commit names
		r.expire()
	case 15: // an older tool: a bare entry, and fewer members
		r.legacy(folder)
	case 16:
		r.pass(time.Duration(r.IntN(3000)) * time.Minute)
	case 17: // a file is put back
		vs := r.all(commit.KeyPrefix(folder))
		if len(vs) > 0 {
			if v := pick(r.Rand, vs); !v.DeleteMarker && !strings.HasPrefix(v.Key, commit.Root) {
				_, err := r.b.CopyVersion(bg, v.Key, v.ID, v.Key)
				r.must(err)
			}
		}
	}
}

// expire removes the noncurrent versions and markers of some files from some age
// on, as a rule does: the oldest always go first.
func (r *random) expire() {
	named := map[string]bool{}
	for one := range r.named() {
		key, _, _ := strings.Cut(one, "\x00")
		named[key] = true
	}
	keep, at := map[string]int{}, map[string]int{}
	for _, v := range r.all("") {
		if _, seen := keep[v.Key]; !seen {
			keep[v.Key] = 1 + r.IntN(4)
		}
		if at[v.Key]++; at[v.Key] > keep[v.Key] && !named[v.Key] && !v.Derived {
			r.kill(v.Key, v.ID)
		}
	}
}

func (r *random) all(prefix string) []bucket.Version {
	var out []bucket.Version
	for v, err := range r.b.Versions(bg, bucket.Range{Prefix: prefix}) {
		r.must(err)
		if prefix != "" || !strings.HasPrefix(v.Key, commit.Root) {
			out = append(out, v)
		}
	}
	return out
}

func (r *random) objects() map[string]bool {
	out := map[string]bool{}
	for _, v := range r.all(commit.Commits) {
		id, _ := commit.ParseCommitKey(v.Key)
		out[id] = true
	}
	return out
}

// named are the versions that commits name, orphans included: key, NUL, version.
func (r *random) named() map[string]bool {
	out := map[string]bool{}
	for id := range r.objects() {
		h, files := r.load(id)
		for _, f := range files {
			out[commit.KeyPrefix(h.Folder)+f.Path+"\x00"+f.Version] = true
		}
	}
	return out
}

// legacy commits as an older program does: only the members that a reader needs, in
// another order and with white space, and a log entry of bare hex digits.
func (r *random) legacy(folder string) {
	n, parent := int64(0), ""
	if log := r.log(folder); len(log) > 0 {
		n, parent = log[0].Number, log[0].Entry.Commit
	}
	type file struct {
		Version string `json:"version"`
		Path    string `json:"path"`
	}
	files := []file{}
	prefix := commit.KeyPrefix(folder)
	for _, v := range r.all(prefix) {
		if v.Live() && !strings.HasPrefix(v.Key, commit.Root) {
			files = append(files, file{v.ID, v.Key[len(prefix):]})
		}
	}
	doc := map[string]any{"folder": folder, "parent": nil, "time": commit.FormatTime(r.tick()), "files": files, "by": "an older tool"}
	if parent != "" {
		doc["parent"] = parent
	}
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetIndent("", "  ")
	r.must(e.Encode(doc))
	id := r.raw(body.String())
	r.put(commit.EntryKey(folder, n+1), pick(r.Rand, []string{id, id + "\n", " " + id + "\r\n"}))
}

// A crashing bucket's writer dies at the commit point.
type crashing struct{ bucket.Bucket }

func (b *crashing) PutIfAbsent(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	if strings.HasPrefix(key, commit.Logs) {
		return bucket.Version{}, errCrash
	}
	return b.Bucket.PutIfAbsent(ctx, key, body)
}

// A blow is damage of one kind. It gives what the audit must find, or nothing
// where this bucket has no place for it.
type blow struct {
	name string
	do   func(r *random) *want
}

// place picks an entry whose number is at least low and at least below under the
// head, of a log that has one.
func (r *random) place(low, below int64) (folder string, s commit.Slot, ok bool) {
	for _, i := range r.Perm(len(r.folders)) {
		folder = r.folders[i]
		var fit []commit.Slot
		log := r.log(folder)
		for _, s := range log {
			if s.Number >= low && s.Number <= log[0].Number-below {
				fit = append(fit, s)
			}
		}
		if len(fit) > 0 {
			return folder, pick(r.Rand, fit), true
		}
	}
	return "", commit.Slot{}, false
}

// anEntry does something to an entry.
func anEntry(name, id string, low, below int64, do func(r *random, folder string, s commit.Slot)) blow {
	return blow{name, func(r *random) *want {
		folder, s, ok := r.place(low, below)
		if !ok {
			return nil
		}
		do(r, folder, s)
		return &want{id: id, severity: Damage, folder: folder, number: s.Number}
	}}
}

// another puts an entry over that of a slot, with a commit that could stand in the
// place of the first.
func (r *random) another(folder string, s commit.Slot) {
	h, files := r.load(s.Entry.Commit)
	for i := range files { // an older tool's commit does not tell
		for _, v := range r.versions(commit.KeyPrefix(folder) + files[i].Path) {
			if v.ID == files[i].Version {
				files[i].ETag, files[i].Size = v.ETag, v.Size
			}
		}
	}
	h.Number, h.Message, h.Time = s.Number, "not what it was", h.Time.Add(time.Microsecond)
	r.entry(folder, s.Number, r.object(h, files...), h.Time)
}

var blows = []blow{
	anEntry("an entry is deleted", "log-entry-deleted", 1, 0, func(r *random, _ string, s commit.Slot) { r.del(s.Key) }),
	anEntry("an entry is removed for good", "log-entry-missing", 2, 1, func(r *random, _ string, s commit.Slot) { r.erase(s.Key) }),
	anEntry("an entry is made again", "log-entry-remade", 1, 0, func(r *random, folder string, s commit.Slot) {
		r.del(s.Key)
		r.another(folder, s)
	}),
	anEntry("an entry is written over", "log-entry-overwritten", 1, 0, func(r *random, folder string, s commit.Slot) {
		r.another(folder, s)
	}),
	anEntry("garbage in an entry", "log-entry-unreadable", 1, 0, func(r *random, _ string, s commit.Slot) {
		r.put(s.Key, pick(r.Rand, []string{"", "{}", "null", `{"commit":"x"}`, "\x00\x1b[2J", s.Entry.Commit[1:]}))
	}),
	anEntry("a commit object is removed for good", "commit-missing", 1, 0, func(r *random, _ string, s commit.Slot) { r.erase(commit.CommitKey(s.Entry.Commit)) }),
	anEntry("a commit object is deleted", "commit-deleted", 1, 0, func(r *random, _ string, s commit.Slot) { r.del(commit.CommitKey(s.Entry.Commit)) }),
	anEntry("garbage in a commit object", "commit-corrupt", 1, 0, func(r *random, _ string, s commit.Slot) {
		k := commit.CommitKey(s.Entry.Commit)
		r.put(k, pick(r.Rand, []string{"", "{}", r.body(k, "") + " "}))
	}),
	{"the oldest entries are removed for good", func(r *random) *want {
		folder, s, ok := r.place(1, 1)
		if !ok {
			return nil
		}
		for n := range s.Number {
			r.erase(commit.EntryKey(folder, n+1))
		}
		return &want{id: "log-tail-missing", severity: Damage, folder: folder}
	}},
	{"the newest entries are removed for good", func(r *random) *want {
		folder, s, ok := r.place(1, 1)
		if !ok {
			return nil
		}
		head := r.log(folder)[0].Number
		for n := s.Number; n <= head; n++ {
			r.erase(commit.EntryKey(folder, n))
		}
		return &want{id: "log-head-lost", severity: Damage, folder: folder}
	}},
	{"a version is removed for good", func(r *random) *want {
		// Which commits name it: asked of each, by itself.
		by := map[string]int{}
		for _, folder := range r.folders {
			for _, s := range r.log(folder) {
				_, files := r.load(s.Entry.Commit)
				for _, f := range files {
					by[commit.KeyPrefix(folder)+f.Path+"\x00"+f.Version]++
				}
			}
		}
		var all []string
		for k := range by {
			all = append(all, k)
		}
		if len(all) == 0 {
			return nil
		}
		slices.Sort(all)
		one := pick(r.Rand, all)
		key, version, _ := strings.Cut(one, "\x00")
		r.kill(key, version)
		return &want{id: "version-missing", severity: Damage, key: key, versions: 1, commits: by[one]}
	}},
}

// Whatever people and programs do within the format, the audit passes; and each
// damage on top gives its finding, once, and no other.
func TestNoFalseAlarms(t *testing.T) {
	t.Parallel()
	for i, seed := range seeds(t, 200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := newRandom(t, seed)
			for range 20 + r.IntN(30) {
				r.step()
			}
			r.pass(time.Hour)
			before := r.sound()
			// Each history takes one kind of damage, in turn, and one by chance.
			hit := blows[i%len(blows)]
			w := hit.do(r)
			if w == nil {
				hit = pick(r.Rand, blows)
				w = hit.do(r)
			}
			if w == nil {
				return // no commit at all
			}
			r.hit(hit.name, *w, before)
		})
	}
}

// sound audits a bucket that nobody damaged, and gives what was told of it.
func (r *random) sound() map[string]bool {
	r.Helper()
	rep := r.audit(Options{Depth: DepthReadable})
	told := map[string]bool{}
	for _, f := range rep.Findings {
		told[f.Fingerprint] = true
		if f.Severity != Info && (f.ID != "commit-unfinished" || !r.left[f.Commit]) {
			r.Errorf("nothing is damaged, and yet: %s %s: %s (%s)", f.Severity, f.ID, f.Title, f.Detail)
		}
	}
	if rep.Verdict != Pass || !rep.Complete {
		r.Errorf("verdict %s, complete %v: %+v", rep.Verdict, rep.Complete, rep.Coverage)
	}
	for _, folder := range r.folders { // what is there was looked at
		for _, s := range r.log(folder) {
			rep.Coverage.Entries.Checked -= int64(min(1, len(s.Versions)))
		}
	}
	if rep.Coverage.Entries.Checked != 0 {
		r.Errorf("%d entries were checked that are none, or not checked", rep.Coverage.Entries.Checked)
	}
	return told
}

// hit compares what the audit says after a blow with what it must.
func (r *random) hit(name string, w want, before map[string]bool) {
	r.Helper()
	rep := r.audit(Options{})
	found := 0
	for _, f := range rep.Findings {
		switch {
		case f.ID == w.id && w.differs(f) == "":
			found++
		case f.Folder == nil && f.ID == w.id && f.Number == w.number:
			found++ // only the commit object told the log's folder
		case f.ID == "log-folder-unknown" && strings.HasPrefix(w.id, "commit-"):
		case f.Severity != Info && !before[f.Fingerprint]:
			r.Errorf("%s: besides: %s %s: %s (%s)", name, f.Severity, f.ID, f.Title, f.Detail)
		}
	}
	if found != 1 {
		var all []string
		for _, f := range rep.Findings {
			all = append(all, fmt.Sprintf("%s %s %q: %s", f.Severity, f.ID, w.differs(f), f.Title))
		}
		r.Errorf("%s: %d findings %s of %q %d, want 1: %s", name, found, w.id, w.folder, w.number, strings.Join(all, "\n"))
	}
	if rep.Verdict != Fail {
		r.Errorf("%s: verdict %s", name, rep.Verdict)
	}
}
