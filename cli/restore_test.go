package cli

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"provcat-tui/internal/fakes3"
)

func (s *storeTest) wantLive(want map[string]string) {
	s.t.Helper()
	for key, body := range want {
		got, ok := s.live(key)
		if body == "(none)" && ok || body != "(none)" && (!ok || got != body) {
			s.t.Errorf("%s is %q (live: %v), want %q", key, got, ok, body)
		}
	}
}

// history makes one commit of four files, and then damages three of them:
//
//	a same, b overwritten, c deleted, d/e overwritten and deleted; later is new
func (s *storeTest) history() {
	for _, k := range []string{"a", "b", "c", "d/e"} {
		s.put("sales/"+k, k+"1")
	}
	s.commit("sales")
	s.put("sales/b", "b22")
	s.delete("sales/c")
	s.put("sales/d/e", "e22")
	s.delete("sales/d/e")
	s.put("sales/later", "new")
	s.put("salesmen/x", "other folder")
}

func TestRestore(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *storeTest) {
		s.history()
		before := map[string]string{"sales/a": "a1", "sales/b": "b22", "sales/c": "(none)", "sales/d/e": "(none)", "sales/later": "new", "salesmen/x": "other folder"}
		r := s.cli("restore", s.at("sales"), "--at", "1", "--dry-run", "--read-only").wants(t, 0)
		for _, line := range []string{"to        commit 1 (", "live      1 file so already (2 B)\n", "copy      3 files, 8 B: to be the newest version\n          b\n          c\n          d/e\n",
			"leave     1 file, 3 B: live, though the commit does not name them; --delete hides them\n          later\n"} {
			if !strings.Contains(r.out, line) {
				t.Errorf("%q is missing:\n%s", line, r.out)
			}
		}
		s.wantLive(before)
		s.cli("restore", s.at("sales"), "--at", "1").wants(t, 2).says(t, "no terminal to ask on", "--yes")
		s.cli("restore", s.at("sales"), "--at", "1", "--yes", "--read-only").wants(t, 2).says(t, "read-only is on")
		s.wantLive(before)

		// One file of it, and a part.
		s.cli("restore", s.at("sales"), "c", "d", "--at", "1", "--yes").wants(t, 0)
		s.wantLive(map[string]string{"sales/b": "b22", "sales/c": "c1", "sales/d/e": "d/e1", "sales/later": "new"})

		r = s.cli("restore", s.at("sales"), "--at", "1", "--yes", "--delete").wants(t, 0)
		if !strings.HasSuffix(r.out, "\n1 restored, 1 deleted\nnot committed yet: provcat-tui commit "+s.at("sales")+" -m 'Restored commit 1 ("+between(r.out, "commit 1 (", ")")+")'\n") {
			t.Errorf("%s", r.out)
		}
		after := map[string]string{"sales/a": "a1", "sales/b": "b1", "sales/c": "c1", "sales/d/e": "d/e1", "sales/later": "(none)", "salesmen/x": "other folder"}
		s.wantLive(after)
		// The history is whole: what was live can be restored too.
		if r := s.cli("ls", s.at("sales/b"), "--all-versions").wants(t, 0); strings.Count(r.out, "  3 B  ")+strings.Count(r.out, "3 B  ") == 0 {
			t.Errorf("what was live is gone:\n%s", r.out)
		}
		r = s.cli("restore", s.at("sales"), "--at", "1", "--yes", "--delete").wants(t, 0)
		if !strings.Contains(r.out, "live      4 files so already (10 B), 3 of them by equal bytes\nnothing to restore") {
			t.Errorf("the second time:\n%s", r.out)
		}
		s.wantLive(after)
		s.cli("audit", s.url).wants(t, 0)
		s.cli("commit", s.at("sales"), "-m", "back").wants(t, 0)
	})
}

func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}

// -m commits what was restored, and only then.
func TestRestoreCommits(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *storeTest) {
		s.history()
		r := s.cli("restore", s.at("sales"), "--at", "head", "--yes", "--delete", "-m", "back").wants(t, 0)
		if !strings.Contains(r.out, "3 restored, 1 deleted\ncommitted sales as number 2: 4 files, 10 B\n") {
			t.Errorf("%s", r.out)
		}
		if r := s.cli("diff", s.at("sales"), "1", "2").wants(t, 0); strings.Count(r.out, "(same bytes)") != 3 || !strings.Contains(r.out, "0 added (0 B), 0 removed (0 B), 3 changed") {
			t.Errorf("%s", r.out)
		}
	})
}

