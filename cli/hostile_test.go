package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"provcat-tui/commit"
	"provcat-tui/internal/fakegcs"
	"provcat-tui/internal/fakes3"
)

// evil is what stands in every text that a store or a writer can choose, and evilXML what
// of it an XML document or a header can hold. tell is a part of both.
const (
	tell    = "EVIL"
	evilXML = tell + "\u009b31m\u202e\u2066x\u2069\u200b\u0085\u2028\ue000\U000e0041"
	evil    = evilXML + "\x1b[2J\x1b]0;t\x07\x00\x7f\r\n\tz"
)

// tame checks that nothing of an output acts on a terminal: no control but line feeds, no
// direction mark, nothing that is not seen.
func tame(t *testing.T, what, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Errorf("%s: not UTF-8", what)
	}
	for i, r := range out {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.C, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)) {
			t.Errorf("%s: %U comes out, after %q", what, r, out[max(0, i-80):i])
			return
		}
	}
}

// A hostileStore is a bucket in which every text is evil.
type hostileStore struct {
	url   string
	flags []string
	fail  func(kind, code, message string) // every request of a kind
	heal  func()
	kinds []string
}

// evilCommit is a commit object and its entry, with evil in every text of both.
func evilCommit(folder string, files []commit.File) (object, entry []byte, id string) {
	type file struct {
		Path    string `json:"path"`
		Version string `json:"version"`
		ETag    string `json:"etag"`
		Size    int64  `json:"size"`
	}
	list := []file{}
	for _, f := range files {
		list = append(list, file{f.Path, f.Version, f.ETag, f.Size})
	}
	object, _ = json.Marshal(map[string]any{"format": "provcat/1", "folder": folder, "number": 1, "parent": nil, "time": "2024-05-01T12:00:00.000000Z",
		"author": evil, "message": evil, evil: evil, "files": list})
	sum := sha256.Sum256(object)
	id = hex.EncodeToString(sum[:])
	entry, _ = json.Marshal(map[string]any{"commit": id, "folder": folder, "number": 1, "time": "2024-05-01T12:00:00.000000Z", evil: evil})
	return object, entry, id
}

func hostileS3(t *testing.T) *hostileStore {
	s := newS3(t, fakes3.Options{AccessKey: "TESTKEY"})
	const b = "team-data"
	ids := s.Plant(b, fakes3.Planted{Key: evil + "/a" + evil, ID: "1" + evilXML, Body: []byte(evil), ETag: "2" + evilXML, Class: "3" + evilXML, Tags: map[string]string{"4" + evilXML: evilXML}},
		fakes3.Planted{Key: evil + "/b", ID: "5" + evilXML, Body: []byte(evil)}, fakes3.Planted{Key: evil + "/c", ID: "6" + evilXML, Marker: true})
	object, entry, id := evilCommit(evil, []commit.File{{Path: "a" + evil, Version: ids[0], ETag: "2" + evilXML, Size: int64(len(evil))}, {Path: "gone" + evil, Version: "7" + evil, ETag: evil, Size: 1}})
	s.Plant(b, fakes3.Planted{Key: commit.CommitKey(id), Body: object}, fakes3.Planted{Key: commit.EntryKey(evil, 1), ID: "8" + evilXML, Body: entry}, fakes3.Planted{Key: commit.EntryKey(evil, 1), ID: "9" + evilXML, Marker: true},
		fakes3.Planted{Key: commit.EntryKey(evil, 2), Body: []byte(evil)}, fakes3.Planted{Key: commit.EntryKey(evil, 3), Body: entry}, fakes3.Planted{Key: commit.Logs + evil, Body: []byte("x")})
	s.SetLifecycle(b, "<LifecycleConfiguration><Rule><ID>"+evilXML+"</ID><Status>Enabled</Status><Filter><Prefix></Prefix></Filter><Expiration><Days>1</Days></Expiration><NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays></NoncurrentVersionExpiration><Transition><Days>1</Days><StorageClass>"+evilXML+"</StorageClass></Transition></Rule>"+
		"<Rule><ID>t"+evilXML+"</ID><Status>Enabled</Status><Filter><And><Prefix>"+evilXML+"</Prefix><Tag><Key>k"+evilXML+"</Key><Value>"+evilXML+"</Value></Tag></And></Filter><Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>")
	s.SetObjectLock(b, "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>"+evilXML+"</Mode><Days>3</Days></DefaultRetention></Rule></ObjectLockConfiguration>")
	return &hostileStore{url: "s3://" + b, flags: []string{"--endpoint", s.URL(), "--region", "us-east-1", "--path-style"},
		fail: func(kind, code, message string) {
			s.Fail(fakes3.Fault{Kind: kind, Times: -1, Do: fakes3.Answer(403, "application/xml", "<Error><Code>"+code+"</Code><Message>"+message+"</Message><RequestId>"+message+"</RequestId></Error>")})
		}, heal: s.Heal,
		kinds: []string{"ListObjectVersions", "GetObject", "GetBucketVersioning", "GetBucketLifecycleConfiguration", "GetObjectLockConfiguration", "GetObjectTagging", "ListMultipartUploads"}}
}

