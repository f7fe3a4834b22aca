package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A source gives at most left bytes and keeps the error of reading them.
type source struct {
	in   io.Reader
	left int64
	err  error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	if s.left -= int64(n); s.left < 0 {
		return 0, io.ErrUnexpectedEOF
	}
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// A docReader reads a JSON document member by member, so that a large one is not
// held as a whole.
type docReader struct {
	d *json.Decoder
}

// object reads an object; member reads the value of each.
func (r *docReader) object(member func(name string) error) error {
	if err := r.delim('{'); err != nil {
		return err
	}
	had := map[string]bool{}
	for r.d.More() {
		t, err := r.d.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string) // the decoder takes nothing else for a name
		if had[name] {
			return fmt.Errorf("the member %q stands twice", name)
		}
		had[name] = true
		if err := member(name); err != nil {
			return err
		}
	}
	return r.delim('}')
}

func (r *docReader) list(item func() error) error {
	if err := r.delim('['); err != nil {
		return err
	}
	for r.d.More() {
		if err := item(); err != nil {
			return err
		}
	}
	return r.delim(']')
}

func (r *docReader) delim(want json.Delim) error {
	t, err := r.d.Token()
	if err != nil {
		return err
	}
	if t != want {
		return fmt.Errorf("%.40v stands where %v is expected", t, want)
	}
	return nil
}

func (r *docReader) skip() error {
	var x json.RawMessage
	return r.d.Decode(&x)
}

// end says what follows the document, which should be nothing.
func (r *docReader) end() error {
	switch _, err := r.d.Token(); {
	case err == nil:
		return errors.New("something follows the document")
	case errors.Is(err, io.EOF):
		return nil
	default:
		return err
	}
}
