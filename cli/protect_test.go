package cli

import (
	"errors"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/internal/fakes3"
)

// held are the keys of versions that are held, each with the letter of its content's
// first byte where it is a file.
func (s *storeTest) held() string {
	s.t.Helper()
	var out []string
	for v, err := range s.b.Versions(s.t.Context(), bucket.Range{}) {
		s.must(err)
		if v.DeleteMarker {
			continue
		}
		p, err := s.b.Protection(s.t.Context(), v.Key, v.ID)
		s.must(err)
		if !p.LegalHold {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(v.Key, ".provcat/"), "/")
		if strings.HasPrefix(v.Key, "sales/") {
			r, _, err := s.b.Open(s.t.Context(), v.Key, v.ID, 0)
			s.must(err)
			b := make([]byte, 1)
			_, _ = r.Read(b)
			_ = r.Close()
			name = strings.TrimPrefix(v.Key, "sales/") + string(b)
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

// What is held is what the commits need, and nothing else; what is released is what no
// other held commit needs.
func TestProtect(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *storeTest) {
		s.lock()
		s.put("sales/a", "1")
		old := s.put("sales/b", "1")
		s.commit("sales")
		s.put("sales/b", "2")
		s.commit("sales")
		s.put("sales/b", "3")
		s.put("sales/later", "x")

		r := s.cli("protect", s.at("sales"), "--dry-run", "--read-only").wants(t, 0)
		if !strings.Contains(r.out, "of        commit 2 (") || !strings.Contains(r.out, "hold      1 log entry, 1 commit object, 2 versions of files (2 B)\n") ||
			!strings.Contains(r.out, "provcat-tui protect "+s.at("sales")+" --at 2 --off\n") {
			t.Errorf("%s", r.out)
		}
		if frozen := strings.Contains(r.out, "can be neither overwritten nor deleted"); frozen != strings.HasPrefix(s.url, "gs:") {
			t.Errorf("that live files are frozen is said: %v", frozen)
		}
		s.cli("protect", s.at("sales")).wants(t, 2).says(t, "no terminal to ask on", "--yes")
		s.cli("protect", s.at("sales"), "--yes", "--read-only").wants(t, 2).says(t, "read-only is on")
		if got := s.held(); got != "" {
			t.Errorf("held before anything was: %s", got)
		}

		if r := s.cli("protect", s.at("sales"), "--yes").wants(t, 0); !strings.HasSuffix(r.out, "\n4 held\n") {
			t.Errorf("%s", r.out)
		}
		if got, want := s.held(), "commits log a1 b2"; got != want {
			t.Errorf("held is %q, want %q", got, want)
		}
		s.cli("protect", s.at("sales"), "--at", "2", "--last", "9", "--yes").wants(t, 0)
		if got, want := s.held(), "commits commits log log a1 b2 b1"; got != want {
			t.Errorf("of both held is %q, want %q", got, want)
		}
		if err := s.b.DeleteVersion(t.Context(), old.Key, old.ID); !errors.Is(err, bucket.ErrDenied) {
			t.Errorf("a held version is removed: %v", err)
		}

		r = s.cli("protect", s.at("sales"), "--at", "1", "--off", "--yes").wants(t, 0)
		if !strings.Contains(r.out, "stays     1 version held, since other commits that are held name them\n") || !strings.HasSuffix(r.out, "\n3 released, 1 stay held\n") {
			t.Errorf("%s", r.out)
		}
		if got, want := s.held(), "commits log a1 b2"; got != want {
			t.Errorf("after the first was released held is %q, want %q", got, want)
		}
		s.cli("protect", s.at("sales"), "--off", "--yes").wants(t, 0)
		if got := s.held(); got != "" {
			t.Errorf("after all was released held is %q", got)
		}

		// A version that is gone is named, and the others are held.
		s.destroy(old)
		var d struct {
			Schema, State, Error string
			Complete             bool
			Plan                 map[string]getTotal
			Counts               map[string]int
			Problems             []map[string]string
			Commits              []struct{ Number int }
		}
		s.cli("protect", s.at("sales"), "--at", "1", "--yes", "--format", "json").wants(t, 1).json(t, &d)
		if d.Schema != "provcat-protect/1" || d.State != "incomplete" || d.Error == "" || !d.Complete || d.Plan["file"] != (getTotal{2, 2}) || d.Commits[0].Number != 1 ||
			d.Counts["done"] != 3 || d.Counts["gone"] != 1 || len(d.Problems) != 1 || d.Problems[0]["version"] != old.ID {
			t.Errorf("%+v", d)
		}
		s.cli("audit", s.url).wants(t, 1)
	})
}

// A commit of a folder above keeps what it shares with the one that is released.
func TestProtectKeepsOtherLogs(t *testing.T) {
	isolate(t)
	tb := newBucket(t)
	s := &storeTest{t: t, url: "file://" + tb.path, b: tb.b}
	s.put("sales/eu/a", "1")
	s.commit("sales/eu")
	s.commit("sales")
	s.cli("protect", s.at("sales/eu"), "--yes").wants(t, 0)
	s.cli("protect", s.at("sales"), "--yes").wants(t, 0)
	if r := s.cli("protect", s.at("sales/eu"), "--off", "--yes").wants(t, 0); !strings.HasSuffix(r.out, "\n2 released, 1 stay held\n") {
		t.Errorf("%s", r.out)
	}
	if got, want := s.held(), "commits log eu/a1"; got != want {
		t.Errorf("held is %q, want %q", got, want)
	}
}

// Where the store refuses: without object lock, and without the permission.
func TestProtectRefused(t *testing.T) {
	s := newS3(t, fakes3.Options{})
	flags := []string{"--endpoint", s.URL(), "--region", "us-east-1", "--path-style"}
	s.Put("team-data", "sales/a", []byte("1"))
	cliAt(time.Now(), append(flags, "commit", "s3://team-data/sales", "-m", "x")...).wants(t, 0)
	for _, more := range []string{"--yes", "--dry-run"} {
		cliAt(time.Now(), append(flags, "protect", "s3://team-data/sales", more)...).wants(t, 1).says(t, "has no object lock", "put-object-lock-configuration", "docs/permissions.md")
	}
	s.SetObjectLock("team-data", `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>`)
	s.Fail(fakes3.Fault{Kind: "PutObjectLegalHold", Key: "sales/a", Times: -1, Do: fakes3.AccessDenied})
	r := cliAt(time.Now(), append(flags, "protect", "s3://team-data/sales", "--yes")...).wants(t, 3)
	r.says(t, "the hold of 1 version could not be changed")
	if !strings.Contains(r.out, "failed    file sales/a (") || !strings.Contains(r.out, "needs s3:PutObjectLegalHold") || !strings.HasSuffix(r.out, "\n2 held, 1 failed\n") {
		t.Errorf("%s", r.out)
	}
	cliAt(time.Now(), append(flags, "protect", "s3://team-data/sales", "--last", "0", "--yes")...).wants(t, 2).says(t, "--last 0")
}
