package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// A told commit is what the command said of one, in text or JSON.
type toldCommit struct {
	code     int
	out, err string
}

// commitOn runs the command on a bucket that is open already, whose driver does not wait
// long between its tries.
func commitOn(b bucket.Bucket, format string) toldCommit {
	var out, errs bytes.Buffer
	a := &app{in: strings.NewReader(""), rawOut: &out, err: &errs, now: time.Now, format: format}
	a.out = bufio.NewWriter(stdout{&out})
	ctx := context.Background()
	err := a.commitAtPlace(ctx, &place{Bucket: b}, "sales", commitOptions{message: "x", timeLimit: 20 * time.Millisecond})
	err = errors.Join(err, a.out.Flush())
	if err != nil {
		a.complain(err.Error())
	}
	return toldCommit{codeOf(ctx, err), out.String(), errs.String()}
}

// At each request of a commit the store goes away, before or after it has done what it
// was asked: the exit code and the words are those of what lies in the bucket.
// commit.TestEveryPointOfFailure has every fault, and the table of the outcomes.
func TestCommitTellsWhatIsThere(t *testing.T) {
	isolate(t)
	s := fakes3.New(fakes3.Options{})
	t.Cleanup(s.Close)
	prepare := func(name string) bucket.Bucket {
		s.Heal()
		s.CreateBucket(name, true)
		s.Put(name, "sales/eu.csv", []byte("a,b\n"))
		b := s3test.Open(t, s.URL(), name)
		s.Forget()
		return b
	}
	if r := commitOn(prepare("whole"), "text"); r.code != 0 {
		t.Fatalf("without a fault: %+v", r)
	}
	requests := s.Count("")
	seen := map[string]int{}
	for n := range requests {
		for _, done := range []bool{false, true} {
			for _, format := range []string{"text", "json"} {
				name := fmt.Sprintf("gone-%d-%v-%s", n, done, format)
				b := prepare(name)
				first := fakes3.Drop
				if done {
					first = fakes3.DropAnswer
				}
				s.Fail(fakes3.Fault{Skip: n, Do: first})
				s.Fail(fakes3.Fault{Skip: n + 1, Times: -1, Do: fakes3.Drop})
				r := commitOn(b, format)
				there := len(s.Entries(name, commit.Logs)) == 1
				seen[checkTold(t, name, b.URL(), format, r, there)]++
			}
		}
	}
	for _, outcome := range []string{"committed", "failed", "unclear"} {
		if seen[outcome] == 0 {
			t.Errorf("never %s: %v", outcome, seen)
		}
	}
}

// checkTold checks the exit code and the words, and gives the outcome that they tell.
func checkTold(t *testing.T, name, url, format string, r toldCommit, there bool) string {
	t.Helper()
	var d struct {
		Committed       *bool
		Reason, Warning string
		ID, Detail      string
	}
	if format == "json" {
		if err := json.Unmarshal([]byte(r.out), &d); err != nil {
			t.Errorf("%s: %v in %q", name, err, r.out)
		}
	}
	switch {
	case r.code == 0:
		said := strings.Contains(r.out, "committed sales as number 1") || format == "json" && d.Committed != nil && *d.Committed
		warned := r.err == "" || strings.Contains(r.err, "provcat-tui audit "+url)
		if !there || !said || !warned {
			t.Errorf("%s: there %v, told %+v", name, there, r)
		}
		return "committed"
	case r.code == 3 && strings.Contains(r.err, "it is unclear"):
		if !strings.Contains(r.err, "provcat-tui log "+url+"/sales") || format == "json" && (d.Committed != nil || d.Reason != "unclear" || d.ID == "" || !strings.Contains(d.Detail, d.ID)) {
			t.Errorf("%s: told %+v", name, r)
		}
		return "unclear"
	case r.code == 3 || r.code == 1:
		if there || !strings.Contains(r.err, "nothing was committed") || format == "json" && (d.Committed == nil || *d.Committed) || format == "text" && r.out != "" {
			t.Errorf("%s: there %v, told %+v", name, there, r)
		}
		return "failed"
	}
	t.Errorf("%s: %+v", name, r)
	return ""
}
