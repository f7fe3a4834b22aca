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
	buckettest.Run(t, func(t *testing.T) buckettest.Bucket { return gcstest.New(t, s.URL()) }, buckettest.Options{Generations: true, Known: differences, Parallel: true})
}

// Pages of three entries, whatever was asked for: every listing has to page.
func TestSuiteInSmallPages(t *testing.T) {
	s := fakegcs.New(fakegcs.Options{PageCap: 3})
	t.Cleanup(s.Close)
	buckettest.Run(t, func(t *testing.T) buckettest.Bucket { return gcstest.New(t, s.URL()) }, buckettest.Options{Generations: true, Known: differences, Parallel: true})
}

// differences are where Cloud Storage is not as S3 is, and the driver does not hide it.
var differences = map[string]string{
	"list/stops-when-told":                 "the order of a key's generations is not documented: all of them have to be there before the first is told",
	"level/folders-with-deleted-keys-only": "a key that never was cannot be deleted",
	"delete/latest-version":                "under a live generation that is removed for good nothing comes to life",
	"keys/carriage-return":                 "no name has one",
	"keys/newline":                         "no name has one",
	"keys/dot":                             "no object has this name",
	"plain/no-uploads":                     "the JSON API does not list them",
	"plain/no-protection":                  "any object may be under a hold, so each has to be asked",
}
