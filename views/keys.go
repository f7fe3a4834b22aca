package views

import "provcat-tui/ui"

// The kinds of screen, as the table of keys names them.
const (
	onBuckets  = "buckets"
	onOpening  = "opening"
	onFolder   = "folder"
	onLog      = "log"
	onCommit   = "commit"
	onDiff     = "diff"
	onContents = "contents"
	onObject   = "object"
	onAudit    = "audit"
	onForm     = "commit form"
	onFinder   = "finder"
	onRequests = "requests"
	onPin      = "pin"
	onCommand  = "command line"
)

var (
	lists    = []string{onBuckets, onFolder, onLog, onCommit, onDiff, onContents, onObject, onAudit, onRequests, onPin}
	filters  = []string{onBuckets, onFolder, onLog, onCommit, onDiff, onAudit, onRequests, onPin}
	searched = append([]string{onObject, onContents}, filters...)
	sorted   = []string{onBuckets, onFolder, onCommit, onDiff}
	panes    = []string{onFolder, onObject, onAudit}
)

// keyTable is every key of the program: it gives the bindings, the hints and the help.
var keyTable = ui.Keymap{
	{ID: "up", Press: []string{"up", "k"}, Label: "up", Help: "one line up", Group: "Move", On: lists},
	{ID: "down", Press: []string{"down", "j"}, Label: "down", Help: "one line down", Group: "Move", On: lists},
	{ID: "pageup", Press: []string{"pgup", "ctrl+b"}, Label: "page up", Help: "one page up", Group: "Move", On: lists},
	{ID: "pagedown", Press: []string{"pgdown", "ctrl+f"}, Label: "page down", Help: "one page down", Group: "Move", On: lists},
	{ID: "top", Press: []string{"home", "g g"}, Label: "first", Help: "to the first line", Group: "Move", On: lists},
	{ID: "bottom", Press: []string{"end", "G"}, Label: "last", Help: "to the last line", Group: "Move", On: lists},
	{ID: "pane", Press: []string{"tab", "shift+tab"}, Label: "pane", Help: "to the other pane", Group: "Move", On: panes, Hint: 8},
	{ID: "left", Press: []string{"left", "h"}, Label: "close", Help: "close the folder, or to the folder above", Group: "Move", On: []string{onFolder}},
	{ID: "right", Press: []string{"right"}, Label: "open", Help: "open the folder, or to its files", Group: "Move", On: []string{onFolder}},
	{ID: "walk", Press: []string{"down", "up"}, Label: "next →", Help: "in the detail: to the next or last →, else scroll", Group: "Move", On: []string{onAudit}, Hint: 2},
	{ID: "follow", Press: []string{"right"}, Label: "follow", Help: "in the detail: follow the selected →", Group: "Move", On: []string{onAudit}},
	{ID: "leave", Press: []string{"left", "h"}, Label: "to the list", Help: "in the detail: back to the list, at the same finding", Group: "Move", On: []string{onAudit}, Hint: 3},
	{ID: "left", Press: []string{"left", "h"}, Label: "left", Help: "scroll to the left", Group: "Move", On: []string{onContents}},
	{ID: "right", Press: []string{"right"}, Label: "right", Help: "scroll to the right", Group: "Move", On: []string{onContents}},
	{ID: "nextchange", Press: []string{"]"}, Label: "next change", Help: "to the next difference; so does n as long as nothing was searched", Group: "Move", On: []string{onContents}, Hint: 2},
	{ID: "lastchange", Press: []string{"["}, Label: "change before", Help: "to the difference before; so does N", Group: "Move", On: []string{onContents}},
	{ID: "fold", Press: []string{"left", "h"}, Label: "fold", Help: "fold the group, or to its heading", Group: "Move", On: []string{onAudit, onDiff}, Hint: 6},
	{ID: "unfold", Press: []string{"right"}, Label: "unfold", Help: "unfold the group, or to its first line", Group: "Move", On: []string{onAudit, onDiff}},
	{ID: "foldall", Press: []string{"z"}, Label: "fold all", Help: "fold all folders; if all are folded unfold them", Group: "Move", On: []string{onDiff}, Hint: 7},

	{ID: "open", Press: []string{"enter"}, Label: "open", Help: "open what is selected", Group: "Go", On: lists, Hint: 1},
	{ID: "log", Press: []string{"l"}, Label: "log", Help: "the folder's log: its commits, newest first", Group: "Go", On: []string{onFolder}, Hint: 2},
	{ID: "audit", Press: []string{"a"}, Label: "audit", Help: "audit the folder and those below it; reads only", Group: "Go", On: []string{onFolder, onLog, onCommit, onObject, onForm, onPin}, Hint: 4},
	{ID: "log", Press: []string{"l"}, Label: "log", Help: "the log that the commits belong to, newest first", Group: "Go", On: []string{onCommit, onDiff}},
	{ID: "audit", Press: []string{"a"}, Label: "audit", Help: "audit the folder that is compared and those below it; reads only", Group: "Go", On: []string{onDiff}},
	{ID: "at", Press: []string{"@"}, Label: "at commit", Help: "show the folder's files as a commit names them", Group: "Go", On: []string{onFolder}, Hint: 5},
	{ID: "at", Press: []string{"@"}, Label: "its files", Help: "show the folder's files as the selected commit names them", Group: "Go", On: []string{onPin}, Hint: 5},
	{ID: "pin", Press: []string{"p"}, Label: "pin", Help: "which commit a reader of the folder gets at a time, and why", Group: "Go", On: []string{onFolder, onLog}, Hint: 6},
	{ID: "time", Press: []string{"t"}, Label: "time", Help: "ask for the pin at another time", Group: "Go", On: []string{onPin}, Hint: 2},
	{ID: "earlier", Press: []string{"left", "h"}, Label: "earlier", Help: "to the commit that readers got before", Group: "Move", On: []string{onPin}, Hint: 3},
	{ID: "later", Press: []string{"right"}, Label: "later", Help: "to the commit that readers got after it, in the end to now", Group: "Move", On: []string{onPin}, Hint: 3},
	{ID: "buckets", Press: []string{"b"}, Label: "buckets", Help: "the list of buckets", Group: "Go", On: []string{onFolder}},
	{ID: "parent", Press: []string{"p"}, Label: "parent", Help: "open the commit's parent", Group: "Go", On: []string{onCommit}, Hint: 3},
	{ID: "child", Press: []string{"P"}, Label: "child", Help: "open the commit's child: the next one of its log", Group: "Go", On: []string{onCommit}, Hint: 4},
	{ID: "find", Press: []string{"ctrl+p"}, Label: "find", Help: "find a folder, commit, file or command by a few of its letters", Group: "Go", Hint: 9},
	{ID: "command", Press: []string{":"}, Label: "command", Help: "type a command, such as :log sales/2026; tab completes it", Group: "Go", Hint: 13},
	{ID: "help", Press: []string{"?"}, Label: "keys", Help: "what can be done here: type to narrow it, enter does what is picked", Group: "Go", Hint: 10},
	{ID: "requests", Press: []string{"R"}, Label: "requests", Help: "what was asked of the bucket, how long it took and what it cost; again: goes back", Group: "Go"},
	{ID: "suspend", Press: []string{"ctrl+z"}, Label: "suspend", Help: "to the shell for a while; fg there comes back", Group: "Go"},
	{ID: "mouse", Press: []string{"M"}, Label: "mouse", Help: "turn the mouse off, so that the terminal can select text, or on again", Group: "Go"},
	{ID: "back", Press: []string{"esc"}, Label: "back", Help: "cancel what runs, else clear the filter or the marks, else go back", Group: "Go", Hint: 11},
	{ID: "quit", Press: []string{"q"}, Label: "quit", Help: "go back; on the first screen quit (ctrl+c quits anywhere)", Group: "Go", Hint: 12},

	{ID: "mark", Press: []string{"space"}, Label: "mark", Help: "mark a commit, two at most, to compare them", Group: "Do", On: []string{onLog}, Hint: 2},
	{ID: "diff", Press: []string{"d"}, Label: "diff", Help: "compare the marked commits; with none marked the selected one with what is live", Group: "Do", On: []string{onLog}, Hint: 3},
	{ID: "diff", Press: []string{"d"}, Label: "diff", Help: "compare with the parent: what this commit changed", Group: "Do", On: []string{onCommit}, Hint: 2},
	{ID: "diff", Press: []string{"d"}, Label: "diff", Help: "compare the selected commit with what is live", Group: "Do", On: []string{onPin}, Hint: 6},
	{ID: "acknowledge", Press: []string{"m"}, Label: "acknowledge", Help: "mark the finding as acknowledged: a rule in a file on this machine, with a reason and a last day", Group: "Do", On: []string{onAudit}, Hint: 3},
	{ID: "takeback", Press: []string{"m"}, Label: "take back", Help: "on an acknowledged finding: remove its rule, so that it counts again", Group: "Do", On: []string{onAudit}, Hint: 3},
	{ID: "link", Press: []string{"y"}, Label: "copy link", Help: "copy the command that leads here again to the terminal's clipboard (OSC 52; over SSH too)", Group: "Do"},
	{ID: "copy", Press: []string{"Y"}, Label: "copy command", Help: "copy the repair's command to the terminal's clipboard", Group: "Do", On: []string{onAudit}, Hint: 4},
	{ID: "copythis", Press: []string{"Y"}, Label: "copy name", Help: "copy the URL and the selected version to the terminal's clipboard", Group: "Do", On: []string{onObject}},
	{ID: "copythis", Press: []string{"Y"}, Label: "copy name", Help: "copy the URL and the version that it became to the terminal's clipboard", Group: "Do", On: []string{onContents}},
	{ID: "copythis", Press: []string{"Y"}, Label: "copy ID", Help: "copy the commit's ID to the terminal's clipboard", Group: "Do", On: []string{onCommit}},
	{ID: "copyerror", Press: []string{"Y"}, Label: "copy error", Help: "copy the last error, whole, to the terminal's clipboard", Group: "Do", On: []string{onRequests}, Hint: 2},
	{ID: "goon", Press: []string{"w"}, Label: "look on", Help: "go on looking for the commits that name the versions", Group: "Do", On: []string{onObject}, Hint: 2},
	{ID: "goon", Press: []string{"w"}, Label: "check on", Help: "go on checking which of the versions are still there", Group: "Do", On: []string{onCommit}, Hint: 2},
	{ID: "goon", Press: []string{"w"}, Label: "compare on", Help: "count what large commits changed too; under a filter search more messages", Group: "Do", On: []string{onLog}, Hint: 3},
	{ID: "lost", Press: []string{"L"}, Label: "lost commits", Help: "look among the commit objects for commits after the newest entry, which no entry names", Group: "Do", On: []string{onLog}, Hint: 9},
	{ID: "goon", Press: []string{"w"}, Label: "read on", Help: "read older entries of the logs too", Group: "Do", On: []string{onPin}, Hint: 4},
	{ID: "goon", Press: []string{"w"}, Label: "read on", Help: "read more of both versions", Group: "Do", On: []string{onContents}, Hint: 2},
	{ID: "as", Press: []string{"t"}, Label: "show as", Help: "show it in the next way: as a table or as JSON, as lines, as bytes", Group: "Do", On: []string{onContents}, Hint: 3},
	{ID: "beside", Press: []string{"v"}, Label: "side by side", Help: "side by side or under each other; by itself side by side from 120 columns on", Group: "Do", On: []string{onContents}, Hint: 3},
	{ID: "whole", Press: []string{"z"}, Label: "all lines", Help: "all lines, or only what differs with three lines around it", Group: "Do", On: []string{onContents}, Hint: 4},
	{ID: "livediff", Press: []string{"D"}, Label: "diff to live", Help: "compare with what is live: what changed since this commit", Group: "Do", On: []string{onCommit}, Hint: 3},
	{ID: "export", Press: []string{"e"}, Label: "export", Help: "write the report to a file, in any format", Group: "Do", On: []string{onAudit}, Hint: 5},
	{ID: "hide", Press: []string{"x"}, Label: "deleted", Help: "show or hide deleted keys", Group: "Do", On: []string{onFolder}, Hint: 8},
	{ID: "total", Press: []string{"t"}, Label: "count all", Help: "go on counting the folder and what changed in it, to the end", Group: "Do", On: []string{onFolder}, Hint: 3},
	{ID: "tree", Press: []string{"t"}, Label: "folders", Help: "by folder, or all files in one list; what is filtered or sorted is one list anyway", Group: "Do", On: []string{onDiff}, Hint: 7},
	{ID: "filter", Press: []string{"/"}, Label: "filter", Help: "show only lines that contain all words that you type", Group: "Do", On: filters, Hint: 7},
	{ID: "filter", Press: []string{"/"}, Label: "search", Help: "search the text of the preview", Group: "Do", On: []string{onObject}, Hint: 7},
	{ID: "filter", Press: []string{"/"}, Label: "search", Help: "search both contents", Group: "Do", On: []string{onContents}, Hint: 7},
	{ID: "next", Press: []string{"n"}, Label: "next match", Help: "to the next line that matched; also after esc showed all lines again", Group: "Do", On: searched},
	{ID: "previous", Press: []string{"N"}, Label: "match before", Help: "to the match before", Group: "Do", On: searched},
	{ID: "sort", Press: []string{"s"}, Label: "sort", Help: "sort by the next column; after the last one as stored", Group: "Do", On: sorted, Hint: 8},
	{ID: "turn", Press: []string{"S"}, Label: "turn order", Help: "turn the order: ▲ ascending, ▼ descending", Group: "Do", On: sorted},
	{ID: "reload", Press: []string{"r"}, Label: "reload", Help: "load the screen again", Group: "Do", On: append([]string{onOpening}, lists...), Hint: 9},

	{ID: "commit", Press: []string{"c"}, Label: "commit", Help: "commit the folder: first shows what would change", Group: "Write", On: []string{onFolder, onLog}, Hint: 6, Writes: true},
}

