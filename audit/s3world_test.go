package audit

import (
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// An s3world is a bucket on an S3 server that counts and can be told to fail.
type s3world struct {
	*world
	s *fakes3.Server
	b *s3test.Bucket
}

func newS3World(t testing.TB) *s3world {
	t.Helper()
	w := &s3world{world: &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}}
	w.s = fakes3.New(fakes3.Options{Now: w.tick})
	t.Cleanup(w.s.Close)
	w.b = s3test.New(t, w.s.URL())
	return w
}

func (w *s3world) put(key, body string) string { return w.s.Put(w.b.Name, key, []byte(body)) }

func (w *s3world) commit(folder string) commit.Result {
	w.Helper()
	r, err := w.write(w.b, folder, "")
	w.must(err)
	if !r.Committed {
		w.Fatalf("nothing to commit in %q", folder)
	}
	return r
}

// erase removes every version of a key.
func (w *s3world) erase(key string) {
	for _, e := range w.s.Entries(w.b.Name, key) {
		w.s.DeleteVersion(w.b.Name, key, e.ID)
	}
}

// everything has a use of every call that an audit makes: rules with and without
// tags, object lock, an unfinished upload, a loser of a race, folders inside each
// other. All of it is sound; two versions will expire, surely: they have the rule's
// tag, and nothing protects them. It gives the ID of the first commit of f.
func (w *s3world) everything() (first string) {
	w.Helper()
	w.s.SetObjectLock(w.b.Name, "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>")
	w.s.SetLifecycle(w.b.Name, `<LifecycleConfiguration><Rule><ID>tagged</ID><Status>Enabled</Status><Filter><And><Prefix>f/</Prefix><Tag><Key>k</Key><Value>v</Value></Tag></And></Filter>`+
		`<NoncurrentVersionExpiration><NoncurrentDays>30</NoncurrentDays></NoncurrentVersionExpiration></Rule></LifecycleConfiguration>`)
	for _, body := range []string{"1", "2", "3"} {
		v := w.put("f/tagged", body)
		w.s.SetTags(w.b.Name, "f/tagged", v, map[string]string{"k": "v"})
		w.put("f/plain", body)
		w.put("f/sub/x", body)
		if id := w.commit("f").ID; first == "" {
			first = id
		}
	}
	w.commit("f/sub")
	w.s.StartUpload(w.b.Name, "f/big")
	lost := `{"format":"provcat/1","folder":"f","number":1,"parent":null,"time":"2026-10-01T08:00:01Z","author":"","message":"lost","files":[]}`
	o, _ := commit.Decode(strings.NewReader(lost), nil) // only the hash is asked for
	w.put(commit.CommitKey(o.ID), lost)
	return first
}

// What a bucket with everything gives: that two versions will expire, or may.
var (
	willExpire2 = want{id: "version-will-expire", severity: Risk, sure: Certain, folder: "f", versions: 2, commits: 2, says: "\"tagged\" will delete 2 versions"}
	// Without tags it may be the noncurrent versions of all three keys.
	mayExpireAll = want{id: "version-will-expire", severity: Risk, sure: Possible, folder: "f", versions: 4, commits: 2, says: "those of 4 versions were not read (read the tags of"}
	mayExpireSub = want{id: "version-will-expire", severity: Risk, sure: Possible, folder: "f/sub", versions: 2, commits: 2, says: "may delete 2 versions that commits of folders above f/sub name"}
	mayExpire2   = want{id: "version-will-expire", severity: Risk, sure: Possible, folder: "f", versions: 2, commits: 2, says: "Object lock may protect 2 versions: that was not read (read the"}
)

// damage does three things, each of which shows in another way: a marker over an
// entry, a commit object that has gone, a version that has gone.
func (w *s3world) damage(first string) {
	w.Helper()
	w.s.Delete(w.b.Name, commit.EntryKey("f", 2))
	w.erase(commit.CommitKey(first))
	w.s.DeleteVersion(w.b.Name, "f/sub/x", w.s.Entries(w.b.Name, "f/sub/x")[0].ID)
}
