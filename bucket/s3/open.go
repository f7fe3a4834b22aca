package s3

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"

	"provcat-tui/bucket"
	"provcat-tui/bucket/remote"
)

func init() { bucket.Register("s3", Open) }

// defaultRegion is used where neither options, environment nor profile name
// one; the bucket's own region is then found at opening.
const defaultRegion = "us-east-1"

// store is one open bucket. Safe for use by several goroutines.
type store struct {
	name     string
	client   *awss3.Client
	close    func()
	payer    bool
	explicit bool // an endpoint was given: the region cannot be followed
	secrets  *remote.Secrets
	count    counters
	hash     hashKey
	lock     lockState
	learning chan struct{} // room for the one that asks for the object lock
}

// Open opens the bucket that l names, with the SDK's default credential chain
// (environment, profile, SSO, web identity, container, instance). What o leaves
// empty comes from the SDK's own settings, such as AWS_REGION and
// AWS_ENDPOINT_URL_S3.
//
// It asks for one entry of the version listing, under l.Path if that is not
// empty, since a permission may hold for a folder only. Where the bucket turns
// out to be in another region and no endpoint was given, it goes there.
func Open(ctx context.Context, l bucket.Location, o bucket.Options) (bucket.Bucket, error) {
	return OpenWith(ctx, l, o)
}

// OpenWith is Open with changes to the SDK's options, for tests and programs
// that bring their own credentials, transport or retryer.
func OpenWith(ctx context.Context, l bucket.Location, o bucket.Options, tune ...func(*awss3.Options)) (bucket.Bucket, error) {
	b := &store{name: l.Bucket, payer: o.RequestPayer, learning: make(chan struct{}, 1), hash: newHashKey(), secrets: &remote.Secrets{}}
	if strings.HasSuffix(l.Bucket, "--x-s3") {
		return nil, &bucket.Error{Op: "open", Bucket: l.Root(), Kind: bucket.ErrUnsupported,
			Err:  errors.New("a directory bucket (S3 Express One Zone) keeps no versions"),
			Hint: "use a general purpose bucket with versioning"}
	}
	if err := b.connect(ctx, o, "", tune); err != nil {
		return nil, err
	}
	err := b.probe(ctx, l.Path)
	if region := regionOf(err); region != "" && !b.explicit && region != b.client.Options().Region {
		b.close()
		if err := b.connect(ctx, o, region, tune); err != nil {
			return nil, err
		}
		err = b.probe(ctx, l.Path)
	}
	if err != nil && !(o.Unlisted && apiCode(err) == "AccessDenied") {
		b.close()
		return nil, b.fail(call{op: "open", prefix: l.Path, permission: "s3:ListBucketVersions"}, err)
	}
	return b, nil
}

// connect makes the client, and gets credentials, so that their absence shows
// before anything is sent. A region given here goes before all others.
func (b *store) connect(ctx context.Context, o bucket.Options, region string, tune []func(*awss3.Options)) error {
	var base *string
	if o.Endpoint != "" {
		if _, err := remote.Endpoint("the endpoint", o.Endpoint); err != nil {
			return b.badEndpoint(err)
		}
		base = aws.String(strings.TrimSuffix(o.Endpoint, "/"))
	}
	cfg, err := load(ctx, o)
	if err != nil {
		return b.fail(call{op: "open"}, err)
	}
	if region != "" {
		cfg.Region = region
	}
	if cfg.Region == "" {
		cfg.Region = defaultRegion
	}
	b.client = awss3.NewFromConfig(cfg, func(so *awss3.Options) {
		if base != nil {
			so.BaseEndpoint = base
		}
		b.explicit = so.BaseEndpoint != nil
		so.UsePathStyle = o.PathStyle || b.explicit && noSubdomains(*so.BaseEndpoint)
		for _, f := range tune {
			f(so)
		}
		if so.Credentials != nil {
			so.Credentials = credentials{so.Credentials, b.secrets}
		}
		so.APIOptions = append(so.APIOptions, b.observe(o.Log))
	})
	b.close = func() {}
	if at := b.client.Options().BaseEndpoint; at != nil {
		// Also where the environment or a profile names it.
		u, err := remote.Endpoint("the endpoint", *at)
		if err != nil {
			return b.badEndpoint(err)
		}
		bucket.Warn(ctx, remote.Plain(u, "the answers, and sees the signature of each request and a session token"))
	}
	if c, ok := b.client.Options().HTTPClient.(interface{ CloseIdleConnections() }); ok {
		b.close = c.CloseIdleConnections
	}
	if c := b.client.Options().Credentials; c != nil {
		if _, err := c.Retrieve(ctx); err != nil {
			return b.fail(call{op: "open"}, err)
		}
	}
	return nil
}

