package views

import (
	"context"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// pathLooks is how many folders a path is looked for below: each costs a request or two.
const pathLooks = 200

// lookForPath looks for the folder below which a path leads to a key, or at least to a
// folder that has others of its kind: of a version that is gone the key may be, too.
func (s *folder) lookForPath(path, version string, folders []string) action {
	var keys, near []string
	return begin{load("lookfor", "Looking for "+path+" below the known folders", func(ctx context.Context, _ func(struct{})) error {
		dir := path[:strings.LastIndexByte(path, '/')+1]
		for _, f := range folders[:min(len(folders), pathLooks)] {
			there, err := anyVersion(ctx, s.b, bucket.Range{Prefix: f + path, Through: f + path, PageSize: 1})
			if err != nil {
				return err
			}
			if there {
				keys = append(keys, f+path)
				continue
			}
			if dir != "" {
				if there, err = anyVersion(ctx, s.b, bucket.Range{Prefix: f + dir, PageSize: 1}); err != nil {
					return err
				}
				if there {
					near = append(near, f+path)
				}
			}
		}
		return nil
	}, nil, func(err error) action {
		if len(keys) == 0 {
			keys = near
		}
		switch {
		case err != nil:
			return note{ui.Unsure, "? Could not look for " + path + ": " + err.Error()}
		case len(keys) == 0:
			return note{ui.Warn, "! Below no folder that is known here is a " + path + ": go to the folder that was fetched, and paste it there."}
		case len(keys) > 1 && keys[0] != s.prefix()+path:
			return note{ui.Warn, "! " + path + " is below several folders (" + strings.Join(keys[:2], ", ") + "): go to the one that was fetched, and paste it there."}
		}
		return push{newObject(s.place, keys[0], version)}
	})}
}

// commitLooks is how many log entries are read to find the one that names a commit.
const commitLooks = 5_000

// lookForCommit looks for the folder of a commit: its object says, or a log entry that
// names it, or an audit of this session.
func (s *folder) lookForCommit(id string) action {
	h := home{id: id}
	h.audited(commit.CommitKey(id), s.facts().audits)
	return begin{load("lookfor", "Looking for the folder of commit "+commit.ShortID(id), func(ctx context.Context, _ func(struct{})) error {
		if h.found {
			return nil
		}
		return h.find(ctx, s.b, s.parallel())
	}, nil, func(err error) action {
		switch {
		case err != nil:
			return note{ui.Unsure, "? Could not look for commit " + commit.ShortID(id) + ": " + err.Error()}
		case !h.found && !h.whole:
			return note{ui.Unsure, "? No object of commit " + commit.ShortID(id) + " can be read, and not all logs were looked through for it."}
		case !h.found:
			return note{ui.Bad, "✗ There is no object of commit " + commit.ShortID(id) + ", and no log of this bucket names it."}
		}
		c := newCommit(s.place, h.folder, id, h.number)
		c.hash = h.hash
		return push{c}
	})}
}
