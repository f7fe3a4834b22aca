package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"provcat-tui/commit"
)

// ReadWitness reads what Encode wrote, in any layout of JSON. Members that it does
// not know are passed over. An ErrWitness says that the bytes are no whole and
// undamaged witness, and why; any other error is in's own.
func ReadWitness(in io.Reader) (*Witness, error) {
	src := &source{in: in, left: MaxWitness}
	r := &docReader{d: json.NewDecoder(src)}
	w, err := r.witness()
	switch {
	case err == nil:
		return w, nil
	case src.err != nil:
		return nil, src.err
	case src.left < 0:
		return nil, fmt.Errorf("%w: larger than %d MiB", ErrWitness, MaxWitness>>20)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%w: it breaks off after %d bytes", ErrWitness, MaxWitness-src.left)
	}
	return nil, fmt.Errorf("%w: before byte %d: %w", ErrWitness, r.d.InputOffset(), err)
}

func (r *docReader) witness() (*Witness, error) {
	w := NewWitness("")
	schema := ""
	err := r.object(func(name string) error {
		switch name {
		case "schema":
			if err := r.d.Decode(&schema); err != nil {
				return err
			}
			if schema != WitnessSchema {
				return fmt.Errorf("its schema is %q, not %q", schema, WitnessSchema)
			}
			return nil
		case "bucket":
			return r.d.Decode(&w.Bucket)
		case "written":
			return r.d.Decode(&w.Written)
		case "logs":
			return r.list(func() error {
				l, err := r.log()
				if err != nil {
					return err
				}
				if w.logs[l.hash] != nil {
					return fmt.Errorf("the log %s stands twice", l.hash)
				}
				w.logs[l.hash] = l
				return nil
			})
		}
		return r.skip()
	})
	switch {
	case err != nil:
		return nil, err
	case schema == "":
		return nil, fmt.Errorf("it has no schema %q", WitnessSchema)
	case w.Bucket == "":
		return nil, errors.New("it names no bucket")
	}
	return w, r.end()
}

// log reads one log and checks all that can be checked of it.
func (r *docReader) log() (*seenLog, error) {
	l := &seenLog{}
	var folder *string
	var seen *time.Time
	var absent []absenceRef
	sum := ""
	err := r.object(func(name string) error {
		switch name {
		case "log":
			return r.d.Decode(&l.hash)
		case "folder":
			return r.d.Decode(&folder)
		case "seen":
			return r.d.Decode(&seen)
		case "absent":
			return r.d.Decode(&absent)
		case "sum":
			return r.d.Decode(&sum)
		case "entries":
			l.entries = nil
			return r.list(func() error {
				var e seenEntry
				if err := r.d.Decode(&e); err != nil {
					return err
				}
				if n := len(l.entries); n > 0 && l.entries[n-1].number >= e.number {
					return fmt.Errorf("entry %d comes after entry %d", e.number, l.entries[n-1].number)
				}
				l.entries = append(l.entries, e)
				return nil
			})
		}
		return r.skip() // "head" too: the last entry says it
	})
	if err != nil {
		return nil, err
	}
	l.seen = timeOf(seen)
	for _, x := range absent {
		l.absent = with(l.absent, x.Number, absence{timeOf(x.There), timeOf(x.Since)})
	}
	if folder != nil {
		l.folder, l.known = *folder, true
	}
	switch {
	case !commit.ValidID(l.hash):
		return nil, fmt.Errorf("%q is not the hash of a folder", l.hash)
	case l.known && commit.FolderHash(l.folder) != l.hash:
		return nil, fmt.Errorf("the log %s is not that of the folder %q", l.hash, l.folder)
	case len(l.entries) == 0:
		return nil, fmt.Errorf("the log %s has no entries", l.hash)
	case sum != l.sum():
		return nil, fmt.Errorf("the log %s was changed or damaged: its entries are not those that its sum %q was made of", l.hash, sum)
	}
	return l, nil
}

// UnmarshalJSON reads [number,"commit",1]: a million of them take a second.
func (e *seenEntry) UnmarshalJSON(b []byte) error {
	text := string(b)
	if strings.ContainsAny(text, " \t\r\n") { // another program's layout
		text = strings.Join(strings.Fields(text), "")
	}
	number, rest, _ := strings.Cut(strings.TrimPrefix(text, "["), ",")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 || n > commit.MaxNumber || len(rest) != len(`"",1]`)+64 {
		return fmt.Errorf("%.100q is no entry", b)
	}
	id, ok := binaryID(rest[1:65])
	*e = seenEntry{number: n, id: id, sound: rest[67] == '1'}
	if !ok || string(e.appendJSON(nil)) != text {
		return fmt.Errorf("%.100q is no entry", b)
	}
	return nil
}
