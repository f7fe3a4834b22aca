package views

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/bucket"
	"provcat-tui/bucket/gcs"
	"provcat-tui/bucket/gcs/gcstest"
	"provcat-tui/bucket/s3"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
	"provcat-tui/internal/fakegcs"
	"provcat-tui/internal/fakes3"
	"provcat-tui/internal/race"
)

// evil stands in every text that a store or a writer can choose; evilXML is what of it an
// XML document can hold, and the mark is a part of both that is seen.
const (
	evilMark = "EVIL"
	evilXML  = evilMark + "\u009b31m\u202e\u2066x\u2069\u200b\u200d\u0085\u2028\ue000\U000e0041\ufeff"
	evil     = evilXML + "\x1b[2J\x1b]0;t\x07\x00\x7f\r\n\tz"
)

// evilCommit gives a commit object and its entry with evil in every text.
func evilCommit(number int, parent any, files []map[string]any) (object, entry []byte, id string) {
	object, _ = json.Marshal(map[string]any{"format": "provcat/1", "folder": evil, "number": number, "parent": parent, "time": fmt.Sprintf("2026-10-0%dT12:00:00Z", number),
		"author": evil, "message": evil + "\n\n" + evil, evil: evil, "files": files})
	sum := sha256.Sum256(object)
	id = hex.EncodeToString(sum[:])
	entry, _ = json.Marshal(map[string]any{"commit": id, "folder": evil, "number": number, evil: evil})
	return object, entry, id
}

// A hostileStore is a server whose bucket is evil throughout.
type hostileStore struct {
	start Start
	fail  func(kind string)
	heal  func()
	kinds []string
}

// begin is what the person brings, evil as well: that came from files and from others.
func (h *hostileStore) begin(t *testing.T, l Link) Start {
	s := h.start
	s.IgnoreFile = t.TempDir() + "/ignore.yaml"
	s.Link = l
	return s
}

func hostileFiles(known, knownToo, etag string) (first, second []map[string]any) {
	first = []map[string]any{{"path": "a" + evil, "version": known, "etag": etag, "size": len(evil)}, {"path": "gone" + evil, "version": "7" + evil, "etag": evil, "size": 1}}
	return first, append([]map[string]any{{"path": evil + "/" + evil, "version": "8" + evil, "etag": evil, "size": 3}, {"path": "b", "version": knownToo, "etag": "", "size": 9}}, first...)
}

func hostileS3(t *testing.T) *hostileStore {
	srv := fakes3.New(fakes3.Options{})
	t.Cleanup(srv.Close)
	const b = "team-data"
	srv.CreateBucket(b, true)
	ids := srv.Plant(b, fakes3.Planted{Key: evil + "/a" + evil, ID: "1" + evilXML, Body: []byte(evil), ETag: "2" + evilXML, Class: "3" + evilXML, Tags: map[string]string{"4" + evilXML: evilXML}},
		fakes3.Planted{Key: evil + "/b", ID: "5" + evilXML, Body: []byte(strings.Repeat(evil+"\n", 100))}, fakes3.Planted{Key: evil + "/c", ID: "6" + evilXML, Marker: true},
		fakes3.Planted{Key: evil + "/" + evil + "/d.csv", Body: []byte(evil + "," + evil + "\n" + evil + ",\"" + evil + "\"\n")})
	first, second := hostileFiles(ids[0], ids[1], "2"+evilXML)
	object1, entry1, id1 := evilCommit(1, nil, first)
	object2, entry2, id2 := evilCommit(2, id1, second)
	srv.Plant(b, fakes3.Planted{Key: commit.CommitKey(id1), Body: object1}, fakes3.Planted{Key: commit.CommitKey(id2), Body: object2},
		fakes3.Planted{Key: commit.EntryKey(evil, 1), ID: "8" + evilXML, Body: entry1}, fakes3.Planted{Key: commit.EntryKey(evil, 2), Body: entry2},
		fakes3.Planted{Key: commit.EntryKey(evil, 3), ID: "9" + evilXML, Body: []byte(evil)}, fakes3.Planted{Key: commit.EntryKey(evil, 4), Body: entry2}, fakes3.Planted{Key: commit.Logs + evil, Body: []byte("x")})
	srv.SetLifecycle(b, "<LifecycleConfiguration><Rule><ID>"+evilXML+"</ID><Status>Enabled</Status><Filter><Prefix></Prefix></Filter><Expiration><Days>1</Days></Expiration><NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays></NoncurrentVersionExpiration><Transition><Days>1</Days><StorageClass>"+evilXML+"</StorageClass></Transition></Rule></LifecycleConfiguration>")
	h := &hostileStore{heal: srv.Heal, kinds: []string{"ListObjectVersions", "GetObject", "GetBucketLifecycleConfiguration"}}
	h.fail = func(kind string) {
		srv.Fail(fakes3.Fault{Kind: kind, Times: -1, Do: fakes3.Answer(403, "application/xml", "<Error><Code>"+evilXML+"</Code><Message>"+evilXML+"</Message><RequestId>"+evilXML+"</RequestId></Error>")})
	}
	h.start = Start{Location: &bucket.Location{Scheme: "s3", Bucket: b, Path: evil},
		Open: func(ctx context.Context, l bucket.Location) (bucket.Bucket, error) {
			return s3.OpenWith(ctx, l, bucket.Options{Endpoint: srv.URL(), Region: "us-east-1", PathStyle: true}, s3test.Tune)
		}}
	return h
}

