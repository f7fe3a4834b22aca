package views

import (
	"strings"

	"provcat-tui/ui"
)

// What an argument of a command may be: it is completed accordingly.
type argument int

const (
	argText argument = iota // the rest of the line, as it is
	argFolder
	argKey
	argVersion
	argRef
	argRange // two REFs with .. between
	argTime
	argColumn
	argOrder
	argSwitch
	argPlace // a URL, or the name of a bookmark
	argLink  // the words after a URL
	argScreen
	argCommand
)

// A command of the command line. The table of them gives what can be typed, its
// completion, the help, the finder and docs/commands.md.
type command struct {
	name    string
	aliases []string
	args    string // as people read it: "REF [FOLDER]"
	help    string
	about   string // more, for the page of the commands
	key     string // the ID of the key that does the same; empty: none
	takes   [][]argument
	needs   bool // the first argument must be there
	inside  bool // works only in a bucket
	writes  bool
	plan    func(c *commandLine, args []string) (plan, error)
}

var toFolder = []argument{argFolder}

// commands is every command.
var commands []command

func init() { // some of them look at the table
	commands = []command{
		{name: "cd", args: "[FOLDER]", takes: [][]argument{toFolder}, inside: true, plan: (*commandLine).planFolder,
			help: "to a folder of the bucket", about: "`..` is the folder above, `/` or nothing the whole bucket."},
		{name: "log", args: "[FOLDER]", key: "log", takes: [][]argument{toFolder}, inside: true, plan: (*commandLine).planLog,
			help: "a folder's log: its commits, newest first"},
		{name: "commit", args: "REF [FOLDER]", takes: [][]argument{{argRef}, toFolder}, needs: true, inside: true, plan: (*commandLine).planCommit,
			help: "one commit: who, when, why, and its files", about: "Where the folder has no log, or no such commit, the folders above it are asked."},
		{name: "diff", args: "A [B] [FOLDER]", takes: [][]argument{{argRange, argRef}, {argRef, argFolder}, toFolder}, inside: true, plan: (*commandLine).planDiff,
			help: "compare two commits, or one with what is live", about: "A and B are REFs, or `live`, also as one word: `41..live`. With one it is compared with what is live, with none the newest commit is."},
		{name: "at", args: "REF|TIME [FOLDER]", key: "at", takes: [][]argument{{argRef, argTime}, toFolder}, needs: true, inside: true, plan: (*commandLine).planAt,
			help: "the folder's files at a commit, or as a reader got them at a time", about: "Of a time the pin is taken: the newest commit by time of the folder and those above it."},
		{name: "pin", args: "[TIME] [FOLDER]", key: "pin", takes: [][]argument{{argTime}, toFolder}, inside: true, plan: (*commandLine).planPin,
			help: "which commit a reader gets at a time, and why"},
		{name: "object", args: "KEY [VERSION]", takes: [][]argument{{argKey}, {argVersion}}, needs: true, inside: true, plan: (*commandLine).planObject,
			help: "all versions of a key, and why a read of it fails"},
		{name: "audit", args: "[FOLDER]", key: "audit", takes: [][]argument{toFolder}, inside: true, plan: (*commandLine).planAudit,
			help: "audit a folder and those below it; reads only", about: "A report of this session is shown again, unless you committed since; `r` there audits anew."},
		{name: "open", aliases: []string{"provcat-tui"}, args: "URL [--log …]", takes: [][]argument{{argPlace}, {argLink}}, needs: true, plan: (*commandLine).planOpen,
			help: "another bucket or folder, by its URL or a bookmark's name", about: "It takes what `y` copies, also as a whole: `provcat-tui s3://b/sales --commit 42`."},
		{name: "buckets", aliases: []string{"bookmarks"}, key: "buckets", plan: (*commandLine).planBuckets,
			help: "the list of buckets: bookmarks, recent ones and those that can be listed"},
		{name: "requests", key: "requests", plan: (*commandLine).planRequests,
			help: "what was asked of the bucket, how long it took and what it cost"},
		{name: "filter", args: "[TEXT]", key: "filter", takes: [][]argument{{argText}}, plan: (*commandLine).planFilter,
			help: "show only lines that contain all the words; without any, all lines"},
		{name: "sort", args: "COLUMN [asc|desc]", key: "sort", takes: [][]argument{{argColumn}, {argOrder}}, needs: true, plan: (*commandLine).planSort,
			help: "sort the lines by a column, or by none", about: "Without a direction sizes, times and changes come largest first."},
		{name: "back", args: "[SCREEN]", key: "back", takes: [][]argument{{argScreen}}, plan: (*commandLine).planBack,
			help: "to the screen before, or to one further back on the way here"},
		{name: "reload", aliases: []string{"e"}, key: "reload", plan: (*commandLine).planReload,
			help: "load the screen again"},
		{name: "mouse", args: "[on|off]", key: "mouse", takes: [][]argument{{argSwitch}}, plan: (*commandLine).planMouse,
			help: "the mouse on, or off so that the terminal selects text"},
		{name: "write", aliases: []string{"w"}, args: "[MESSAGE]", key: "commit", takes: [][]argument{{argText}}, inside: true, writes: true, plan: (*commandLine).planWrite,
			help: "commit the folder: first shows what would change, and asks"},
		{name: "help", aliases: []string{"h"}, args: "[WORD]", key: "help", takes: [][]argument{{argCommand}}, plan: (*commandLine).planHelp,
			help: "the keys and commands of this screen"},
		{name: "quit", aliases: []string{"q", "q!", "qa", "qa!", "quit!", "exit"}, plan: (*commandLine).planQuit,
			help: "leave the program"},
	}
}

// usage is a command as people read it.
func (c *command) usage() string { return strings.TrimSpace(c.name + " " + c.args) }

// commandNamed gives the command of a name or alias, else the only one that begins with it.
func commandNamed(cs []*command, name string) (found *command, several []string) {
	var begins []*command
	for _, c := range cs {
		if c.name == name {
			return c, nil
		}
		for _, a := range c.aliases {
			if a == name {
				return c, nil
			}
		}
		if name != "" && strings.HasPrefix(c.name, name) {
			begins = append(begins, c)
		}
	}
	if len(begins) == 1 {
		return begins[0], nil
	}
	for _, c := range begins {
		several = append(several, ":"+c.name)
	}
	return nil, several
}

// nearCommand is the name that was probably meant; empty: none is like it.
func nearCommand(cs []*command, name string) string {
	var names []string
	for _, c := range cs {
		names = append(names, c.name)
	}
	return ui.Near(strings.ToLower(name), names)
}
