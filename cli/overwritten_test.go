package cli

import (
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// plantCommit writes a commit as another program would: with these files, whatever the
// store has.
func (s *storeTest) plantCommit(folder string, files ...commit.File) {
	s.t.Helper()
	var body strings.Builder
	id, err := commit.Encode(&body, commit.Header{Folder: folder, Number: 1, Time: time.Now().Add(-time.Hour)}, func(yield func(commit.File, error) bool) {
		for _, f := range files {
			if !yield(f, nil) {
				return
			}
		}
	})
	s.must(err)
	s.put(commit.CommitKey(id), body.String())
	s.put(commit.EntryKey(folder, 1), id)
}

// A version under the ID that the commit names, with another ETag or size, is no file of
// the commit: every command says so, none calls the folder as committed.
func TestVersionWithOtherBytes(t *testing.T) {
	for name, change := range map[string]func(*commit.File){
		"ETag":              func(f *commit.File) { f.ETag = strings.Repeat("0", 32) },
		"size":              func(f *commit.File) { f.Size++ },
		"size, and no ETag": func(f *commit.File) { f.Size, f.ETag = f.Size+1, "" },
	} {
		t.Run(name, func(t *testing.T) {
			onEachStore(t, func(t *testing.T, s *storeTest) {
				file := func(v bucket.Version) commit.File {
					return commit.File{Path: v.Key[len("sales/"):], Version: v.ID, ETag: v.ETag, Size: v.Size}
				}
				a, b := file(s.put("sales/a", "one")), file(s.put("sales/b", "two"))
				change(&a)
				s.plantCommit("sales", a, b)

				r := s.cli("diff", s.at("sales"), "1", "live", "--exit-code").wants(t, 1)
				if !strings.Contains(r.out, "a  (same version "+a.Version+", other bytes)\n") || !strings.Contains(r.out, "0 removed (0 B), 1 changed") {
					t.Errorf("diff:\n%s", r.out)
				}
				s.cli("ls", s.at("sales/a"), "--at", "1").wants(t, 1).says(t, "sales/a is damaged: the commit says ")
				s.cli("cat", s.at("sales/a"), "--at", "1").wants(t, 1).says(t, "sales/a is damaged: the commit says ")
				s.cli("ls", s.at("sales/b"), "--at", "1").wants(t, 0)

				// Neither live as committed nor restored, and nothing takes its place.
				for _, more := range [][]string{nil, {"-m", "back"}} {
					r = s.cli(append([]string{"restore", s.at("sales"), "--at", "1", "--yes"}, more...)...).wants(t, 1)
					r.says(t, "1 version that the commit names is gone or overwritten")
					if !strings.Contains(r.out, "overwritten 1 file") || !strings.Contains(r.out, "a: version "+a.Version+" is there with other bytes: the commit says ") {
						t.Errorf("restore:\n%s", r.out)
					}
				}
				s.cli("restore", s.at("sales"), "--at", "1", "--yes", "--partial").wants(t, 1)
				s.wantLive(map[string]string{"sales/a": "one", "sales/b": "two"})

				// What is there now can be committed, and that the old commit is broken is told.
				r = s.cli("commit", s.at("sales"), "-m", "x", "--dry-run").wants(t, 0)
				if !strings.Contains(r.out, "0 added, 0 removed, 1 changed") {
					t.Errorf("commit --dry-run:\n%s", r.out)
				}
				s.cli("commit", s.at("sales"), "-m", "x").wants(t, 0).says(t, "1 file has the version ID that commit 1 names, with other bytes, so that commit 1 can no longer give them: a, version "+a.Version)
				s.cli("diff", s.at("sales"), "2", "live", "--exit-code").wants(t, 0)
				s.cli("diff", s.at("sales"), "1", "2", "--exit-code").wants(t, 1)
				s.cli("restore", s.at("sales"), "--at", "2", "--yes").wants(t, 0)
				if r = s.cli("audit", s.url, "--folder", "sales").wants(t, 1); !strings.Contains(r.out, "version-changed") || !strings.Contains(r.out, "tampered with") {
					t.Errorf("audit:\n%s", r.out)
				}
			})
		})
	}
}

// overwriteNull commits sales/a as version null, and puts another one in its place.
func overwriteNull(t *testing.T) (*fakes3.Server, func(args ...string) result) {
	s := newS3(t, fakes3.Options{})
	via := func(args ...string) result {
		return cliAt(time.Now().Add(time.Second), append(args, "--endpoint", s.URL(), "--region", "us-east-1", "--path-style", "--concurrency", "1")...)
	}
	suspended := func(body string) {
		s.SetVersioning("team-data", "Suspended")
		s.Put("team-data", "sales/a", []byte(body))
		s.SetVersioning("team-data", "Enabled")
	}
	suspended("one")
	s.Put("team-data", "sales/b", []byte("b"))
	via("commit", "s3://team-data/sales", "-m", "x").wants(t, 0)
	suspended("TWO")
	return s, via
}

// A version null that was overwritten is not made live as if it were the commit's, and
// is not called as committed while it is live.
func TestNullVersionOverwritten(t *testing.T) {
	const folder = "s3://team-data/sales"
	t.Run("it is live", func(t *testing.T) {
		_, via := overwriteNull(t)
		r := via("diff", folder, "1", "--exit-code").wants(t, 1)
		if !strings.Contains(r.out, "a  (same version null, other bytes)") {
			t.Errorf("%s", r.out)
		}
		r = via("restore", folder, "--at", "1", "--yes").wants(t, 1)
		if !strings.Contains(r.out, "a: version null is there with other bytes") || !strings.Contains(r.out, "suspended") {
			t.Errorf("%s", r.out)
		}
		via("commit", folder, "-m", "two").wants(t, 0).says(t, "1 file has the version ID that commit 1 names, with other bytes", "suspended")
		via("cat", folder+"/a", "--at", "2").wants(t, 0).prints(t, "TWO")
		via("cat", folder+"/a", "--at", "1").wants(t, 1)
		r = via("audit", "s3://team-data").wants(t, 1)
		r.out = strings.Join(strings.Fields(r.out), " ")
		if !strings.Contains(r.out, "version-changed") || !strings.Contains(r.out, "Its ID is null, and it was overwritten while versioning was suspended") || strings.Contains(r.out, "was tampered with") || strings.Contains(r.out, "commit-twins") {
			t.Errorf("%s", r.out)
		}
	})
	t.Run("it was replaced", func(t *testing.T) {
		s, via := overwriteNull(t)
		s.Put("team-data", "sales/a", []byte("three"))
		via("restore", folder, "--at", "1", "--yes", "-m", "back").wants(t, 1).says(t, "nothing was written: 1 version that the commit names is gone or overwritten")
		via("cat", folder+"/a").wants(t, 0).prints(t, "three")
		via("show", folder, "2").wants(t, 2) // nothing was committed
	})
	t.Run("another version has the commit's bytes", func(t *testing.T) {
		s, via := overwriteNull(t)
		s.Put("team-data", "sales/a", []byte("one"))
		s.Put("team-data", "sales/a", []byte("three"))
		if r := via("restore", folder, "--at", "1", "--yes").wants(t, 0); !strings.Contains(r.out, "1 restored") || !strings.Contains(r.out, "which has the same bytes; the commit's own is gone or overwritten") {
			t.Errorf("%s", r.out)
		}
		via("cat", folder+"/a").wants(t, 0).prints(t, "one")
		if r := via("restore", folder, "--at", "1", "--yes").wants(t, 0); !strings.Contains(r.out, "nothing to restore: all is live as the commit says") {
			t.Errorf("%s", r.out)
		}
	})
}

// What was made live counts only if it is what the commit named, as far as the store's
// checksums tell; a copy of an upload in parts has another ETag, and is as good.
func TestRestoreChecksWhatItMade(t *testing.T) {
	const folder = "s3://team-data/sales"
	begin := func(t *testing.T) (*fakes3.Server, func(args ...string) result) {
		s := newS3(t, fakes3.Options{})
		via := func(args ...string) result {
			return cliAt(time.Now().Add(time.Second), append(args, "--endpoint", s.URL(), "--region", "us-east-1", "--path-style", "--concurrency", "1")...)
		}
		return s, via
	}
	suspended := func(s *fakes3.Server, body string) {
		s.SetVersioning("team-data", "Suspended")
		s.Put("team-data", "sales/a", []byte(body))
		s.SetVersioning("team-data", "Enabled")
	}
	t.Run("the source changes before the last look", func(t *testing.T) {
		s, via := begin(t)
		suspended(s, "one")
		via("commit", folder, "-m", "x").wants(t, 0)
		s.Put("team-data", "sales/a", []byte("three"))
		done := false
		s.Before(func(r fakes3.Request) {
			if r.Kind == "GetObject" && r.Key == "sales/a" && !done {
				done = true
				s.DeleteVersion("team-data", "sales/a", "null")
				s.Plant("team-data", fakes3.Planted{Key: "sales/a", ID: "null", Body: []byte("TWO")})
			}
		})
		if r := via("restore", folder, "--at", "1", "--yes").wants(t, 3); !strings.Contains(r.out, "changed   a: somebody wrote there meanwhile, so nothing was done") {
			t.Errorf("%s%s", r.out, r.err)
		}
	})
	t.Run("the source changes right before the copy", func(t *testing.T) {
		s, via := begin(t)
		suspended(s, "one")
		via("commit", folder, "-m", "x").wants(t, 0)
		s.Put("team-data", "sales/a", []byte("three"))
		s.Before(func(r fakes3.Request) {
			if r.Kind == "CopyObject" {
				suspended(s, "TWO")
			}
		})
		r := via("restore", folder, "--at", "1", "--yes", "-m", "back").wants(t, 3)
		if !strings.Contains(r.out, "failed    a: it was written, as version ") || !strings.Contains(r.out, "is not what the commit named: the commit says ETag ") || strings.Contains(r.out, "1 restored") {
			t.Errorf("%s%s", r.out, r.err)
		}
		via("show", folder, "2").wants(t, 2) // nothing was committed
	})
	t.Run("a copy of an upload in parts", func(t *testing.T) {
		s, via := begin(t)
		s.FinishUpload("team-data", "sales/a", s.StartUpload("team-data", "sales/a"), []byte("one"), []byte("two"))
		via("commit", folder, "-m", "x").wants(t, 0)
		s.Put("team-data", "sales/a", []byte("three"))
		if r := via("restore", folder, "--at", "1", "--yes").wants(t, 0); !strings.Contains(r.out, "1 restored") {
			t.Errorf("%s%s", r.out, r.err)
		}
		via("cat", folder+"/a").wants(t, 0).prints(t, "onetwo")
	})
}
