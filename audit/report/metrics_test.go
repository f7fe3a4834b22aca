package report_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"

	"provcat-tui/audit"
)

// isMetrics reads metrics with two parsers that aren't ours: the scraper's, as
// OpenMetrics, and node_exporter's, as the older text format. It gives the samples
// by name and labels, without those that all have.
func isMetrics(t testing.TB, out string) map[string]float64 {
	t.Helper()
	got := map[string]float64{}
	p := textparse.NewOpenMetricsParser([]byte(out), labels.NewSymbolTable())
	for {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not OpenMetrics: %v\n%s", err, out)
		}
		if entry != textparse.EntrySeries {
			continue
		}
		var l labels.Labels
		p.Labels(&l)
		_, at, v := p.Series()
		if at != nil {
			t.Errorf("%s has a time stamp, which node_exporter refuses", l)
		}
		b := labels.NewBuilder(l)
		b.Del("bucket", "scope")
		name := b.Labels().String()
		if _, twice := got[name]; twice {
			t.Errorf("%s stands there twice", name)
		}
		got[name] = v
	}
	if !strings.HasSuffix(out, "\n# EOF\n") || strings.Count(out, "\n# EOF") != 1 {
		t.Error("no end, or two")
	}
	text := expfmt.NewTextParser(model.LegacyValidation)
	families, err := text.TextToMetricFamilies(strings.NewReader(out))
	if err != nil {
		t.Fatalf("node_exporter does not read it: %v", err)
	}
	n := 0
	for name, f := range families {
		if f.GetType().String() != "GAUGE" || f.GetHelp() == "" || !strings.HasPrefix(name, "provcat_audit_") {
			t.Errorf("%s is %s, help %q", name, f.GetType(), f.GetHelp())
		}
		n += len(f.GetMetric())
	}
	if n != len(got) {
		t.Errorf("one reader has %d samples, the other %d", len(got), n)
	}
	return got
}

func TestMetrics(t *testing.T) {
	for _, r := range reports() {
		isMetrics(t, format(t, "metrics", r))
	}
	r := whole()
	early := r.Findings[0].Due.Add(-time.Hour)
	second := r.Findings[0]
	second.Due = &early
	r.Findings = append(r.Findings, second)
	r.Counts[audit.Damage] = 2
	r.Coverage.Logs.Skipped = []audit.Skip{{Reason: "x", Count: 3}, {Reason: "y", Count: 4, Chosen: true}}
	got := isMetrics(t, format(t, "metrics", r))
	for name, want := range map[string]float64{
		`{__name__="provcat_audit_verdict", verdict="fail"}`:                                   1,
		`{__name__="provcat_audit_verdict", verdict="pass"}`:                                   0,
		`{__name__="provcat_audit_complete"}`:                                                  0,
		`{__name__="provcat_audit_findings", severity="damage"}`:                               2,
		`{__name__="provcat_audit_findings", severity="info"}`:                                 0,
		`{__name__="provcat_audit_findings_by_id", id="log-entry-deleted", severity="damage"}`: 2,
		`{__name__="provcat_audit_findings_by_id", id="version-missing", severity="damage"}`:   0,
		`{__name__="provcat_audit_acknowledged_findings", severity="damage"}`:                  1,
		`{__name__="provcat_audit_folders"}`:                                                   2,
		`{__name__="provcat_audit_folder_findings", folder="sales", severity="damage"}`:        2,
		`{__name__="provcat_audit_folder_findings", folder="/", severity="damage"}`:            0,
		`{__name__="provcat_audit_next_due_timestamp_seconds", id="log-entry-deleted"}`:        1795223400 - 3600, // date -u -d 2026-11-21T01:10:00Z +%s
		`{__name__="provcat_audit_checked", of="versions"}`:                                    6,
		`{__name__="provcat_audit_in_scope", of="versions"}`:                                   9,
		`{__name__="provcat_audit_not_checked", by_choice="false", of="logs"}`:                 3,
		`{__name__="provcat_audit_not_checked", by_choice="true", of="logs"}`:                  4,
		`{__name__="provcat_audit_requests", kind="get"}`:                                      5,
		`{__name__="provcat_audit_cost_dollars"}`:                                              0.0000124,
		`{__name__="provcat_audit_start_timestamp_seconds"}`:                                   1795223400,
		`{__name__="provcat_audit_end_timestamp_seconds"}`:                                     1795223401.5,
		`{__name__="provcat_audit_duration_seconds"}`:                                          1.5,
	} {
		if v, ok := got[name]; !ok || v != want {
			t.Errorf("%s = %v, %v; want %v", name, v, ok, want)
		}
	}
}

// A bucket of many folders, or with many findings, does not make more metrics.
func TestMetricsDoNotGrowWithTheBucket(t *testing.T) {
	base := len(isMetrics(t, format(t, "metrics", clean())))
	r := clean()
	r.Folders = nil
	for i := range 1000 {
		folder := fmt.Sprint("f", i)
		r.Folders = append(r.Folders, folder)
		r.Findings = append(r.Findings, audit.Finding{ID: "version-missing", Severity: audit.Damage, Folder: &folder})
	}
	if n := len(isMetrics(t, format(t, "metrics", r))); n >= base {
		t.Errorf("%d samples, %d of a small bucket", n, base)
	}
}