// load reads the SDK's configuration, with what a person set in o before it.
func load(ctx context.Context, o bucket.Options) (aws.Config, error) {
	client := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		// A walk runs up to 64 listings side by side: keep their connections.
		t.MaxIdleConns, t.MaxIdleConnsPerHost = 256, 128
		t.DisableCompression = true // bodies are hashed as they are stored
		t.TLSHandshakeTimeout = 10 * time.Second
		t.ResponseHeaderTimeout = 2 * time.Minute
	})
	opts := []func(*config.LoadOptions) error{
		config.WithHTTPClient(client),
		// The SDK writes its warnings to stderr, which is the TUI's screen.
		config.WithLogger(logging.Nop{}),
		// Checksums in trailers are refused by many compatible stores. Writes
		// carry a Content-MD5 instead, reads are hashed by who needs it.
		config.WithRequestChecksumCalculation(aws.RequestChecksumCalculationWhenRequired),
		config.WithResponseChecksumValidation(aws.ResponseChecksumValidationWhenRequired),
	}
	if o.Profile != "" {
		opts = append(opts, config.WithSharedConfigProfile(o.Profile))
	}
	if o.Region != "" {
		opts = append(opts, config.WithRegion(o.Region))
	}
	cfg, err := config.LoadDefaultConfig(ctx, opts...)
	if err != nil {
		return cfg, &configError{err}
	}
	if c, ok := cfg.HTTPClient.(*awshttp.BuildableClient); ok {
		// Not the SDK's own client: that follows 307 and 308, and hides its transport, so
		// that Close would not reach its connections. AWS_CA_BUNDLE is in the transport by
		// now.
		cfg.HTTPClient = &http.Client{Transport: c.GetTransport(), Timeout: c.GetTimeout(), CheckRedirect: remote.NoRedirect}
	}
	return cfg, nil
}

func (b *store) badEndpoint(err error) error {
	return &bucket.Error{Op: "open", Bucket: b.URL(), Kind: bucket.ErrUsage, Err: err, Hint: "give it as https://host:port"}
}

// noSubdomains says that bucket.host cannot be a name: host is one label, such
// as localhost. (The SDK itself takes path style for IP addresses.)
func noSubdomains(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err == nil && !strings.Contains(u.Hostname(), ".")
}

// probe makes the one request that everything needs: a listing of one entry.
func (b *store) probe(ctx context.Context, path string) error {
	prefixes := []string{""}
	if path != "" {
		// A policy's s3:prefix condition may allow the folder or the key alone.
		prefixes = []string{strings.TrimSuffix(path, "/") + "/", path}
		if prefixes[0] == path {
			prefixes = prefixes[:1]
		}
	}
	var err error
	for _, prefix := range prefixes {
		p := &pager{b: b, prefix: prefix, size: 1}
		if err = p.fetch(ctx); err == nil || apiCode(err) != "AccessDenied" {
			return err
		}
	}
	return err
}

func (b *store) URL() string { return "s3://" + b.name }

func (b *store) Requests() bucket.Requests { return b.count.requests() }

func (b *store) Close() error {
	b.close()
	return nil
}