// The hints where keys go into a text, a form or the help.
var (
	typingKeys = ui.Keymap{
		{ID: "enter", Press: []string{"enter"}, Label: "keep the filter", Hint: 1},
		{ID: "esc", Press: []string{"esc"}, Label: "clear it", Hint: 2},
	}
	finderKeys = ui.Keymap{
		{ID: "enter", Press: []string{"enter"}, Label: "go there", Hint: 1},
		{ID: "tab", Press: []string{"tab"}, Label: "search on from it", Hint: 2},
		{ID: "down", Press: []string{"↑↓"}, Label: "select", Hint: 3},
		{ID: "esc", Press: []string{"esc"}, Label: "close", Hint: 4},
	}
	lineKeys = ui.Keymap{
		{ID: "enter", Press: []string{"enter"}, Label: "run", Hint: 1},
		{ID: "tab", Press: []string{"tab"}, Label: "complete", Hint: 2},
		{ID: "up", Press: []string{"up"}, Label: "typed before", Hint: 3},
		{ID: "search", Press: []string{"ctrl+r"}, Label: "search it", Hint: 4},
		{ID: "esc", Press: []string{"esc"}, Label: "close", Hint: 5},
	}
	lineChoiceKeys = ui.Keymap{
		{ID: "enter", Press: []string{"enter"}, Label: "run", Hint: 1},
		{ID: "tab", Press: []string{"tab"}, Label: "next", Hint: 2},
		{ID: "down", Press: []string{"↑↓"}, Label: "choose", Hint: 3},
		{ID: "esc", Press: []string{"esc"}, Label: "close", Hint: 4},
	}
	lineSearchKeys = ui.Keymap{
		{ID: "enter", Press: []string{"enter"}, Label: "take it", Hint: 1},
		{ID: "search", Press: []string{"ctrl+r"}, Label: "the one before", Hint: 2},
		{ID: "esc", Press: []string{"esc"}, Label: "as it was", Hint: 3},
	}
	searchKeys = ui.Keymap{
		{ID: "enter", Press: []string{"enter"}, Label: "then {next} and {previous} go from match to match", Hint: 1},
		{ID: "esc", Press: []string{"esc"}, Label: "end the search", Hint: 2},
	}
	formKeys = ui.Keymap{
		{ID: "tab", Press: []string{"tab"}, Label: "next", Hint: 1},
		{ID: "enter", Press: []string{"enter"}, Label: "choose", Hint: 2},
		{ID: "esc", Press: []string{"esc"}, Label: "cancel", Hint: 3},
	}
	// fieldKeys are those of a field; hintsOf says where enter goes.
	fieldKeys = ui.Keymap{
		{ID: "right", Press: []string{"right"}, Label: "choose", Hint: 1},
		{ID: "enter", Press: []string{"enter"}, Label: "next field", Hint: 2},
		{ID: "up", Press: []string{"up"}, Label: "field before", Hint: 3},
		{ID: "esc", Press: []string{"esc"}, Label: "cancel", Hint: 4},
	}
	askKeys = ui.Keymap{
		{ID: "enter", Press: []string{"enter"}, Label: "show", Hint: 1},
		{ID: "tab", Press: []string{"tab"}, Label: "to the buttons", Hint: 2},
		{ID: "esc", Press: []string{"esc"}, Label: "cancel", Hint: 3},
	}
	helpSearchKeys = ui.Keymap{
		{ID: "enter", Press: []string{"enter"}, Label: "do it", Hint: 1},
		{ID: "down", Press: []string{"↑↓"}, Label: "select", Hint: 2},
		{ID: "esc", Press: []string{"esc"}, Label: "show all again", Hint: 3},
	}
	helpKeys = ui.Keymap{
		{ID: "enter", Press: []string{"enter"}, Label: "do it", Hint: 1},
		{ID: "down", Press: []string{"↑↓"}, Label: "select", Hint: 2},
		{ID: "esc", Press: []string{"esc"}, Label: "close", Hint: 3},
	}
)
