package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"provcat-tui/internal/safe"
)

// WitnessSchema is the name of the file's format; docs/witness.md describes it.
const WitnessSchema = "provcat-witness/1"

// MaxWitness is the most bytes of a witness that are read or written: some
// 13 million entries.
const MaxWitness = 1 << 30

// ErrWitness says that bytes are no witness, or a damaged one.
var ErrWitness = errors.New("not a whole witness")

// Encode writes the witness as one JSON document with a line for each log, in order
// of hash: the same witness gives the same bytes.
func (w *Witness) Encode(out io.Writer) error {
	b := bufio.NewWriter(&capped{w: out, left: MaxWitness})
	if err := openObject(b, struct {
		Schema  string    `json:"schema"`
		Bucket  string    `json:"bucket"`
		Written time.Time `json:"written"`
	}{WitnessSchema, w.Bucket, w.Written.UTC()}, "logs"); err != nil {
		return err
	}
	for i, hash := range slices.Sorted(maps.Keys(w.logs)) {
		if i > 0 {
			_ = b.WriteByte(',')
		}
		_ = b.WriteByte('\n')
		if err := w.logs[hash].encode(b); err != nil {
			return err
		}
	}
	_, _ = b.WriteString("\n]}\n")
	return b.Flush()
}

// logHead is a log without its entries.
type logHead struct {
	Log    string       `json:"log"`
	Folder *string      `json:"folder"`
	Seen   *time.Time   `json:"seen"`
	Sum    string       `json:"sum"`
	Head   headRef      `json:"head"`
	Absent []absenceRef `json:"absent,omitempty"`
}

type absenceRef struct {
	Number int64      `json:"number"`
	There  *time.Time `json:"there"`
	Since  *time.Time `json:"since"`
}

type headRef struct {
	Number int64  `json:"number"`
	Commit string `json:"commit"`
}

func (l *seenLog) encode(b *bufio.Writer) error {
	h := logHead{Log: l.hash, Seen: timeOrNull(l.seen), Sum: l.sum(), Absent: l.absences()}
	if l.named() {
		h.Folder = &l.folder
	}
	if n := len(l.entries); n > 0 {
		h.Head = headRef{l.entries[n-1].number, l.entries[n-1].commit()}
	}
	if err := openObject(b, h, "entries"); err != nil {
		return err
	}
	var row []byte
	for i, e := range l.entries {
		row = row[:0]
		if i > 0 {
			row = append(row, ',')
		}
		_, _ = b.Write(e.appendJSON(row)) // as above
	}
	_, err := b.WriteString("]}")
	return err
}

// appendJSON appends [number,"commit",1], where 1 says that the object was read and
// sound, and 0 that it was not, or not yet.
func (e seenEntry) appendJSON(b []byte) []byte {
	b = strconv.AppendInt(append(b, '['), e.number, 10)
	b = hex.AppendEncode(append(b, `,"`...), e.id[:])
	if e.sound {
		return append(b, `",1]`...)
	}
	return append(b, `",0]`...)
}

// openObject writes an object up to the start of its last member, a list.
func openObject(b *bufio.Writer, v any, list string) error {
	line, err := safe.JSONLine(v)
	if err != nil {
		return err
	}
	_, _ = b.Write(bytes.TrimSuffix(line, []byte("}\n"))) // Flush tells of all errors
	_, err = fmt.Fprintf(b, ",%q:[", list)
	return err
}

// named says that the folder's name is known and can be said in JSON.
func (l *seenLog) named() bool { return l.known && utf8.ValidString(l.folder) }

// absences in order of number.
func (l *seenLog) absences() []absenceRef {
	var out []absenceRef
	for _, n := range slices.Sorted(maps.Keys(l.absent)) {
		out = append(out, absenceRef{n, timeOrNull(l.absent[n].there), timeOrNull(l.absent[n].since)})
	}
	return out
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// sum tells a damaged line from a whole one: 16 bytes of a SHA-256 in hex. One
// changed digit would otherwise be an alarm.
func (l *seenLog) sum() string {
	h := sha256.New()
	folder := "?"
	if l.named() {
		folder = fmt.Sprintf("%q", l.folder)
	}
	_, _ = fmt.Fprintf(h, "%s %s %d", l.hash, folder, unixOrZero(l.seen)) // a hash takes all
	for _, x := range l.absences() {
		_, _ = fmt.Fprintf(h, " %d %d %d", x.Number, unixOrZero(timeOf(x.There)), unixOrZero(timeOf(x.Since))) // as above
	}
	var row []byte
	for _, e := range l.entries {
		row = e.appendJSON(row[:0])
		_, _ = h.Write(row) // as above
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func unixOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// A capped writer fails rather than write more than fits.
type capped struct {
	w    io.Writer
	left int64
}

func (c *capped) Write(p []byte) (int, error) {
	if c.left -= int64(len(p)); c.left < 0 {
		return 0, fmt.Errorf("the witness would be larger than %d MiB, which is the most that can be read again: audit folders one by one, each with a witness of its own", MaxWitness>>20)
	}
	return c.w.Write(p)
}
