package cli

import (
	"context"
	"fmt"
	"strings"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// estimate tells what an audit with these options would ask for, and makes none.
func (a *app) estimate(ctx context.Context, p *place, o audit.Options) error {
	e, err := audit.MakeEstimate(ctx, bucket.ReadOnly(p.Bucket), o)
	if err != nil {
		return err
	}
	if a.format == "json" {
		out, err := safe.JSON(e)
		if err != nil {
			return err
		}
		_, err = a.out.Write(out)
		return err
	}
	_, err = a.out.WriteString(estimateText(e))
	return err
}

// estimateText is an estimate for people.
func estimateText(e *audit.Estimate) string {
	var s strings.Builder
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(&s, format+"\n", args...) } // a builder takes all
	where := "the whole bucket"
	if e.Scope.Folder != "" {
		where = "folder " + safe.Text(e.Scope.Folder) + " and those below it"
	}
	sample := ""
	if e.Sample != "" {
		sample = ", sample " + e.Sample
	}
	line("Estimate of an audit of %s: %s, depth %s%s", safe.Text(e.Bucket), where, e.Scope.Depth, sample)
	line("")
	line("%-10s %12s %12s %10s", "", "list", "get", "to read")
	for _, x := range e.Stages {
		line("%-10s %12s %12s %10s  %s", x.Stage, bounded(x.Bound, x.List), bounded(x.Bound, x.Get), toRead(x), x.How)
	}
	list := boundOf(e.Stages, func(x audit.EstimateStage) int64 { return x.List })
	get := boundOf(e.Stages, func(x audit.EstimateStage) int64 { return x.Get })
	line("%-10s %12s %12s", "all", bounded(list, e.Requests.List), bounded(get, e.Requests.Get))
	line("")
	line("%s, for %s$%.4f at $%s a thousand list and $%s a thousand get requests.", boundWords[e.Bound]+count(e.Requests.List+e.Requests.Get, "request"),
		strings.ToLower(boundWords[e.Bound]), e.Requests.CostUSD, price(e.Prices.List), price(e.Prices.Get))
	if e.MaxRequests > 0 {
		line("%s", budgetWords(e))
	}
	line("")
	line("Not known before the audit, and not counted:")
	for _, u := range e.Unknown {
		line("- %s", safe.Text(u))
	}
	line("")
	line("The estimate itself made %s and %s. There was no audit.", count(e.Took.List, "list request"), count(e.Took.Get+e.Took.Head, "get request"))
	return s.String()
}

var boundWords = map[audit.Bound]string{audit.Counted: "", audit.About: "About ", audit.AtLeast: "At least "}

// bounded is a number of requests with its bound: ≥ 12, ~ 12, 12.
func bounded(b audit.Bound, n int64) string {
	mark := map[audit.Bound]string{audit.About: "~ ", audit.AtLeast: "≥ "}[b]
	if n == 0 {
		mark = ""
	}
	return mark + number(n)
}

// boundOf is the bound of a sum: the worst of its parts.
func boundOf(stages []audit.EstimateStage, part func(audit.EstimateStage) int64) audit.Bound {
	b := audit.Counted
	for _, x := range stages {
		if part(x) > 0 && (x.Bound == audit.AtLeast || b == audit.Counted) {
			b = x.Bound
		}
	}
	return b
}

func toRead(x audit.EstimateStage) string {
	if x.Bytes == 0 {
		return ""
	}
	return size(x.Bytes)
}

func price(p float64) string { return fmt.Sprintf("%g", p) }

func budgetWords(e *audit.Estimate) string {
	s := fmt.Sprintf("--max-requests %s, of which a fifth is kept for second looks, ", number(e.MaxRequests))
	switch {
	case e.Fits == nil:
		return s + "may end it before all is checked."
	case *e.Fits:
		return s + "lets it check all."
	}
	return s + "ends it before all is checked."
}
