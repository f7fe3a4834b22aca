package cli

import (
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// flags are those that every command takes.
type flags struct {
	profile      string
	region       string
	endpoint     string
	pathStyle    bool
	requestPayer bool
	billing      string
	concurrency  int
	maxCommit    int64 // bytes; 0: any
	readOnly     bool
	noColor      bool
	quiet        bool
	logFile      string
	config       string
	ignore       string // of the explorer: its file of acknowledged findings

	// set tells which were given, for what the config file sets otherwise.
	set func(name string) bool

	// to says which screen the explorer opens.
	to deepLink
}

const rootLong = `provcat-tui shows the folders, versions, commits and damage of a versioned
bucket, commits folders and audits what their commits promise.

Without a command it opens the explorer in the terminal: at URL, or on the list
of buckets.

URL:  s3://bucket/folder, gs://bucket/folder, file:///data/x.bucket/folder, or the
      path of a bucket file
REF:  a commit's number (42), six or more hex digits of its ID (id:123456 where
      they are all digits), head, head~2, or live: what is there now

Exit codes: 0 done; 1 a negative answer; 2 wrong usage, or the bucket cannot be
opened; 3 could not be completed, or unclear; 130 interrupted.`

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:     "provcat-tui [URL]",
		Short:   "Explore, commit and audit versioned buckets",
		Long:    rootLong,
		Example: "  provcat-tui demo\n  provcat-tui s3://team-data/sales\n  provcat-tui s3://team-data/sales --diff 41..live\n  provcat-tui audit s3://team-data",
		Version: Version(),
		// A word two letters from a command is taken for it, mistyped.
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
		SilenceErrors:              true,
		Args:                       a.rootArgs,
		PersistentPreRunE:          func(cmd *cobra.Command, _ []string) error { return a.prepare(cmd) },
		RunE:                       a.runTUI,
		ValidArgsFunction:          a.completeURL,
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetVersionTemplate("provcat-tui {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		// A flag that only a mistyped command has is not what is wrong.
		if len(a.args) > 0 && !cmd.HasParent() && !strings.HasPrefix(a.args[0], "-") {
			if wrong := a.mistyped(cmd, a.args[0]); wrong != nil {
				return wrong
			}
		}
		return usagef("%s", err)
	})
	a.addFlags(root.PersistentFlags())
	root.Flags().StringVar(&a.flags.ignore, "ignore", "", "keep acknowledged findings in this YAML `file`, not in ignore.yaml beside the config file")
	a.flags.to.add(root.Flags())
	_ = root.RegisterFlagCompletionFunc("format", completeFormat) // fails only for a flag that isn't there
	root.AddCommand(a.lsCommand(), a.logCommand(), a.showCommand(), a.diffCommand(),
		a.commitCommand(), a.pinCommand(), a.catCommand(), a.getCommand(), a.restoreCommand(), a.protectCommand(), a.doctorCommand(), a.auditCommand(), a.repairCommand(), a.demoCommand())
	root.InitDefaultCompletionCmd("completion") // any argument: make it in any case
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			// cobra's own prints its help and says that all is well.
			c.Args, c.RunE = cobra.ArbitraryArgs, noShell
		}
	}
	return root
}

func noShell(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("completion needs a shell: bash, zsh, fish or powershell")
	}
	return usagef("completion %s: one of bash, zsh, fish, powershell", safe.Shell(args[0]))
}

func (a *app) addFlags(f *pflag.FlagSet) {
	f.StringVar(&a.format, "format", "text", "output as text or json; audit also as jsonl, markdown, sarif, junit, metrics")
	f.StringVar(&a.flags.profile, "profile", "", "profile of the AWS config files")
	f.StringVar(&a.flags.region, "region", "", "the bucket's region")
	f.StringVar(&a.flags.endpoint, "endpoint", "", "URL of a server other than AWS or Google")
	f.BoolVar(&a.flags.pathStyle, "path-style", false, "name the bucket in the path, not in the host name")
	f.BoolVar(&a.flags.requestPayer, "request-payer", false, "pay for the requests to a requester-pays bucket")
	f.StringVar(&a.flags.billing, "billing-project", "", "Google Cloud `project` that pays for the requests to a requester-pays bucket")
	f.IntVar(&a.flags.concurrency, "concurrency", 0, "requests side by side (0: the default, 16; audit 32)")
	byteSizeVar(f, &a.flags.maxCommit, "max-commit-size", commit.MaxObject, "read no commit object of more bytes, nor write one (0: of any size)")
	f.BoolVar(&a.flags.readOnly, "read-only", false, "refuse everything that writes to a bucket")
	f.BoolVar(&a.flags.noColor, "no-color", false, "no colours (also with NO_COLOR in the environment)")
	f.BoolVar(&a.flags.quiet, "quiet", false, "no progress and no notes on standard error")
	f.StringVar(&a.flags.config, "config", "", "read this config `file`, which must be there, not the person's own")
	f.StringVar(&a.flags.logFile, "log-file", "", "append a JSON line for each request to this `file`")
	a.flags.set = f.Changed
}

// prepare checks the shared flags and reads the config file.
func (a *app) prepare(cmd *cobra.Command) error {
	if err := checkFormat(cmd, a.format); err != nil {
		return err
	}
	if a.flags.concurrency < 0 || a.flags.concurrency > 1024 {
		return usagef("--concurrency %d: from 1 to 1,024, or 0 for the default", a.flags.concurrency)
	}
	cmd.SetContext(commit.WithMaxObject(cmd.Context(), a.flags.maxCommit))
	if os.Getenv("NO_COLOR") != "" {
		a.flags.noColor = true
	}
	// What cobra itself provides needs no config file; completion reads it itself
	// and has nobody to complain to.
	switch {
	case cmd.Name() == "help", cmd.Name() == cobra.ShellCompRequestCmd, cmd.Name() == cobra.ShellCompNoDescRequestCmd,
		cmd.HasParent() && cmd.Parent().Name() == "completion":
		return nil
	}
	c, err := a.loadConfig()
	if err != nil {
		return err
	}
	a.config = c
	if info, err := os.Stat(a.configPath()); err == nil && openTo(info.Mode()) == writing {
		a.note("%s can be written by others, who so choose the servers that your requests go to: \"chmod go-w\" keeps it to yourself", safe.Text(a.configPath()))
	}
	if !a.flags.set("read-only") {
		a.flags.readOnly = c.ReadOnly
	}
	return a.openLog()
}

func (a *app) openLog() error {
	if a.flags.logFile == "" || a.logFile != nil {
		return nil
	}
	// Keys and URLs are in it: nobody else's business.
	f, err := os.OpenFile(a.flags.logFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return usagef("--log-file: %s", err)
	}
	if who := othersMay(f); who != "" {
		a.note("--log-file %s can be %s by others, and names keys and buckets: \"chmod 600\" keeps it to yourself", safe.Text(a.flags.logFile), who)
	}
	a.logFile = &logFile{File: f}
	a.log = slog.New(slog.NewJSONHandler(a.logFile, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return nil
}

// oneOf checks a flag that takes one of a few words.
func oneOf(flag, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	list := ""
	for i, w := range words {
		if i > 0 {
			list += ", "
		}
		list += w
	}
	return usagef("%s %s: one of %s", flag, safe.Shell(value), list)
}

// Version is the program's version: the module's, or the commit that it was
// built from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return fmt.Sprintf("devel-%s", s.Value[:12])
		}
	}
	return "devel"
}
