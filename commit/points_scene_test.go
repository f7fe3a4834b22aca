package commit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/gcs/gcstest"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakegcs"
	"provcat-tui/internal/fakes3"
	"provcat-tui/internal/faults"
)

// A stored version is what lies in a test server's memory.
type stored struct {
	key, id string
	live    bool
	marker  bool
	body    string
}

// A stage is a test server with one bucket, whose memory the test looks into and writes
// to, past all requests and faults. Cases come one after the other.
type stage struct {
	*faults.Server
	name   string
	b      bucket.Bucket
	put    func(key, body string)
	drop   func(prefix string) // all versions of all keys with it
	holds  func(prefix string) []stored
	failed func(status int) faults.Action // an answer in the store's own words
	// refused is the answer to a condition that does not hold; ignore has none looked at.
	refused, ignore faults.Action
	error200        faults.Action     // an error document under the status of success
	kinds           map[string]string // the API's names of operations, to this test's

	before atomic.Pointer[func(faults.Request)]
}

// A fresh bucket is the stage's, as another process would have it: it has not shown yet
// that it looks at conditions.
type fresh struct{ bucket.Bucket }

func (b *fresh) Unwrap() bucket.Bucket { return b.Bucket }

const onStage = "points"

func s3Stage(t *testing.T) *stage {
	s := fakes3.New(fakes3.Options{})
	t.Cleanup(s.Close)
	s.CreateBucket(onStage, true)
	return (&stage{
		Server: &s.Server, name: "S3", b: s3test.Open(t, s.URL(), onStage),
		put: func(key, body string) { s.Put(onStage, key, []byte(body)) },
		drop: func(prefix string) {
			for _, e := range s.Entries(onStage, prefix) {
				s.DeleteVersion(onStage, e.Key, e.ID)
			}
		},
		refused: fakes3.PreconditionFailed, ignore: fakes3.IgnoreCondition,
		error200: faults.Reply(200, "application/xml", "<Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>"),
		holds: func(prefix string) (out []stored) {
			for _, e := range s.Entries(onStage, prefix) {
				out = append(out, stored{e.Key, e.ID, e.Latest && !e.Marker, e.Marker, string(e.Body)})
			}
			return out
		},
		failed: func(status int) faults.Action {
			return map[int]faults.Action{403: fakes3.AccessDenied, 409: fakes3.Conflict, 500: fakes3.InternalError, 503: fakes3.SlowDown}[status]
		},
		kinds: map[string]string{"GetBucketVersioning": "settings", "ListObjectVersions": "list", "GetObject": "get", "PutObject": "put"},
	}).hooked()
}

func gcsStage(t *testing.T) *stage {
	g := fakegcs.New(fakegcs.Options{})
	t.Cleanup(g.Close)
	g.CreateBucket(onStage, true)
	g.SetSoftDelete(onStage, 0)
	return (&stage{
		Server: &g.Server, name: "Cloud Storage", b: gcstest.Open(t, g.URL(), onStage),
		put: func(key, body string) { g.Put(onStage, key, []byte(body)) },
		drop: func(prefix string) {
			for _, e := range g.Entries(onStage, prefix) {
				g.DeleteGeneration(onStage, e.Key, e.Generation)
			}
		},
		refused: fakegcs.ConditionNotMet, ignore: fakegcs.IgnoreCondition,
		error200: faults.Reply(200, "application/json", `{"error":{"code":503,"message":"Backend Error"}}`),
		holds: func(prefix string) (out []stored) {
			for _, e := range g.Entries(onStage, prefix) {
				out = append(out, stored{e.Key, fmt.Sprint(e.Generation), e.Live, false, string(e.Body)})
			}
			return out
		},
		failed: func(status int) faults.Action {
			return map[int]faults.Action{403: fakegcs.Forbidden, 409: fakegcs.Error(409, "conflict", "Conflict"), 500: fakegcs.InternalError, 503: fakegcs.BackendError}[status]
		},
		kinds: map[string]string{"buckets.get": "settings", "objects.list": "list", "objects.media": "get", "objects.insert": "put"},
	}).hooked()
}

