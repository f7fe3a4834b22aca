package views

import (
	"context"
	"errors"

	"provcat-tui/commit"
	"provcat-tui/ui"
)

// maxLogs is how many logs of a bucket are looked for, to mark their folders.
const maxLogs = 20_000

// loadLogs finds out once which folders have a log: one listing of the hashes of
// their names.
func (s *folder) loadLogs() action {
	k := s.facts()
	if k.logs != nil && !k.logsStale {
		return nil
	}
	logs := map[string]bool{}
	return begin{aside(load("logs", "Looking which folders have a log", func(ctx context.Context, add func(string)) error {
		n := 0
		for item, err := range s.b.Level(ctx, commit.Logs) {
			if err != nil {
				return err
			}
			if item.Folder == "" {
				continue
			}
			if n++; n > maxLogs {
				return errBudget
			}
			add(item.Folder[len(commit.Logs) : len(item.Folder)-1])
		}
		return nil
	}, func(hashes []string) action {
		for _, h := range hashes {
			logs[h] = true
		}
		return nil
	}, func(err error) action {
		switch {
		case errors.Is(err, context.Canceled): // asked again with the next folder
		case err == nil, errors.Is(err, errBudget):
			k.logs, k.logsWhole, k.logsStale = logs, err == nil, false
		case k.logs == nil: // no mark is put on what is not known; r tries again
			k.logs = logs
		}
		return nil
	}))}
}

// sign is the mark of a folder in the tree: what its own log is, and whether
// anything below it is known to be damaged.
func (s *folder) sign(n *ui.Node) (ui.Tone, string) {
	prefix, _ := n.Value.(string)
	name, err := commit.FolderOf(prefix)
	if err != nil {
		return ui.Dim, ""
	}
	k := s.facts()
	tone, mark := ui.Good, " "
	if has, _ := k.hasLog(name); has {
		mark = ui.MarkSound
	}
	if k.damage[name] != "" {
		tone, mark = ui.Bad, ui.MarkDeleted
	}
	if k.damagedBelow(name) != "" {
		tone, mark = ui.Bad, mark+"↓"
	}
	return tone, mark
}
