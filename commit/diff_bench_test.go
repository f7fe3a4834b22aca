package commit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
)

var oneInAHundred = regexp.MustCompile(`(\d{5}00\.parquet","version":")3s`)

// BenchmarkDiffFetched is a diff of two commits of PROVCAT_SCALE files (200,000), one in a
// hundred different, by a process of its own that fetches them from a server on loopback.
// The time is that of the diff alone, the memory what its process had in use at most.
func BenchmarkDiffFetched(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("PROVCAT_SCALE"))
	if err != nil {
		n = 200_000
	}
	s := fakes3.New(fakes3.Options{})
	b.Cleanup(s.Close)
	to := s3test.New(b, s.URL())
	object := bigObject(n)
	var ids []string
	for _, body := range [][]byte{object, oneInAHundred.ReplaceAll(object, []byte("${1}4t"))} {
		hash := sha256.Sum256(body)
		id := hex.EncodeToString(hash[:])
		s.Put(to.Name, CommitKey(id), body)
		ids = append(ids, id)
	}
	var took, peak float64
	for b.Loop() {
		out, err := child(b, "diff", s.URL(), to.Name, strings.Join(ids, ",")).CombinedOutput()
		if err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		took += told(b, string(out), "SECONDS")
		peak = max(peak, told(b, string(out), "PEAK"))
		if got := told(b, string(out), "CHANGES"); got != float64(n/100) {
			b.Fatalf("%v changes, want %d", got, n/100)
		}
	}
	b.ReportMetric(took/float64(b.N), "s")
	b.ReportMetric(peak, "MB-peak")
	b.ReportMetric(0, "ns/op") // with the start of the process
}

// told is the figure behind a word in the output of a child.
func told(t testing.TB, out, word string) float64 {
	t.Helper()
	_, rest, _ := strings.Cut(out, word+" ")
	x, err := strconv.ParseFloat(strings.Fields(rest + " ?")[0], 64)
	if err != nil {
		t.Fatalf("no %s in %s", word, out)
	}
	return x
}

func childDiff(t *testing.T, b bucket.Bucket, ids string) {
	from, to, _ := strings.Cut(ids, ",")
	stop, began, n := watchPeak(), time.Now(), 0
	for _, err := range Diff(Files(bg, b, from), Files(bg, b, to)) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	fmt.Printf("SECONDS %f\nCHANGES %d\n", time.Since(began).Seconds(), n)
	stop()
}
