package commit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/internal/faults"
)

// A liar is a store that says one thing and does another.
type liar struct {
	scene scene
	// lie sets the store up; put is the API's name of what creates an object, list that of
	// a listing, get that of a read.
	lie func(p *play, put, list, get string)
	// committed is what must be told, and entries how many the log has in the end.
	committed bool
	entries   int
	reason    string // of the *WriteError; "-": another error; empty: none
	says      string
	kind      error // nil: any
}

var onTop = scene{name: "on top of another", entries: 1}

// drops has the store say that it keeps what is put, and not keep it.
func (p *play) drops(put, prefix string) {
	p.on.Fail(faults.Fault{Kind: put, Prefix: prefix, Times: -1, Do: faults.Applied(faults.Call(func(r faults.Request) { p.on.drop(r.Key) }))})
}

// onS3 leaves out what only S3 has a word for.
func (p *play) onS3() {
	if p.on.name != "S3" {
		p.t.Skip("Cloud Storage has no such word: what is live has no time of its end")
	}
}

// unmarked deletes a key, and has the listings not show its delete marker.
func (p *play) unmarked(list, key string) {
	p.onS3()
	recorded := p.on.before.Swap(nil)
	remove(p.t, p.on.b, key)
	p.on.before.Store(recorded)
	marker := regexp.MustCompile(`<DeleteMarker><Key>[^<]*</Key>.*?</DeleteMarker>`)
	p.on.Fail(faults.Fault{Kind: list, Times: -1, Do: faults.Edit(func(a *faults.Answer) { a.Body = marker.ReplaceAll(a.Body, nil) })})
}

var liars = map[string]liar{
	"conditions are ignored": {scene: onTop, entries: 1, reason: ReasonConditions, says: "ignores conditional writes",
		lie: func(p *play, put, _, _ string) { p.on.Fail(faults.Fault{Kind: put, Times: -1, Do: p.on.ignore}) }},
	"a file's delete marker is missing": {scene: onTop, entries: 1, reason: "-", kind: bucket.ErrBadAnswer, says: "calls none of them the latest",
		lie: func(p *play, _, list, _ string) { p.unmarked(list, "f/a") }},
	"the head's delete marker is missing": {scene: onTop, reason: ReasonDamagedLog, says: "not at rest",
		lie: func(p *play, _, list, _ string) { p.unmarked(list, EntryKey("f", 1)) }},
	"the clock of the store goes back": {scene: onTop, entries: 1, reason: ReasonClock, says: "ahead of the bucket's clock",
		lie: func(p *play, _, _, _ string) {
			before := time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)
			p.on.Fail(faults.Fault{Times: -1, Do: faults.Edit(func(a *faults.Answer) { a.Header.Set("Date", before) })})
		}},
	"the commit object is not kept": {scene: onTop, entries: 1, reason: ReasonConditions, says: "ignores conditional writes",
		lie: func(p *play, put, _, _ string) { p.drops(put, Commits) }},
	"the commit object is not kept, by a store that has passed": {scene: onTop, entries: 1, reason: "-", kind: bucket.ErrBadAnswer, says: "said that it was written, and does not have it",
		lie: func(p *play, put, _, _ string) {
			passed.Store(p.b, true)
			p.drops(put, Commits)
		}},
	"the entry is not kept": {scene: onTop, entries: 1, reason: ReasonDamageAfter, says: "said that entry 2 was written, and has none",
		lie: func(p *play, put, _, _ string) { p.drops(put, Logs) }},
	"the commit object is refused, and nothing is there": {scene: onTop, entries: 1, reason: "-", kind: bucket.ErrBadAnswer, says: "as if its key were taken",
		lie: func(p *play, put, _, _ string) {
			p.on.Fail(faults.Fault{Kind: put, Prefix: Commits, Times: -1, Do: p.on.refused})
		}},
	"the entry is refused, and nothing is there": {scene: onTop, entries: 1, reason: ReasonDamagedLog, says: "refused the entry, and yet no version of it is live",
		lie: func(p *play, put, _, _ string) {
			p.on.Fail(faults.Fault{Kind: put, Prefix: Logs, Times: -1, Do: p.on.refused})
		}},
	"the entry of another writer is overwritten": {scene: scene{name: "overwritten", entries: 2, raced: true}, committed: true, entries: 2, reason: ReasonDamageAfter, says: "an older one names the commit",
		lie: func(p *play, put, _, _ string) {
			p.on.Fail(faults.Fault{Kind: put, Prefix: Logs, Times: -1, Do: p.on.ignore})
		}},
	"listings that do not show the new entry": {scene: onTop, committed: true, entries: 2, reason: ReasonDamageAfter, says: "can be read, but the store does not list it",
		lie: func(p *play, _, list, _ string) { p.hide(list, EntryKey("f", 2)) }},
	"listings that do not show another's entry": {scene: scene{name: "stale", entries: 2, raced: true}, entries: 2, reason: ReasonStale, says: "has entry 2 of the log, but its listings do not show it",
		lie: func(p *play, _, list, _ string) { p.hide(list, EntryKey("f", 2)) }},
	"no version is called the latest": {scene: onTop, entries: 1, reason: "-", kind: bucket.ErrBadAnswer, says: "calls none of them the latest",
		lie: func(p *play, _, list, _ string) {
			p.onS3()
			p.on.Fail(faults.Fault{Kind: list, Prefix: "f/", Times: -1, Do: swapped("<IsLatest>true<", "<IsLatest>false<")})
		}},
	"another entry's bytes": {scene: scene{name: "on top of two", entries: 2}, entries: 2, reason: "-", kind: bucket.ErrBadAnswer, says: "do not have the checksum",
		lie: func(p *play, _, _, get string) {
			p.plant(2, p.log()[0])
			first := p.on.holds(EntryKey("f", 1))[0].body
			p.on.Fail(faults.Fault{Kind: get, Key: EntryKey("f", 2), Times: -1, Do: faults.Edit(func(a *faults.Answer) { a.Body = []byte(first) })})
		}},
	"another commit's bytes": {scene: scene{name: "on top of two", entries: 2}, entries: 2, reason: ReasonDamagedLog, says: "hash mismatch",
		lie: func(p *play, _, _, get string) {
			p.plant(2, p.log()[0])
			first := p.on.holds(CommitKey(p.log()[0]))[0].body
			p.on.Fail(faults.Fault{Kind: get, Key: CommitKey(p.log()[1]), Times: -1, Match: func(r faults.Request) bool { return r.Header.Get("Range") == "" },
				Do: faults.Edit(func(a *faults.Answer) {
					a.Body = []byte(first)
					a.Header.Set("Content-Length", fmt.Sprint(len(first)))
					a.Header.Del("X-Goog-Stored-Content-Length")
				})})
		}},
}

