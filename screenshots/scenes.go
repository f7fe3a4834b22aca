package main

// A scene is one picture: what is run, and the steps until it is taken (see
// term.do). In the arguments $BUCKET is the demo bucket.
type scene struct {
	name  string
	look  look
	args  []string
	steps []string
}

var (
	dark  = look{cols: 80, rows: 24}
	light = look{cols: 80, rows: 24, light: true}
	wide  = look{cols: 200, rows: 60}
	broad = look{cols: 200, rows: 50} // for a screen so full of text that a larger picture would be too heavy
)

// settings are the person's configuration file.
func settings(bucket string) string {
	return "author: ana\nbookmarks:\n  - name: team data\n    url: " + bucket + "\n"
}

const (
	root   = "$BUCKET"
	orders = "$BUCKET/sales/2026"
	churn  = "$BUCKET/models/churn"
	events = "$BUCKET/web/events"
)

var (
	atLog    = []string{"see 2026/", "l", "see Orders to 13 November"}
	atHead   = []string{"see churn", "l", "see deleted"}
	atCommit = then(atLog, "down", "enter", "see right")
	atDiff   = then(atLog, "down", "space*2", "d", "see changed", "down*12")
	// A file that the later of two commits restated.
	atContents = then(atDiff, "enter", "see as a table")
	atRequests = then(atLog, "R", "see requests since the start")
	atObject   = []string{"see orders-2026-10-12", "tab", "/", "type 10-12", "enter", "enter", "see 2 versions", "down"}
	// The newest commit of web/events that lost versions to a rule, and one of them.
	atLoss  = []string{"see raw", "l", "see Events", "end", "up*2", "enter", "see 16 gone", "s*2"}
	atCause = then(atLoss, "enter", "see trim-rollups")
	atForm  = []string{"see raw", "c", "see Message", "type Events to 20 November"}
	atAudit = []string{"see models", "a", "see FAIL"}
)

func then(steps []string, more ...string) []string {
	return append(append([]string{}, steps...), more...)
}

var scenes = []scene{
	{"buckets", dark, nil, []string{"see team data", "see analytics-staging"}},
	{"buckets-light", light, nil, []string{"see team data", "see analytics-staging"}},
	{"folder", dark, []string{"$BUCKET/sales"}, []string{"see products.csv", "see 8 commits"}},
	{"folder-light", light, []string{"$BUCKET/sales"}, []string{"see products.csv", "see 8 commits"}},
	{"folder-wide", wide, []string{"$BUCKET/sales"}, []string{"see products.csv", "see newest commit"}},
	{"at", dark, []string{"$BUCKET/sales"}, []string{"see products.csv", "@", "see Nothing", "type 4", "enter", "see #4"}},
	{"log", dark, []string{orders}, atLog},
	{"log-light", light, []string{orders}, atLog},
	{"log-wide", wide, []string{orders}, atLog},
	{"log-head-deleted", dark, []string{churn}, atHead},
	{"commit", dark, []string{orders}, atCommit},
	{"commit-light", light, []string{orders}, atCommit},
	{"commit-gone", dark, []string{events}, atLoss},
	{"commit-gone-light", light, []string{events}, atLoss},
	{"object-gone", dark, []string{events}, atCause},
	{"object-gone-light", light, []string{events}, atCause},
	{"object-gone-wide", broad, []string{events}, atCause},
	{"diff", dark, []string{orders}, atDiff},
	{"diff-light", light, []string{orders}, atDiff},
	{"contents", dark, []string{orders}, atContents},
	{"contents-light", light, []string{orders}, atContents},
	{"contents-wide", broad, []string{orders}, then(atContents, "t", "see as lines")},
	{"object", dark, []string{"$BUCKET/sales/2026/eu/10"}, atObject},
	{"object-light", light, []string{"$BUCKET/sales/2026/eu/10"}, atObject},
	{"pin", dark, []string{orders}, then(atLog, "p", "see reads")},
	{"pin-light", light, []string{orders}, then(atLog, "p", "see reads")},
	{"finder", dark, []string{orders}, then(atLog, "ctrl+p", "type octo", "see restatement")},
	{"finder-light", light, []string{orders}, then(atLog, "ctrl+p", "type octo", "see restatement")},
	{"form", dark, []string{events}, atForm},
	{"form-light", light, []string{events}, atForm},
	{"requests", dark, []string{orders}, atRequests},
	{"requests-light", light, []string{orders}, atRequests},
	{"command", dark, []string{orders}, then(atLog, ":", "type commit ", "see head~1", "tab*4")},
	{"command-light", light, []string{root}, []string{"see sales/", ":", "see a folder's log"}},
	{"help", dark, []string{orders}, then(atLog, "?", "see narrow")},
	{"help-light", light, []string{orders}, then(atLog, "?", "see narrow")},
	{"help-search", dark, []string{orders}, then(atLog, "?", "type diff", "see compare")},
	{"audit", dark, []string{root}, atAudit},
	{"audit-light", light, []string{root}, atAudit},
	{"audit-wide", broad, []string{root}, atAudit},
	{"audit-running", dark, []string{root}, []string{"see models", "catch a Reading"}},
	{"finding", dark, []string{root}, then(atAudit, "down*7", "tab")},
	{"acknowledge", dark, []string{root}, then(atAudit, "m", "see Acknowledge", "type The drill of November; ana mends it")},
	{"export", dark, []string{root}, then(atAudit, "e", "see Export", "right*3")},
}