// Where a version is gone nothing is done, unless --partial; one with equal bytes is as good.
func TestRestoreGone(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *storeTest) {
		gone := s.put("sales/a", "one")
		twin := s.put("sales/b", "two")
		s.put("sales/c", "three")
		s.commit("sales")
		s.put("sales/a", "new")
		s.put("sales/b", "two")
		s.put("sales/b", "new")
		s.put("sales/c", "new")
		s.destroy(gone)
		s.destroy(twin)
		r := s.cli("restore", s.at("sales"), "--at", "1", "--yes").wants(t, 1)
		r.says(t, "nothing was written: 1 version that the commit names is gone", "--partial", "provcat-tui audit "+s.at("sales"))
		if !strings.Contains(r.out, "gone      1 file, 3 B: no version with these bytes is left\n          a: version "+gone.ID+"\n") ||
			!strings.Contains(r.out, "which has the same bytes; the commit's own is gone") {
			t.Errorf("%s", r.out)
		}
		s.wantLive(map[string]string{"sales/a": "new", "sales/b": "new", "sales/c": "new"})
		var d struct {
			Schema, State, Error string
			Complete             bool
			Plan                 map[string]getTotal
			Counts               map[string]int
			Steps                []restoreItem
		}
		s.cli("restore", s.at("sales"), "--at", "1", "--yes", "--partial", "--format", "json", "-m", "not now").wants(t, 1).json(t, &d)
		if d.Schema != "provcat-restore/1" || d.State != "incomplete" || d.Error == "" || !d.Complete || d.Plan["copy"] != (getTotal{2, 8}) || d.Counts["restored"] != 2 ||
			len(d.Steps) != 3 || d.Steps[0].State != "gone" || d.Steps[0].Path != "a" || d.Steps[2].State != "restored" {
			t.Errorf("%+v", d)
		}
		s.wantLive(map[string]string{"sales/a": "new", "sales/b": "two", "sales/c": "three"})
		s.cli("log", s.at("sales")).wants(t, 0)
		s.cli("show", s.at("sales"), "2").wants(t, 2) // nothing was committed
	})
}

// What the store does while it is restored: somebody writes, an answer is lost, a copy is
// refused. Nobody's write is lost, and each is told.
func TestRestoreMeets(t *testing.T) {
	flags := func(s *fakes3.Server) []string {
		return []string{"--endpoint", s.URL(), "--region", "us-east-1", "--path-style", "--concurrency", "1"}
	}
	for _, c := range []struct {
		name string
		set  func(*fakes3.Server)
		code int
		out  string
		live string // of sales/b
	}{
		{"a lost answer", func(s *fakes3.Server) {
			s.Fail(fakes3.Fault{Kind: "CopyObject", Key: "sales/b", Do: fakes3.DropAnswer})
		}, 0, "2 restored", "b1"},
		{"a denied copy", func(s *fakes3.Server) {
			s.Fail(fakes3.Fault{Kind: "CopyObject", Key: "sales/b", Times: -1, Do: fakes3.AccessDenied})
		}, 3, "failed    b: copy to s3://team-data/sales/b: access denied, needs s3:PutObject", "new"},
		{"a write right before", func(s *fakes3.Server) {
			n := 0
			s.Before(func(r fakes3.Request) {
				if r.Kind == "ListObjectVersions" && strings.Contains(r.Query, "prefix=sales%2Fb") {
					if n++; n == 1 {
						s.Put("team-data", "sales/b", []byte("theirs"))
					}
				}
			})
		}, 3, "changed   b: somebody wrote there meanwhile, so nothing was done", "theirs"},
		{"a write right after", func(s *fakes3.Server) {
			s.After(func(r fakes3.Request) {
				if r.Kind == "CopyObject" && r.Key == "sales/b" {
					s.Put("team-data", "sales/b", []byte("theirs"))
				}
			})
		}, 3, "changed   b: somebody wrote there meanwhile: it was written, as version ", "theirs"},
		{"a write between", func(s *fakes3.Server) {
			s.Before(func(r fakes3.Request) {
				if r.Kind == "CopyObject" && r.Key == "sales/b" {
					s.Put("team-data", "sales/b", []byte("theirs"))
				}
			})
		}, 3, "and which is kept", "b1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newS3(t, fakes3.Options{})
			s.Put("team-data", "sales/b", []byte("b1"))
			s.Put("team-data", "sales/c", []byte("c1"))
			cliAt(time.Now(), append(flags(s), "commit", "s3://team-data/sales", "-m", "x")...).wants(t, 0)
			s.Put("team-data", "sales/b", []byte("new"))
			s.Put("team-data", "sales/c", []byte("new"))
			c.set(s)
			r := cliAt(time.Now(), append(flags(s), "restore", "s3://team-data/sales", "--at", "1", "--yes")...).wants(t, c.code)
			if !strings.Contains(r.out, c.out) {
				t.Errorf("%q is missing:\n%s%s", c.out, r.out, r.err)
			}
			for key, want := range map[string]string{"b": c.live, "c": "c1"} {
				cliAt(time.Now(), append(flags(s), "cat", "s3://team-data/sales/"+key)...).wants(t, 0).prints(t, want)
			}
		})
	}
}

