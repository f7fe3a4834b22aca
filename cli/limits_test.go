package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
	"provcat-tui/internal/race"
)

// Every command that needs a commit object says of one that is too large how large it
// is, what is allowed and by which flag; the audit says that it could not be checked.
func TestMaxCommitSize(t *testing.T) {
	s := newS3(t, fakes3.Options{AccessKey: "TESTKEY"})
	flags := []string{"--endpoint", s.URL(), "--region", "us-east-1", "--path-style"}
	run := func(args ...string) result { return cliAt(time.Now().Add(time.Second), append(args, flags...)...) }
	const url = "s3://team-data/sales"
	s.Plant("team-data", fakes3.Planted{Key: "sales/a", Body: []byte("one")})
	run("commit", url, "-m", "first").wants(t, 0)
	s.Plant("team-data", fakes3.Planted{Key: "sales/b", Body: []byte("two")})
	run("commit", url, "-m", "second").wants(t, 0)

	out := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"show", url, "1"}, {"diff", url, "1", "2"}, {"diff", url, "2"}, {"ls", url, "--at", "1"}, {"cat", url + "/a", "--at", "1"}, {"get", url, "--at", "1", "-o", out},
		{"restore", url, "--at", "1", "--dry-run"}, {"commit", url, "-m", "third"},
	} {
		name := strings.Join(args, " ")
		r := run(append(args, "--max-commit-size", "10B")...).wants(t, 3)
		r.says(t, "bytes, and more than 10 bytes are not read", "--max-commit-size")
		for _, most := range []string{"5GiB", "1 MB", "0", "100000"} {
			if args[0] == "get" {
				continue // it needs a new folder each time
			}
			if r := run(append(args, "--max-commit-size", most)...); strings.Contains(r.err, "too large") {
				t.Errorf("%s, at most %s: %s", name, most, r.err)
			}
		}
	}
	for _, bad := range []string{"", "-1", "five", "1.5GB", "GiB", "9223372036854775807GB", "99999999999999999999"} {
		run("show", url, "1", "--max-commit-size="+bad).wants(t, 2).says(t, "--max-commit-size", "such as 20GiB")
	}

	for _, depth := range []string{"commits", "versions", "readable"} {
		r := run("audit", url, "--depth", depth, "--max-commit-size", "10", "--format", "json").wants(t, 3)
		var report struct {
			Verdict  string
			Counts   map[string]int
			Coverage struct {
				Commits struct{ Checked, Total int }
			}
			Findings []struct{ ID, Severity, Detail string }
		}
		if err := json.Unmarshal([]byte(r.out), &report); err != nil {
			t.Fatal(err)
		}
		if report.Verdict != "incomplete" || report.Counts["damage"] != 0 || report.Coverage.Commits.Checked != 0 || report.Coverage.Commits.Total != 2 {
			t.Errorf("%s: %+v", depth, report)
		}
		told := false
		for _, f := range report.Findings {
			told = told || f.ID == "check-incomplete" && f.Severity == "unknown" && strings.Contains(f.Detail, "more than 10 bytes are not read") && strings.Contains(f.Detail, "--max-commit-size")
		}
		if !told {
			t.Errorf("%s: nothing tells of the size: %+v", depth, report.Findings)
		}
	}
	run("audit", url).wants(t, 0)
}

// A hostileBody is an object that somebody made to hurt its reader.
type hostileBody struct {
	name string
	body string
	says string // by show; empty: it can be read
}

func hostileBodies() []hostileBody {
	x := func(n int) string { return strings.Repeat("x", n) }
	head := func(more, files string) string {
		return `{"format":"provcat/1","folder":"sales","number":1,"parent":null,"time":"2024-05-01T12:00:00.000000Z"` + more + `,"files":[` + files + `]}`
	}
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	members := &strings.Builder{}
	for i := range 1001 {
		fmt.Fprintf(members, `,"m%d":0`, i)
	}
	const file = `{"path":"a","version":"1","etag":"","size":3}`
	return []hostileBody{
		{"depth 10,000", head(`,"x":`+deep(10_000), file), "exceeded max depth"},
		{"depth 10,000 in a file", head("", `{"path":"a","version":"1","x":`+deep(10_000)+`}`), "exceeded max depth"},
		{"depth 9,000", head(`,"x":`+deep(9_000), file), ""},
		{"3 MB of message", head(`,"message":"`+x(3<<20)+`"`, file), "too long"},
		{"3 MB of spaces", head(strings.Repeat(" ", 3<<20), file), "too long"},
		{"a record of 600 kB", head("", `{"path":"`+x(600<<10)+`","version":"1"}`), "too long"},
		{"a path of 2,000 bytes", head("", `{"path":"`+x(2000)+`","version":"1"}`), ""},
		{"1,001 members more", head(members.String(), file), "more than 1000 members"},
		{"a member twice", head(`,"folder":"sales"`, file), "duplicate"},
		{"numbers beyond all", head(`,"x":1e999999,"y":`+strings.Repeat("9", 10_000), `{"path":"a","version":"1","size":1e300},{"path":"b","version":"1","size":-5},{"path":"c","version":"1","size":`+strings.Repeat("9", 1000)+`}`), ""},
		{"50,000 files", head("", strings.TrimSuffix(strings.Repeat(file+",", 50_000), ",")), ""},
		{"no end", head("", strings.Repeat(file+",", 1000))[:20_000], "unexpected EOF"},
	}
}

