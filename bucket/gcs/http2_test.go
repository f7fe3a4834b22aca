package gcs_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/bucket/gcs"
	"provcat-tui/bucket/gcs/gcstest"
	"provcat-tui/internal/fakegcs"
)

// Cloud Storage speaks HTTP/2: all requests use it, side by side on one connection.
func TestHTTP2(t *testing.T) {
	srv := fakegcs.New(fakegcs.Options{Token: "mark-token-5521"})
	t.Cleanup(srv.Close)
	srv.CreateBucket("team-data", true)
	srv.Put("team-data", "k", []byte("x"))
	var mu sync.Mutex
	protos, connections := map[string]int{}, map[string]bool{}
	front := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		protos[r.Proto]++
		connections[r.RemoteAddr] = true
		mu.Unlock()
		srv.Handler().ServeHTTP(w, r)
	}))
	front.EnableHTTP2 = true
	front.StartTLS()
	t.Cleanup(front.Close)
	account(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"mark-token-5521","expires_in":3600,"token_type":"Bearer"}`)
	})
	transport := gcs.NewTransport()
	transport.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	transport.TLSClientConfig.RootCAs.AddCert(front.Certificate())
	b, err := gcs.OpenWith(t.Context(), bucket.Location{Scheme: "gs", Bucket: "team-data"}, bucket.Options{Endpoint: front.URL},
		func(t *gcs.Tuning) { gcstest.Tune(t); t.Transport = transport })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				n := 0
				for _, err := range b.Versions(t.Context(), bucket.Range{}) {
					if err != nil {
						t.Error(err)
					}
					n++
				}
				if n != 1 {
					t.Errorf("%d versions", n)
				}
			}
		})
	}
	all.Wait()
	if protos["HTTP/2.0"] != 41 || len(protos) != 1 || len(connections) != 1 {
		t.Errorf("%v on %d connections; want 41 of HTTP/2.0 on one", protos, len(connections))
	}
}