// A store that lies is named, and what the commit says is what lies in its memory.
func TestStoresThatLie(t *testing.T) {
	for name, c := range liars {
		for _, stage := range []func(*testing.T) *stage{s3Stage, gcsStage} {
			on := stage(t)
			t.Run(name+", "+on.name, func(t *testing.T) {
				p := begin(t, on, c.scene)
				names := map[string]string{}
				for api, kind := range on.kinds {
					names[kind] = api
				}
				c.lie(p, names["put"], names["list"], names["get"])
				r, err := p.commit(time.Second)
				var we *WriteError
				reason := ""
				if errors.As(err, &we) {
					reason = we.Reason
				} else if err != nil {
					reason = "-"
				}
				if reason != c.reason || r.Committed != c.committed || err != nil && !strings.Contains(err.Error(), c.says) || c.kind != nil && !errors.Is(err, c.kind) {
					t.Errorf("%+v, %v\nwant reason %q, committed %v, and %q", r, err, c.reason, c.committed, c.says)
				}
				live := 0
				for _, v := range on.holds(Logs) {
					if v.live {
						live++
					}
				}
				if live != c.entries {
					t.Errorf("%d entries, want %d: %v", live, c.entries, err)
				}
				if err != nil && !c.committed && reason != ReasonDamageAfter && !strings.Contains(err.Error(), "nothing was committed") && reason != ReasonDamagedLog && reason != ReasonConditions {
					t.Errorf("it is not said that nothing was committed: %v", err)
				}
			})
		}
	}
}

func swapped(old, new string) faults.Action {
	return faults.Edit(func(a *faults.Answer) { a.Body = bytes.ReplaceAll(a.Body, []byte(old), []byte(new)) })
}

var versionOf = regexp.MustCompile(`<Version><Key>([^<]*)</Key>.*?</Version>`)

// hide leaves a key out of all listings.
func (p *play) hide(list, key string) {
	p.on.Fail(faults.Fault{Kind: list, Times: -1, Do: faults.Edit(func(a *faults.Answer) {
		if p.on.name == "S3" {
			a.Body = versionOf.ReplaceAllFunc(a.Body, func(v []byte) []byte {
				if bytes.Contains(v, []byte("<Key>"+key+"<")) {
					return nil
				}
				return v
			})
			return
		}
		var page map[string]any
		if err := json.Unmarshal(a.Body, &page); err != nil {
			p.t.Error(err)
			return
		}
		items, _ := page["items"].([]any)
		var rest []any
		for _, i := range items {
			if i.(map[string]any)["name"] != key {
				rest = append(rest, i)
			}
		}
		page["items"] = rest
		if len(rest) == 0 {
			delete(page, "items")
		}
		body, err := json.Marshal(page)
		if err != nil {
			p.t.Error(err)
		}
		a.Body = body
	})})
}