// What each reader makes of bodies that were made to hurt: a clear error or an answer,
// within bounds of memory, and never a panic.
func TestHostileBodies(t *testing.T) {
	if race.On {
		t.Skip("every command on every body; CI runs this without the race detector")
	}
	for _, h := range hostileBodies() {
		t.Run(h.name, func(t *testing.T) {
			s := newS3(t, fakes3.Options{AccessKey: "TESTKEY"})
			sum := sha256.Sum256([]byte(h.body))
			id := hex.EncodeToString(sum[:])
			s.Plant("team-data", fakes3.Planted{Key: commit.CommitKey(id), Body: []byte(h.body)}, fakes3.Planted{Key: commit.EntryKey("sales", 1), Body: []byte(id)},
				fakes3.Planted{Key: "sales/a", ID: "1", Body: []byte("one")})
			readAll(t, s.URL(), func(args []string, r result) {
				switch {
				case args[0] == "show" && h.says == "":
					r.wants(t, 0)
				case args[0] == "show":
					r.wants(t, 3)
					r.says(t, "its hash is right, but it is not a commit object", h.says, id[:10])
				case args[0] == "audit" && h.says != "" && args[len(args)-1] != "--estimate":
					// Its hash is right: its writer wrote it so. It is no damage.
					r.wants(t, 3)
					if !strings.Contains(r.out, "commit-format-unknown") {
						t.Error(r.out)
					}
				}
			})
		})
	}
}

// The same of log entries and of keys of a log.
func TestHostileEntries(t *testing.T) {
	if race.On {
		t.Skip("every command on every body; CI runs this without the race detector")
	}
	hash := commit.FolderHash("sales")
	id := strings.Repeat("a", 64)
	slots := func(bodies ...string) (out []fakes3.Planted) {
		for i, b := range bodies {
			out = append(out, fakes3.Planted{Key: commit.EntryKey("sales", int64(i+1)), Body: []byte(b)})
		}
		return out
	}
	for name, planted := range map[string][]fakes3.Planted{
		"10 MB":            slots(`{"commit":"` + id + `","x":"` + strings.Repeat("x", 10<<20) + `"}`),
		"10 MB of spaces":  slots(strings.Repeat(" ", 10<<20) + id),
		"depth 30,000":     slots(`{"commit":"` + id + `","x":` + strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000) + `}`),
		"nothing":          slots(""),
		"a number too far": slots(`{"commit":"` + id + `","number":1e18,"time":"9999-12-31T23:59:59.999999999-23:59"}`),
		"the last slot":    {{Key: commit.LogPrefix(hash) + "000000000000000", Body: []byte(id)}},
		"slot of number 0": {{Key: commit.LogPrefix(hash) + "999999999999999", Body: []byte(id)}, {Key: commit.LogPrefix(hash) + "1000000000000000", Body: []byte(id)}},
		"a slot of words":  {{Key: commit.LogPrefix(hash) + strings.Repeat("9", 900), Body: []byte(id)}, {Key: commit.LogPrefix(hash) + "٠٠٠", Body: []byte(id)}},
		"100 versions":     slots(id, id, id)[2:],
	} {
		t.Run(name, func(t *testing.T) {
			s := newS3(t, fakes3.Options{AccessKey: "TESTKEY"})
			if name == "100 versions" {
				for range 100 {
					s.Plant("team-data", planted...)
				}
			}
			s.Plant("team-data", planted...)
			s.Plant("team-data", fakes3.Planted{Key: "sales/a", Body: []byte("one")})
			readAll(t, s.URL(), func(args []string, r result) {
				if r.code == 0 && (args[0] == "show" || args[0] == "get") {
					t.Errorf("%q: it was read", args)
				}
			})
		})
	}
}

// readAll runs every command that reads on the folder sales, with bounds on the memory
// that is in use at any time, and shows each result.
func readAll(t *testing.T, endpoint string, see func(args []string, r result)) {
	const url = "s3://team-data/sales"
	for _, args := range [][]string{
		{"log", url}, {"show", url, "head"}, {"show", url, "1"}, {"diff", url, "1"}, {"pin", url}, {"ls", url}, {"ls", url, "--at", "head"}, {"cat", url + "/a", "--at", "head"},
		{"get", url, "--at", "head", "-o", filepath.Join(t.TempDir(), "out")}, {"restore", url, "--at", "head", "--dry-run"}, {"protect", url, "--at", "head", "--dry-run"}, {"commit", url, "-m", "x", "--dry-run"},
		{"doctor", url}, {"audit", url}, {"audit", url, "--estimate"}, {"audit", "s3://team-data", "--depth", "readable", "--format", "json"},
	} {
		peak, end := watchHeap()
		start := time.Now()
		r := cliAt(time.Now().Add(time.Second), append(args, "--endpoint", endpoint, "--region", "us-east-1", "--path-style")...)
		end()
		if r.code < 0 || r.code > 3 || r.code > 0 && r.out+r.err == "" {
			t.Errorf("%q: exit code %d: %.300s", args, r.code, r.err)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%q: %v", args, took)
		}
		if n := peak.Load(); n > 96<<20 {
			t.Errorf("%q: %d MB in use", args, n>>20)
		}
		tame(t, fmt.Sprint(args), r.out)
		tame(t, fmt.Sprint(args), r.err)
		if len(r.err) > 64<<10 {
			t.Errorf("%q: an error of %d bytes", args, len(r.err))
		}
		see(args, r)
	}
}

// watchHeap tells how much more of the heap is in use than now, at most, until its end.
func watchHeap() (peak *atomic.Int64, end func()) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := int64(m.HeapAlloc)
	peak = &atomic.Int64{}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak.Store(max(peak.Load(), int64(m.HeapAlloc)-before))
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return peak, func() { close(stop); <-done }
}
