package gcs_test

import (
	"testing"

	"provcat-tui/bucket/buckettest"
	"provcat-tui/bucket/gcs/gcstest"
	"provcat-tui/internal/fakegcs"
)

func TestSuite(t *testing.T) {
	s := fakegcs.New(fakegcs.Options{})
	t.Cleanup(s.Close)
	buckettest.Run(t, func(t *testing.T) buckettest.Bucket { return gcstest.New(t, s.URL()) }, buckettest.Options{Known: differences, Parallel: true})
}

// Pages of three entries, whatever was asked for: every listing has to page.
func TestSuiteInSmallPages(t *testing.T) {
	s := fakegcs.New(fakegcs.Options{PageCap: 3})
	t.Cleanup(s.Close)
	buckettest.Run(t, func(t *testing.T) buckettest.Bucket { return gcstest.New(t, s.URL()) }, buckettest.Options{Known: differences, Parallel: true})
}

// differences are where Cloud Storage is not as S3 is, and the driver does not hide it.
var differences = map[string]string{
}
