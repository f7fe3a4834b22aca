package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

func (a *app) logCommand() *cobra.Command {
	var limit int64
	cmd := &cobra.Command{
		Use:   "log URL",
		Short: "List a folder's commits, newest first",
		Long: `Lists the log of a folder, newest first. Numbers at which nothing lies, and
entries that are deleted, re-made or unreadable, are shown in their place. "audit"
says what they break and what repairs them.`,
		Example: "  provcat-tui log s3://team-data/sales\n  provcat-tui log s3://team-data/sales --limit 20 --format json",
		Args:    argNames(0, "the URL of a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return usagef("--limit %d: 1 or more, or 0 for all", limit)
			}
			ctx := cmd.Context()
			p, folder, err := a.openFolder(ctx, args[0])
			if err != nil {
				return err
			}
			defer p.close()
			return a.printLog(ctx, p, folder, limit)
		},
		ValidArgsFunction: a.completeURL,
	}
	cmd.Flags().Int64VarP(&limit, "limit", "n", 0, "show only the newest `n` entries; 0: all")
	return cmd
}

// parallel is how many requests run side by side where nothing else is said.
func (a *app) parallel(p *place) int {
	if n := a.concurrency(p.loc); n > 0 {
		return n
	}
	return 16
}

func (a *app) printLog(ctx context.Context, p *place, folder string, limit int64) error {
	var doc *document
	n := int64(0)
	lines := ordered(ctx, commit.Log(ctx, p, commit.FolderHash(folder), a.parallel(p)), a.parallel(p),
		func(ctx context.Context, s commit.Slot) logLine { return readLine(ctx, p, s) })
	var err error
	unread := int64(0)
	for line, lerr := range lines {
		if err = lerr; err != nil {
			break
		}
		if line.State == stateUnknown || line.Object == "unknown" {
			unread++
		}
		if n++; n == 1 && a.format == "json" {
			doc = a.logDocument(p, folder)
		}
		if doc != nil {
			err = doc.item(line)
		} else {
			err = a.printLine(line)
		}
		if err != nil || n == limit {
			break
		}
	}
	if n == 0 {
		if err == nil {
			err = needFolder(ctx, p, folder)
		}
		if err != nil {
			return err
		}
		a.note("%s has no commits%s", folderText(folder), a.otherLogs(ctx, p, folder))
		if a.format == "json" {
			doc = a.logDocument(p, folder)
		}
	}
	if err == nil && unread > 0 {
		err = fmt.Errorf("the log of %s is not known in full: %s could not be read, for the reasons beside them; try again, or \"provcat-tui doctor %s\" says what is denied",
			folderText(folder), count(unread, "commit"), safe.Shell(p.URL()))
	}
	if doc != nil {
		return doc.finish(err)
	}
	return err
}

func (a *app) logDocument(p *place, folder string) *document {
	doc := newDocument(a.out, "provcat-log/1")
	doc.member("bucket", p.URL())
	doc.member("folder", folder)
	doc.array("entries")
	return doc
}

// maxNamed is how many logs a note names.
const maxNamed = 10

// otherLogs names the logs at or below a folder that has none of its own, where a
// person asked for the whole and meant a part. It is an aid: what cannot be read
// is passed over.
func (a *app) otherLogs(ctx context.Context, p *place, folder string) string {
	var names []string
	more := ""
	for l, err := range commit.AllLogs(ctx, p, a.concurrency(p.loc), false) {
		if err != nil {
			break
		}
		if !l.Known || !strings.HasPrefix(l.Folder, commit.KeyPrefix(folder)) {
			continue
		}
		if len(names) == maxNamed {
			more = ", …"
			break
		}
		names = append(names, folderText(l.Folder))
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return " of its own; there are logs of " + strings.Join(names, ", ") + more
}

func (a *app) printLine(l logLine) error {
	word := ""
	switch l.State {
	case stateGap:
		span := fmt.Sprintf("#%d", l.Number)
		if l.Gap > 1 {
			span = fmt.Sprintf("#%d to #%d", l.Number, l.Number-l.Gap+1)
		}
		a.printf("%s\n", a.paint(yellow, fmt.Sprintf("%s  nothing is there: %s", pad(span, 8), map[bool]string{true: "the entry is missing", false: number(l.Gap) + " entries are missing"}[l.Gap == 1])))
		return nil
	case stateOK, stateRestored:
		// The entry is sound; its commit object may not be.
		word = map[string]string{"missing": "gone", "unreadable": "unreadable", "unknown": "unknown"}[l.Object]
	default:
		word = string(l.State)
	}
	id := "?"
	if l.Commit != nil {
		id = commit.ShortID(*l.Commit)
	}
	text := firstLine(l.Message, 72)
	if word != "" {
		state := strings.TrimSpace(a.paint(red, word) + " " + safe.Text(l.why))
		if l.Message != "" {
			state += " · " + text
		}
		text = state
	}
	_, err := fmt.Fprintf(a.out, "%s  %s  %s  %s  %s\n", pad(fmt.Sprintf("#%d", l.Number), 8), pad(safe.Text(id), 10),
		pad(second(l.time), 20), pad(firstLine(l.Author, 16), 16), text)
	return err
}
