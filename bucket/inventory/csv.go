package inventory

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// Limits of a CSV file.
const (
	maxLine = 1 << 20 // bytes; the longest column is an ACL in base64
	// A file may unpack to this many times its size, and unpackFree besides: rows
	// that repeat each other come to some 50 times, a bomb to 1,000.
	maxRatio   = 300
	unpackFree = 64 << 20
)

var errTooLong = fmt.Errorf("a line has more than %d bytes", maxLine)

// readCSV reads a CSV.gz: no header, a row on each line, every field in quotes or none.
func readCSV(in io.Reader, size int64, columns []column, visit func(*Row) error) error {
	z, err := gzip.NewReader(bufio.NewReaderSize(in, 256<<10))
	if err != nil {
		return fmt.Errorf("it is no gzip: %w", err)
	}
	allowed := min(size, maxFileSize)*maxRatio + unpackFree
	return readLines(&leash{in: z, left: allowed}, columns, visit)
}

// A leash is a reader that ends in an error after so many bytes.
type leash struct {
	in   io.Reader
	left int64
}

var errBomb = fmt.Errorf("it unpacks to more than %d times its size: nothing that S3 writes does", maxRatio)

func (l *leash) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errBomb
	}
	n, err := l.in.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// readLines reads unpacked rows, in memory of one line.
func readLines(in io.Reader, columns []column, visit func(*Row) error) error {
	lines := bufio.NewReaderSize(in, maxLine+1)
	fields := make([][]byte, 0, len(columns))
	row := &Row{}
	for n := int64(1); ; n++ {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return fmt.Errorf("row %d: %w", n, errTooLong)
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("row %d: %w", n, err)
		}
		end := err == io.EOF
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(line) > 0 {
			if fields, err = split(line, fields[:0], len(columns)); err == nil {
				err = row.take(columns, fields)
			}
			if err == nil {
				err = visit(row)
			}
			if err != nil {
				return fmt.Errorf("row %d: %w", n, err)
			}
		}
		if end {
			return nil
		}
	}
}

// take fills a row from the fields of a line.
func (r *Row) take(columns []column, fields [][]byte) error {
	if len(fields) != len(columns) {
		return fmt.Errorf("it has %d columns, and the manifest names %d", len(fields), len(columns))
	}
	for i, c := range columns {
		text := fields[i]
		if c == colKey {
			var err error
			if text, err = unescape(text); err != nil {
				return err
			}
		}
		if err := r.set(c, text); err != nil {
			return err
		}
	}
	return nil
}

var errQuote = errors.New("a quote stands where none can, or is not closed on its line")

// split cuts a line into fields, in place (RFC 4180; a field ends on its line, since
// keys are URL-encoded). It stops after one field more than most.
func split(line []byte, out [][]byte, most int) ([][]byte, error) {
	for len(out) <= most {
		if len(line) == 0 || line[0] != '"' {
			i := bytes.IndexByte(line, ',')
			field := line
			if i >= 0 {
				field = line[:i]
			}
			if bytes.IndexByte(field, '"') >= 0 {
				return nil, errQuote
			}
			if out = append(out, field); i < 0 {
				return out, nil
			}
			line = line[i+1:]
			continue
		}
		field := line[1:1] // grows over the line, never faster than it is read
		rest := line[1:]
		for {
			i := bytes.IndexByte(rest, '"')
			if i < 0 {
				return nil, errQuote
			}
			field = append(field, rest[:i]...)
			rest = rest[i+1:]
			if len(rest) == 0 || rest[0] != '"' {
				break
			}
			field = append(field, '"') // two stand for one
			rest = rest[1:]
		}
		if out = append(out, field); len(rest) == 0 {
			return out, nil
		}
		if rest[0] != ',' {
			return nil, errQuote
		}
		line = rest[1:]
	}
	return out, nil
}
