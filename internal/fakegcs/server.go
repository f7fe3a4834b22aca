// Package fakegcs is a Google Cloud Storage server on loopback for tests:
// everything in memory, the JSON API's semantics on the wire for the calls that
// the program makes, and a script of faults (see Fault).
//
// It is written from the JSON API's reference, the discovery document of
// google.golang.org/api/storage/v1 and the pages of the product's guide, which
// comments name by their titles, not from our driver, so that the two check each
// other. Where the documentation is silent a comment says so. Reads work in both
// APIs, as the Go client makes them: alt=media in JSON, and /bucket/object of the
// XML API. There are no ACLs; Deny takes permissions away by their IAM names.
package fakegcs

import (
	"net/http"
	"sync"
	"time"

	"provcat-tui/internal/faults"
)

// Options set a server up. The zero value lets everybody in.
type Options struct {
	// PageCap is the most entries in one page of a listing, whatever was asked
	// for: 1 to 1,000. 0: 1,000.
	PageCap int
	// Now is the server's clock, of the Date header and of new generations.
	// nil: time.Now.
	Now func() time.Time
	// SameTimes lets two changes of a bucket have the same time. Otherwise each is
	// at least a millisecond, which is what the API's times count in, after the one
	// before, so that a deletion and a write right after it can be told from an
	// overwrite by their times, as they can at the speed of a real network.
	SameTimes bool
	// Token, where it is set, is the only OAuth token that is let in; others get
	// 401.
	Token string
	// Project is the project of the buckets that CreateBucket makes: that of a
	// listing of buckets. Empty: "project".
	Project string
	// TLS serves https. Trust its certificate with Server.Client.
	TLS bool
}

// A Server is one endpoint: faults.Server gives its URL, its log of requests, its
// hooks and its script of faults. All methods may be called from several
// goroutines at once.
type Server struct {
	faults.Server
	o Options

	mu      sync.Mutex // guards all below, never held while a bucket's lock is taken
	buckets map[string]*bucket
	uploads map[string]*upload
	seq     int // of upload IDs and rewrite tokens
	moves   map[string]*move

	deniedLists map[string]bool // projects
}

// New starts a server on 127.0.0.1. Close it.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.PageCap < 1 || o.PageCap > maxPage {
		o.PageCap = maxPage
	}
	if o.Project == "" {
		o.Project = "project"
	}
	s := &Server{o: o, buckets: map[string]*bucket{}, uploads: map[string]*upload{}, moves: map[string]*move{}, deniedLists: map[string]bool{}}
	s.Start(s.Handler(), o.TLS)
	return s
}

// Handler is the server without its listener.
func (s *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Serve(w, r, &exchange{s: s})
	})
}

// Host is the server's address as STORAGE_EMULATOR_HOST takes it; the client
// makes it /storage/v1/ below.
func (s *Server) Host() string { return s.URL() }

// Endpoint is the base of the JSON API, as the client's option.WithEndpoint
// takes it.
func (s *Server) Endpoint() string { return s.URL() + apiPath }

// now is the clock in whole milliseconds, as the API gives times.
func (s *Server) now() time.Time { return s.o.Now().UTC().Truncate(time.Millisecond) }
