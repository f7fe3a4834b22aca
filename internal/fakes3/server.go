// Package fakes3 is an S3 server on loopback for tests: everything in memory,
// AWS's semantics on the wire for the calls that the program makes, and a
// script of faults (see Fault).
//
// It is written from the S3 API reference and user guide, not from our driver,
// so that the two check each other. Buckets are addressed by path. Signatures
// are not verified, only whose they claim to be and for which region.
package fakes3

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"provcat-tui/internal/faults"
)

// Options set a server up. The zero value is a server without credentials that
// takes requests signed for any region.
type Options struct {
	// PageCap is the most entries in one page of a listing, whatever was asked
	// for: 1 to 1,000. 0: 1,000.
	PageCap int
	// Now is the server's clock, of the Date header and of new versions.
	// nil: time.Now.
	Now func() time.Time
	// Region is where new buckets lie. A request signed for another region gets
	// 301 PermanentRedirect. Empty: us-east-1, and every region is taken.
	Region string
	// AccessKey, where it is set, is the only one that is let in: others get 403
	// InvalidAccessKeyId, requests without a signature 403 AccessDenied.
	AccessKey string
	// TLS serves https. Trust its certificate with Server.Client.
	TLS bool
}

// A Server is one S3 endpoint: faults.Server gives its URL, its log of requests
// (whose kinds are the API's names of operations, such as "ListObjectVersions"),
// its hooks and its script of faults. All methods may be called from several
// goroutines at once.
type Server struct {
	faults.Server
	o   Options
	seq atomic.Uint64 // of versions; also orders them

	mu      sync.Mutex // guards buckets, never held while a bucket's lock is taken
	buckets map[string]*bucket
}

// A Request is one line of the log.
type Request = faults.Request

// New starts a server on 127.0.0.1. Close it.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.PageCap < 1 || o.PageCap > maxPage {
		o.PageCap = maxPage
	}
	s := &Server{o: o, buckets: map[string]*bucket{}}
	s.Start(s.Handler(), o.TLS)
	return s
}

// Handler is the server without its listener.
func (s *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Serve(w, r, &exchange{s: s})
	})
}

// now is the clock in whole seconds, as S3 keeps times.
func (s *Server) now() time.Time { return s.o.Now().UTC().Truncate(time.Second) }
