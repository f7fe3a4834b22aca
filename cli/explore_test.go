package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"provcat-tui/config"
)

func TestExplorerIgnoreFile(t *testing.T) {
	a := &app{}
	if got := a.ignoreFile(); filepath.Base(got) != "ignore.yaml" || filepath.Dir(got) != filepath.Dir(config.Path()) {
		t.Errorf("the default is %s", got)
	}
	wrong := filepath.Join(t.TempDir(), "wrong.yaml")
	if err := os.WriteFile(wrong, []byte("- id: no-such-thing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.flags.ignore = wrong
	if got := a.ignoreFile(); got != wrong {
		t.Errorf("--ignore gives %s", got)
	}
	if err := a.checkIgnore(); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a wrong file: %v", err)
	}
	a.flags.ignore = filepath.Join(t.TempDir(), "not-yet.yaml")
	if err := a.checkIgnore(); err != nil {
		t.Errorf("a file that is not there yet: %v", err)
	}
}

// The list of buckets tells the way by which a place would be opened.
func TestWayOfAPlace(t *testing.T) {
	for _, name := range []string{"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"} {
		t.Setenv(name, "")
	}
	a := &app{}
	a.flags.set = func(string) bool { return false }
	a.config.Bookmarks = []config.Bookmark{{Name: "sales", URL: "s3://team/sales", Way: config.Way{Profile: "prod", Region: "eu-west-1", Endpoint: "https://s3.example.org"}}}
	if got := a.way("s3://team/sales/2026"); got.Profile != "prod" || got.Region != "eu-west-1" || got.Endpoint != "https://s3.example.org" {
		t.Errorf("by its bookmark: %+v", got)
	}
	if got := a.way("s3://other"); got.Profile+got.Region+got.Endpoint != "" {
		t.Errorf("nothing is set: %+v", got)
	}
	t.Setenv("AWS_PROFILE", "night")
	t.Setenv("AWS_DEFAULT_REGION", "us-east-2")
	t.Setenv("AWS_ENDPOINT_URL", "http://localhost:9000")
	if got := a.way("s3://other"); got.Profile != "night" || got.Region != "us-east-2" || got.Endpoint != "http://localhost:9000" {
		t.Errorf("by the environment: %+v", got)
	}
	if got := a.way("/data/x.bucket"); got.Profile+got.Region+got.Endpoint != "" {
		t.Errorf("a file has no region: %+v", got)
	}
}
