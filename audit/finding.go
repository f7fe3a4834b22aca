// Package audit checks everything that the commits of a bucket promise, and only
// reads. docs/audit.md describes each finding for users.
package audit

import (
	"strings"
	"time"
)

// Severity of a finding. The zero value is none.
type Severity string

// The severities, worst first.
const (
	Damage  Severity = "damage"  // what a commit promises cannot be read, or history was changed
	Risk    Severity = "risk"    // sound now, but a rule or setting will break it
	Anomaly Severity = "anomaly" // the writer never makes this; a harmless cause is possible
	Unknown Severity = "unknown" // could not be checked
	Info    Severity = "info"    // worth knowing, nothing to do
)

// Severities in order, worst first.
var Severities = []Severity{Damage, Risk, Anomaly, Unknown, Info}

// Confidence in a finding.
type Confidence string

// The confidences.
const (
	Certain  Confidence = "certain"
	Likely   Confidence = "likely"
	Possible Confidence = "possible"
)

// Depth of an audit; each includes the ones before.
type Depth string

// The depths, shallow to deep.
const (
	DepthLog      Depth = "log"      // keys under .provcat/ and the log entries
	DepthCommits  Depth = "commits"  // also every commit object, hashed
	DepthVersions Depth = "versions" // also one listing of every version under the committed folders
	DepthReadable Depth = "readable" // also one ranged read of each named version
)

// Verdict of an audit.
type Verdict string

// The verdicts.
const (
	Pass       Verdict = "pass"
	Fail       Verdict = "fail"
	Incomplete Verdict = "incomplete"
)

// A Finding is one thing to know. Strings in it come from the bucket; only
// writers of reports escape them.
type Finding struct {
	ID          string     `json:"id"`
	Severity    Severity   `json:"severity"`
	Confidence  Confidence `json:"confidence"`
	Folder      *string    `json:"folder"` // nil: not about a folder, or its name is unknown
	Number      int64      `json:"number,omitempty"`
	Commit      string     `json:"commit,omitempty"`
	Key         string     `json:"key,omitempty"`
	Version     string     `json:"version,omitempty"`
	Title       string     `json:"title"`
	Detail      string     `json:"detail"`
	Due         *time.Time `json:"due"`
	Affected    Affected   `json:"affected"`
	Evidence    []Evidence `json:"evidence"`
	Repair      *Repair    `json:"repair"`
	Fingerprint string     `json:"fingerprint"`
}

// Affected says what a finding breaks.
type Affected struct {
	Commits  []CommitRef `json:"commits"`
	Versions int64       `json:"versions"`
	// Digest tells damage of as many versions apart: it is one of all their keys and
	// version IDs, 32 hex digits. Empty: the finding is no such damage.
	Digest   string     `json:"digest,omitempty"`
	Examples []Evidence `json:"examples"`
	// Schedule says when what a finding foretells happens; empty: it foretells
	// nothing that has dates.
	Schedule []Week `json:"schedule,omitempty"`
}

// A Week is one week of a forecast.
type Week struct {
	Monday   string `json:"week"`     // its first day, UTC: 2006-01-02
	Versions int64  `json:"versions"` // that are due in it
	Commits  int64  `json:"commits"`  // whose first version is due in it: they break then
}

// A CommitRef names a commit.
type CommitRef struct {
	Folder string `json:"folder"`
	Number int64  `json:"number"`
	ID     string `json:"id"`
	// Due is when the commit breaks; only in a forecast.
	Due *time.Time `json:"due,omitempty"`
}

// Evidence is one version or marker, as the store told of it, so that a person
// can check it with the cloud's own command line.
type Evidence struct {
	Key          string     `json:"key"`
	Version      string     `json:"version,omitempty"`
	Modified     *time.Time `json:"modified"`
	Latest       bool       `json:"live"` // the newest of its key: what a plain GET meets
	DeleteMarker bool       `json:"delete_marker"`
	Derived      bool       `json:"derived,omitempty"` // of a marker: see bucket.Version
	ETag         string     `json:"etag"`
	Size         int64      `json:"size"`
	Note         string     `json:"note,omitempty"`
}

// Marker says what a marker is, in one clause; empty where it is a version. What the
// store has no object for is only guessed from a gap, which a version that was removed
// for good leaves too.
func (e Evidence) Marker() string {
	switch {
	case !e.DeleteMarker:
		return ""
	case !e.Derived:
		return "delete marker"
	case e.Latest:
		return "no live version since (deleted, or what followed was removed for good)"
	}
	return "no live version for a while (deleted, or what followed was removed for good)"
}

