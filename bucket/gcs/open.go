package gcs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/api/option"
	raw "google.golang.org/api/storage/v1"
	htransport "google.golang.org/api/transport/http"

	"provcat-tui/bucket"
	"provcat-tui/bucket/remote"
)

func init() { bucket.Register("gs", Open) }

// store is one open bucket. Safe for use by several goroutines.
type store struct {
	name    string
	billing string // the project that pays for the requests; empty: the bucket's own
	api     *raw.Service
	close   func()
	secrets *remote.Secrets
	count   counters
	log     *slog.Logger
	tuning  Tuning
	// answered: something at the endpoint has answered a request once.
	answered atomic.Bool
}

// Tuning is what tests and programs with a way of their own change.
type Tuning struct {
	// Attempts is how often a request is sent at most; Pause the first wait between
	// two, which doubles each time.
	Attempts int
	Pause    time.Duration
	// Transport is used below credentials; nil: a fresh one.
	Transport http.RoundTripper
}

// Open opens the bucket that l names, with application default credentials
// (GOOGLE_APPLICATION_CREDENTIALS, gcloud's, workload identity, the metadata server).
// STORAGE_EMULATOR_HOST or o.Endpoint name another server; over plain HTTP no
// credentials are sent, since a bearer token may be used by whoever sees it.
//
// It asks for one entry of the listing, under l.Path if that is not empty, since a
// permission may hold for a folder only.
func Open(ctx context.Context, l bucket.Location, o bucket.Options) (bucket.Bucket, error) {
	return OpenWith(ctx, l, o)
}

// OpenWith is Open with changes to the tuning.
func OpenWith(ctx context.Context, l bucket.Location, o bucket.Options, tune ...func(*Tuning)) (bucket.Bucket, error) {
	b := &store{name: l.Bucket, billing: o.BillingProject, log: o.Log, secrets: &remote.Secrets{}}
	if err := b.connect(ctx, o, tune); err != nil {
		return nil, err
	}
	err := b.probe(ctx, l.Path)
	if err != nil && !(o.Unlisted && errors.Is(err, bucket.ErrDenied) && status(err) == http.StatusForbidden) {
		b.close()
		return nil, err
	}
	return b, nil
}

// connect makes the client. That there are no credentials shows here, before
// anything is sent.
func (b *store) connect(ctx context.Context, o bucket.Options, tune []func(*Tuning)) error {
	b.tuning = Tuning{Attempts: 5, Pause: 300 * time.Millisecond}
	for _, f := range tune {
		f(&b.tuning)
	}
	base, err := endpoint(o.Endpoint)
	if err != nil {
		return &bucket.Error{Op: "open", Bucket: b.URL(), Kind: bucket.ErrUsage, Err: err, Hint: "give it as https://host:port"}
	}
	if u, err := url.Parse(base); err == nil {
		bucket.Warn(ctx, remote.Plain(u, "all that is asked and answered"))
	}
	if b.tuning.Transport == nil {
		b.tuning.Transport = newTransport()
	}
	b.close = func() {}
	if c, ok := b.tuning.Transport.(interface{ CloseIdleConnections() }); ok {
		b.close = c.CloseIdleConnections
	}
	var way http.RoundTripper = &observer{b: b, base: b.tuning.Transport}
	opts := []option.ClientOption{}
	if strings.HasPrefix(base, "http://") {
		opts = append(opts, option.WithoutAuthentication())
	} else {
		way, err = htransport.NewTransport(ctx, way, option.WithTelemetryDisabled(),
			option.WithScopes(raw.DevstorageFullControlScope, raw.CloudPlatformScope))
		if err != nil {
			return b.fail(&call{op: "open"}, &credentialsError{err})
		}
	}
	if base != "" {
		opts = append(opts, option.WithEndpoint(base))
	}
	if b.api, err = raw.NewService(ctx, append(opts, option.WithHTTPClient(&http.Client{Transport: way, CheckRedirect: remote.NoRedirect}))...); err != nil {
		return b.fail(&call{op: "open"}, &credentialsError{err})
	}
	b.api.UserAgent = "provcat-tui"
	return nil
}

// endpoint is the base of the JSON API at the server that is asked for; empty:
// Google's. As in Google's own clients STORAGE_EMULATOR_HOST may lack its scheme.
func endpoint(given string) (string, error) {
	name := "the endpoint"
	if given == "" {
		if given = os.Getenv("STORAGE_EMULATOR_HOST"); given == "" {
			return "", nil
		}
		name = "STORAGE_EMULATOR_HOST"
		if !strings.Contains(given, "://") {
			given = "http://" + given
		}
	}
	u, err := remote.Endpoint(name, given)
	if err != nil {
		return "", err
	}
	if p := strings.Trim(u.Path, "/"); p != "" && p != "storage/v1" {
		return "", fmt.Errorf("%s %q has a path: the API is at /storage/v1/ of a host", name, given)
	}
	return u.Scheme + "://" + u.Host + "/storage/v1/", nil
}

func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	// A walk runs up to 64 listings side by side: keep their connections.
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 256, 128
	t.DisableCompression = true // bodies are hashed as they are stored
	t.TLSHandshakeTimeout = 10 * time.Second
	t.ResponseHeaderTimeout = 2 * time.Minute
	return t
}

// probe makes the one request that everything needs: a listing of one entry.
func (b *store) probe(ctx context.Context, path string) error {
	prefixes := []string{""}
	if path != "" {
		// An IAM condition may allow the folder or the key alone.
		prefixes = []string{strings.TrimSuffix(path, "/") + "/", path}
		if prefixes[0] == path {
			prefixes = prefixes[:1]
		}
	}
	var err error
	for _, prefix := range prefixes {
		p := &pager{b: b, prefix: prefix, size: 1}
		if err = p.fetch(ctx); err == nil {
			return nil
		}
		c := p.call()
		c.op = "open"
		err = b.fail(c, err)
		if status(err) != http.StatusForbidden {
			return err
		}
	}
	return err
}

func (b *store) URL() string { return "gs://" + b.name }

func (b *store) Requests() bucket.Requests { return b.count.requests() }

func (b *store) Close() error {
	b.close()
	return nil
}
