package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// completionTime bounds what a press of the tab key may cost.
const completionTime = 2 * time.Second

// complete offers fixed words for a flag.
func complete(cmd *cobra.Command, flag string, words ...string) {
	// Fails only for a flag that isn't there.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// completeURL offers bookmarks and recent URLs, and lets the shell complete files.
func (a *app) completeURL(_ *cobra.Command, args []string, start string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	c, err := a.loadConfig()
	if err == nil {
		for _, b := range c.Bookmarks {
			if plainWord(b.URL) && strings.HasPrefix(b.URL, start) {
				out = append(out, b.URL+"\t"+safe.Text(b.Name))
			}
		}
	}
	for _, u := range a.memory().Recent() {
		if plainWord(u) && strings.HasPrefix(u, start) {
			out = append(out, u+"\trecent")
		}
	}
	return out, cobra.ShellCompDirectiveDefault
}

// plainWord: one that needs no quoting, so that no shell can take it for more.
func plainWord(s string) bool { return s != "" && safe.Shell(s) == s }

// completeURLAndRefs completes a URL, then up to n REFs.
func (a *app) completeURLAndRefs(n int) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, args []string, start string) ([]string, cobra.ShellCompDirective) {
		switch {
		case len(args) == 0:
			return a.completeURL(cmd, args, start)
		case len(args) > n:
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.completeRef(cmd, args, start)
	}
}

// completeRef offers the words and the newest numbers of the folder's log.
func (a *app) completeRef(cmd *cobra.Command, args []string, start string) ([]string, cobra.ShellCompDirective) {
	out := []string{"head\tthe newest commit", "live\twhat is there now"}
	if len(args) > 0 {
		out = append(out, a.newestRefs(cmd.Context(), args[0])...)
	}
	kept := out[:0]
	for _, o := range out {
		if strings.HasPrefix(o, start) {
			kept = append(kept, o)
		}
	}
	return kept, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func (a *app) newestRefs(ctx context.Context, url string) []string {
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	l, err := bucket.Parse(url)
	if err != nil {
		return nil
	}
	if c, err := a.loadConfig(); err == nil {
		a.config = c
	}
	o := a.options(l)
	o.ReadOnly = true
	b, err := bucket.Open(ctx, l, o)
	if err != nil {
		return nil
	}
	p := &place{b, l.Path, l}
	defer p.close()
	var out []string
	for _, folder := range enclosing(l.Path, true) {
		for s, err := range commit.Log(ctx, p, commit.FolderHash(folder), 10) {
			if err != nil || len(out) == 10 {
				break
			}
			if s.Gap == 0 && s.Err == nil {
				out = append(out, fmt.Sprintf("%d\t%s of %s", s.Number, second(s.Entry.Time), folderText(folder)))
			}
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}
