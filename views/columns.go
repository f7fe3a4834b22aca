package views

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"provcat-tui/ui"
)

// columnNames are the columns of each screen whose table a person can arrange, in
// the order in which they stand without a config. Those that a screen shows at times
// only (a bucket's region, the ETag of a folder at a commit) are among them.
var columnNames = map[string][]string{
	onBuckets:  {"from", "name", "url", "profile", "region", "endpoint"},
	onFolder:   {"mark", "name", "size", "modified", "versions", "version", "etag"},
	onLog:      {"mark", "number", "commit", "age", "author", "message", "added", "changed", "removed", "bytes", "grew by", "files", "written"},
	onCommit:   {"path", "size", "state", "removed on", "version", "etag"},
	onDiff:     {"mark", "path", "before", "after", "change"},
	onObject:   {"mark", "modified", "age", "size", "version", "named by", "etag", "class"},
	onAudit:    {"mark", "finding", "what"},
	onPin:      {"mark", "from", "until", "number", "commit", "log of", "author", "message"},
	onRequests: {"ended", "took", "answer", "what", "key or prefix", "bytes", "page after", "first byte", "request id"},
}

// A WrongColumn is one thing that is wrong with the columns of a screen.
type WrongColumn struct {
	Screen string
	Index  int // in the screen's list, from 0; -1: the screen or the list as a whole
	Why    string
}

// CheckColumns looks at columns by screen, as in Start.Columns, and says in words what
// is wrong and what would be right, in the order of the screens; empty: all can be used.
func CheckColumns(columns map[string][]string) (wrong []WrongColumn) {
	for _, screen := range slices.Sorted(maps.Keys(columns)) {
		wrong = append(wrong, checkColumns(screen, columns[screen])...)
	}
	return wrong
}

func checkColumns(screen string, names []string) (wrong []WrongColumn) {
	say := func(i int, format string, args ...any) {
		wrong = append(wrong, WrongColumn{screen, i, fmt.Sprintf(format, args...)})
	}
	known, ok := columnNames[screen]
	if !ok {
		screens := slices.Sorted(maps.Keys(columnNames))
		if near := ui.Near(strings.ToLower(screen), screens); near != "" {
			say(-1, "there is no screen %q; did you mean %q?", screen, near)
		} else {
			say(-1, "there is no screen %q with a table; there are %s", screen, strings.Join(screens, ", "))
		}
		return wrong
	}
	has := strings.Join(known, ", ")
	for i, n := range names {
		if slices.Contains(names[:i], n) {
			say(i, "%s: the column %q is there twice", screen, n)
		} else if !slices.Contains(known, n) {
			if near := ui.Near(strings.ToLower(n), known); near != "" {
				say(i, "%s has no column %q; did you mean %q?", screen, n, near)
			} else {
				say(i, "%s has no column %q; it has %s", screen, n, has)
			}
		}
	}
	switch {
	case len(wrong) > 0:
	case len(names) == 0:
		say(-1, "%s: no column is left; it has %s", screen, has)
	case slices.Equal(names, []string{"mark"}):
		say(0, "%s: the marks alone tell nothing; it has %s", screen, has)
	}
	return wrong
}
