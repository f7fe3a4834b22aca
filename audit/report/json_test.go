package report

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"provcat-tui/audit"
)

// A hostile bucket's time after year 9999 is left out, and the rest is written;
// the report itself is not changed.
func TestATimeThatCannotBeSaidIsLeftOut(t *testing.T) {
	late := time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -3600)).UTC()
	good := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	r := sample()
	f := &r.Findings[0]
	f.Due = &late
	f.Evidence[0].Modified, f.Evidence[1].Modified = &late, &good
	f.Affected.Examples = []audit.Evidence{{Key: "k", Modified: &late}}
	var out bytes.Buffer
	if err := JSON(&out, r); err != nil {
		t.Fatal(err)
	}
	var got audit.Report
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	g := got.Findings[0]
	if g.Due != nil || g.Evidence[0].Modified != nil || g.Affected.Examples[0].Modified != nil {
		t.Errorf("written: %+v", g)
	}
	if m := g.Evidence[1].Modified; m == nil || !m.Equal(good) {
		t.Errorf("the last second that can be said is %v", m)
	}
	if f.Due != &late || f.Evidence[0].Modified != &late {
		t.Error("the report was changed")
	}
}
