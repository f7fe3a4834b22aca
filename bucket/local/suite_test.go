package local_test

import (
	"path/filepath"
	"testing"

	"provcat-tui/bucket/buckettest"
	"provcat-tui/bucket/local"
)

func TestSuite(t *testing.T) {
	buckettest.Run(t, func(t *testing.T) buckettest.Bucket {
		b, err := local.Create(filepath.Join(t.TempDir(), "suite.bucket"), local.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
		return b
	}, buckettest.Options{Parallel: true})
}
