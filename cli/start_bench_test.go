package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
)

// BenchmarkStart is how long the real program takes in a terminal from its start to
// its first frame, and how much of a core that is; and how large it is.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	bin := filepath.Join(dir, "provcat-tui")
	build := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, "..")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	file := filepath.Join(dir, "x.bucket")
	made, err := local.Create(file, local.Options{})
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	if err := made.SetVersioning(ctx, bucket.VersioningEnabled); err != nil {
		b.Fatal(err)
	}
	if _, err := made.Put(ctx, "docs/a.txt", strings.NewReader("a")); err != nil {
		b.Fatal(err)
	}
	if err := made.Close(); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(bin)
	if err != nil {
		b.Fatal(err)
	}
	var times, cpu, none []time.Duration
	for b.Loop() {
		begun := time.Now()
		if err := exec.Command("true").Run(); err != nil { // what any process costs here
			b.Fatal(err)
		}
		none = append(none, time.Since(begun))
		t, c := startOnce(b, dir, bin, file)
		times, cpu = append(times, t), append(cpu, c)
	}
	slices.Sort(times)
	slices.Sort(cpu)
	slices.Sort(none)
	b.ReportMetric(float64(none[len(none)/2].Microseconds())/1000, "ms-true")
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms-to-frame")
	b.ReportMetric(float64(cpu[len(cpu)/2].Microseconds())/1000, "ms-cpu")
	b.ReportMetric(float64(info.Size())/1e6, "MB")
}

// startOnce starts it and waits for the hints at the bottom of its first frame.
func startOnce(b *testing.B, home, bin, file string) (took, cpu time.Duration) {
	b.Helper()
	cmd := exec.Command(bin, file)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home+"/config", "XDG_STATE_HOME="+home+"/state", "TERM=xterm-256color")
	begun := time.Now()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		b.Fatal(err)
	}
	var seen bytes.Buffer
	buf := make([]byte, 1<<16)
	for !strings.Contains(seen.String(), "keys") {
		n, err := tty.Read(buf)
		if err != nil {
			b.Fatalf("%v after %q", err, seen.String())
		}
		seen.Write(buf[:n])
	}
	took = time.Since(begun)
	_ = cmd.Process.Kill() // the frame was seen
	_ = cmd.Wait()         // says that it was killed
	_ = tty.Close()
	return took, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
