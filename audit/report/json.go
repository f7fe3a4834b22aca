package report

import (
	"io"

	"provcat-tui/audit"
	"provcat-tui/internal/safe"
)

// JSON writes a report as one document, by docs/audit-report.schema.json.
func JSON(w io.Writer, r *audit.Report) error {
	out, err := safe.JSON(r)
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}
