package gcs_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/bucket/gcs"
	"provcat-tui/bucket/gcs/gcstest"
	"provcat-tui/internal/fakegcs"
)

// account writes a service account's key file, whose tokens come from a server that
// answers as it is told. It gives what must not be seen of both.
func account(t *testing.T, tokens http.HandlerFunc) (secrets []string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(tokens)
	t.Cleanup(server.Close)
	private := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	file, err := json.Marshal(map[string]string{"type": "service_account", "project_id": "p", "private_key_id": "markkeyid7713", "private_key": private,
		"client_email": "ana@p.iam.gserviceaccount.com", "client_id": "1", "token_uri": server.URL + "/token"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", path)
	return []string{"mark-token-5521", "markkeyid7713", strings.Split(private, "\n")[1], "Bearer", "PRIVATE KEY"}
}

// heard gathers all that a driver tells: errors, its log, its trace.
type heard struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.buf.Write(p)
}

func (h *heard) lacks(t *testing.T, what string, secrets []string) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range secrets {
		if i := strings.Index(h.buf.String(), s); i >= 0 {
			t.Errorf("%s: %.20q… is told: %q", what, s, h.buf.String()[max(0, i-100):min(h.buf.Len(), i+100)])
		}
	}
	h.buf.Reset()
}

// The token and the key file are in no error, log or trace, whatever the store and the
// server of tokens say; and the token goes to no other server.
func TestSecrets(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		elsewhere.Add(1)
		if h := r.Header.Get("Authorization"); h != "" {
			t.Errorf("another server got the header %q", h)
		}
	}))
	t.Cleanup(other.Close)
	srv := fakegcs.New(fakegcs.Options{Token: "mark-token-5521"})
	t.Cleanup(srv.Close)
	srv.CreateBucket("team-data", true)
	version := srv.Put("team-data", "docs/a.txt", []byte("hello"))
	mode := "sound"
	front := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said := fmt.Sprintf("you sent %v, that is %s", r.Header, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		switch mode {
		case "sound":
			srv.Handler().ServeHTTP(w, r)
			return
		case "redirect":
			http.Redirect(w, r, other.URL+"/x", http.StatusTemporaryRedirect)
			return
		case "found":
			http.Redirect(w, r, other.URL+"/x", http.StatusFound)
			return
		case "page":
			w.Header().Set("Content-Type", "text/html; x="+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
			_, _ = io.WriteString(w, said)
			return
		case "malformed":
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"kind": "`+said)
			return
		case "plain":
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, said)
			return
		}
		status := 403
		_, _ = fmt.Sscan(mode, &status)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Guploader-Uploadid", r.Header.Get("Authorization"))
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": status, "message": said, "errors": []any{map[string]string{"reason": said, "message": said}}}})
	}))
	t.Cleanup(front.Close)
	transport := front.Client().Transport.(*http.Transport).Clone()
	transport.TLSClientConfig.InsecureSkipVerify = true // two servers with a certificate each, on loopback

	secrets := account(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"mark-token-5521","expires_in":3600,"token_type":"Bearer"}`)
	})
	var h heard
	ctx := bucket.WithTrace(t.Context(), func(r bucket.Request) { _, _ = fmt.Fprintf(&h, "%+v\n", r) })
	ctx = bucket.WithWarn(ctx, func(text string) { _, _ = fmt.Fprintln(&h, text) })
	o := bucket.Options{Endpoint: front.URL, Log: slog.New(slog.NewJSONHandler(&h, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	tune := func(t *gcs.Tuning) { gcstest.Tune(t); t.Attempts, t.Transport = 2, transport }
	l := bucket.Location{Scheme: "gs", Bucket: "team-data"}
	b, err := gcs.OpenWith(ctx, l, o, tune)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	h.lacks(t, "opening", secrets)

	for _, mode = range []string{"401", "403", "404", "409", "412", "429", "500", "501", "redirect", "found", "page", "malformed", "plain"} {
		for name, call := range calls(b, fmt.Sprint(version)) {
			if err := call(ctx); err == nil && mode+name != "404delete" { // what isn't there is deleted
				t.Errorf("%s: %s ended well", mode, name)
			} else {
				_, _ = fmt.Fprintln(&h, err)
			}
			h.lacks(t, mode+": "+name, secrets)
		}
		_, err := gcs.OpenWith(ctx, l, o, tune)
		_, _ = fmt.Fprintln(&h, err)
		h.lacks(t, mode+": opening", secrets)
	}
	if elsewhere.Load() > 0 {
		t.Errorf("%d redirects were followed", elsewhere.Load())
	}
}

// calls are one of each kind.
func calls(b bucket.Bucket, version string) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"list": func(ctx context.Context) (err error) {
			for _, err = range b.Versions(ctx, bucket.Range{}) {
				if err != nil {
					return err
				}
			}
			return err
		},
		"read": func(ctx context.Context) error {
			r, _, err := b.Open(ctx, "docs/a.txt", version, 0)
			if err == nil {
				_, err = io.Copy(io.Discard, r)
				if err == nil { // a page with status 200 is content: Cloud Storage's own is read so
					err = fmt.Errorf("content: %w", r.Close())
				}
			}
			return err
		},
		"put": func(ctx context.Context) error {
			_, err := b.PutIfAbsent(ctx, "docs/new", strings.NewReader("x"))
			return err
		},
		"copy": func(ctx context.Context) error {
			_, err := b.CopyVersion(ctx, "docs/a.txt", version, "docs/b.txt")
			return err
		},
		"delete": func(ctx context.Context) error {
			return b.DeleteVersion(ctx, "docs/a.txt", version)
		},
		"hold":     func(ctx context.Context) error { return b.Hold(ctx, "docs/a.txt", version, true) },
		"settings": func(ctx context.Context) error { return b.Settings(ctx).VersioningErr },
	}
}

// What the server of tokens says wrongly is not repeated where it holds secrets.
func TestSecretsOfTokens(t *testing.T) {
	for name, answer := range map[string]string{
		"an error":  `{"error":"invalid_grant","error_description":"the assertion=mark-token-5521 is bad","access_token":"mark-token-5521"}`,
		"no JSON":   `{"access_token":"mark-token-5521", oops`,
		"a refusal": `{"error":"x","refresh_token":"mark-token-5521"} Authorization: Bearer mark-token-5521`,
	} {
		secrets := account(t, func(w http.ResponseWriter, _ *http.Request) {
			if name != "no JSON" {
				w.WriteHeader(http.StatusBadRequest)
			}
			_, _ = io.WriteString(w, answer)
		})
		_, err := gcs.OpenWith(t.Context(), bucket.Location{Scheme: "gs", Bucket: "team-data"}, bucket.Options{Endpoint: "https://127.0.0.1:1"}, gcstest.Tune)
		var h heard
		_, _ = fmt.Fprintln(&h, err)
		if err == nil || !strings.Contains(err.Error(), "sign") {
			t.Errorf("%s: %v", name, err)
		}
		h.lacks(t, name, secrets)
	}
}
