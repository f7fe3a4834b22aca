package cli

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"provcat-tui/audit"
	"provcat-tui/commit"
	"provcat-tui/internal/faults"
	"provcat-tui/internal/race"
)

// Each damage that the audit gives a command for: the command mends it, and when all
// were run the audit finds nothing.
func TestRepairsOfFindings(t *testing.T) {
	for _, c := range []struct {
		name    string
		damage  func(p *patient)
		finding string
		more    int // further findings that repairs bring to light, each with a command
	}{
		{"a deleted entry", func(p *patient) { p.hide(p.slot(2)) }, "log-entry-deleted", 0},
		{"a deleted head", func(p *patient) { p.hide(p.slot(4)) }, "log-entry-deleted", 0},
		{"markers on each other", func(p *patient) { p.hide(p.slot(3)); p.hide(p.slot(3)); p.hide(p.slot(3)) }, "log-entry-deleted", 0},
		{"a marker where no entry was", func(p *patient) { p.hide(p.slot(5)) }, "log-marker-stray", 0},
		{"a deleted commit object", func(p *patient) { p.hide(p.object(2)) }, "commit-deleted", 0},
		{"a lost entry", func(p *patient) { p.erase(p.slot(3)) }, "log-entry-missing", 0},
		{"a lost entry under a marker", func(p *patient) { p.erase(p.slot(2)); p.hide(p.slot(2)) }, "log-entry-deleted", 0},
		{"the first entries are lost", func(p *patient) { p.erase(p.slot(1), p.slot(2)) }, "log-tail-missing", 1},
		{"the head and the entry below it are lost", func(p *patient) { p.erase(p.slot(4), p.slot(3)) }, "log-head-lost", 1},
		{"the head is lost", func(p *patient) {
			p.erase(p.slot(4))
		}, "", 0},
		{"an entry is overwritten with junk", func(p *patient) { p.put(p.slot(3), "junk") }, "log-entry-unreadable", 1},
		{"junk under a marker over an entry", func(p *patient) { p.put(p.slot(3), "junk"); p.hide(p.slot(3)) }, "log-entry-deleted", 1},
		{"a commit object is overwritten", func(p *patient) { p.put(p.object(3), "junk") }, "commit-corrupt", 0},
		{"a wrong commit object under a marker", func(p *patient) { p.put(p.object(3), "junk"); p.hide(p.object(3)) }, "commit-deleted", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			patients(t, func(t *testing.T, p *patient) {
				p.T = t
				if fs := p.findings(); len(fs) > 0 {
					t.Fatalf("before: %+v", fs)
				}
				c.damage(p)
				fs := p.findings()
				for n := 0; len(fs) > 0; n++ {
					if len(fs) != 1 || n == 0 && fs[0].ID != c.finding || n > c.more {
						t.Fatalf("round %d: %+v", n, fs)
					}
					if fs[0].Repair == nil || fs[0].Repair.Command == "" {
						t.Fatalf("round %d: no command: %+v", n, fs[0])
					}
					code, said := p.shell(fs[0].Repair.Command)
					if code != 0 || !strings.Contains(said, "repaired: ") {
						t.Fatalf("%s: exit code %d: %s", fs[0].Repair.Command, code, said)
					}
					fs = p.findings()
				}
				if c.finding == "" {
					return
				}
				// The log can be grown again.
				if _, err := commit.Write(context.Background(), p, ward, commit.WriteOptions{Author: "ana", Message: "after"}); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// What no command can know: where a copy of the commit object is.
func TestRepairCommitObject(t *testing.T) {
	for name, damage := range map[string]func(p *patient){
		"missing":                      func(p *patient) { p.erase(p.object(2)) },
		"missing under a marker":       func(p *patient) { p.erase(p.object(2)); p.hide(p.object(2)) },
		"other bytes and nothing else": func(p *patient) { p.erase(p.object(2)); p.put(p.object(2), "junk") },
	} {
		t.Run(name, func(t *testing.T) {
			patients(t, func(t *testing.T, p *patient) {
				p.T = t
				file := filepath.Join(t.TempDir(), "copy.json")
				write(t, file, p.read(p.object(2), ""))
				damage(p)
				fs := p.findings()
				if len(fs) != 1 || fs[0].Repair == nil || fs[0].Repair.Kind != "restore-commit-object" {
					t.Fatalf("%+v", fs)
				}
				_, command, _ := strings.Cut(fs[0].Repair.Text, "With the copy in FILE: ")
				if code, said := p.shell(strings.Replace(command, "--from FILE", "--from "+file, 1)); code != 0 {
					t.Fatalf("%s: %d: %s", command, code, said)
				}
				if fs := p.findings(); len(fs) > 0 {
					t.Errorf("%+v", fs)
				}
				other := filepath.Join(t.TempDir(), "other.json")
				write(t, other, "{}")
				cli("repair", "commit-object", p.URL(), "--id", p.ids[2], "--from", other, "--yes").wants(t, 1).says(t, "is not the commit object")
				cli("repair", "commit-object", p.URL(), "--id", p.ids[2], "--from", file, "--yes").wants(t, 1).says(t, "there and sound")
			})
		})
	}
}

// Every refusal leaves the bucket as it was, and asks the store for no write.
func TestRepairRefuses(t *testing.T) {
	if race.On {
		t.Skip("a bucket for each refusal; CI runs this without the race detector")
	}
	for _, c := range []struct {
		name string
		prep func(p *patient) []string // the arguments after repair; URL stands for the bucket's
		code int
		says string
	}{
		{"a wrong version", func(p *patient) []string {
			p.hide(p.slot(2))
			return []string{"marker", "URL", "--key", p.slot(2), "--version", "nosuch"}
		}, 1, "has no version nosuch"},
		{"no marker", func(p *patient) []string {
			return []string{"marker", "URL", "--key", p.slot(2), "--version", p.versions(p.slot(2))[0].ID}
		}, 1, "is no delete marker"},
		{"a marker not on top", func(p *patient) []string {
			if p.gs {
				p.Skip("it is undone: a deletion stays in the history")
			}
			m := p.hide(p.slot(2))
			p.put(p.slot(2), p.read(p.slot(2), p.versions(p.slot(2))[1].ID))
			return []string{"marker", "URL", "--key", p.slot(2), "--version", m}
		}, 1, "is not on top"},
		{"one of two markers", func(p *patient) []string {
			p.hide(p.slot(2))
			return []string{"marker", "URL", "--key", p.slot(2), "--version", p.hide(p.slot(2))}
		}, 1, "another delete marker"},
		{"one marker twice", func(p *patient) []string {
			p.hide(p.slot(2))
			m := p.hide(p.slot(2))
			return []string{"marker", "URL", "--key", p.slot(2), "--version", m, "--version", m}
		}, 1, "given twice"},
		{"another commit under the marker", func(p *patient) []string {
			p.put(p.slot(2), p.read(p.slot(4), ""))
			return []string{"marker", "URL", "--key", p.slot(2), "--version", p.hide(p.slot(2))}
		}, 1, "is an entry with the number 4"},
		{"another commit, in the bare form, under the marker", func(p *patient) []string {
			p.put(p.slot(2), p.ids[4])
			return []string{"marker", "URL", "--key", p.slot(2), "--version", p.hide(p.slot(2))}
		}, 1, "does not belong here"},
		{"junk under the marker", func(p *patient) []string {
			p.put(p.object(2), "junk")
			return []string{"marker", "URL", "--key", p.object(2), "--version", p.hide(p.object(2))}
		}, 1, "has the SHA-256"},
		{"nothing under the marker of a lost entry", func(p *patient) []string {
			p.erase(p.slot(2))
			return []string{"marker", "URL", "--key", p.slot(2), "--version", p.hide(p.slot(2))}
		}, 1, "was lost"},
		{"nothing under the marker of a lost head", func(p *patient) []string {
			p.erase(p.slot(4))
			return []string{"marker", "URL", "--key", p.slot(4), "--version", p.hide(p.slot(4))}
		}, 1, "claims the number 4"},
		{"a file's marker", func(p *patient) []string {
			return []string{"marker", "URL", "--key", ward + "/n", "--version", p.hide(ward + "/n")}
		}, 1, "repair touches nothing else"},
		{"the entry exists", func(p *patient) []string {
			return []string{"entry", "URL", "--folder", ward, "--number", "2", "--commit", p.ids[2]}
		}, 1, "entry 2 is there"},
		{"another number", func(p *patient) []string {
			p.erase(p.slot(3))
			return []string{"entry", "URL", "--folder", ward, "--number", "3", "--commit", p.ids[2]}
		}, 1, "has the number 2"},
		{"another folder", func(p *patient) []string {
			return []string{"entry", "URL", "--folder", "other", "--number", "3", "--commit", p.ids[3]}
		}, 1, "is of the folder"},
		{"a parent that doesn't fit", func(p *patient) []string {
			p.erase(p.slot(3))
			return []string{"entry", "URL", "--folder", ward, "--number", "3", "--commit", p.orphan(3, p.ids[1])}
		}, 1, "does not belong here"},
		{"a child that names another", func(p *patient) []string {
			p.erase(p.slot(3))
			return []string{"entry", "URL", "--folder", ward, "--number", "3", "--commit", p.orphan(3, p.ids[2])}
		}, 1, "does not belong here"},
		{"no neighbour", func(p *patient) []string {
			p.erase(p.slot(4), p.slot(3))
			return []string{"entry", "URL", "--folder", ward, "--number", "4", "--commit", p.ids[4]}
		}, 1, "neither entry 3 nor entry 5"},
		{"no commit object", func(p *patient) []string {
			p.erase(p.slot(3), p.object(3))
			return []string{"entry", "URL", "--folder", ward, "--number", "3", "--commit", p.ids[3]}
		}, 1, "the commit object is needed"},
		{"a version with a wrong hash", func(p *patient) []string {
			wrong := p.put(p.object(2), "junk")
			p.put(p.object(2), "other")
			return []string{"version", "URL", "--key", p.object(2), "--version", wrong}
		}, 1, "has the SHA-256"},
		{"a version over a sound one", func(p *patient) []string {
			old := p.versions(p.object(2))[0].ID
			p.put(p.object(2), p.read(p.object(2), ""))
			return []string{"version", "URL", "--key", p.object(2), "--version", old}
		}, 1, "is sound"},
		{"to discard what is live", func(p *patient) []string {
			return []string{"discard", "URL", "--key", p.slot(2), "--version", p.put(p.slot(2), "junk"), "--keep", filepath.Join(p.home, "kept")}
		}, 1, "is the live one"},
		{"to discard what is sound", func(p *patient) []string {
			old := p.versions(p.slot(2))[0].ID
			p.put(p.slot(2), p.read(p.slot(2), ""))
			return []string{"discard", "URL", "--key", p.slot(2), "--version", old, "--keep", filepath.Join(p.home, "kept")}
		}, 1, "is no garbage"},
		{"to keep over a file that is there", func(p *patient) []string {
			junk := p.put(p.slot(2), "junk")
			p.put(p.slot(2), p.read(p.slot(2), p.versions(p.slot(2))[1].ID))
			write(p.T, filepath.Join(p.home, "mine"), "mine")
			return []string{"discard", "URL", "--key", p.slot(2), "--version", junk, "--keep", filepath.Join(p.home, "mine")}
		}, 1, "is there already"},
		{"read-only", func(p *patient) []string {
			return []string{"marker", "URL", "--key", p.slot(2), "--version", p.hide(p.slot(2)), "--read-only"}
		}, 2, "read-only is on"},
		{"no terminal", func(p *patient) []string {
			return []string{"marker", "URL", "--key", p.slot(2), "--version", p.hide(p.slot(2)), "NO YES"}
		}, 2, "add --yes"},
		{"an ID cut short", func(p *patient) []string {
			return []string{"entry", "URL", "--folder", ward, "--number", "3", "--commit", p.ids[3][:10]}
		}, 2, "64 lowercase hex digits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			patients(t, func(t *testing.T, p *patient) {
				p.T = t
				args := append([]string{"repair"}, c.prep(p)...)
				for i, x := range args {
					if x == "URL" {
						args[i] = p.URL()
					}
				}
				if last := len(args) - 1; args[last] == "NO YES" {
					args = args[:last]
				} else {
					args = append(args, "--yes")
				}
				before := p.everything()
				if p.server != nil {
					p.server.Forget()
				}
				cli(args...).wants(t, c.code).says(t, c.says)
				if p.server != nil {
					for _, r := range p.server.Requests() {
						if r.Method != "GET" && r.Method != "HEAD" {
							t.Errorf("a write was asked for: %s %s", r.Kind, r.Key)
						}
					}
				}
				if after := p.everything(); after != before {
					t.Errorf("before:\n%s\nafter:\n%s", before, after)
				}
			})
		})
	}
}

func TestRepairDryRunAndJSON(t *testing.T) {
	patients(t, func(t *testing.T, p *patient) {
		m := p.hide(p.slot(2))
		args := []string{"repair", "marker", p.URL(), "--key", p.slot(2), "--version", m}
		before := p.everything()
		r := cli(append(args, "--dry-run", "--read-only")...).wants(t, 0)
		will, after, left := "will     remove the delete marker "+m, "after    Version ", 1
		if p.gs { // a copy of what is under it, which stays
			will, after, left = "will     write a copy of version ", "after    A copy of version ", 3
		}
		for _, w := range []string{"delete marker  " + m, will, after, "names commit " + p.ids[2]} {
			if !strings.Contains(r.out, w) {
				t.Errorf("%q is not in\n%s", w, r.out)
			}
		}
		if p.everything() != before {
			t.Error("a dry run wrote")
		}
		var d struct {
			Schema, State, Detail string
			Plan                  *audit.RepairPlan
			Now                   []audit.Evidence
		}
		cli(append(args, "--dry-run", "--format", "json")...).wants(t, 0).json(t, &d)
		if d.Schema != "provcat-repair/1" || d.State != "planned" || d.Plan.Action != "marker" || len(d.Now) != 2 || !d.Now[0].DeleteMarker {
			t.Errorf("%+v", d)
		}
		cli(append(args, "--yes", "--format", "json")...).wants(t, 0).json(t, &d)
		if d.State != "repaired" || len(d.Now) != left || !d.Now[0].Latest || d.Now[0].DeleteMarker {
			t.Errorf("%+v", d)
		}
	})
}

// What a repair says when the store's answers are lost.
func TestRepairFaults(t *testing.T) {
	if race.On {
		t.Skip("much of the same: CI runs it without the race detector")
	}
	with := func(kind string, a faults.Action, times int) faults.Fault {
		return faults.Fault{Kind: kind, Do: a, Times: times}
	}
	for _, c := range []struct {
		name   string
		marker bool // repair marker, else repair entry
		fault  func(p *patient) faults.Fault
		code   int
		state  string
		there  bool // entry 3 is live afterwards
	}{
		{"a put's answer is lost", false, func(p *patient) faults.Fault { return with(p.kinds.put, faults.DropAnswer, 1) }, 0, "repaired", true},
		{"a deletion's answer is lost", true, func(p *patient) faults.Fault { return with(p.kinds.undo, faults.DropAnswer, 1) }, 0, "repaired", true},
		{"every deletion's answer is lost", true, func(p *patient) faults.Fault { return with(p.kinds.undo, faults.DropAnswer, -1) }, 0, "repaired", true},
		{"no deletion arrives", true, func(p *patient) faults.Fault { return with(p.kinds.undo, faults.Reset, -1) }, 3, "unclear", false},
		{"a put is denied", false, func(p *patient) faults.Fault { return with(p.kinds.put, p.kinds.denied, -1) }, 3, "failed", false},
		{"a deletion is denied", true, func(p *patient) faults.Fault { return with(p.kinds.undo, p.kinds.denied, -1) }, 3, "failed", false},
		{"the listing is denied", true, func(p *patient) faults.Fault { f := with(p.kinds.list, p.kinds.denied, -1); f.Skip = 1; return f }, 3, "failed", false},
		{"nothing can be read after the write", false, func(p *patient) faults.Fault {
			f := with(p.kinds.list, p.kinds.broken, -1)
			f.Match = func(faults.Request) bool { return p.server.Count(p.kinds.put) > 0 }
			return f
		}, 3, "unclear", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			patients(t, func(t *testing.T, p *patient) {
				if p.server == nil {
					t.Skip("a file has no lost answers")
				}
				p.T = t
				args := []string{"repair", "entry", p.URL(), "--folder", ward, "--number", "3", "--commit", p.ids[3]}
				if c.marker {
					args = []string{"repair", "marker", p.URL(), "--key", p.slot(3), "--version", p.hide(p.slot(3))}
				} else {
					p.erase(p.slot(3))
				}
				p.server.Forget()
				armed := p.server.Fail(c.fault(p))
				r := cli(append(args, "--yes", "--format", "json")...).wants(t, c.code)
				if armed.Fired() == 0 {
					t.Error("the fault was not met")
				}
				p.server.Heal()
				var d struct {
					State, Detail string
				}
				if err := json.Unmarshal([]byte(r.out), &d); err != nil || d.State != c.state {
					t.Errorf("%v: %s", err, r.out)
				}
				if c.state == "unclear" && !strings.Contains(d.Detail, "provcat-tui ls --all-versions ") {
					t.Errorf("it does not say what tells later: %s", d.Detail)
				}
				vs := p.versions(p.slot(3))
				if live := len(vs) > 0 && vs[0].Live(); live != c.there {
					t.Errorf("live: %v", live)
				}
			})
		})
	}
}
