package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"provcat-tui/audit"
	"provcat-tui/internal/safe"
)

// maxFolders bounds the folders that have metrics of their own. They are the
// folders in scope, not those with findings: the same series then come back from
// run to run, and findings can't make new ones. Of a bucket with more folders the
// sums are enough to raise an alarm; the report tells where to look.
const maxFolders = 50

// Metrics writes a report as OpenMetrics text, for a cron job that puts it into a
// folder of node_exporter's textfile collector.
//
// All metrics are gauges, also the verdict, which could be a state set: that
// collector reads the older text format, which knows no such type. What a reader
// of either format takes is written, and no time stamps, which it refuses. Kinds
// that were not found are there with 0, so that an alert never waits for a series
// that doesn't exist yet.
func Metrics(w io.Writer, r *audit.Report) error {
	m := &meters{w: bufio.NewWriter(w), common: []string{"bucket", r.Bucket, "scope", r.Scope.Folder}}
	m.gauge("verdict", "", "1 for the verdict of the last audit, 0 for the others.")
	for _, v := range []audit.Verdict{audit.Pass, audit.Fail, audit.Incomplete} {
		m.sample(flag(r.Verdict == v), "verdict", string(v))
	}
	m.gauge("complete", "", "1 if nothing in scope was left unchecked.")
	m.sample(flag(r.Complete))
	m.gauge("findings", "", "Findings of the last audit, by severity, without acknowledged ones.")
	for _, s := range audit.Severities {
		m.sample(float64(r.Counts[s]), "severity", string(s))
	}
	m.kinds(r)
	m.folders(r)
	acknowledged := map[audit.Severity]int{}
	for _, a := range r.Acknowledged {
		acknowledged[a.Severity]++
	}
	m.gauge("acknowledged_findings", "", "Findings that were acknowledged, by severity.")
	for _, s := range audit.Severities {
		m.sample(float64(acknowledged[s]), "severity", string(s))
	}
	m.coverage(r)
	m.gauge("requests", "", "Requests that the last audit made.")
	for _, x := range []struct {
		kind string
		n    int64
	}{{"list", r.Requests.List}, {"get", r.Requests.Get}, {"head", r.Requests.Head}} {
		m.sample(float64(x.n), "kind", x.kind)
	}
	m.gauge("cost_dollars", "dollars", "What these requests cost, by the prices that were set or else Amazon's in US East.")
	m.sample(r.Requests.CostUSD)
	m.gauge("start_timestamp_seconds", "seconds", "When the last audit began.")
	m.sample(unix(r.Started))
	m.gauge("end_timestamp_seconds", "seconds", "When the last audit ended. An alert on its age finds a cron job that stopped.")
	m.sample(unix(r.Finished))
	m.gauge("duration_seconds", "seconds", "How long the last audit took.")
	m.sample(max(r.Finished.Sub(r.Started).Seconds(), 0))
	_, _ = m.w.WriteString("# EOF\n") // Flush tells
	return m.w.Flush()
}

// kinds writes what is told by kind of finding: how many, and when the next of
// what they foretell is due.
func (m *meters) kinds(r *audit.Report) {
	type kind struct{ id, severity string }
	count := map[kind]int{}
	var all []kind
	next := map[string]time.Time{}
	for _, e := range audit.Explanations {
		for _, s := range e.Severity {
			if k := (kind{e.ID, string(s)}); !slices.Contains(all, k) {
				all = append(all, k)
			}
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		k := kind{f.ID, string(f.Severity)}
		if !slices.Contains(all, k) {
			all = append(all, k)
		}
		count[k]++
		if t, ok := next[f.ID]; f.Due != nil && (!ok || f.Due.Before(t)) {
			next[f.ID] = *f.Due
		}
	}
	m.gauge("findings_by_id", "", "Findings of the last audit, by kind, without acknowledged ones.")
	for _, k := range all {
		m.sample(float64(count[k]), "id", k.id, "severity", k.severity)
	}
	if len(next) == 0 {
		return
	}
	m.gauge("next_due_timestamp_seconds", "seconds", "The earliest date of what a kind of finding foretells. Absent where there is none.")
	var last string
	for _, k := range all {
		if t, ok := next[k.id]; ok && k.id != last {
			m.sample(unix(t), "id", k.id)
			delete(next, k.id)
		}
		last = k.id
	}
}

func (m *meters) folders(r *audit.Report) {
	m.gauge("folders", "", "Folders in scope that have a log.")
	m.sample(float64(len(r.Folders)))
	if len(r.Folders) > maxFolders {
		return
	}
	worth := []audit.Severity{audit.Damage, audit.Risk, audit.Anomaly, audit.Unknown}
	count := map[string]map[audit.Severity]int{}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Folder != nil {
			if count[*f.Folder] == nil {
				count[*f.Folder] = map[audit.Severity]int{}
			}
			count[*f.Folder][f.Severity]++
		}
	}
	m.gauge("folder_findings", "", fmt.Sprintf("Findings by folder with a log, without acknowledged ones; only where there are at most %d folders.", maxFolders))
	for _, folder := range r.Folders {
		name := folder
		if name == "" {
			name = "/" // an empty label would be none; no folder has this name
		}
		for _, s := range worth {
			m.sample(float64(count[folder][s]), "folder", name, "severity", string(s))
		}
	}
}

func (m *meters) coverage(r *audit.Report) {
	m.gauge("checked", "", "How many were checked.")
	for _, c := range covered(r) {
		m.sample(float64(c.Checked), "of", c.Name)
	}
	m.gauge("in_scope", "", "How many there were to check.")
	for _, c := range covered(r) {
		m.sample(float64(c.Total), "of", c.Name)
	}
	m.gauge("not_checked", "", "How many were not checked: because they could not be, or because that was asked for. An unknown number counts as 1.")
	for _, c := range covered(r) {
		chosen := int64(0)
		for _, s := range c.Skipped {
			if s.Chosen {
				chosen += max(s.Count, 1)
			}
		}
		m.sample(float64(missed(c.Coverage)), "of", c.Name, "by_choice", "false")
		m.sample(float64(chosen), "of", c.Name, "by_choice", "true")
	}
}

// A meters writes metrics. Its writer keeps the first error for Flush.
type meters struct {
	w      *bufio.Writer
	common []string // names and values of the labels that each sample has
	name   string
}

// gauge starts a family.
func (m *meters) gauge(name, unit, help string) {
	m.name = "provcat_audit_" + name
	_, _ = fmt.Fprintf(m.w, "# TYPE %s gauge\n", m.name) // Flush tells
	if unit != "" {
		_, _ = fmt.Fprintf(m.w, "# UNIT %s %s\n", m.name, unit) // as above
	}
	_, _ = fmt.Fprintf(m.w, "# HELP %s %s\n", m.name, help) // as above
}

// sample writes a value of the family; labels are names and values by turns.
func (m *meters) sample(value float64, labels ...string) {
	var parts []string
	for i, all := 0, slices.Concat(m.common, labels); i < len(all); i += 2 {
		parts = append(parts, all[i]+`="`+labelValue(all[i+1])+`"`)
	}
	_, _ = fmt.Fprintf(m.w, "%s{%s} %s\n", m.name, strings.Join(parts, ","), strconv.FormatFloat(value, 'g', -1, 64)) // Flush tells
}

// labelValue is a string on one line, escaped for a pair of double quotes.
func labelValue(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(safe.Text(s))
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// unix is a time in seconds; a time.Time beyond what nanoseconds can count is no
// reason for nonsense.
func unix(t time.Time) float64 { return float64(t.Unix()) + float64(t.Nanosecond())/1e9 }
