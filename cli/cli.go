// Package cli is the command line: one file for each command, and the few
// things that they share (exit codes, output, opening a bucket).
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"provcat-tui/bucket"
	"provcat-tui/config"
	"provcat-tui/internal/safe"
	"provcat-tui/views"
)

// Main runs the program with the arguments that follow its name and gives its
// exit code. It writes to stdout and stderr only, and stops when ctx is done.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return run(ctx, &app{in: stdin, rawOut: stdout, err: stderr, now: time.Now}, args)
}

// app is one run of the program.
type app struct {
	in     io.Reader
	rawOut io.Writer     // what stdout is; only to ask whether it is a terminal
	out    *bufio.Writer // flushed when the command is done
	err    io.Writer
	now    func() time.Time

	args    []string
	flags   flags
	link    views.Link // the screen that the explorer opens
	format  string     // "text" or "json"
	config  config.Config
	log     *slog.Logger // nil without --log-file
	logFile *logFile
	begun   bool     // a write was begun that an interruption does not tell of
	warned  sync.Map // the texts of warn that were told
}

func run(ctx context.Context, a *app, args []string) int {
	a.out, a.args = bufio.NewWriter(stdout{a.rawOut}), args
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if ferr := a.out.Flush(); err == nil {
		err = ferr
	}
	if a.logFile != nil {
		if text := a.logFile.end(); text != "" {
			a.complain(text)
		}
	}
	code := codeOf(ctx, err)
	if err == nil || silent(err) {
		return code
	}
	if code == exitInterrupted {
		text := "interrupted" + a.untouched(cmd)
		var e *interruptedError
		if errors.As(err, &e) {
			text = e.text
		}
		a.complain(text)
		return code
	}
	text := strings.TrimPrefix(err.Error(), errUsage.Error()+": ")
	if errors.Is(err, errUsage) || errors.Is(err, bucket.ErrUsage) {
		text = safe.Secrets(text) // it repeats what was typed or pasted
	}
	a.complain(text)
	if errors.Is(err, errUsage) {
		_, _ = fmt.Fprintf(a.err, "see %s --help\n", cmd.CommandPath())
	}
	return code
}

// untouched says of a command that writes that it did not come to that: once it has
// begun to write it tells what was done in an interruptedError.
func (a *app) untouched(cmd *cobra.Command) string {
	if a.begun {
		return ""
	}
	for c := cmd; c.HasParent(); c = c.Parent() {
		switch c.Name() {
		case "commit":
			return ": nothing was committed"
		case "restore", "protect", "repair":
			return ": nothing was written"
		}
	}
	return ""
}

// complain writes one message to stderr. Errors escape what came from a bucket;
// this is the last line of defence for those that others made.
func (a *app) complain(msg string) {
	lines := strings.Split(strings.TrimRight(msg, "\n"), "\n")
	for i, l := range lines {
		if strings.ContainsFunc(l, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsGraphic(r) }) {
			lines[i] = safe.Text(l)
		}
	}
	// A failed write to stderr has nowhere to be told.
	_, _ = fmt.Fprintf(a.err, "provcat-tui: %s\n", strings.Join(lines, "\n  "))
}

// note tells the person something beside the answer; --quiet drops it.
func (a *app) note(format string, args ...any) {
	if !a.flags.quiet {
		_, _ = fmt.Fprintf(a.err, "provcat-tui: "+format+"\n", args...)
	}
}

// warn tells of the way to a bucket, each text once.
func (a *app) warn(text string) {
	if _, told := a.warned.LoadOrStore(text, true); !told {
		a.note("%s", text)
	}
}

// usagef is an error of the command line.
func usagef(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUsage, fmt.Sprintf(format, args...))
}

// isTerminal says whether v is a file that is a terminal.
func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// argNames checks the number of arguments, with a message that names what is
// missing. names are the arguments in order; the last optional ones may be left out.
func argNames(optional int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		need := len(names) - optional
		switch {
		case len(args) < need:
			return usagef("%s needs %s", cmd.CommandPath(), names[len(args)])
		case len(args) > len(names):
			return usagef("%s takes no argument %s", cmd.CommandPath(), safe.Shell(args[len(names)]))
		}
		return nil
	}
}
