package s3_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3"
	"provcat-tui/internal/fakes3"
)

// open opens through the scheme's registered driver, with the environment's
// credentials, which the test gives.
func open(t *testing.T, name string, o bucket.Options) (bucket.Bucket, error) {
	t.Helper()
	l, err := bucket.Parse("s3://" + name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	b, err := bucket.Open(ctx, l, o)
	if err == nil {
		t.Cleanup(func() { _ = b.Close() })
	}
	return b, err
}

func environment(t *testing.T, key string) {
	t.Setenv("AWS_ACCESS_KEY_ID", key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_SESSION_TOKEN", "")
	if key == "" {
		t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	}
	t.Setenv("AWS_MAX_ATTEMPTS", "1") // no waits
}

func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// TestOpeningSaysWhatIsWrong: wrong input, each with a message of its own.
func TestOpeningSaysWhatIsWrong(t *testing.T) {
	environment(t, "test")
	s := server(t, fakes3.Options{Region: "eu-west-1", AccessKey: "test"})
	s.CreateBucket("here", true)
	secure := server(t, fakes3.Options{TLS: true})
	secure.CreateBucket("here", true)
	denied := server(t, fakes3.Options{})
	denied.CreateBucket("here", true)
	denied.Fail(fakes3.Fault{Times: -1, Do: fakes3.AccessDenied})
	expired := server(t, fakes3.Options{})
	expired.Fail(fakes3.Fault{Times: -1, Do: fakes3.Error(400, "ExpiredToken", "The provided token has expired.")})
	web := server(t, fakes3.Options{})
	web.Fail(fakes3.Fault{Times: -1, Do: fakes3.HTML})

	for name, c := range map[string]struct {
		bucket string
		o      bucket.Options
		key    string
		kind   error
		says   string
	}{
		"no such bucket":     {"nothere", bucket.Options{Endpoint: s.URL(), Region: "eu-west-1"}, "test", bucket.ErrNotFound, "there is no such bucket"},
		"wrong region":       {"here", bucket.Options{Endpoint: s.URL(), Region: "us-west-2"}, "test", nil, `the request was for us-west-2, the bucket is in "eu-west-1"`},
		"wrong credentials":  {"here", bucket.Options{Endpoint: s.URL(), Region: "eu-west-1"}, "wrong", bucket.ErrDenied, "does not accept these credentials"},
		"no credentials":     {"here", bucket.Options{Endpoint: s.URL(), Region: "eu-west-1"}, "", bucket.ErrDenied, "open s3://here: no credentials were found; set AWS_ACCESS_KEY_ID"},
		"no such profile":    {"here", bucket.Options{Endpoint: s.URL(), Profile: "nobody"}, "test", nil, "check --profile"},
		"expired":            {"here", bucket.Options{Endpoint: expired.URL()}, "test", bucket.ErrDenied, "have expired"},
		"denied":             {"here", bucket.Options{Endpoint: denied.URL()}, "test", bucket.ErrDenied, "needs s3:ListBucketVersions"},
		"a web page":         {"here", bucket.Options{Endpoint: web.URL()}, "test", bucket.ErrBadAnswer, "is an S3 store"},
		"refused":            {"here", bucket.Options{Endpoint: "http://" + freePort(t)}, "test", nil, "refused the connection"},
		"no such host":       {"here", bucket.Options{Endpoint: "http://store.invalid:1", PathStyle: true}, "test", nil, "check the endpoint"},
		"no scheme":          {"here", bucket.Options{Endpoint: "localhost:9000"}, "test", bucket.ErrUsage, "https://host:port"},
		"untrusted":          {"here", bucket.Options{Endpoint: secure.URL()}, "test", nil, "AWS_CA_BUNDLE"},
		"TLS to a plain one": {"here", bucket.Options{Endpoint: strings.Replace(s.URL(), "http:", "https:", 1)}, "test", nil, "use http://"},
		"a directory bucket": {"x--use1-az4--x-s3", bucket.Options{Endpoint: s.URL()}, "test", bucket.ErrUnsupported, "keeps no versions"},
	} {
		t.Run(name, func(t *testing.T) {
			environment(t, c.key)
			_, err := open(t, c.bucket, c.o)
			if err == nil {
				t.Fatal("it opened")
			}
			if c.kind != nil && !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v\nwant %v that says %q", err, c.kind, c.says)
			}
			if c.key == "" && strings.Contains(err.Error(), "denied") {
				t.Errorf("%v\nnobody has denied anything", err)
			}
			if errors.Is(err, bucket.ErrNotFound) != (c.kind == bucket.ErrNotFound) {
				t.Errorf("%v: not found, or not?", err)
			}
			var e *bucket.Error
			if !errors.As(err, &e) || e.Op != "open" || e.Bucket != "s3://"+c.bucket || e.Hint == "" {
				t.Errorf("not a whole *bucket.Error: %#v", err)
			}
		})
	}
}

// TestOpeningGoesToTheBucketsRegion: without an endpoint, whatever region the
// client starts in. All names lead to the test server.
func TestOpeningGoesToTheBucketsRegion(t *testing.T) {
	environment(t, "test")
	s := server(t, fakes3.Options{Region: "eu-west-1"})
	s.CreateBucket("here", true)
	s.Put("here", "k", []byte("body"))
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	var hosts []string
	tune := func(o *awss3.Options) {
		o.UsePathStyle = true
		o.EndpointOptions.DisableHTTPS = true
		o.HTTPClient = awshttp.NewBuildableClient().WithTransportOptions(func(tr *http.Transport) {
			tr.Proxy = nil
			tr.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
				hosts = append(hosts, addr)
				return new(net.Dialer).DialContext(ctx, "tcp", u.Host)
			}
		})
	}
	b, err := s3.OpenWith(context.Background(), bucket.Location{Scheme: "s3", Bucket: "here"}, bucket.Options{Region: "us-east-1"}, tune)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := keys(b, bucket.Range{}); err != nil || strings.Join(got, " ") != "k" {
		t.Errorf("lists %q, %v", got, err)
	}
	if len(hosts) < 2 || !strings.Contains(hosts[0], "us-east-1") && hosts[0] != "s3.amazonaws.com:80" || hosts[1] != "s3.eu-west-1.amazonaws.com:80" {
		t.Errorf("went to %q", hosts)
	}
}