func hostileGCS(t *testing.T) *hostileStore {
	s := newGCS(t, fakegcs.Options{})
	const b = "team-data"
	g := s.Plant(b, fakegcs.Planted{Key: evil + "/a" + evil, Body: []byte(evil), Class: "3" + evil, ETag: evil, Metadata: map[string]string{evil: evil}}, fakegcs.Planted{Key: evil + "/b", Body: []byte(evil)})
	object, entry, id := evilCommit(evil, []commit.File{{Path: "a" + evil, Version: fmt.Sprint(g[0]), Size: int64(len(evil))}, {Path: "gone" + evil, Version: "7" + evil, ETag: evil, Size: 1}})
	s.Plant(b, fakegcs.Planted{Key: commit.CommitKey(id), Body: object}, fakegcs.Planted{Key: commit.EntryKey(evil, 1), Body: entry}, fakegcs.Planted{Key: commit.EntryKey(evil, 1), Marker: true},
		fakegcs.Planted{Key: commit.EntryKey(evil, 2), Body: []byte(evil)}, fakegcs.Planted{Key: commit.EntryKey(evil, 3), Body: entry}, fakegcs.Planted{Key: commit.Logs + evil, Body: []byte("x")})
	quoted, _ := json.Marshal(evil)
	s.SetLifecycle(b, `[{"action":{"type":"Delete"},"condition":{"age":1}},{"action":{"type":"SetStorageClass","storageClass":`+string(quoted)+`},"condition":{"age":1,"matchesPrefix":[`+string(quoted)+`],"matchesStorageClass":[`+string(quoted)+`]}}]`)
	return &hostileStore{url: "gs://" + b,
		fail: func(kind, code, message string) {
			body, _ := json.Marshal(map[string]any{"error": map[string]any{"code": 403, "message": message, "errors": []any{map[string]any{"reason": code, "message": message}}}})
			s.Fail(fakegcs.Fault{Kind: kind, Times: -1, Do: fakegcs.Reply(403, "application/json; charset=UTF-8", string(body))})
		}, heal: s.Heal, kinds: []string{"objects.list", "objects.get", "objects.getMedia", "buckets.get", ""}}
}

// commands are all that read, each in every format.
func (h *hostileStore) commands(t *testing.T) [][]string {
	at := h.url + "/" + evil
	report := filepath.Join(t.TempDir(), "witness.json")
	var out [][]string
	for _, args := range [][]string{
		{"ls", at}, {"ls", h.url}, {"ls", at, "--all-versions"}, {"ls", at, "--at", "3"}, {"log", at}, {"show", at, "3"}, {"show", at, "1"}, {"diff", at, "3"}, {"diff", at, "2", "3"},
		{"pin", at}, {"doctor", at}, {"cat", at + "/gone" + evil, "--at", "3"}, {"cat", at + "/none" + evil}, {"get", at, "--at", "3", "-o", filepath.Join(t.TempDir(), "out"), "--dry-run"},
		{"restore", at, "--at", "3", "--dry-run"}, {"protect", at, "--at", "3", "--dry-run"}, {"commit", at, "-m", evil, "--dry-run"}, {"audit", h.url, "--estimate"}, {"audit", h.url, "--witness", report},
		{"repair", "marker", h.url, "--key", commit.EntryKey(evil, 1), "--version", "9" + evilXML, "--dry-run"}, {"repair", "version", h.url, "--key", commit.EntryKey(evil, 2), "--version", evil, "--dry-run"},
		{"repair", "entry", h.url, "--folder", evil, "--number", "1", "--commit", strings.Repeat("0", 64), "--dry-run"}, {"repair", "deletions", h.url, "--all", "--from", "2020-01-01T00:00:00Z", "--to", "2099-01-01T00:00:00Z", "--dry-run"},
	} {
		for _, format := range []string{"text", "json"} {
			out = append(out, append(args, "--format", format))
		}
	}
	for _, format := range []string{"text", "json", "jsonl", "markdown", "sarif", "junit", "metrics"} {
		out = append(out, []string{"audit", h.url, "--depth", "readable", "--format", format})
	}
	return append(out, []string{"__complete", "ls", h.url + "/"}, []string{"__complete", "show", at, ""})
}

// Whatever a bucket holds and a store says, no command in any format, no log of requests
// and no error lets any of it act on a terminal.
func TestNothingHostileComesOut(t *testing.T) {
	for name, make := range map[string]func(*testing.T) *hostileStore{"s3": hostileS3, "gcs": hostileGCS} {
		t.Run(name, func(t *testing.T) {
			h := make(t)
			log := filepath.Join(t.TempDir(), "requests.log")
			told := 0
			run := func(what string, args []string) {
				r := cliAt(time.Now().Add(time.Second), append(append(args, h.flags...), "--log-file", log)...)
				what += fmt.Sprintf("%.60q", args)
				if r.code < 0 || r.code > 3 || r.out+r.err == "" {
					t.Errorf("%s: exit code %d, %q", what, r.code, r.err)
				}
				told += strings.Count(r.out+r.err, tell)
				tame(t, what+": stdout", r.out)
				tame(t, what+": stderr", r.err)
			}
			commands := h.commands(t)
			for _, args := range commands {
				run("", args)
			}
			for _, kind := range h.kinds {
				h.fail(kind, evilXML, evilXML)
				for _, args := range commands {
					if args[0] == "ls" || args[0] == "doctor" || args[0] == "audit" || args[0] == "log" || args[0] == "commit" {
						run("without "+kind+", ", args)
					}
				}
				h.heal()
			}
			if told < 200 {
				t.Errorf("only %d times was anything hostile told of at all", told)
			}
			lines, err := os.ReadFile(log)
			if err != nil || len(lines) == 0 {
				t.Error(err)
			}
			tame(t, "the log of requests", string(lines))
		})
	}
}
