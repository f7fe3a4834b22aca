package views

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

const (
	// checkVersions is how many versions are listed without being asked.
	checkVersions = 200_000
	// keptVersions is how many of one key are kept to foretell what rules do.
	keptVersions = 10_000
)

var errNoOrder = errors.New("the store lists keys out of order, so nothing can be told from what a listing lacks")

// A checked is what the listing says of files, or how far it came.
type checked struct {
	file  int // its index; -1: none
	state fileState
	rule  string // that removes it
	many  bool   // its key has too many versions to foretell what rules do
	seen  int64  // versions so far
}

// checking is how far the commit's files were compared with what is in the bucket.
type checking struct {
	valve   *valve
	running bool
	err     error // why the rest could not be checked
	rules   error // why it is not known what rules will remove
	seen    int64
	many    int64 // files of which it is not foretold what rules do
	tally   stateTally
	rule    string // the one that removes the first
	work    *work
}

// check lists the folder's versions once and joins them with the commit's files,
// both in order of keys.
func (s *commitScreen) check() action {
	c := &s.checking
	*c = checking{valve: newValve(checkVersions), running: true}
	c.tally.kinds[notChecked] = int64(len(s.list.items))
	if len(s.list.items) == 0 {
		c.running = false
		return nil
	}
	files, prefix, v := s.list.items, commit.KeyPrefix(s.header.Folder), c.valve
	var rules error
	c.work = aside(load("check", "Looking which versions are still there", func(ctx context.Context, add func(checked)) error {
		if !rest(ctx, settleTime) {
			return ctx.Err()
		}
		o, err := s.outlook(ctx)
		if err != nil {
			return err
		}
		rules = o.Err()
		j := &joining{files: files, order: inPathOrder(files), prefix: prefix, outlook: o, add: add}
		return j.run(ctx, s.b, v)
	}, func(news []checked) action {
		for _, x := range news {
			c.seen = max(c.seen, x.seen)
			if x.file < 0 {
				continue
			}
			s.list.items[x.file].store(x.state)
			c.tally.kinds[notChecked]--
			if x.many {
				c.many++
			}
			before := c.tally.from
			c.tally.add(x.state)
			if c.tally.from != before {
				c.rule = x.rule
			}
		}
		if c.tally.will+c.tally.may > 0 && s.list.table.Columns[stateColumn+1].Min == 0 {
			s.list.table.Columns[stateColumn+1].Min = 12
			s.list.table.Relayout()
		}
		c.work.text = fmt.Sprintf("Looking which versions are still there: %s listed", plural(c.seen, "version"))
		return nil
	}, func(err error) action {
		c.running, c.err, c.rules = false, err, rules
		if errors.Is(err, errNoOrder) { // what was missing may come later
			for i := range s.list.items {
				s.list.items[i].store(notChecked)
			}
			c.tally = stateTally{}
			c.tally.kinds[notChecked] = int64(len(s.list.items))
		}
		return s.again()
	}))
	c.work.waits = v.waits
	return begin{c.work}
}

// again filters and sorts anew, now that the states are others.
func (s *commitScreen) again() action {
	var out all
	if len(s.list.words) > 0 {
		s.list.restart()
		out = append(out, stop{"filter"}, s.list.search())
	}
	if s.list.by > 0 && s.list.orders[s.list.by-1].name == "state" {
		s.list.unsort()
		out = append(out, stop{"sort"}, s.list.resort())
	}
	return out
}

// inPathOrder are the indexes of files in order of path; nil: they stand in it.
func inPathOrder(files []commitFile) []int32 {
	if slices.IsSortedFunc(files, func(a, b commitFile) int { return strings.Compare(a.Path, b.Path) }) {
		return nil
	}
	out := make([]int32, len(files))
	for i := range out {
		out[i] = int32(i)
	}
	slices.SortFunc(out, func(a, b int32) int {
		return cmp.Or(strings.Compare(files[a].Path, files[b].Path), cmp.Compare(a, b))
	})
	return out
}

// A joining goes through files and versions side by side.
type joining struct {
	files   []commitFile
	order   []int32
	at      int // the next file, in order
	prefix  string
	outlook *audit.Outlook
	add     func(checked)
	seen    int64
	key     string // of the versions at hand
	vs      []bucket.Version
}

func (j *joining) index(at int) int {
	if j.order != nil {
		return int(j.order[at])
	}
	return at
}

func (j *joining) path(at int) string { return j.files[j.index(at)].Path }