// TestOpeningUnderAFolder: who may list only a folder can open it.
func TestOpeningUnderAFolder(t *testing.T) {
	environment(t, "test")
	s := server(t, fakes3.Options{})
	s.CreateBucket("here", true)
	s.Put("here", "sales/2026/a", nil)
	s.Fail(fakes3.Fault{Kind: "ListObjectVersions", Times: -1, Do: fakes3.AccessDenied, Match: func(r fakes3.Request) bool {
		q, _ := url.ParseQuery(r.Query)
		return !strings.HasPrefix(q.Get("prefix"), "sales/")
	}})
	for path, want := range map[string]bool{"here/sales/2026": true, "here/sales/": true, "here/sales": true, "here/sales/2026/a": true, "here": false, "here/other": false} {
		_, err := open(t, path, bucket.Options{Endpoint: s.URL()})
		if want != (err == nil) || err != nil && !errors.Is(err, bucket.ErrDenied) {
			t.Errorf("s3://%s: %v", path, err)
		}
	}
}

func TestEndpointOfTheEnvironmentAndTrustedAuthority(t *testing.T) {
	environment(t, "test")
	s := server(t, fakes3.Options{TLS: true})
	s.CreateBucket("here", true)
	t.Setenv("AWS_ENDPOINT_URL_S3", s.URL())
	if _, err := open(t, "here", bucket.Options{}); err == nil || !strings.Contains(err.Error(), "AWS_CA_BUNDLE") {
		t.Errorf("untrusted: %v", err)
	}
	certificate := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(certificate, authority(s), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_CA_BUNDLE", certificate)
	if _, err := open(t, "here", bucket.Options{}); err != nil {
		t.Errorf("trusted: %v", err)
	}
}

func TestRequesterPays(t *testing.T) {
	environment(t, "test")
	s := server(t, fakes3.Options{})
	s.CreateBucket("here", true)
	s.SetRequesterPays("here", true)
	if _, err := open(t, "here", bucket.Options{Endpoint: s.URL()}); !errors.Is(err, bucket.ErrDenied) || !strings.Contains(err.Error(), "--request-payer") {
		t.Errorf("without the header: %v", err)
	}
	b, err := open(t, "here", bucket.Options{Endpoint: s.URL(), RequestPayer: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	v, err := b.PutIfAbsent(ctx, "k", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.CopyVersion(ctx, "k", v.ID, "to"); err != nil {
		t.Error(err)
	}
	if r, _, err := b.Open(ctx, "k", "", 0); err != nil {
		t.Error(err)
	} else if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := b.Delete(ctx, "k"); err != nil {
		t.Error(err)
	}
	if err := b.DeleteVersion(ctx, "k", v.ID); err != nil {
		t.Error(err)
	}
	if _, err := items(b, ""); err != nil {
		t.Error(err)
	}
}

// TestLog: a line for each request, and no terminal escape in it.
func TestLog(t *testing.T) {
	environment(t, "test")
	s := server(t, fakes3.Options{})
	s.CreateBucket("here", true)
	var out bytes.Buffer
	b, err := open(t, "here", bucket.Options{Endpoint: s.URL(), Log: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Open(context.Background(), "a\x1b[2Jb", "", 0); !errors.Is(err, bucket.ErrNotFound) {
		t.Error(err)
	}
	for _, want := range []string{"operation=ListObjectVersions status=200", "operation=GetObject status=404", `a\x1b[2Jb`, "request="} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in the log:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("an escape in the log")
	}
}

func TestBuckets(t *testing.T) {
	environment(t, "test")
	s := server(t, fakes3.Options{})
	for _, name := range []string{"one", "two", "three"} {
		s.CreateBucket(name, true)
	}
	list := func() (got []string, err error) {
		for b, err := range s3.Buckets(context.Background(), bucket.Options{Endpoint: s.URL(), Region: "eu-west-3"}) {
			if err != nil {
				return got, err
			}
			if b.Region != "us-east-1" || // the bucket's own, as the server tells it
				b.Endpoint != s.URL() {
				t.Errorf("%+v", b)
			}
			got = append(got, b.Name)
		}
		return got, nil
	}
	if got, err := list(); err != nil || strings.Join(got, " ") != "one three two" {
		t.Errorf("got %q, %v", got, err)
	}
	s.Fail(fakes3.Fault{Kind: "ListBuckets", Do: fakes3.AccessDenied})
	if _, err := list(); !errors.Is(err, bucket.ErrDenied) || !strings.Contains(err.Error(), "needs s3:ListAllMyBuckets") {
		t.Errorf("denied: %v", err)
	}
	s.Fail(fakes3.Fault{Kind: "ListBuckets", Do: fakes3.HTML})
	if _, err := list(); !errors.Is(err, bucket.ErrBadAnswer) {
		t.Errorf("a web page: %v", err)
	}
}

// authority is the server's own certificate, in PEM.
func authority(s *fakes3.Server) []byte {
	conn, err := tls.Dial("tcp", strings.TrimPrefix(s.URL(), "https://"), s.Client().Transport.(*http.Transport).TLSClientConfig)
	if err != nil {
		panic(err)
	}
	defer func() { _ = conn.Close() }()
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: conn.ConnectionState().PeerCertificates[0].Raw})
}
