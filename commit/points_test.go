package commit

import (
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"provcat-tui/internal/faults"
	"provcat-tui/internal/race"
)

const reliability = "../docs/reliability.md"

// update writes the table of docs/reliability.md anew:
// go test ./commit -run TestEveryPointOfFailure -update
var update = flag.Bool("update", false, "write the generated table of docs/reliability.md")

// A trouble is what one request of a commit meets, and those after it.
type trouble struct {
	column string // of the table
	name   string
	// arm adds the faults for the n-th request from here on, n from 0. arrived is called
	// when a request that was held up has arrived.
	arm func(s *stage, n int, arrived func())
	// lasting: the store does not come back, so that nothing is settled by trying again.
	lasting bool
	writes  bool // only writes meet it: to a read it is as good as the one before
	late    bool // the test waits for what was held up
}

var troubles = func() []trouble {
	once := func(column, name string, do func(*stage) faults.Action) trouble {
		return trouble{column: column, name: name, arm: func(s *stage, n int, _ func()) {
			s.Fail(faults.Fault{Skip: n, Do: do(s)})
		}}
	}
	just := func(a faults.Action) func(*stage) faults.Action { return func(*stage) faults.Action { return a } }
	says := func(status int, applied bool) func(*stage) faults.Action {
		return func(s *stage) faults.Action {
			if applied {
				return faults.Applied(s.failed(status))
			}
			return s.failed(status)
		}
	}
	effect := func(x trouble) trouble {
		x.writes = true
		return x
	}
	out := []trouble{
		once("no answer, not done", "closed", just(faults.Drop)),
		once("no answer, not done", "reset", just(faults.Reset)),
		effect(once("no answer, done", "closed after it", just(faults.DropAnswer))),
		effect(once("no answer, done", "reset after it", just(faults.Applied(faults.Reset)))),
		{column: "no answer, done later", name: "late", writes: true, late: true, arm: func(s *stage, n int, arrived func()) {
			s.Fail(faults.Fault{Skip: n, Do: faults.Late(3*time.Millisecond, arrived)})
		}},
		once("answer cut", "cut", just(faults.Cut(9))),
		once("409", "409", says(409, false)),
		effect(once("409", "409 after it", says(409, true))),
		once("500 or 503", "500", says(500, false)),
		effect(once("500 or 503", "500 after it", says(500, true))),
		once("500 or 503", "503", says(503, false)),
		effect(once("500 or 503", "503 after it", says(503, true))),
		once("403", "403", says(403, false)),
	}
	out = append(out, once("200 with an error, not done", "an error with 200", func(s *stage) faults.Action { return s.error200 }),
		effect(once("200 with an error, done", "an error with 200 after it", func(s *stage) faults.Action { return faults.Applied(s.error200) })))
	for _, status := range []int{200, 403, 404, 412} {
		page := faults.Proxy(status)
		out = append(out, once("a proxy's page, not done", fmt.Sprintf("a page with %d", status), just(page)),
			effect(once("a proxy's page, done", fmt.Sprintf("a page with %d after it", status), just(faults.Applied(page)))))
	}
	every := func(column, name string, do func(*stage) faults.Action) trouble {
		return trouble{column: column, name: name, lasting: true, arm: func(s *stage, n int, _ func()) {
			// The n-th request sets what is meant: the same operation on the same name.
			var mu sync.Mutex
			seen, kind, key := 0, "", ""
			s.Fail(faults.Fault{Times: -1, Do: do(s), Match: func(r faults.Request) bool {
				mu.Lock()
				defer mu.Unlock()
				if seen++; seen == n+1 {
					kind, key = r.Kind, r.Key+prefixOf(r)
				}
				return seen > n && r.Kind == kind && r.Key+prefixOf(r) == key
			}})
		}}
	}
	return append(out,
		every("500 each time, not done", "500 each time", says(500, false)),
		effect(every("500 each time, done", "500 each time after it", says(500, true))),
		trouble{column: "gone from here on, not done", name: "gone", lasting: true, arm: func(s *stage, n int, _ func()) {
			s.Fail(faults.Fault{Skip: n, Times: -1, Do: faults.Drop})
		}},
		effect(trouble{column: "gone from here on, done", name: "gone after it", lasting: true, arm: func(s *stage, n int, _ func()) {
			s.Fail(faults.Fault{Skip: n, Do: faults.DropAnswer})
			s.Fail(faults.Fault{Skip: n + 1, Times: -1, Do: faults.Drop})
		}}),
	)
}()

// Outcomes, as the table names them.
const (
	wellDone      = "done"
	committedWarn = "done, with a warning"
	notCommitted  = "failed"
	notKnown      = "unclear"
)