// Interrupted in the midst: what was begun is settled and told, the rest is left.
func TestRestoreInterrupted(t *testing.T) {
	s := newS3(t, fakes3.Options{})
	keys := []string{"a", "b", "c"}
	for _, k := range keys {
		s.Put("team-data", "sales/"+k, []byte(k+"1"))
	}
	flags := []string{"--endpoint", s.URL(), "--region", "us-east-1", "--path-style", "--concurrency", "1"}
	cliAt(time.Now(), append(flags, "commit", "s3://team-data/sales", "-m", "x")...).wants(t, 0)
	for _, k := range keys {
		s.Put("team-data", "sales/"+k, []byte("new"))
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.After(func(r fakes3.Request) {
		if r.Kind == "CopyObject" && r.Key == "sales/a" {
			cancel()
		}
	})
	args := append(flags, "restore", "s3://team-data/sales", "--at", "1", "--yes")
	cliWith(ctx, time.Now(), args...).wants(t, 130).says(t, "interrupted; 1 restored, 2 not tried", "goes on with the rest")
	if r := cliAt(time.Now(), args...).wants(t, 0); !strings.Contains(r.out, "\n2 restored\n") {
		t.Errorf("%s", r.out)
	}
}

// What S3 does not copy in one request is named before anything is written; the others
// are restored.
func TestRestoreLargeFile(t *testing.T) {
	s := newS3(t, fakes3.Options{})
	flags := []string{"--endpoint", s.URL(), "--region", "us-east-1", "--path-style"}
	const most = 5 << 30
	ids := s.Plant("team-data", fakes3.Planted{Key: "sales/large", Size: most + 1}, fakes3.Planted{Key: "sales/small", Body: []byte("old")})
	cliAt(time.Now(), append(flags, "commit", "s3://team-data/sales", "-m", "x")...).wants(t, 0)
	s.Put("team-data", "sales/large", []byte("new"))
	s.Put("team-data", "sales/small", []byte("new"))
	want := "refused   1 file, 5.0 GiB\n          large: it has 5.0 GiB, and this store copies at most 5.0 GiB in one request: copy version " + ids[0] + " over it in parts"
	r := cliAt(time.Now(), append(flags, "restore", "s3://team-data/sales", "--at", "1", "--dry-run", "--read-only")...).wants(t, 0)
	if !strings.Contains(r.out, want) {
		t.Errorf("%q is missing:\n%s", want, r.out)
	}
	cliAt(time.Now(), append(flags, "restore", "s3://team-data/sales", "--at", "1", "--yes")...).wants(t, 3).says(t, "1 file could not be restored, as said above")
	cliAt(time.Now(), append(flags, "cat", "s3://team-data/sales/small")...).wants(t, 0).prints(t, "old")
	cliAt(time.Now(), append(flags, "cat", "s3://team-data/sales/large")...).wants(t, 0).prints(t, "new")
}

// A store that refuses everything is not asked for every file.
func TestRestoreGivesUp(t *testing.T) {
	s := newS3(t, fakes3.Options{})
	flags := []string{"--endpoint", s.URL(), "--region", "us-east-1", "--path-style", "--concurrency", "4"}
	for i := range 120 {
		s.Put("team-data", fmt.Sprintf("sales/%03d", i), []byte("old"))
	}
	cliAt(time.Now(), append(flags, "commit", "s3://team-data/sales", "-m", "x")...).wants(t, 0)
	for i := range 120 {
		s.Put("team-data", fmt.Sprintf("sales/%03d", i), []byte("new"))
	}
	s.Fail(fakes3.Fault{Kind: "CopyObject", Times: -1, Do: fakes3.AccessDenied})
	r := cliAt(time.Now(), append(flags, "restore", "s3://team-data/sales", "--at", "1", "--yes")...).wants(t, 3)
	r.says(t, "50 files in a row could not be restored, so the rest was left", "s3:PutObject")
	if n := s.Count("CopyObject"); n < 50 || n > 60 {
		t.Errorf("%d copies were asked for", n)
	}
	if strings.Count(r.out, "failed    ") != s.Count("CopyObject") {
		t.Errorf("not each of %d that were tried is told:\n%s", s.Count("CopyObject"), r.out)
	}
}

func TestRestoreUsage(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{}, 2, "needs the URL of a folder"},
		{[]string{tb.at("sales")}, 2, "add --at REF"},
		{[]string{tb.at("sales"), "--at", "live", "--yes"}, 2, "live is not a commit"},
		{[]string{tb.at("sales"), "--at", "9", "--yes"}, 2, "9"},
		{[]string{tb.at("sales"), "us.csv", "none", "--at", "1", "--yes"}, 2, "no file at or under none"},
	} {
		cli(append([]string{"restore"}, c.args...)...).wants(t, c.code).says(t, c.says)
	}
	// Suspended versioning would overwrite for good.
	if err := tb.b.SetVersioning(t.Context(), "suspended"); err != nil {
		t.Fatal(err)
	}
	cli("restore", tb.at("sales"), "--at", "1", "--yes").wants(t, 1).says(t, "nothing can be restored", "versioning is suspended")
}
