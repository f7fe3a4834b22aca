package report

import (
	"io"
	"time"

	"provcat-tui/audit"
	"provcat-tui/internal/safe"
)

// JSONL writes a report as lines of JSON, each with its type: status while the
// audit runs, then finding and acknowledged, at last summary, which has
// everything else of the JSON document. Who reads no summary has met an audit
// that was interrupted. It is for one goroutine at a time.
type JSONL struct {
	w     io.Writer
	now   func() time.Time
	err   error // the first; Report tells it
	said  time.Time
	stage string
	began time.Time // when the stage was first heard of
	from  int64     // what was done by then
}

// NewJSONL makes a writer of lines.
func NewJSONL(w io.Writer) *JSONL { return &JSONL{w: w, now: time.Now} }

type statusLine struct {
	Type     string `json:"type"`
	Stage    string `json:"stage"`
	Done     int64  `json:"done"`
	Total    *int64 `json:"total"` // null: not known
	Findings int    `json:"findings"`
	// Rate is how many a second were done in this stage; null: too early to say.
	Rate        *float64 `json:"rate"`
	SecondsLeft *float64 `json:"seconds_left"` // of this stage; null: not known
}

type findingLine struct {
	Type string `json:"type"`
	audit.Finding
}

type acknowledgedLine struct {
	Type string `json:"type"`
	audit.Acknowledged
}

// summaryLine is a report; the nil lists hide its own, which have had their lines.
type summaryLine struct {
	Type string `json:"type"`
	*audit.Report
	Findings     []struct{} `json:"findings,omitempty"`
	Acknowledged []struct{} `json:"acknowledged,omitempty"`
}

// Status writes a line about the audit's progress, at most one a second.
func (j *JSONL) Status(p audit.Progress) {
	now := j.now()
	if p.Stage != j.stage {
		j.stage, j.began, j.from = p.Stage, now, p.Done
	}
	if !j.said.IsZero() && now.Sub(j.said) < time.Second {
		return
	}
	j.said = now
	line := statusLine{Type: "status", Stage: p.Stage, Done: p.Done, Findings: p.Findings}
	if p.Total > 0 {
		line.Total = &p.Total
	}
	if took := now.Sub(j.began).Seconds(); took > 0 && p.Done > j.from {
		rate := float64(p.Done-j.from) / took
		line.Rate = &rate
		if p.Total >= p.Done {
			left := float64(p.Total-p.Done) / rate
			line.SecondsLeft = &left
		}
	}
	j.line(line)
}

// Report writes all lines but those of status. It gives the first error of
// writing, also of a status line.
func (j *JSONL) Report(r *audit.Report) error {
	r = timely(r)
	for _, f := range r.Findings {
		j.line(findingLine{"finding", f})
	}
	for _, a := range r.Acknowledged {
		j.line(acknowledgedLine{"acknowledged", a})
	}
	j.line(summaryLine{Type: "summary", Report: r})
	return j.err
}

func (j *JSONL) line(v any) {
	if j.err != nil {
		return
	}
	var out []byte
	if out, j.err = safe.JSONLine(v); j.err == nil {
		_, j.err = j.w.Write(out)
	}
}
