package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// Whatever people do within the format, in whatever order and depth and scope audits
// come between: the witness is content.
func TestRandomHistoriesAndAWitness(t *testing.T) {
	for seed := range uint64(10) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 3))
			w := newWorld(t)
			folders := []string{"", "a", "a/b", "ab"}
			any := func() string { return folders[r.IntN(len(folders))] }
			var wit *Witness
			var rep *Report
			for range 40 {
				folder := any()
				switch r.IntN(6) {
				case 0, 1:
					w.put(commit.KeyPrefix(folder)+"x", fmt.Sprint(r.Uint32()))
				case 2, 3:
					w.put(commit.KeyPrefix(folder)+"y", fmt.Sprint(r.Uint32()))
					var b bucket.Bucket = w.b
					if r.IntN(3) == 0 {
						b = &racing{w.b, func() {
							w.put(commit.KeyPrefix(folder)+"y", fmt.Sprint(r.Uint32()))
							w.commit(folder, "the winner")
						}}
					}
					if _, err := w.write(b, folder, fmt.Sprint(r.Uint32())); err != nil {
						t.Fatal(err)
					}
				case 4: // an entry is deleted and restored, or put again
					vs := w.versions(commit.EntryKey(folder, 1))
					if len(vs) == 0 {
						continue
					}
					if r.IntN(2) == 0 {
						w.kill(vs[0].Key, w.del(vs[0].Key).ID)
					} else {
						w.put(vs[0].Key, w.body(vs[0].Key, ""))
					}
				case 5:
					rep, wit = seenBy(t, w.b, wit, Options{Folder: any(), Depth: depths[r.IntN(3)]})
					if rep.Counts[Damage] != 0 {
						t.Fatalf("%+v", rep.Findings)
					}
				}
			}
		})
	}
}

// Whatever is erased: each entry that was seen and is no longer there is told by one
// finding of damage, and by one only.
func TestRandomLossesAreToldOnce(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 7))
			w := newWorld(t)
			ids := w.history(sales, 7)
			wit := w.first(Options{Depth: DepthCommits})
			lost := map[int64]bool{}
			for range 1 + r.IntN(5) {
				n := 1 + r.Int64N(7)
				switch r.IntN(5) {
				case 0:
					w.del(slot(n))
					lost[n] = true
				case 1:
					w.erase(key(ids[n]))
				case 2: // made anew, with nothing left of it
					id := w.object(commit.Header{Folder: sales, Number: n, Parent: ids[n-1], Message: fmt.Sprint("anew ", n)})
					w.erase(slot(n))
					w.entry(sales, n, id, w.tick())
					lost[n] = true
				default:
					w.erase(slot(n))
					if r.IntN(2) == 0 {
						w.erase(key(ids[n]))
					}
					lost[n] = true
				}
			}
			for range 2 {
				var rep *Report
				rep, wit = seenBy(t, w.b, wit, Options{Depth: DepthCommits})
				for n := range lost {
					var by []string
					for _, f := range rep.Findings {
						if f.Severity == Damage && isAbout(f, n, ids[n], w) {
							by = append(by, f.ID)
						}
					}
					if len(by) != 1 {
						t.Errorf("entry %d is told by %v", n, by)
					}
				}
				if t.Failed() {
					for _, f := range rep.Findings {
						t.Logf("%s %d: %s (%s)", f.ID, f.Number, f.Title, f.Detail)
					}
				}
			}
		})
	}
}

// isAbout says whether a finding is about the entry n, which named a commit.
func isAbout(f Finding, n int64, id string, w *world) bool {
	switch f.ID {
	case "witness-regressed", "log-head-lost":
		return slices.ContainsFunc(f.Affected.Commits, func(c CommitRef) bool { return c.Number == n && c.ID == id })
	case "log-entry-deleted", "log-entry-remade", "log-entry-overwritten", "log-entry-unreadable":
		return f.Number == n && slices.ContainsFunc(f.Evidence, func(e Evidence) bool { return strings.Contains(e.Note, id) })
	case "log-tail-missing", "log-entry-missing":
		for k := n; k <= f.Number; k++ { // a gap from below n up to the finding's number
			if slices.ContainsFunc(w.versions(slot(k)), func(v bucket.Version) bool { return !v.DeleteMarker }) {
				return f.ID == "log-entry-missing" && f.Number == n && f.Commit == id // or made anew
			}
		}
		return n <= f.Number
	}
	return false
}
