package bucket

import (
	"errors"
	"strings"

	"provcat-tui/internal/safe"
)

// The kinds of error that callers decide by, with errors.Is. Everything else is
// an *Error without a kind.
var (
	// ErrNotFound: the key, the version or the bucket is not there. Only where
	// the store said so: a 403 is ErrDenied.
	ErrNotFound = errors.New("not found")
	// ErrExists: put-if-absent was refused, a live version is there.
	ErrExists = errors.New("already exists")
	// ErrDenied: the store refused for lack of a permission or of credentials.
	ErrDenied = errors.New("access denied")
	// ErrUnsupported: the store cannot do this at all.
	ErrUnsupported = errors.New("not supported by this store")
	// ErrDamaged: a log that must not be grown.
	ErrDamaged = errors.New("damaged")
	// ErrUnclear: a write whose outcome is unknown.
	ErrUnclear = errors.New("outcome unclear")
	// ErrUnwritable: the store itself cannot write, whatever the key: its disk is full or
	// fails. Nothing was written, and nothing will be until somebody mends that.
	ErrUnwritable = errors.New("nothing can be written")
	// ErrSlowDown: the store asks for fewer requests, after the driver's own tries.
	ErrSlowDown = errors.New("too many requests")
	// ErrBadAnswer: what came back is not an answer to what was asked (a proxy's
	// page, an empty body, a listing that goes in circles).
	ErrBadAnswer = errors.New("not a valid answer")
)

// An Error tells what was tried, on what, why it failed and what a person can
// do about it. Error() escapes all that came from outside, so that the text can
// go to a terminal.
type Error struct {
	Op      string // what was tried: "list versions of", "read"
	Bucket  string // the bucket's URL
	Key     string // the key or prefix; empty: the bucket itself
	Version string
	// Kind is one of the errors above, or nil.
	Kind error
	// Permission is what is missing, such as "s3:GetObjectVersion"; only with
	// ErrDenied.
	Permission string
	// Hint is what the person can do, a clause; empty: nothing is known.
	Hint string
	// Err is the cause, as the store or the network gave it.
	Err error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	b.WriteString(" ")
	b.WriteString(safe.Text(e.Bucket))
	if e.Key != "" {
		b.WriteString("/")
		b.WriteString(safe.Text(e.Key))
	}
	if e.Version != "" {
		b.WriteString(" (version ")
		b.WriteString(safe.Text(e.Version))
		b.WriteString(")")
	}
	if e.Kind != nil {
		b.WriteString(": ")
		b.WriteString(e.Kind.Error())
	}
	if e.Permission != "" {
		b.WriteString(", needs ")
		b.WriteString(e.Permission)
	}
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(safe.Text(e.Err.Error()))
	}
	if e.Hint != "" {
		b.WriteString("; ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

// Unwrap gives the kind and the cause to errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	var out []error
	if e.Kind != nil {
		out = append(out, e.Kind)
	}
	if e.Err != nil {
		out = append(out, e.Err)
	}
	return out
}
