// Package buckettest is the suite that every driver of bucket.Bucket passes.
//
// Its expectations are recorded by hand as the suite writes (see model.go), and
// never taken from what the driver lists.
package buckettest

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
)

// Bucket is what the suite needs beyond bucket.Bucket.
type Bucket interface {
	bucket.Bucket
	// Put makes a new live version of key, whatever is there.
	Put(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error)
	// SetVersioning takes enabled or suspended.
	SetVersioning(ctx context.Context, v bucket.Versioning) error
	// SetLifecycle replaces the rules; none removes them.
	SetLifecycle(ctx context.Context, rules []bucket.Rule) error
}

// Options fit the suite to a server.
type Options struct {
	// Known are differences of a server from S3 that are known: the path of a
	// check in the suite, such as "keys/lone-slash", and the reason. Such a check
	// must fail: when the difference is gone, the suite says so by failing.
	Known map[string]string
	// Racers is how many writers race for a key; 0: 16.
	Racers int
	// Timeout is the time for each check; 0: one minute.
	Timeout time.Duration
	// Parallel runs the checks side by side; open then has to give buckets that
	// don't share anything.
	Parallel bool
	// ETag gives the ETag that the store makes for a body that is put in one
	// piece; nil: its MD5 in hex.
	ETag func(body []byte) string
	// Generations says that the store is Cloud Storage: markers are made up from the
	// times of generations. The model then follows its rules, and the groups that are
	// about S3's own (null) give way to those about its (generations).
	Generations bool
}

// Run runs every check as a subtest. open gives a fresh, empty bucket with
// versioning enabled; it may clean up with t.Cleanup, which runs after each
// check.
func Run(t *testing.T, open func(t *testing.T) Bucket, o Options) {
	paths := Paths()
	for path := range o.Known {
		if !slices.Contains(paths, path) {
			t.Errorf("the known difference %s names no check of the suite", path)
		}
	}
	for _, g := range groups() {
		if g.only != nil && *g.only != o.Generations {
			continue
		}
		t.Run(g.name, func(t *testing.T) {
			for _, c := range g.checks {
				t.Run(c.path, func(t *testing.T) {
					if o.Parallel {
						t.Parallel()
					}
					b := open(t)
					if _, ok := b.(Extras); g.name == "extras" && !ok {
						t.Skip("the store has no tags, no locks and no uploads")
					}
					reason, known := o.Known[g.name+"/"+c.path]
					failures := c.run(b, o)
					for _, f := range verdict(failures, known, reason) {
						t.Error(f)
					}
					if known && len(failures) > 0 {
						t.Logf("known difference (%s): %s", reason, strings.Join(failures, "\n"))
					}
				})
			}
		})
	}
}

// verdict turns the failures of a check into those of the test.
func verdict(failures []string, known bool, reason string) []string {
	if !known {
		return failures
	}
	if len(failures) == 0 {
		return []string{"this passes now: take it from the known differences (" + reason + ")"}
	}
	return nil
}

// A check is one subtest.
type check struct {
	path string // group/name, or the name alone within its group
	f    func(*recorder)
}

// Paths are the paths of all checks, sorted.
func Paths() []string {
	var paths []string
	for _, c := range checks() {
		paths = append(paths, c.path)
	}
	slices.Sort(paths)
	return paths
}

// A group is the checks of one subject; their paths are names within it.
type group struct {
	name   string
	checks []check
	only   *bool // for stores of this kind of Options.Generations
}

func groups() []group {
	yes, no := true, false
	return []group{
		{"list", listChecks, nil}, {"level", levelChecks, nil}, {"create", createChecks, nil},
		{"read", readChecks, nil}, {"copy", copyChecks, nil}, {"delete", deleteChecks, nil},
		{"null", nullChecks, &no}, {"generations", generationChecks, &yes},
		{"settings", settingsChecks(), nil}, {"rules", ruleChecks(rules), &no}, {"conditions", ruleChecks(conditions()), &yes},
		{"calls", callChecks, nil}, {"keys", keyChecks(), nil}, {"plain", plainChecks, nil}, {"extras", extraChecks, nil}, {"hold", holdChecks, nil},
	}
}

// checks are all checks, with whole paths.
func checks() []check {
	var all []check
	for _, g := range groups() {
		for _, c := range g.checks {
			all = append(all, check{g.name + "/" + c.path, c.f})
		}
	}
	return all
}
