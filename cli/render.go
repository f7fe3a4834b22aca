package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// size gives bytes for people, in powers of 1,024: "1.0 KiB". Negative: unknown.
func size(n int64) string {
	if n < 0 {
		return "?"
	}
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " B"
	}
	f, unit := float64(n)/1024, 0
	const units = "KMGTPE"
	// 1023.95 KiB would be shown as 1024.0.
	for f >= 1023.95 && unit < len(units)-1 {
		f /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", f, units[unit])
}

// number gives n with thousands apart: 1,048,576.
func number(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// count is "1 file", "1,200 files".
func count(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + one + "s"
}

// second shows a time to the second in UTC; zero: unknown.
func second(t time.Time) string {
	if t.IsZero() {
		return "?"
	}
	return t.UTC().Format("2006-01-02T15:04:05Z")
}

// jsonTime gives null for an unknown time.
func jsonTime(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := t.UTC().Format(time.RFC3339Nano)
	return &s
}

// jsonCommitTime is jsonTime to the microsecond, as the format writes it.
func jsonCommitTime(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := commit.FormatTime(t)
	return &s
}

// orNull gives null for an absent string.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// numberOrNull gives null for an unknown number or size.
func numberOrNull(n int64, known bool) *int64 {
	if !known {
		return nil
	}
	return &n
}

// folderText names a folder for people.
func folderText(folder string) string {
	if folder == "" {
		return "the whole bucket"
	}
	return safe.Text(folder)
}

// firstLine is the first line of a message, cut at width columns.
func firstLine(msg string, width int) string {
	line, _, more := strings.Cut(strings.TrimSpace(msg), "\n")
	if more {
		line += " …"
	}
	return ansi.Truncate(safe.Text(line), width, "…")
}

// pad fills s up to width columns.
func pad(s string, width int) string {
	if n := width - ansi.StringWidth(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}

// padLeft is pad with the text at the right.
func padLeft(s string, width int) string {
	if n := width - ansi.StringWidth(s); n > 0 {
		return strings.Repeat(" ", n) + s
	}
	return s
}

// Colours of text output. They only repeat what the letters say.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	dim    = "2"
)

// paint colours s where colours are wanted and can be shown.
func (a *app) paint(code, s string) string {
	if !a.color() {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (a *app) color() bool { return !a.flags.noColor && isTerminal(a.rawOut) && !dumbTerminal() }

// printf writes text output. A failed write shows when the output is flushed.
func (a *app) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(a.out, format, args...) // bufio keeps the first error
}

// versionJSON is a version or delete marker in JSON output.
type versionJSON struct {
	Key          string  `json:"key"`
	Version      string  `json:"version"`
	Live         bool    `json:"live"`
	Latest       bool    `json:"latest"`
	DeleteMarker bool    `json:"delete_marker"`
	Modified     *string `json:"modified"`
	ETag         *string `json:"etag"`
	Size         *int64  `json:"size"`
	StorageClass string  `json:"storage_class,omitempty"`
}

func toVersionJSON(v bucket.Version) versionJSON {
	return versionJSON{v.Key, v.ID, v.Live(), v.Latest, v.DeleteMarker, jsonTime(v.Modified),
		orNull(v.ETag), numberOrNull(v.Size, !v.DeleteMarker), v.StorageClass}
}

// fileJSON is a commit's file in JSON output.
type fileJSON struct {
	Path    string  `json:"path"`
	Version string  `json:"version"`
	ETag    *string `json:"etag"`
	Size    *int64  `json:"size"`
}

func toFileJSON(f commit.File) fileJSON {
	return fileJSON{f.Path, f.Version, orNull(f.ETag), numberOrNull(f.Size, f.Size >= 0)}
}

// commitJSON names a commit in JSON output.
type commitJSON struct {
	Folder string  `json:"folder"`
	Number *int64  `json:"number"`
	ID     string  `json:"id"`
	Time   *string `json:"time,omitempty"`
}
