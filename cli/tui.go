package cli

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// runTUI is the root command: the explorer, at a URL or on the bucket list.
func (a *app) runTUI(cmd *cobra.Command, args []string) error {
	if cmd.Flags().Changed("format") {
		return usagef("the explorer has no --format; use a command such as ls, log or audit")
	}
	var at *bucket.Location
	if len(args) == 1 {
		if err := a.mistyped(cmd, args[0]); err != nil {
			return err
		}
		l, err := bucket.Parse(args[0])
		if err != nil {
			return err
		}
		at = &l
	}
	if len(args) == 1 {
		a.link.URL = args[0]
	}
	if err := a.flags.to.fill(&a.link, cmd.Flags().Changed); err != nil {
		return err
	}
	if err := a.link.Check(); err != nil {
		return err
	}
	return a.explore(cmd.Context(), at)
}

// rootArgs takes one URL; a first word of several that is none is a mistyped command.
func (a *app) rootArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		if err := a.mistyped(cmd, args[0]); err != nil {
			return err
		}
	}
	return argNames(1, "a URL")(cmd, args)
}

// mistyped takes a word that is neither a file nor a URL for a command.
func (a *app) mistyped(cmd *cobra.Command, arg string) error {
	if strings.ContainsAny(arg, `/\`) {
		return nil
	}
	if _, err := os.Stat(arg); err == nil {
		return nil
	}
	hint := ""
	if s := cmd.SuggestionsFor(arg); len(s) > 0 {
		hint = "; did you mean " + strings.Join(s, " or ") + "?"
	}
	return usagef("%s is no command, no URL and no bucket file%s", safe.Shell(arg), hint)
}

// explore runs the explorer on the terminal.
func (a *app) explore(ctx context.Context, at *bucket.Location) error {
	if !isTerminal(a.in) || !isTerminal(a.rawOut) || dumbTerminal() {
		return usagef("the explorer needs a terminal (standard input and output, and TERM other than dumb); the commands ls, log, show, diff, pin, cat, get and audit work without one")
	}
	if err := a.checkIgnore(); err != nil {
		return err
	}
	if e := a.flags.endpoint; e != "" && safe.Endpoint(e) != e {
		return usagef("--endpoint %s: it holds a user, a password or a query, which would be shown and kept; credentials come from the environment or a profile", safe.Shell(safe.Endpoint(e)))
	}
	// Find a wrong bucket before the screen is taken over.
	if at != nil {
		b, err := bucket.Open(ctx, *at, a.options(*at))
		if err != nil {
			return &exitError{exitUsage, err}
		}
		if err := b.Close(); err != nil {
			return &exitError{exitUsage, err}
		}
	}
	return a.runViews(ctx, at)
}
