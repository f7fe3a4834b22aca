package views

import (
	"cmp"
	"context"
	"slices"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// learnt is what was asked for while a line was typed.
type learnt struct {
	folders  map[string]bool
	files    []string
	levels   map[string]bool // were asked for, by prefix
	refs     []refLine
	asked    bool // for refs
	versions map[string][]bucket.Version
	hint     string // where there is nothing to suggest
}

// A refLine is a commit that may be named.
type refLine struct {
	number int64
	id     string
	time   time.Time
	text   string // who, and the message
}

// askLevel lists a folder's names, once, after the keys rested.
func (c *commandLine) askLevel(prefix string) action {
	if c.learnt.levels[prefix] {
		return nil
	}
	for _, x := range c.below {
		if s, ok := x.(*folder); ok && s.loc.Root() == c.here.loc.Root() && s.nodes[prefix] != nil && s.nodes[prefix].Loaded && s.prefix() == prefix {
			return nil
		}
	}
	if c.learnt.levels == nil {
		c.learnt.levels, c.learnt.folders = map[string]bool{}, map[string]bool{}
	}
	b := c.here.b
	return begin{aside(load("level "+prefix, "Listing "+c.here.url(prefix), func(ctx context.Context, add func(bucket.Item)) error {
		if !rest(ctx, settleTime) {
			return ctx.Err()
		}
		n := 0
		for item, err := range b.Level(ctx, prefix) {
			if err != nil {
				return err
			}
			add(item)
			if n++; n == suggestNames {
				break
			}
		}
		return ctx.Err()
	}, func(items []bucket.Item) action {
		for _, it := range items {
			if it.Folder != "" {
				c.learnt.folders[it.Folder] = true
			} else if n := len(c.learnt.files); n == 0 || c.learnt.files[n-1] != it.Version.Key {
				c.learnt.files = append(c.learnt.files, it.Version.Key)
			}
		}
		return nil
	}, func(err error) action {
		c.learnt.levels[prefix] = true // also where it failed: a run says why
		return c.suggest()
	}))}
}

// refLines are the commits that are known, of the log that is open here, else read.
func (c *commandLine) refLines() ([]refLine, action) {
	folder, err := commit.FolderOf(c.here.prefix)
	if err != nil || c.here.why != "" {
		return nil, nil
	}
	for i := len(c.below) - 1; i >= 0; i-- {
		if s, ok := c.below[i].(*logScreen); ok && s.named && s.folder == folder && s.loc.Root() == c.here.loc.Root() && len(s.list.items) > 0 {
			var out []refLine
			for _, r := range s.list.items[:min(len(s.list.items), suggestMost)] {
				if r.slot.Gap > 0 || r.slot.Err != nil {
					continue
				}
				l := refLine{number: r.slot.Number, id: r.commit(), time: r.slot.Entry.Time}
				if d := r.detail.Load(); d != nil && d.known {
					l.time, l.text = d.header.Time, d.header.Author+": "+firstLine(d.header.Message)
				}
				out = append(out, l)
			}
			return out, nil
		}
	}
	if c.learnt.asked {
		return c.learnt.refs, nil
	}
	b, n := c.here.b, c.here.parallel()
	return nil, begin{aside(load("refs", "Reading the log of "+folderName(folder), func(ctx context.Context, add func(refLine)) error {
		if !rest(ctx, settleTime) {
			return ctx.Err()
		}
		return readRefs(ctx, b, folder, n, add)
	}, func(rs []refLine) action {
		c.learnt.refs = append(c.learnt.refs, rs...)
		slices.SortFunc(c.learnt.refs, func(x, y refLine) int { return cmp.Compare(y.number, x.number) })
		return nil
	}, func(error) action {
		c.learnt.asked = true
		return c.suggest()
	}))}
}

// readRefs reads the newest commits of a folder's log, or where it has none of the
// nearest log above.
func readRefs(ctx context.Context, b bucket.Bucket, folder string, parallel int, add func(refLine)) error {
	for _, f := range append([]string{folder}, commit.Ancestors(folder)...) {
		var found []*refLine
		for s, err := range commit.Log(ctx, b, commit.FolderHash(f), parallel) {
			if err != nil {
				return err
			}
			if s.Gap == 0 && s.Err == nil {
				found = append(found, &refLine{number: s.Number, id: s.Entry.Commit, time: s.Entry.Time})
			}
			if len(found) == suggestRefs {
				break
			}
		}
		if len(found) == 0 {
			continue
		}
		return sideBySide(ctx, found, parallel, func(r *refLine) {
			if h, err := commit.LoadHeader(ctx, b, r.id); err == nil {
				r.time, r.text = h.Time, h.Author+": "+firstLine(h.Message)
			}
			if ctx.Err() == nil {
				add(*r)
			}
		})
	}
	return ctx.Err()
}
