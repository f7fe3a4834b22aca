package views

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"provcat-tui/internal/safe"
)

// pinTimes are the forms of a time. Each has a zone but the date: a guessed one would
// give another commit.
var pinTimes = []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00", time.DateOnly}

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
	for _, layout := range pinTimes {
		if t, err := time.Parse(layout, text); err == nil {
			if t = t.UTC(); t.IsZero() {
				t = t.Add(1) // zero would mean that there is no bound
			}
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s is no time: write 2026-10-30T12:00:00Z, 2026-10-30T12:00+02:00, 2026-10-30, -3d, -2h, -10min or now, with the zone unless it is a date", safe.Shell(text))
}