func hostileGCS(t *testing.T) *hostileStore {
	srv := fakegcs.New(fakegcs.Options{})
	t.Cleanup(srv.Close)
	t.Setenv("STORAGE_EMULATOR_HOST", srv.Host())
	const b = "team-data"
	srv.CreateBucket(b, true)
	g := srv.Plant(b, fakegcs.Planted{Key: evil + "/a" + evil, Body: []byte(evil), Class: "3" + evil, ETag: evil, Metadata: map[string]string{evil: evil}}, fakegcs.Planted{Key: evil + "/b", Body: []byte(evil)},
		fakegcs.Planted{Key: evil + "/" + evil + "/d.json", Body: []byte(`{"` + evilXML + `":"` + evilXML + `"}`)})
	first, second := hostileFiles(fmt.Sprint(g[0]), fmt.Sprint(g[1]), "")
	object1, entry1, id1 := evilCommit(1, nil, first)
	object2, entry2, id2 := evilCommit(2, id1, second)
	srv.Plant(b, fakegcs.Planted{Key: commit.CommitKey(id1), Body: object1}, fakegcs.Planted{Key: commit.CommitKey(id2), Body: object2}, fakegcs.Planted{Key: commit.EntryKey(evil, 1), Body: entry1},
		fakegcs.Planted{Key: commit.EntryKey(evil, 2), Body: entry2}, fakegcs.Planted{Key: commit.EntryKey(evil, 3), Body: []byte(evil)}, fakegcs.Planted{Key: commit.EntryKey(evil, 4), Body: entry2}, fakegcs.Planted{Key: commit.Logs + evil, Body: []byte("x")})
	quoted, _ := json.Marshal(evil)
	srv.SetLifecycle(b, `[{"action":{"type":"Delete"},"condition":{"age":1}},{"action":{"type":"SetStorageClass","storageClass":`+string(quoted)+`},"condition":{"age":1,"matchesPrefix":[`+string(quoted)+`]}}]`)
	h := &hostileStore{heal: srv.Heal, kinds: []string{"objects.list", "objects.get", "buckets.get"}}
	h.fail = func(kind string) {
		body, _ := json.Marshal(map[string]any{"error": map[string]any{"code": 403, "message": evil, "errors": []any{map[string]any{"reason": evil, "message": evil}}}})
		srv.Fail(fakegcs.Fault{Kind: kind, Times: -1, Do: fakegcs.Reply(403, "application/json; charset=UTF-8", string(body))})
	}
	h.start = Start{Location: &bucket.Location{Scheme: "gs", Bucket: b, Path: evil},
		Open: func(ctx context.Context, l bucket.Location) (bucket.Bucket, error) {
			return gcs.OpenWith(ctx, l, bucket.Options{}, gcstest.Tune)
		}}
	return h
}

