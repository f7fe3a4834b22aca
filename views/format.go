package views

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/ui"
)

// size in bytes, for people: at most 10 columns.
func size(n int64) string {
	if n < 0 {
		return "?"
	}
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " B"
	}
	f := float64(n)
	for _, u := range []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"} {
		f /= 1024
		if f < 999.95 || u == "EiB" {
			return strconv.FormatFloat(f, 'f', 1, 64) + " " + u
		}
	}
	return ""
}

// count with a comma for each three digits.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural is a number and its noun.
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if noun[len(noun)-1] == 'y' && !strings.HasSuffix(noun, "ey") {
		noun = noun[:len(noun)-1] + "ie"
	}
	return count(n) + " " + noun + "s"
}

// stamp is a time in UTC to the minute, 16 columns.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// exact is a time in UTC to the second.
func exact(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.UTC().Format("2006-01-02 15:04:05") + " UTC"
}

// age is the time since t for people: at most 8 columns.
func age(now, t time.Time) string {
	if t.IsZero() {
		return "?"
	}
	sign := ""
	if t.After(now) {
		sign, now, t = "in ", t, now
	}
	// A Duration ends after 292 years; times from a bucket need not.
	if years := now.UTC().Year() - t.UTC().Year(); years > 200 {
		return sign + fmt.Sprintf("%d y", years)
	}
	d := now.Sub(t)
	s := ""
	switch day := 24 * time.Hour; {
	case d < time.Minute:
		s = fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		s = fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 2*day:
		s = fmt.Sprintf("%d h", int(d.Hours()))
	case d < 60*day:
		s = fmt.Sprintf("%d d", int(d/day))
	case d < 2*365*day:
		s = fmt.Sprintf("%d mo", int(d/(30*day)))
	default:
		s = fmt.Sprintf("%d y", int(d/(365*day)))
	}
	return sign + s
}

// briefly says why something failed where there is no room for all of an error: the
// kind and what is missing, without where. The screen of the thing itself has the rest.
func briefly(err error) string {
	var e *bucket.Error
	if !errors.As(err, &e) || e.Kind == nil {
		return err.Error()
	}
	if e.Permission != "" {
		return e.Kind.Error() + ", needs " + e.Permission
	}
	return e.Kind.Error()
}

// failure says in the screen that it belongs to what failed and what to try. What
// could not be looked at has its own mark: it is not known to be missing.
func (e *env) failure(what string, err error, w int, th *ui.Theme) []string {
	tone, mark, hint := ui.Bad, "✗ ", e.keys("Press {reload} to try again.")
	switch {
	case errors.Is(err, context.Canceled):
		return th.Paragraph(ui.Dim, what+e.keys(" was cancelled. Press {reload} to load it."), w)
	case errors.Is(err, bucket.ErrDenied):
		tone, mark = ui.Unsure, "? "
		hint = e.keys("So this could not be checked: it is not known to be missing. Press {reload} to try again, with the permission or other credentials.")
	case errors.Is(err, bucket.ErrNotFound):
		hint = e.keys("It is not there (any more). Press {reload} to look again.")
	case errors.Is(err, context.DeadlineExceeded):
		tone, mark = ui.Unsure, "? "
	}
	out := th.Paragraph(tone, mark+what+" failed:", w)
	out = append(out, th.Shown(tone, err.Error(), w)...)
	return append(out, th.Paragraph(ui.Dim, hint, w)...)
}
