package bucket

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"provcat-tui/internal/safe"
)

// A Location is a parsed URL: a bucket, and a path in it.
//
// A URL is taken as it is, without percent-decoding, since keys may hold any
// character: s3://bucket/a%20b names the key "a%20b".
type Location struct {
	Scheme string // "s3", "gs", "file"
	// Bucket is the bucket's name, or the embedded bucket's absolute file path.
	Bucket string
	// Path is what follows the bucket's name and one slash: a key or a prefix.
	Path string
}

// ErrUsage marks errors of the person's input: a URL that cannot be read, a
// file that is no bucket.
var ErrUsage = errors.New("wrong usage")

// Parse reads s3://bucket/path, gs://bucket/path, file:///path and plain file paths. Of a file
// path the first regular file on it is the bucket, the rest is the path in it.
// All errors are ErrUsage. A URL that carries a secret is refused, and no error tells it.
func Parse(raw string) (Location, error) {
	if raw == "" {
		return Location{}, fmt.Errorf("%w: the URL is empty; use s3://bucket/folder, gs://bucket/folder or the path of a bucket file", ErrUsage)
	}
	if safe.Signed(raw) {
		return Location{}, fmt.Errorf("%w: %s: the URL carries a signature, a user or a password, which is not used here and would be shown and kept: take off what follows the \"?\", or stands before the \"@\"; credentials come from the environment or a profile", ErrUsage, safe.Text(safe.Endpoint(raw)))
	}
	scheme, rest, found := strings.Cut(raw, "://")
	if !found {
		return parseFile(raw, raw)
	}
	switch scheme = strings.ToLower(scheme); scheme { // RFC 3986, 3.1: in any case
	case "file":
		if !strings.HasPrefix(rest, "/") {
			return Location{}, fmt.Errorf("%w: %s: a file URL has three slashes and an absolute path: file:///data/x.bucket/folder", ErrUsage, shown(raw))
		}
		return parseFile(raw, rest)
	case "s3", "gs":
		name, path, _ := strings.Cut(rest, "/")
		if name == "" {
			return Location{}, fmt.Errorf("%w: %s names no bucket; use %s://bucket/folder", ErrUsage, shown(raw), scheme)
		}
		return Location{Scheme: scheme, Bucket: name, Path: path}, nil
	}
	return Location{}, fmt.Errorf("%w: %s: unknown scheme %q; use s3://bucket/folder, gs://bucket/folder, file:///data/x.bucket/folder or a plain path", ErrUsage, shown(raw), scheme)
}

// shown is what an error tells of a URL that cannot be used: it may be anything that a
// person has pasted.
func shown(raw string) string { return safe.Text(safe.Secrets(raw)) }

func parseFile(raw, p string) (Location, error) {
	for i := 1; i <= len(p); i++ {
		if i < len(p) && p[i] != '/' {
			continue
		}
		info, err := os.Stat(p[:i])
		if err != nil {
			if errors.Is(err, os.ErrNotExist) {
				return Location{}, fmt.Errorf("%w: %s: there is no file %s; make a demo bucket with \"provcat-tui demo\", or name a bucket as s3://bucket/folder or gs://bucket/folder", ErrUsage, shown(raw), safe.Text(p[:i]))
			}
			return Location{}, fmt.Errorf("%w: %s: %s", ErrUsage, shown(raw), safe.Text(err.Error()))
		}
		if info.Mode().IsRegular() {
			abs, err := filepath.Abs(p[:i])
			if err != nil {
				return Location{}, fmt.Errorf("%w: %s: %s", ErrUsage, shown(raw), safe.Text(err.Error()))
			}
			return Location{Scheme: "file", Bucket: abs, Path: strings.TrimPrefix(p[i:], "/")}, nil
		}
	}
	return Location{}, fmt.Errorf("%w: %s is a directory, not a bucket file", ErrUsage, shown(raw))
}

// Root is the bucket's URL without a path.
func (l Location) Root() string { return l.Scheme + "://" + l.Bucket }

// String is the URL that leads here again.
func (l Location) String() string {
	if l.Path == "" {
		return l.Root()
	}
	return l.Root() + "/" + l.Path
}

// Options are what a person may set for the way to a bucket. A driver ignores
// what its store doesn't have.
type Options struct {
	Profile      string
	Region       string
	Endpoint     string
	PathStyle    bool
	RequestPayer bool
	// BillingProject is the Google Cloud project that pays for the requests to a
	// requester-pays bucket.
	BillingProject string
	// ReadOnly makes every write fail with ErrUnsupported before it is sent.
	ReadOnly bool
	// Unlisted opens a bucket also where the store knows the caller but refuses even
	// one listing of it: for the audit, which tells what could not be checked.
	Unlisted bool
	// Log takes a line for each request; nil: none.
	Log *slog.Logger
}

// An Opener opens one bucket. It makes at least one request, so that a wrong
// name, region, endpoint or credential shows here and not later.
type Opener func(ctx context.Context, l Location, o Options) (Bucket, error)

var openers = struct {
	sync.Mutex
	m map[string]Opener
}{m: map[string]Opener{}}

// Register makes a driver known for a scheme. Drivers call it from init.
func Register(scheme string, o Opener) {
	openers.Lock()
	defer openers.Unlock()
	openers.m[scheme] = o
}

// Open opens the bucket that l names. The driver's package must have been
// imported.
func Open(ctx context.Context, l Location, o Options) (Bucket, error) {
	openers.Lock()
	open := openers.m[l.Scheme]
	var known []string
	for s := range openers.m {
		known = append(known, s)
	}
	openers.Unlock()
	if open == nil {
		sort.Strings(known)
		return nil, fmt.Errorf("%w: no driver for %s (there are: %s)", ErrUsage, safe.Text(l.String()), strings.Join(known, ", "))
	}
	b, err := open(ctx, l, o)
	if err != nil {
		return nil, err
	}
	if o.ReadOnly {
		b = ReadOnly(b)
	}
	return b, nil
}