func (j *joining) run(ctx context.Context, b bucket.Bucket, v *valve) error {
	first, last := j.prefix+j.path(0), j.prefix+j.path(len(j.files)-1)
	r := bucket.Range{Prefix: j.prefix, Through: last}
	if first > j.prefix && len(first) > len(j.prefix)+1 {
		r.After = first[:len(first)-1] // sorts before the first key, and none between counts
	}
	for x, err := range b.Versions(ctx, r) {
		if err != nil {
			return err // the versions at hand may not be all
		}
		if err := v.pass(ctx); err != nil {
			return err
		}
		if j.seen++; j.seen%1000 == 0 {
			j.add(checked{file: -1, seen: j.seen})
		}
		if x.Key != j.key {
			if x.Key < j.key {
				return errNoOrder
			}
			j.judge()
			j.key, j.vs = x.Key, j.vs[:0]
		}
		if len(j.vs) < keptVersions || j.wanted(x.ID) {
			j.vs = append(j.vs, x)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	j.judge()
	for ; j.at < len(j.files); j.at++ {
		j.add(checked{file: j.index(j.at), state: versionGone, seen: j.seen})
	}
	return nil
}

// wanted says that a file of the key at hand names the version.
func (j *joining) wanted(id string) bool {
	for at := j.at; at < len(j.files) && j.prefix+j.path(at) <= j.key; at++ {
		if f := j.files[j.index(at)]; j.prefix+f.Path == j.key && f.Version == id {
			return true
		}
	}
	return false
}

// judge tells of the files up to the key at hand, of which all versions are known.
func (j *joining) judge() {
	var due []audit.Due
	for ; j.at < len(j.files); j.at++ {
		i := j.index(j.at)
		f := &j.files[i]
		switch key := j.prefix + f.Path; {
		case key > j.key:
			return
		case key < j.key:
			j.add(checked{file: i, state: versionGone, seen: j.seen})
			continue
		}
		n := slices.IndexFunc(j.vs, func(v bucket.Version) bool { return v.ID == f.Version })
		if n < 0 {
			j.add(checked{file: i, state: versionGone, seen: j.seen})
			continue
		}
		out := checked{file: i, seen: j.seen, state: stateOf(f.File, j.vs[n], j.vs[0])}
		out.many = len(j.vs) >= keptVersions
		if out.state > versionMarker && !out.many {
			if due == nil {
				due = j.outlook.Removals(j.vs)
			}
			out.state = out.state.withRemoval(due[n].On, due[n].Sure)
			out.rule = due[n].Rule
		}
		j.add(out)
	}
}

// stateOf judges a version that is there. newest is its key's.
func stateOf(f commit.File, v, newest bucket.Version) fileState {
	switch {
	case v.DeleteMarker:
		return versionMarker
	case f.OtherBytes(v.ETag, v.Size):
		return versionChanged
	case audit.Archived(v.StorageClass):
		return versionArchived
	case v.Live():
		return versionLive
	case newest.DeleteMarker:
		return versionDeleted
	}
	return versionReplaced
}

// summary says in a line or two what became of the files, and what to do.
func (c *checking) summary(e *env, w int, th *ui.Theme) []string {
	t := &c.tally
	var parts []string
	say := func(tone ui.Tone, n int64, mark, word string) {
		if n > 0 {
			parts = append(parts, th.Paint(tone, mark+" "+count(n)+" "+word))
		}
	}
	say(ui.Bad, t.kinds[versionGone], ui.MarkLost, "gone")
	say(ui.Bad, t.kinds[versionChanged], ui.MarkLost, "with other bytes")
	say(ui.Bad, t.kinds[versionMarker], ui.MarkLost, "are markers")
	say(ui.Good, t.kinds[versionLive], ui.MarkLive, "live")
	say(ui.Dim, t.kinds[versionReplaced]+t.kinds[versionDeleted], ui.MarkPast, "noncurrent")
	say(ui.Warn, t.kinds[versionArchived], "!", "archived")
	switch left := t.kinds[notChecked]; {
	case left == 0:
	case c.running && c.valve.waits():
		parts = append(parts, th.Paint(ui.Unsure, "? "+count(left)+e.keys(" not checked: {goon} goes on")))
	case c.running:
		parts = append(parts, th.Paint(ui.Dim, "… "+count(left)+" being checked"))
	default:
		parts = append(parts, th.Paint(ui.Unsure, "? "+count(left)+" not checked"))
	}
	out := []string{ui.Pad(strings.Join(parts, "  "), w)}
	if t.will+t.may > 0 {
		text := fmt.Sprintf("! %s will be removed", count(t.will))
		if t.will == 0 {
			text = fmt.Sprintf("! %s may be removed", count(t.may))
		} else if t.may > 0 {
			text += fmt.Sprintf(", %s more may be,", count(t.may))
		}
		out = append(out, th.Paint(ui.Warn, ui.Fit(text+" from "+t.from.Format(time.DateOnly)+" on (rule "+c.rule+")", w, ui.Left)))
	}
	switch {
	case c.err != nil && errors.Is(c.err, context.Canceled):
		out = append(out, th.Paint(ui.Unsure, ui.Fit(e.keys("? the check was cancelled: {goon} checks the rest"), w, ui.Left)))
	case c.err != nil:
		says := th.Shown(ui.Unsure, "? the listing broke off: "+c.err.Error(), w)
		out = append(out, says[:min(len(says), 3)]...)
	case c.many > 0:
		out = append(out, th.Paint(ui.Unsure, ui.Fit("? of "+plural(c.many, "file")+" with very many versions it is not foretold what a rule removes", w, ui.Left)))
	case !c.running && c.rules != nil:
		out = append(out, th.Paint(ui.Unsure, ui.Fit("? whether a lifecycle rule will remove some could not be checked", w, ui.Left)))
	}
	return out
}
