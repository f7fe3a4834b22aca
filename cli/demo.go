package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"provcat-tui/bucket"
	"provcat-tui/demo"
	"provcat-tui/internal/safe"
)

func (a *app) demoCommand() *cobra.Command {
	var printOnly bool
	cmd := &cobra.Command{
		Use:   "demo [DIR] [--print]",
		Short: "Make a demo bucket, with damage in it, and open it",
		Long: `Makes DIR/demo.bucket if it isn't there, and opens it in the explorer. The bucket
is one file with folders, commits of several people over months, and damage of
many kinds; it is the same on every machine. DIR is by default provcat-tui in the
user's data folder. With --print the bucket's URL is printed and nothing opened.`,
		Example: "  provcat-tui demo\n  provcat-tui audit \"$(provcat-tui demo --print)\"",
		Args:    argNames(1, "a DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := filepath.Join(xdg.DataHome, "provcat-tui")
			if len(args) == 1 {
				dir = args[0]
			}
			if !printOnly && cmd.Flags().Changed("format") {
				return usagef("--format goes with --print: the explorer has none")
			}
			return a.demo(cmd.Context(), dir, printOnly)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	cmd.Flags().BoolVar(&printOnly, "print", false, "only print the bucket's URL")
	return cmd
}

func (a *app) demo(ctx context.Context, dir string, printOnly bool) error {
	path, err := filepath.Abs(filepath.Join(dir, "demo.bucket"))
	if err != nil {
		return &exitError{exitUsage, err}
	}
	made, err := a.makeDemo(ctx, path)
	if err != nil {
		return err
	}
	l, err := bucket.Parse(path)
	if err != nil {
		return err
	}
	switch {
	case !printOnly:
		return a.explore(ctx, &l)
	case a.format == "json":
		doc := newDocument(a.out, "provcat-demo/1")
		doc.member("url", l.String())
		doc.member("made", made)
		return doc.close()
	}
	a.printf("%s\n", l.String()) // a path of this machine, as it is: for other commands
	return nil
}

// makeDemo makes the bucket file unless it is there.
func (a *app) makeDemo(ctx context.Context, path string) (made bool, err error) {
	if _, err := os.Stat(path); err == nil {
		return false, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return false, &exitError{exitUsage, err}
	}
	if a.flags.readOnly {
		return false, usagef("%s isn't there, and read-only is on, so that it cannot be made", safe.Text(path))
	}
	a.note("making the demo bucket %s (once)", safe.Text(path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, &exitError{exitUsage, err}
	}
	m := a.newMeter()
	err = demo.Make(ctx, path, func(done, total int) { m.show(fmt.Sprintf("day %d of %d", done, total)) })
	m.clear()
	if errors.Is(err, fs.ErrExist) {
		return false, nil // somebody else made it meanwhile: it is the same
	}
	if err != nil {
		return false, err // it names the bucket
	}
	return true, nil
}
