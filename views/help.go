package views

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/ui"
)

// help lists what can be done on the shown screen, over it: keys, commands, and what
// the marks mean. What is typed narrows it, enter does what is picked.
type help struct {
	menu *ui.Menu
	does []func(a *app) tea.Cmd // for each item of the menu; nil: nothing
}

func newHelp(query string) *help { return &help{menu: ui.NewMenu(query)} }

// helpGroups is the order of the keys' groups: what is this screen's own comes first.
var helpGroups = []string{"Go", "Do", "Write", "Move"}

// abouts say what a screen is, for a person who is there for the first time.
var abouts = map[string]string{
	onBuckets:  "The places to go to: bookmarks, what was opened recently, and the buckets that the credentials can list.",
	onOpening:  "A bucket that is being opened, or why it could not be.",
	onFolder:   "A bucket: its folders at the left, the files of the selected one at the right, with what changed since its newest commit.",
	onLog:      "The log of a folder: its commits, newest first. Where the line breaks, an entry is gone or was made again.",
	onContents: "A file as two commits name it: what changed inside it. A side that cannot be read is told above.",
	onCommit:   "One commit: who made it and why, its files, and which of their versions can still be read.",
	onDiff:     "What changed between two commits, or since one: files added, changed and removed.",
	onObject:   "All versions of one key, newest first, which commits name them, and whether they can be read.",
	onAudit:    "What an audit found, the worst first; beside it each finding's reason and repair.",
	onForm:     "A commit that is not made yet: what it would hold. Nothing is written before you choose Commit.",
	onRequests: "What was asked of the bucket, how long it took and what it cost; the last error stands whole below.",
	onPin:      "Which commit a reader of the folder gets at a time, and why; below, which one readers got when.",
}

// fill puts the items together, as they are now.
func (h *help) fill(a *app) {
	h.menu.Items, h.does = nil, nil
	h.menu.Intro = abouts[a.stack.top().kind()]
	add := func(it ui.MenuItem, do func(a *app) tea.Cmd) {
		h.menu.Items, h.does = append(h.menu.Items, it), append(h.does, do)
	}
	for _, g := range helpGroups {
		if g == "Move" {
			h.fillCommands(a, add)
		}
		for _, k := range a.bound() {
			if k.Group != g {
				continue
			}
			it := ui.MenuItem{Group: g, Key: strings.ReplaceAll(k.Presses(), ", ", " "), Text: k.Help, Also: k.ID + " " + k.Label}
			if len(k.Press) == 0 {
				it.Key = "no key"
			}
			ok, why := a.enabled(k.ID)
			it.Off, it.Why = !ok, why
			add(it, func(a *app) tea.Cmd { return a.performFirst(ui.Keymap{k}) })
		}
	}
	for _, m := range marks {
		add(ui.MenuItem{Group: "Marks", Key: m[0], Text: m[1], Read: true}, nil)
	}
}

func (h *help) fillCommands(a *app, add func(ui.MenuItem, func(a *app) tea.Cmd)) {
	able := a.ableCommands(a.stack)
	for i := range commands {
		x := &commands[i]
		it := ui.MenuItem{Group: "Commands", Key: ":" + x.name, Text: x.help, Also: x.args}
		if x.writes && a.readOnly() {
			continue
		}
		it.Off = true
		for _, y := range able {
			it.Off = it.Off && x != y
		}
		if it.Off {
			it.Why = "no bucket is open here"
		}
		add(it, func(a *app) tea.Cmd { return a.beginCommand(x) })
	}
}

// input takes a key or a paste while the help is open.
func (h *help) input(a *app, msg tea.Msg) tea.Cmd {
	h.fill(a)
	if k, ok := msg.(tea.KeyPressMsg); ok && h.menu.Query() == "" {
		switch {
		case k.String() == "/": // where others begin to search
			return nil
		case a.helpKey(k.String()):
			a.help = nil
			return nil
		}
	}
	switch h.menu.Update(msg) {
	case ui.PickCancel:
		if h.menu.Query() == "" {
			a.help = nil
		}
		h.menu.Clear()
	case ui.PickThis:
		return h.pick(a)
	}
	return nil
}

// helpKey says whether a press opens the help, so that it closes it too.
func (a *app) helpKey(press string) bool {
	for _, k := range a.bound().Bound(a.stack.top().kind(), press) {
		if k.ID == "help" {
			return true
		}
	}
	return false
}

// pick does what is selected, or says why it does not.
func (h *help) pick(a *app) tea.Cmd {
	it := h.menu.Picked()
	switch {
	case it == nil:
		return nil
	case it.Read:
		a.note = note{ui.Dim, "This is a mark on the screens: there is nothing to do with it."}
		return nil
	case it.Off:
		why := it.Why
		if why == "" {
			why = "it has no use here"
		}
		a.note = note{ui.Dim, "Not now: " + why + "."}
		return nil
	}
	for i := range h.menu.Items {
		if it == &h.menu.Items[i] {
			a.help = nil
			return h.does[i](a)
		}
	}
	return nil
}

// over draws the help over a screen.
func (h *help) over(a *app, body []string, w, ht int, th *ui.Theme) []string {
	h.fill(a)
	bw := min(w-8, 100)
	return ui.Over(body, ui.Box("Help: the "+a.stack.top().kind()+" screen", h.menu.View(bw, ht-2, th), bw, th), w, ht)
}

// marks are the signs on all screens, and what they mean.
var marks = [][2]string{
	{ui.MarkSound, "sound as far as it was read; of an object: live"},
	{ui.MarkDeleted, "damage: deleted, gone, or not the bytes that were committed"},
	{ui.MarkRemade, "damage: a log entry that names another commit than it did"},
	{ui.MarkGap, "damage: log entries of which nothing is left"},
	{ui.MarkUnsure, "could not be checked; it is not known to be missing"},
	{"!", "a risk: sound now, but a rule or a setting will break it"},
	{"~", "an anomaly that may be harmless; in a comparison: changed"},
	{"+ ~ - =", "of a file, beside the newest commit: new, changed, deleted, as it has it; blank: not compared (yet)"},
	{"● ✗ ↓", "of a folder: it has a log; damage of it is known; damage further down is known"},
	{"·", "worth knowing, nothing to do"},
	{"○", "a noncurrent version: not live, still readable by its ID"},
}