// Every request that a commit makes meets every fault. What the commit then says is
// compared with what lies in the server's memory: success is there, failure is not, and
// "unclear" is said only where the store did not come back. When it has, the commit is
// run again, and must end with the files committed once.
func TestEveryPointOfFailure(t *testing.T) {
	if race.On {
		t.Skip("1,000 commits with a fault each; CI runs this without the race detector")
	}
	var mu sync.Mutex
	table := newOutcomes()
	var wg sync.WaitGroup
	for _, stage := range []func(*testing.T) *stage{s3Stage, gcsStage} {
		for _, s := range scenes {
			on := stage(t)
			// Not a parallel test: most of the time is spent waiting, also on few cores.
			wg.Go(func() {
				for told := range allPoints(t, on, s) {
					mu.Lock()
					table.add(told.request, told.column, on.name, told.outcome)
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	compareTable(t, table.markdown())
}

// A point is a request of a commit that met a trouble, and what came of it.
type point struct{ request, column, outcome string }

// allPoints records a commit of a scene, and has each of its requests meet each trouble.
func allPoints(t *testing.T, on *stage, s scene) iter.Seq[point] {
	return func(yield func(point) bool) {
		record := begin(t, on, s)
		if r, err := record.commit(20 * time.Second); err != nil || r.Committed == s.nothing {
			t.Errorf("%s, %s: without a fault: %+v, %v", on.name, s.name, r, err)
			return
		}
		from := 0
		if s.raced { // what comes before is the scene before this one
			from = slices.Index(record.seen, role{putEntry, true})
		}
		for n := from; n < len(record.seen); n++ {
			for _, x := range troubles {
				if x.writes && !record.seen[n].write {
					continue
				}
				if !yield(point{record.seen[n].text, x.column, fails(t, on, s, n, record.seen[n], x)}) {
					return
				}
			}
		}
	}
}

// fails has the n-th request of a commit meet a trouble, and gives the outcome.
func fails(t *testing.T, on *stage, s scene, n int, what role, x trouble) string {
	t.Helper()
	p := begin(t, on, s)
	limit := 20 * time.Second
	if x.lasting {
		limit = 20 * time.Millisecond
	}
	arrived := make(chan struct{}, 1)
	x.arm(on, n, func() { arrived <- struct{}{} })
	r, err := p.commit(limit)
	if x.late {
		<-arrived
	}
	at := fmt.Sprintf("%s, %s: request %d, %s, %s", on.name, s.name, n+1, what.text, x.name)
	ids := p.log()
	told := judgeOutcome(t, at, p, r, err, ids, x)

	if told == wellDone {
		return told
	}
	// Once the store is back: the same command again is right whatever happened.
	on.Heal()
	p.scene.raced = false
	again, err := p.commit(20 * time.Second)
	after := p.log()
	switch {
	case err != nil:
		t.Errorf("%s: %s, and then %v", at, told, err)
	case len(after) == 0 || !p.names(after[len(after)-1]) || again.ID != after[len(after)-1]:
		t.Errorf("%s: %s, and then %+v, with %d commits that don't name what is live", at, told, again, len(after))
	case again.Committed && len(after) != len(ids)+1 || !again.Committed && len(after) != len(ids):
		t.Errorf("%s: %s, and then %+v, from %d commits to %d", at, told, again, len(ids), len(after))
	case again.Committed && told == committedWarn:
		t.Errorf("%s: %s, and then there was something to commit", at, told)
	}
	return told
}

// A write whose answer is lost is settled by further requests, the driver's and the
// commit's own, and one of the next two of these meets a trouble as well. What is told
// must be what is there; since the store answers again, that is never "unclear".
func TestTwoPointsOfFailure(t *testing.T) {
	if race.On {
		t.Skip("800 commits with two faults each; CI runs this without the race detector")
	}
	var wg sync.WaitGroup
	for _, stage := range []func(*testing.T) *stage{s3Stage, gcsStage} {
		on, s := stage(t), scenes[1]
		wg.Go(func() {
			record := begin(t, on, s)
			if r, err := record.commit(20 * time.Second); err != nil || !r.Committed {
				t.Errorf("%s: without a fault: %+v, %v", on.name, r, err)
				return
			}
			for n, what := range record.seen {
				for _, x := range pairs() {
					if what.write {
						fails(t, on, s, n, what, x)
					}
				}
			}
		})
	}
	wg.Wait()
}

// pairs are a lost answer and a trouble soon after it.
func pairs() (out []trouble) {
	for name, first := range map[string]faults.Action{"not done": faults.Drop, "done": faults.DropAnswer, "done, a proxy's page": faults.Applied(faults.Proxy(403))} {
		for _, second := range troubles {
			for after := 1; after <= 2 && !second.lasting && !second.late; after++ {
				out = append(out, trouble{name: fmt.Sprintf("%s, and at the request %d after it %s", name, after, second.name),
					arm: func(s *stage, n int, arrived func()) {
						s.Fail(faults.Fault{Skip: n, Do: first})
						second.arm(s, n+after, arrived)
					}})
			}
		}
	}
	return out
}

// judgeOutcome compares what was told with what is there.
func judgeOutcome(t *testing.T, at string, p *play, r Result, err error, ids []string, x trouble) string {
	t.Helper()
	base := p.scene.entries
	if p.scene.raced && p.others == "" {
		base--
	}
	// What a commit of this run made visible.
	landed := len(ids) > base
	if len(ids) > base+1 || landed && (!p.names(ids[base]) || ids[base] != r.ID) {
		t.Errorf("%s: %d commits where %d were, told %+v, %v", at, len(ids), base, r, err)
	}
	var we *WriteError
	errors.As(err, &we)
	switch {
	case err == nil && r.Committed:
		if !landed || r.Number != int64(base)+1 || p.scene.nothing {
			t.Errorf("%s: told that number %d is committed, %d commits are there", at, r.Number, len(ids))
		}
		if r.Warning != "" {
			if !strings.Contains(r.Warning, "provcat-tui audit "+p.b.URL()) {
				t.Errorf("%s: %s", at, r.Warning)
			}
			return committedWarn
		}
		return wellDone
	case err == nil:
		if landed || !p.scene.nothing || r.Number != int64(base) || r.ID != ids[base-1] {
			t.Errorf("%s: told %+v, %d commits are there", at, r, len(ids))
		}
		return wellDone
	case we != nil && we.Unclear:
		// A refusal of an entry that cannot be read may be of another's: number 2 of the race.
		number := we.Number == int64(base)+1 || p.scene.raced && we.Number == 2
		if !x.lasting || !number || !strings.Contains(we.Detail, r.ID) || !strings.Contains(we.Detail, "provcat-tui log "+p.b.URL()+"/f") {
			t.Errorf("%s: %v", at, err)
		}
		return notKnown
	}
	if landed || r.Committed || !strings.Contains(err.Error(), "nothing was committed") {
		t.Errorf("%s: told %v, %+v, %d commits are there", at, err, r, len(ids))
	}
	return notCommitted
}

// outcomes are the table's cells, rows in the order in which they came.
type outcomes struct {
	rows  []string
	cells map[[2]string]map[string]map[string]bool // row and column, outcome, store
}

func newOutcomes() *outcomes {
	return &outcomes{cells: map[[2]string]map[string]map[string]bool{}}
}

func (o *outcomes) add(row, column, store, told string) {
	at := [2]string{row, column}
	if !slices.Contains(o.rows, row) {
		o.rows = append(o.rows, row)
	}
	if o.cells[at] == nil {
		o.cells[at] = map[string]map[string]bool{}
	}
	if o.cells[at][told] == nil {
		o.cells[at][told] = map[string]bool{}
	}
	o.cells[at][told][store] = true
}

// rowOrder is that of the protocol: the stores run side by side.
var rowOrder = []string{
	"read the versioning state", "list the log", "read the last entry", "look for the last commit's object", "list the folder, twice",
	"read the last commit", "list the logs, for the time", "list each log, for the time", "read the last entry of each log", "read it again",
	"create the commit object", "create it once more, which must be refused", "read the commit object that is there", "list the log once more",
	"read the last entry once more", putEntry, readPut, "list the log after the commit point", "read the new entry",
}

func (o *outcomes) markdown() string {
	var columns []string
	for _, x := range troubles {
		if !slices.Contains(columns, x.column) {
			columns = append(columns, x.column)
		}
	}
	var b strings.Builder
	b.WriteString("| request | " + strings.Join(columns, " | ") + " |\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, row := range o.order() {
		b.WriteString("| " + row)
		for _, c := range columns {
			b.WriteString(" | " + o.cell(row, c))
		}
		b.WriteString(" |\n")
	}
	return b.String()
}

// order gives the rows that came, those of an unknown place last.
func (o *outcomes) order() []string {
	rows := slices.Clone(o.rows)
	place := func(row string) int {
		if i := slices.Index(rowOrder, row); i >= 0 {
			return i
		}
		return len(rowOrder)
	}
	slices.SortStableFunc(rows, func(a, b string) int { return place(a) - place(b) })
	return rows
}

// cell tells the outcomes, the best first, and the store where only one has it.
func (o *outcomes) cell(row, column string) string {
	var out []string
	for _, told := range []string{wellDone, committedWarn, notCommitted, notKnown} {
		stores := o.cells[[2]string{row, column}][told]
		switch {
		case len(stores) == 0:
		case len(stores) == 1 && stores["S3"]:
			out = append(out, told+" (S3)")
		case len(stores) == 1:
			out = append(out, told+" (Cloud Storage)")
		default:
			out = append(out, told)
		}
	}
	return strings.Join(out, " or ")
}

// compareTable compares the table with the one in docs/reliability.md.
func compareTable(t *testing.T, table string) {
	t.Helper()
	page, err := os.ReadFile(reliability)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- every point of failure -->\n", "<!-- end of the table -->\n"
	head, rest, ok := strings.Cut(string(page), begin)
	was, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/reliability.md has no place for the table")
	}
	if *update {
		if err := os.WriteFile(reliability, []byte(head+begin+table+end+tail), 0o644); err != nil { //nolint:gosec // a page of the docs
			t.Fatal(err)
		}
		return
	}
	if was != table {
		t.Errorf("docs/reliability.md is stale: go test ./commit -run TestEveryPointOfFailure -update\n%s", table)
	}
}
