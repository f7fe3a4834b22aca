package views

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

var ago = regexp.MustCompile(`^-(\d{1,6})(min|h|d|w)$`)

// parsePinTime reads the time at which somebody pins: zero is no bound, which is now.
// A date is its first moment in UTC; -3d is three times 24 hours before now.
func parsePinTime(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if text == "" || text == "now" {
		return time.Time{}, nil
	}
	if m := ago.FindStringSubmatch(text); m != nil {
		n, err := strconv.Atoi(m[1])
		if err == nil {
			unit := map[string]time.Duration{"min": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}[m[2]]
			if n <= int(time.Duration(1<<62)/unit) {
				return now.Add(-time.Duration(n) * unit).UTC(), nil
			}
		}
	}
	if t, ok := commit.ParseTime(text); ok {
		if t.IsZero() {
			t = t.Add(1) // zero would mean that there is no bound
		}
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%s is no time: write 2026-10-30T12:00:00Z, 2026-10-30T12:00+02:00, 2026-10-30, -3d, -2h, -10min or now, with the zone unless it is a date", safe.Shell(text))
}
