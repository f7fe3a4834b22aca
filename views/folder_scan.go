package views

import (
	"context"
	"errors"
	"iter"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// look is how many versions of a folder are listed, and of a commit above it how
// many files are passed over, before the person asks for more.
const (
	look     = 5000
	lookPast = 200_000
)

// maxMarks bounds the marks that are kept of one folder's own files.
const maxMarks = 200_000

// The ends of a scan that are no failure.
var (
	errBudget = errors.New("the budget is used up")
	errTooFar = errors.New("the commit names too many files before this folder")
)

// scanned is what was counted of a folder and all below it. Numbers are exact if
// whole, else at least so many.
type scanned struct {
	versions, files, bytes, deleted int64
	added, changed, removed         int64
	// marks says what became of the folder's own files since the commit, by key:
	// '+', '~', '-'. Of files at or before upTo that have none, it is as the commit
	// has it.
	marks map[string]byte
	// below are the folders right below, by key prefix; at most maxBelow.
	below  map[string]below
	upTo   string // a key; empty: none was compared
	capped bool   // more marks than are kept: behind upTo nothing is known
	listed string // the key at which the budget was used up
	whole  bool   // to the end
	// compared says that there is a commit and it was compared; baseErr why it
	// was not.
	compared bool
	baseErr  error
	err      error // of the listing
}

// mark gives the sign of a key beside the commit: '+', '~', '-', '=', or a blank
// where it is not known.
func (s *scanned) mark(key string) byte {
	switch m := s.marks[key]; {
	case m != 0:
		return m
	case !s.compared || (s.capped || !s.whole) && key > s.upTo:
		return ' '
	}
	return '='
}

// tally is what one step of a scan adds.
type tally struct {
	versions, files, bytes, deleted int64
	added, changed, removed         int64
	marks                           []keyMark
	below                           map[string]below
	upTo                            string
	capped                          bool
}

// below is what was counted of one folder right below.
type below struct{ files, bytes, added, changed, removed int64 }

// maxBelow bounds the folders below of which so much is told.
const maxBelow = 1000

// in adds to what is counted of the folder below that holds a path, if one does.
func (t *tally) in(prefix, path string, x below) {
	i := strings.IndexByte(path, '/')
	if i < 0 {
		return
	}
	if t.below == nil {
		t.below = map[string]below{}
	}
	name := prefix + path[:i+1]
	t.below[name] = t.below[name].plus(x)
}

func (b below) plus(x below) below {
	return below{b.files + x.files, b.bytes + x.bytes, b.added + x.added, b.changed + x.changed, b.removed + x.removed}
}

type keyMark struct {
	key  string
	mark byte
}

func (s *scanned) add(p tally) {
	s.versions += p.versions
	s.files += p.files
	s.bytes += p.bytes
	s.deleted += p.deleted
	s.added += p.added
	s.changed += p.changed
	s.removed += p.removed
	for name, x := range p.below {
		if s.below == nil {
			s.below = map[string]below{}
		}
		if was, there := s.below[name]; there || len(s.below) < maxBelow {
			s.below[name] = was.plus(x)
		}
	}
	for _, m := range p.marks {
		s.marks[m.key] = m.mark
	}
	s.upTo = max(s.upTo, p.upTo)
	s.capped = s.capped || p.capped
}

// scan lists a folder and all below it, and compares it with a commit on the way.
type scan struct {
	b      bucket.Bucket
	prefix string
	after  string // begin behind this key; empty: at the first
	base   string // ID of the commit; empty: none
	in     string // the folder that it is of
	budget int64  // versions; 0: to the end
	past   int64  // files of the commit before the folder; 0: any number
	add    func(tally)
}

// baseError is a failure to read the commit.
type baseError struct{ error }

func (e baseError) Unwrap() error { return e.error }

// run ends with nil at the end, with errBudget where there may be more.
func (c scan) run(ctx context.Context) error {
	if c.base == "" {
		for _, err := range c.live(ctx) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	var p tally
	kept, n := 0, 0
	flush := func() {
		c.add(p)
		p, n = tally{}, 0
	}
	for ch, err := range commit.Diff(c.files(ctx), c.live(ctx)) {
		if err != nil {
			flush()
			return err
		}
		key := c.prefix + ch.Path
		mark := byte('+')
		switch stop := ch.To.Version == stopVersion; {
		case stop && ch.Kind == commit.Added: // neither live nor in the commit
			mark = 0
		case ch.Kind == commit.Removed, stop:
			mark = '-'
			p.removed++
			p.in(c.prefix, ch.Path, below{removed: 1})
		case ch.Kind == commit.Changed:
			mark = '~'
			p.changed++
			p.in(c.prefix, ch.Path, below{changed: 1})
		default:
			p.added++
			p.in(c.prefix, ch.Path, below{added: 1})
		}
		if p.capped = kept >= maxMarks; !p.capped {
			p.upTo = key
			if mark != 0 && !strings.Contains(ch.Path, "/") {
				p.marks = append(p.marks, keyMark{key, mark})
				kept++
			}
		}
		if n++; n == 512 {
			flush()
		}
	}
	flush()
	return nil
}

// stopVersion is that of a file which is not there: it stands for the last key that
// was listed, where that is not live, so that the comparison reaches it. No store
// gives a version such an ID.
const stopVersion = "\x00stop"

// live gives the live files behind after, and counts on the way. It ends with
// errBudget once all versions of the last key within the budget were seen.
func (c scan) live(ctx context.Context) iter.Seq2[commit.File, error] {
	return func(yield func(commit.File, error) bool) {
		var p tally
		seen, last, lastLive := int64(0), "", false
		defer func() { c.add(p) }()
		for v, err := range c.versions(ctx) {
			if err != nil {
				yield(commit.File{}, err)
				return
			}
			// A key of very many versions is left behind in their midst: the newest
			// was seen, and with it what the key is.
			if c.budget > 0 && (v.Key != last && seen >= c.budget || seen >= 10*c.budget) {
				if lastLive || yield(commit.File{Path: last[len(c.prefix):], Version: stopVersion}, nil) {
					yield(commit.File{}, &budgetError{last})
				}
				return
			}
			if v.Key != last {
				last, lastLive = v.Key, false
			}
			seen++
			if p.versions++; p.versions == 1000 {
				c.add(p)
				p = tally{}
			}
			switch {
			case v.Live():
				lastLive = true
				p.files++
				p.bytes += max(v.Size, 0)
				p.in(c.prefix, v.Key[len(c.prefix):], below{files: 1, bytes: max(v.Size, 0)})
				if !yield(commit.File{Path: v.Key[len(c.prefix):], Version: v.ID, ETag: v.ETag, Size: v.Size}, nil) {
					return
				}
			case v.Latest:
				p.deleted++
			}
		}
	}
}

// budgetError says at which key the budget was used up.
type budgetError struct{ key string }

func (e *budgetError) Error() string     { return errBudget.Error() }
func (e *budgetError) Is(err error) bool { return err == errBudget }

// versions lists the folder's versions behind after. The format's own keys, which
// may be many and come first, are jumped over.
func (c scan) versions(ctx context.Context) iter.Seq2[bucket.Version, error] {
	ranges := []bucket.Range{{Prefix: c.prefix, After: c.after}}
	if c.prefix == "" {
		const behind = commit.Root + "\U0010ffff"
		ranges = []bucket.Range{{After: max(c.after, behind)}}
		if c.after < commit.Root {
			ranges = append([]bucket.Range{{After: c.after, Through: commit.Root}}, ranges...)
		}
	}
	return func(yield func(bucket.Version, error) bool) {
		for _, r := range ranges {
			for v, err := range c.b.Versions(ctx, r) {
				if err == nil && strings.HasPrefix(v.Key, commit.Root) {
					continue
				}
				if !yield(v, err) || err != nil {
					return
				}
			}
		}
	}
}

// files gives the commit's files in the folder, behind after.
func (c scan) files(ctx context.Context) iter.Seq2[commit.File, error] {
	return func(yield func(commit.File, error) bool) {
		above := commit.KeyPrefix(c.in)
		passed := int64(0)
		for f, err := range commit.Files(ctx, c.b, c.base) {
			if err != nil {
				yield(commit.File{}, baseError{err})
				return
			}
			key := above + f.Path
			rest, ok := strings.CutPrefix(key, c.prefix)
			switch {
			case !ok && key > c.prefix:
				return // sorted: nothing of the folder comes any more
			case !ok:
				if passed++; c.past > 0 && passed > c.past {
					yield(commit.File{}, baseError{errTooFar})
					return
				}
				continue
			case c.after != "" && key <= c.after:
				continue
			}
			f.Path = rest
			if !yield(f, nil) {
				return
			}
		}
	}
}