func (s *stage) hooked() *stage {
	s.Before(func(r faults.Request) {
		if f := s.before.Load(); f != nil {
			(*f)(r)
		}
	})
	return s
}

// A scene is what lies in a bucket before the commit, and what happens meanwhile.
type scene struct {
	name string
	// entries is how many the log has before, and with another's.
	entries int
	raced   bool // another writer is faster
	nothing bool // there is nothing to commit
}

var scenes = []scene{
	{name: "the first commit of a folder"},
	{name: "a commit on top of another", entries: 1},
	{name: "a lost race", entries: 2, raced: true},
	{name: "nothing to commit", entries: 1, nothing: true},
}

// A play is one commit of a scene, with its faults.
type play struct {
	t      *testing.T
	on     *stage
	scene  scene
	b      bucket.Bucket
	stage  atomic.Pointer[string]
	others string // the ID of the commit that another writer makes

	mu   sync.Mutex
	seen []role // of all requests so far, in the order in which they came
}

// A role is what a request is for.
type role struct {
	text  string
	write bool
}

// begin sets a scene in the emptied bucket. The writer's requests are recorded from here on.
func begin(t *testing.T, on *stage, s scene) *play {
	t.Helper()
	on.Heal()
	on.before.Store(nil)
	on.drop("")
	p := &play{t: t, on: on, scene: s, b: &fresh{on.b}}
	on.put("f/a", "1")
	on.put("f/sub/b", "2")
	first := ""
	if s.entries > 0 {
		first = p.plant(1, "")
	}
	if !s.nothing {
		on.put("f/a", "3")
	}
	meets := func(r faults.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		what := p.role(r)
		if what.text == putEntry && s.raced && p.others == "" {
			p.others = p.plant(2, first)
		}
		p.seen = append(p.seen, what)
	}
	on.before.Store(&meets)
	return p
}

// plant puts a commit of what is live, and its entry, into the server's memory.
func (p *play) plant(number int64, parent string) string {
	p.t.Helper()
	var files []File
	for _, v := range p.on.holds("f/") {
		if v.live {
			files = append(files, File{v.key[2:], v.id, "", int64(len(v.body))})
		}
	}
	if number > 1 { // another's, who saw less
		files = files[1:]
	}
	var out strings.Builder
	h := Header{Folder: "f", Number: number, Parent: parent, Time: time.Now().Add(-time.Minute)}
	id, err := Encode(&out, h, seq(files...))
	if err != nil {
		p.t.Error(err)
	}
	p.on.put(CommitKey(id), out.String())
	p.on.put(EntryKey("f", number), string(EncodeEntry(Entry{Commit: id, Folder: "f", HasFolder: true, Number: number, Time: h.Time})))
	return id
}

const putEntry = "create the log entry"

const readPut = "read the entry that is not clear"

