package s3_test

import (
	"os"
	"testing"
	"time"

	"provcat-tui/bucket/buckettest"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
)

// TestMain keeps every test away from the machine's own credentials, except
// the tests of a real server, which take theirs from the environment.
func TestMain(m *testing.M) {
	for k, v := range map[string]string{
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	} {
		if err := os.Setenv(k, v); err != nil {
			panic(err)
		}
	}
	for _, k := range []string{"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"} {
		if err := os.Unsetenv(k); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// server is a test server that ends with the test.
func server(t testing.TB, o fakes3.Options) *fakes3.Server {
	s := fakes3.New(o)
	t.Cleanup(s.Close)
	return s
}

func TestSuite(t *testing.T) {
	s := server(t, fakes3.Options{})
	buckettest.Run(t, func(t *testing.T) buckettest.Bucket { return s3test.New(t, s.URL()) }, buckettest.Options{})
}

// TestSuiteInSmallPages has the store give at most three entries a page,
// whatever was asked for.
func TestSuiteInSmallPages(t *testing.T) {
	s := server(t, fakes3.Options{PageCap: 3})
	buckettest.Run(t, func(t *testing.T) buckettest.Bucket { return s3test.New(t, s.URL()) }, buckettest.Options{})
}

func TestRealServerSuite(t *testing.T) {
	endpoint := s3test.RealEndpoint(t)
	buckettest.Run(t, func(t *testing.T) buckettest.Bucket { return s3test.New(t, endpoint) }, buckettest.Options{
		Known:   seaweedDifferences,
		Racers:  6, // SeaweedFS refuses the losers one a second
		Timeout: 90 * time.Second,
	})
}

// seaweedDifferences are where SeaweedFS differs from S3.
var seaweedDifferences = map[string]string{
	"level/key-that-is-the-prefix":                 "a key with a final / is a folder: no versions, no content",
	"level/double-slash":                           "// in a key is taken for /",
	"null/put-makes-and-replaces-the-null-version": nullLast,
	"null/delete-makes-a-null-marker":              nullLast,
	"null/null-version-moves-to-the-top":           nullLast,
	"null/put-if-absent-over-a-null-marker":        nullLast,
	"null/removing-the-null-marker":                nullLast,
	"null/copy-of-the-null-version-over-itself":    nullLast,
	"keys/backslash":                               "a backslash is taken for /",
	"keys/double-slash":                            "// in a key is taken for /",
	"keys/leading-slash":                           "a leading / is lost",
	"keys/lone-slash":                              "the key / is listed as an empty one",
	"keys/slashes-only":                            "a key of slashes is listed as an empty one",
	"keys/final-slash":                             "a key with a final / is a folder: no versions, no content",
	"keys/dot":                                     dots,
	"keys/dot-part":                                dots,
	"keys/dot-dot-part":                            dots,
	"keys/leading-dot-dot":                         dots,
	"keys/control-1":                               "listed as U+FFFD",
	"keys/escape":                                  "listed as U+FFFD",
	"extras/upload-completed-late":                 "an upload takes the place of its end, not of its start",
	"hold/what-is-not-there":                       "a delete marker can be held too",
	"keys/1024-bytes":                              "a part of a key may have 255 bytes",
	"keys/1024-bytes-of-emoji":                     "a part of a key may have 255 bytes",
}

const (
	nullLast = "under suspended versioning the null version is listed last, though it is the latest"
	dots     = "parts . and .. are refused"
)
