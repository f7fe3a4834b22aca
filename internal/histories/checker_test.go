package histories

import (
	"math"
	"strings"
	"testing"
)

// What no right store and writer can have told is refused, and what they can have told
// is not: a check that cannot fail checks nothing.
func TestCheckerOfLogs(t *testing.T) {
	op := func(process int, call, back int64, e event) operation {
		e.Folder = "f"
		return operation{process: process, call: call, back: back, event: e}
	}
	made := func(process int, call, back int64, token string, number int64) operation {
		return op(process, call, back, event{Kind: "commit", Told: "ok", Token: token, Number: number})
	}
	open := func(process int, call int64, token, told string) operation {
		return op(process, call, math.MaxInt64, event{Kind: "commit", Told: told, Token: token})
	}
	read := func(process int, call, back int64, newestFirst ...string) operation {
		return op(process, call, back, event{Kind: "log", Told: "ok", IDs: newestFirst})
	}
	nothing := func(process int, call, back int64, id string, number int64) operation {
		return op(process, call, back, event{Kind: "commit", Told: "nothing", Token: "unused", ID: id, Number: number})
	}
	failed := op(3, 1, 9, event{Kind: "commit", Told: "failed", Token: "x"})
	tokens := map[string]string{"": "", "a": "a", "b": "b", "x": "x"}
	for name, c := range map[string]struct {
		sound bool
		ops   []operation
	}{
		"one after the other":                    {true, []operation{made(1, 1, 2, "a", 1), made(2, 3, 4, "b", 2), read(3, 5, 6, "b", "a")}},
		"side by side, in either order":          {true, []operation{made(1, 1, 5, "a", 2), made(2, 1, 5, "b", 1), read(3, 6, 7, "a", "b")}},
		"read before it was told":                {true, []operation{made(1, 1, 9, "a", 1), read(2, 2, 3, "a")}},
		"a number twice":                         {false, []operation{made(1, 1, 5, "a", 1), made(2, 1, 5, "b", 1)}},
		"a number left out":                      {false, []operation{made(1, 1, 2, "a", 1), made(2, 3, 4, "b", 3)}},
		"told, and not there":                    {false, []operation{made(1, 1, 2, "a", 1), read(2, 3, 4)}},
		"told, there, and gone":                  {false, []operation{made(1, 1, 2, "a", 1), read(2, 3, 4, "a"), read(2, 5, 6)}},
		"in another order than it was told":      {false, []operation{made(1, 1, 2, "a", 1), made(2, 3, 4, "b", 2), read(3, 5, 6, "a", "b")}},
		"failed, and not there":                  {true, []operation{failed, read(1, 10, 11)}},
		"failed, and there":                      {false, []operation{failed, read(1, 10, 11, "x")}},
		"unclear, and there":                     {true, []operation{open(1, 1, "x", "unclear"), read(2, 3, 4), read(2, 5, 6, "x")}},
		"unclear, and not there":                 {true, []operation{open(1, 1, "x", "unclear"), read(2, 3, 4)}},
		"killed, there, and gone":                {false, []operation{open(1, 1, "x", "killed"), read(2, 3, 4, "x"), read(2, 5, 6)}},
		"killed before it can have been":         {false, []operation{open(1, 5, "x", "killed"), read(2, 3, 4, "x")}},
		"nothing to commit, at the head":         {true, []operation{made(1, 1, 2, "a", 1), nothing(2, 3, 4, "a", 1)}},
		"nothing to commit, at no head any more": {false, []operation{made(1, 1, 2, "a", 1), made(1, 3, 4, "b", 2), nothing(2, 5, 6, "a", 1)}},
		"nothing to commit, and a wrong number":  {false, []operation{made(1, 1, 2, "a", 1), nothing(2, 3, 4, "a", 2)}},
		"a commit of nobody":                     {false, []operation{read(1, 1, 2, "x")}},
	} {
		if ok, _ := linearizable(c.ops, tokens); ok != c.sound {
			t.Errorf("%s: %v", name, ok)
		}
	}
}

func TestCheckerOfSnapshots(t *testing.T) {
	const never = math.MaxInt64
	of := map[string]life{
		"old":   {"1", 1, 2, never, never},
		"gone":  {"1", 3, 4, 20, 22},
		"new":   {"1", 30, 32, never, never},
		"lost":  {"1", 5, never, never, never}, // the write's end is unknown
		"never": {"", 6, never, never, never},  // and it did not arrive
	}
	for name, c := range map[string]struct {
		files       string
		from, until int64
		sound       bool
	}{
		"before the deletion":                         {"old gone", 10, 15, true},
		"while it was deleted":                        {"old gone", 10, 50, true},
		"a deleted file, after its deletion":          {"old gone", 25, 28, false},
		"without a file that was there":               {"old", 10, 15, false},
		"while it may have been deleted":              {"old", 21, 21, true},
		"two that never were live at one time":        {"old gone new", 1, 50, false},
		"a file that is not there yet":                {"old new", 10, 29, false},
		"one that nobody knows the time of":           {"old gone lost", 10, 15, true},
		"the same, before it was begun":               {"old gone lost", 1, 4, false},
		"a file of nobody":                            {"old gone other", 10, 15, false},
		"one that did not arrive":                     {"old gone never", 10, 15, false},
		"between the deletion of one and the next":    {"old", 10, 50, true},
		"empty, before all":                           {"", 1, 1, true},
		"empty, with a file that was there all along": {"", 5, 50, false},
	} {
		files := map[string]string{}
		for _, key := range strings.Fields(c.files) {
			files[key] = "1"
		}
		if err := snapshot(files, of, c.from, c.until); (err == nil) != c.sound {
			t.Errorf("%s: %v", name, err)
		}
	}
	if snapshot(map[string]string{"old": "2"}, of, 1, 50) == nil {
		t.Error("another version than the key's own passed")
	}
}
