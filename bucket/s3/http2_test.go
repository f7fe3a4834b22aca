package s3_test

import (
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/internal/fakes3"
)

// Where an endpoint speaks HTTP/2 all requests use it, side by side on one connection.
// (Amazon's own speaks HTTP/1.1.)
func TestHTTP2WhereItIsSpoken(t *testing.T) {
	environment(t, "test")
	s := server(t, fakes3.Options{})
	s.CreateBucket("here", true)
	s.Put("here", "k", []byte("x"))
	var mu sync.Mutex
	protos, connections := map[string]int{}, map[string]bool{}
	front := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		protos[r.Proto]++
		connections[r.RemoteAddr] = true
		mu.Unlock()
		s.Handler().ServeHTTP(w, r)
	}))
	front.EnableHTTP2 = true
	front.StartTLS()
	t.Cleanup(front.Close)
	certificate := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_CA_BUNDLE", certificate)
	b, err := open(t, "here", bucket.Options{Endpoint: front.URL})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				if got, err := keys(b, bucket.Range{}); err != nil || len(got) != 1 {
					t.Errorf("%q, %v", got, err)
				}
			}
		})
	}
	all.Wait()
	if protos["HTTP/2.0"] != 41 || len(protos) != 1 || len(connections) != 1 {
		t.Errorf("%v on %d connections; want 41 of HTTP/2.0 on one", protos, len(connections))
	}
}

// Close ends the connections that are kept for more requests.
func TestCloseEndsConnections(t *testing.T) {
	environment(t, "test")
	s := server(t, fakes3.Options{})
	s.CreateBucket("here", true)
	var made, ended atomic.Int64
	front := httptest.NewUnstartedServer(s.Handler())
	front.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			made.Add(1)
		case http.StateClosed:
			ended.Add(1)
		}
	}
	front.Start()
	t.Cleanup(front.Close)
	b, err := open(t, "here", bucket.Options{Endpoint: front.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys(b, bucket.Range{}); err != nil || made.Load() != 1 || ended.Load() != 0 {
		t.Errorf("%v; %d connections, %d ended, before Close", err, made.Load(), ended.Load())
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	eventually(t, "the connection ends", func() bool { return ended.Load() == made.Load() })
}
