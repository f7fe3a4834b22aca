package synthetic

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"
)

// A Server is one endpoint with one bucket, whatever name it is asked for by. All
// methods may be called from several goroutines at once.
type Server struct {
	shape   Shape
	latency atomic.Int64 // nanoseconds
	limit   atomic.Int64 // requests at the same time; 0: no limit
	http    *httptest.Server

	listings, folders, refused, bytes atomic.Int64
	busy, most                        atomic.Int64
	began                             time.Time
}

// New starts a server on 127.0.0.1. Close it.
func New(s Shape) *Server {
	out := &Server{shape: s, began: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	out.http = httptest.NewServer(out)
	return out
}

// URL is the endpoint.
func (s *Server) URL() string { return s.http.URL }

// Close ends the server and its connections.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Latency has every request wait before it is answered.
func (s *Server) Latency(d time.Duration) { s.latency.Store(int64(d)) }

// Limit has the server refuse listings with SlowDown while n others are answered;
// 0: it takes all.
func (s *Server) Limit(n int) { s.limit.Store(int64(n)) }

// Counts is what was asked of a server so far.
type Counts struct {
	Listings int64 // pages of versions or objects, refused ones not among them
	Folders  int64 // of them: pages of one level
	Refused  int64 // with SlowDown
	Bytes    int64 // of the bodies of pages
	Most     int64 // requests at the same time, at most
}

// Counts tells what was asked so far.
func (s *Server) Counts() Counts {
	return Counts{Listings: s.listings.Load(), Folders: s.folders.Load(), Refused: s.refused.Load(), Bytes: s.bytes.Load(), Most: s.most.Load()}
}

// Forget starts the counts anew.
func (s *Server) Forget() {
	for _, n := range []*atomic.Int64{&s.listings, &s.folders, &s.refused, &s.bytes, &s.most} {
		n.Store(0)
	}
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	busy := s.busy.Add(1)
	defer s.busy.Add(-1)
	for most := s.most.Load(); busy > most && !s.most.CompareAndSwap(most, busy); {
		most = s.most.Load()
	}
	if d := time.Duration(s.latency.Load()); d > 0 {
		select {
		case <-time.After(d):
		case <-r.Context().Done():
			return
		}
	}
	s.serveS3(w, r, busy)
}
