package report

import (
	"bytes"
	"testing"
	"time"

	"provcat-tui/audit"
)

// 100 of 400 were done at the stage's first word. 30 seconds later it is 250: 5 a
// second, and 150 are left, which take 30 seconds.
func TestStatusTellsRateAndTimeLeft(t *testing.T) {
	var b bytes.Buffer
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	j := NewJSONL(&b)
	j.now = func() time.Time { return now }
	say := func(after time.Duration, stage string, done, total int64) string {
		b.Reset()
		now = now.Add(after)
		j.Status(audit.Progress{Stage: stage, Done: done, Total: total})
		return b.String()
	}
	for _, c := range []struct {
		got, want string
	}{
		{say(0, "entries", 100, 400), `"done":100,"total":400,"findings":0,"rate":null,"seconds_left":null}`},
		{say(30*time.Second, "entries", 250, 400), `"done":250,"total":400,"findings":0,"rate":5,"seconds_left":30}`},
		{say(999*time.Millisecond, "entries", 251, 400), ""},
		{say(time.Minute, "versions", 7, 0), `"stage":"versions","done":7,"total":null,"findings":0,"rate":null,"seconds_left":null}`},
		{say(2*time.Second, "versions", 9, 0), `"done":9,"total":null,"findings":0,"rate":1,"seconds_left":null}`},
	} {
		if c.want == "" && c.got != "" || !bytes.HasSuffix([]byte(c.got), []byte(c.want+map[bool]string{true: "\n"}[c.want != ""])) {
			t.Errorf("said %q, want %q", c.got, c.want)
		}
	}
}
