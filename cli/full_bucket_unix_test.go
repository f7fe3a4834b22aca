//go:build unix

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"provcat-tui/bucket"
)

// A disk that is full while a restore writes to a bucket file: it stops at once and says
// how much was written, which is what is in the bucket; no write of it is called unclear.
// Two kinds of it: a limit on the file's size, and a small file system of its own where
// this machine lets one be mounted.
func TestRestoreOnAFullDisk(t *testing.T) {
	isolate(t)
	long := strings.Repeat("x", 900) // a restored version takes a part of a page
	prepare := func() *testBucket {
		tb := newBucket(t)
		for i := range 80 {
			tb.put(fmt.Sprintf("sales/%03d%s", i, long), "first")
		}
		tb.commit("sales", "ana", "first")
		for i := range 80 {
			tb.put(fmt.Sprintf("sales/%03d%s", i, long), "second, which has more bytes")
		}
		return tb
	}
	check := func(t *testing.T, tb *testBucket, code int, out string) {
		t.Helper()
		written := 0
		for v, err := range tb.b.Versions(t.Context(), bucket.Range{Prefix: "sales/"}) {
			if err != nil {
				t.Fatal(err)
			}
			if v.Live() && v.Size == int64(len("first")) {
				written++
			}
		}
		want := fmt.Sprintf("stopped, when %s had been written", count(int64(written), "file"))
		if written == 0 {
			want = "stopped, and nothing was written"
		}
		if code != exitIncomplete || strings.Contains(out, "unclear") || !strings.Contains(out, want) || strings.Contains(out, "\nfailed ") {
			t.Errorf("exit code %d, %d written: %s", code, written, out)
		}
		if written == 80 {
			t.Error("all was written: the test shows nothing")
		}
	}
	t.Run("limit", func(t *testing.T) {
		tb := prepare()
		info, err := os.Stat(tb.path)
		if err != nil {
			t.Fatal(err)
		}
		cmd := program(t)
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", `ulimit -f ` + fmt.Sprint((info.Size()+8192)/512) + `; exec "$0" "$@"`, os.Args[0], "restore", tb.at("sales"), "--at", "1", "--yes"}
		out, err := cmd.CombinedOutput()
		check(t, tb, ended(t, err), string(out))
	})
	t.Run("tmpfs", func(t *testing.T) {
		if exec.Command("unshare", "-rm", "true").Run() != nil {
			t.Skip("no file system can be mounted here")
		}
		tb := prepare()
		info, err := os.Stat(tb.path)
		if err != nil {
			t.Fatal(err)
		}
		cmd := program(t)
		sh, err := exec.LookPath("unshare")
		if err != nil {
			t.Skip(err)
		}
		const script = `mount -t tmpfs -o size=$1 none $2 && cp $3 $2/x.bucket && { "$0" restore $2/x.bucket/sales --at 1 --yes; code=$?; cat $2/x.bucket >$3; exit $code; }`
		cmd.Path, cmd.Args = sh, []string{"unshare", "-rm", "sh", "-c", script, os.Args[0], fmt.Sprint(info.Size() + 32768), t.TempDir(), tb.path}
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), "mount:") {
			t.Skip(string(out))
		}
		check(t, tb, ended(t, err), string(out))
	})
}
