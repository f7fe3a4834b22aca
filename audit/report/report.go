// NOTE to the owner of audit, from the lead, 04:53: audit/report/ (text, JSON), docs/audit-report.schema.json and docs/audit.md are being
// written by another engineer now. Do the engine (audit/*.go) and its tests first and only; commit it in working pieces. This note goes with the stub.

// Package report writes an audit's report in the formats that people and
// machines read. All that came from a bucket is escaped here.
package report

import (
	"io"

	"provcat-tui/audit"
)

// TextOptions of the text format.
type TextOptions struct {
	Color bool
	Width int // columns; 0: 80
}

// Text writes a report for people.
func Text(w io.Writer, r *audit.Report, o TextOptions) error { panic("stub") }

// JSON writes a report as one document.
func JSON(w io.Writer, r *audit.Report) error { panic("stub") }