// Repair says what mends a finding.
type Repair struct {
	Kind    string `json:"kind"`
	Command string `json:"command,omitempty"` // one shell line, quoted
	Text    string `json:"text,omitempty"`
}

// Coverage of one kind of thing: what was checked of what was in scope.
type Coverage struct {
	Checked int64  `json:"checked"`
	Total   int64  `json:"total"`
	Skipped []Skip `json:"skipped"`
}

// A Skip counts what was not checked for one reason.
type Skip struct {
	Reason string `json:"reason"`
	// Count is 0 where it is not known how many: Coverage.Total lacks them too.
	Count int64 `json:"count"`
	// Chosen says that it was left out because the caller asked for that (a sample,
	// a budget): the audit is then not complete, but its verdict not incomplete.
	Chosen bool `json:"chosen,omitempty"`
}

// CoverageSet is the coverage of an audit.
type CoverageSet struct {
	Logs     Coverage `json:"logs"`
	Entries  Coverage `json:"entries"`
	Commits  Coverage `json:"commits"`
	Versions Coverage `json:"versions"`
	Settings Coverage `json:"settings"`
}

// Requests that an audit made.
type Requests struct {
	List    int64   `json:"list"`
	Get     int64   `json:"get"`
	Head    int64   `json:"head"`
	CostUSD float64 `json:"cost_usd"`
	Prices  *Prices `json:"prices,omitempty"` // that were given; nil: DefaultPrices
}

// Scope of an audit. An empty folder is the whole bucket.
type Scope struct {
	Folder string `json:"folder"`
	Depth  Depth  `json:"depth"`
}

// A Report is what an audit found: the document of --format json.
type Report struct {
	Schema   string           `json:"schema"` // "provcat-audit/1"
	Tool     Tool             `json:"tool"`
	Bucket   string           `json:"bucket"`
	Scope    Scope            `json:"scope"`
	Started  time.Time        `json:"started"`
	Finished time.Time        `json:"finished"`
	FailOn   Severity         `json:"fail_on"` // the mildest that makes the verdict fail
	Verdict  Verdict          `json:"verdict"`
	Complete bool             `json:"complete"`
	Coverage CoverageSet      `json:"coverage"`
	Requests Requests         `json:"requests"`
	Counts   map[Severity]int `json:"counts"`
	Findings []Finding        `json:"findings"`
	// Inventory is the report that stood for the listing of versions; nil: none did.
	Inventory *InventoryUse `json:"inventory,omitempty"`
	// Folders are those in scope that have a log, in order of name.
	Folders []string `json:"folders"`
	// Acknowledged findings don't count for the verdict, nor in Counts. But what
	// could not be checked leaves the audit incomplete, acknowledged or not.
	Acknowledged []Acknowledged `json:"acknowledged"`
	// Rules and Baseline tell what became of Options.Ignore and Options.Baseline; nil:
	// none was given.
	Rules    *RuleUse     `json:"rules,omitempty"`
	Baseline *BaselineUse `json:"baseline,omitempty"`
	// Witness is what the next audit is to be given as Options.Witness; nil: none
	// was asked for, or the logs could not be listed, so that the old one stands.
	Witness *Witness `json:"-"`
}

// An Acknowledged finding is one that somebody knows of.
type Acknowledged struct {
	Finding
	By      string     `json:"by"`      // "ignore" or "baseline"
	Reason  string     `json:"reason"`  // as the list of ignored findings gives it
	Expires *time.Time `json:"expires"` // when it counts again; nil: never
}

// Tool that made a report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// rank orders severities, worst first.
func (s Severity) rank() int {
	for i, x := range Severities {
		if x == s {
			return i
		}
	}
	return len(Severities)
}

// AtLeast says whether s is as bad as t or worse.
func (s Severity) AtLeast(t Severity) bool { return s.rank() <= t.rank() }

// Mark is the sign of a severity where colour may be missing.
func (s Severity) Mark() string {
	switch s {
	case Damage:
		return "✗"
	case Risk:
		return "!"
	case Anomaly:
		return "~"
	case Unknown:
		return "?"
	}
	return "·"
}

// Title of a severity for people.
func (s Severity) Title() string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(string(s)[:1]) + string(s)[1:]
}