// role tells what a request is for, by the step of the commit that is under way. p.mu is
// held.
func (p *play) role(r faults.Request) role {
	step := ""
	if s := p.stage.Load(); s != nil {
		step = *s
	}
	name := r.Key
	if name == "" {
		name = prefixOf(r)
	}
	inLog, inCommits := strings.HasPrefix(name, Logs), strings.HasPrefix(name, Commits)
	kind := p.on.kinds[r.Kind]
	switch {
	case kind == "put" && inLog:
		return role{putEntry, true}
	case kind == "put" && inCommits && slices.Contains(p.seen, role{"create the commit object", true}):
		return role{"create it once more, which must be refused", true}
	case kind == "put" && inCommits:
		return role{"create the commit object", true}
	case kind == "settings" && step == StageSettings:
		return role{text: "read the versioning state"}
	case kind == "settings":
		return role{text: "read it again"}
	case kind == "list" && name == Logs:
		return role{text: "list the logs, for the time"}
	case kind == "list" && inLog:
		return role{text: map[string]string{StageHead: "list the log", StageTime: "list each log, for the time",
			StagePoint: "list the log once more", StageCheck: "list the log after the commit point"}[step]}
	case kind == "list":
		return role{text: "list the folder, twice"}
	case kind == "get" && inLog && step == StagePoint && slices.Contains([]string{putEntry, readPut}, p.seen[len(p.seen)-1].text):
		return role{text: readPut}
	case kind == "get" && inLog:
		return role{text: map[string]string{StageHead: "read the last entry", StageTime: "read the last entry of each log",
			StagePoint: "read the last entry once more", StageCheck: "read the new entry"}[step]}
	case kind == "get" && inCommits && step == StageCompare:
		return role{text: "read the last commit"}
	case kind == "get" && inCommits && step != StageObject:
		return role{text: "look for the last commit's object"}
	case kind == "get" && inCommits:
		return role{text: "read the commit object that is there"}
	}
	p.t.Errorf("a request of an unknown role: %s %s in %q", r.Kind, name, step)
	return role{}
}

func prefixOf(r faults.Request) string {
	for part := range strings.SplitSeq(r.Query, "&") {
		if v, ok := strings.CutPrefix(part, "prefix="); ok {
			return strings.ReplaceAll(v, "%2F", "/")
		}
	}
	return ""
}

// commit runs the commit.
func (p *play) commit(limit time.Duration) (Result, error) {
	o := quick(WriteOptions{Author: "ana", TimeLimit: limit, Concurrency: 1})
	o.Progress = func(pr Progress) { p.stage.Store(&pr.Stage) }
	return Write(bg, p.b, "f", o)
}

// log gives the IDs that the entries in the server's memory name, the first commit's
// first, and checks what must hold at any time: each key under .provcat/ has one version
// and no marker, and the chain is whole. It reads with encoding/json, not with this
// package.
func (p *play) log() (ids []string) {
	p.t.Helper()
	objects := map[string]string{}
	keys := map[string]bool{}
	for _, v := range p.on.holds(Root) {
		if keys[v.key] || v.marker || !v.live {
			p.t.Errorf("%s has more than one version, or is deleted", v.key)
		}
		keys[v.key] = true
		objects[v.key] = v.body
	}
	parent := ""
	for n := int64(1); objects[EntryKey("f", n)] != ""; n++ {
		var entry struct{ Commit string }
		var c struct {
			Number int64
			Parent *string
		}
		err := json.Unmarshal([]byte(objects[EntryKey("f", n)]), &entry)
		body := objects[CommitKey(entry.Commit)]
		if err == nil {
			err = json.Unmarshal([]byte(body), &c)
		}
		sum := sha256.Sum256([]byte(body))
		if err != nil || hex.EncodeToString(sum[:]) != entry.Commit || c.Number != n || (c.Parent == nil) != (parent == "") || c.Parent != nil && *c.Parent != parent {
			p.t.Errorf("entry %d is not whole: %v, %s", n, err, body)
		}
		parent = entry.Commit
		ids = append(ids, entry.Commit)
	}
	entries := 0
	for k := range keys {
		if strings.HasPrefix(k, Logs) {
			entries++
		}
	}
	if entries != len(ids) {
		p.t.Errorf("%d entries, %d of them in a row", entries, len(ids))
	}
	return ids
}

// names says whether a commit names what is live in the server's memory, and no more.
func (p *play) names(id string) bool {
	var c struct {
		Files []struct{ Path, Version string }
	}
	for _, v := range p.on.holds(CommitKey(id)) {
		if err := json.Unmarshal([]byte(v.body), &c); err != nil {
			return false
		}
	}
	var got, want []string
	for _, f := range c.Files {
		got = append(got, "f/"+f.Path+" "+f.Version)
	}
	for _, v := range p.on.holds("f/") {
		if v.live {
			want = append(want, v.key+" "+v.id)
		}
	}
	return slices.Equal(got, want)
}