// Every screen, form and dialog on a store whose every text is evil, sound and refused:
// the driver checks each frame, and each place shows something of it, as it is escaped.
func TestHostileStoreOnScreens(t *testing.T) {
	if race.On {
		t.Skip("every screen on hostile stores; CI runs this without the race detector")
	}
	for name, make := range map[string]func(*testing.T) *hostileStore{"s3": hostileS3, "gcs": hostileGCS} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			h := make(t)
			s := &h.start
			s.Author, s.Version, s.Concurrency, s.Now = evil, "test", 4, func() time.Time { return later }
			s.Bookmarks = []Bookmark{{Name: evil, URL: "s3://team-data/" + evil, Profile: evil, Region: evil, Endpoint: evil}}
			s.Recent, s.Commands, s.Last = []string{"s3://" + evil, "s3://team-data/" + evil}, []string{"log " + evil, evil}, "provcat-tui "+evil
			s.Session, s.ConfigFile = []string{"--endpoint", evil}, "/home/"+evil
			s.Buckets = func(context.Context) ([]Bookmark, error) {
				return []Bookmark{{Name: evil, URL: "s3://" + evil, Region: evil}}, fmt.Errorf("%w: %s", bucket.ErrDenied, evil)
			}
			s.Way = func(url string) Bookmark { return Bookmark{URL: url, Profile: evil, Region: evil, Endpoint: evil} }
			at := s.Location.String()
			object := bucket.Location{Scheme: s.Location.Scheme, Bucket: s.Location.Bucket, Path: evil + "/a" + evil}
			places := []struct {
				name string
				link Link
				keys []string
			}{
				{"folder", Link{}, strings.Fields("tab down down enter esc x t left left s S b esc")},
				{"folder at", Link{Ref: "1"}, strings.Fields("tab down enter esc")},
				{"log", Link{Screen: onLog}, strings.Fields("down down space down space d esc esc L w / E enter n esc up up")},
				{"commit", Link{Screen: onCommit, Ref: "2"}, strings.Fields("down down enter esc p P d esc D esc s w")},
				{"diff", Link{Screen: onDiff, Ref: "1", To: "2"}, strings.Fields("down enter v t esc t z right down enter esc")},
				{"diff live", Link{Screen: onDiff, Ref: "2", To: "live"}, strings.Fields("down enter esc down enter v z esc")},
				{"object", Link{Screen: onObject}, strings.Fields("tab down down tab / E enter n w")},
				{"audit", Link{Screen: onAudit}, strings.Fields("down tab down down tab down enter esc right left down down m esc e esc")},
				{"pin", Link{Screen: onPin, At: "2026-10-09"}, strings.Fields("left left right enter esc t esc")},
				{"requests", Link{Screen: onRequests}, strings.Fields("r down down / E enter")},
				{"form", Link{}, strings.Fields("c tab tab esc")},
				{"finder", Link{}, strings.Fields("ctrl+p E V I L down enter esc")},
				{"command line", Link{}, strings.Fields(": up up tab esc : l o g space tab esc")},
				{"help", Link{}, strings.Fields("? down esc")},
			}
			walk := func(what string, all bool) {
				for _, p := range places {
					if p.link.URL = at; p.link.Screen == onObject {
						p.link.URL = object.String()
					}
					start := h.begin(t, p.link)
					if p.link.Screen == onObject {
						start.Location = &object
					}
					seen := false
					d := newDriver(t, start, 160, 48)
					look := func() { seen = seen || strings.Contains(d.text(), evilMark) }
					look()
					for _, k := range p.keys {
						if d.quit {
							break
						}
						d.press(k)
						look()
					}
					if !seen && all {
						t.Errorf("%s%s: nothing of it was shown:\n%s", what, p.name, d.text())
					}
					d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
					d.send(tea.WindowSizeMsg{Width: 61, Height: 15})
				}
			}
			walk("", true)
			for _, kind := range h.kinds {
				h.fail(kind)
				walk("without "+kind+", ", false)
				h.heal()
			}
			// The list of buckets.
			start := h.begin(t, Link{})
			start.Location = nil
			d := newDriver(t, start, 160, 48)
			d.sees(evilMark)
			d.press("down", "enter", "esc", "R", "esc", "end", "enter")
		})
	}
}
