package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"provcat-tui/internal/synthetic"
)

// The dialects, by the schemes of their URLs.
const (
	s3  = "s3"
	gcs = "gs"
)

// A run is one client at work, and what it took.
type run struct {
	dialect string
	latency time.Duration
	how     string
	peer    bool   // it is another program
	program string // empty: this one
	args    []string
	// where are the arguments that name the bucket at an endpoint, after args; nil: the
	// endpoint alone.
	where func(url string) []string

	took, cpu time.Duration
	memory    int64 // bytes
	counts    synthetic.Counts
	note      string // of this program's own, on its standard error
}

func (r run) String() string {
	store := "S3"
	if r.dialect == gcs {
		store = "Google Cloud Storage"
	}
	return fmt.Sprintf("%s | %s | %s", store, r.latency, r.how)
}

// measure runs the client, and checks that it told every version.
func (r *run) measure(server *synthetic.Server, versions int64) error {
	server.Latency(r.latency)
	program, args := r.program, append([]string{}, r.args...)
	if program == "" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		program = self
	}
	if r.where != nil {
		args = append(args, r.where(server.URL())...)
	} else {
		args = append(args, server.URL())
	}
	server.Forget()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test", "AWS_REGION=us-east-1", "AWS_EC2_METADATA_DISABLED=true",
		"AWS_CONFIG_FILE="+os.DevNull, "AWS_SHARED_CREDENTIALS_FILE="+os.DevNull, "RCLONE_CONFIG="+os.DevNull)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	lines, scanned := int64(0), error(nil)
	for in := bufio.NewReaderSize(out, 1<<20); ; {
		line, err := in.ReadSlice('\n')
		if err != nil {
			if len(line) > 0 || err.Error() != "EOF" {
				scanned = err
			}
			break
		}
		lines++
	}
	err = errors.Join(cmd.Wait(), scanned)
	r.took = time.Since(began)
	r.counts = server.Counts()
	if err != nil {
		return fmt.Errorf("%s: %w: %.2000s", r, err, said.String())
	}
	if lines != versions {
		return fmt.Errorf("%s: %d lines, not %d: %.2000s", r, lines, versions, said.String())
	}
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.memory = peak(cmd.ProcessState)
	if !r.peer && said.Len() > 0 {
		r.note = " (" + said.String() + ")"
	}
	return nil
}

// remote is the bucket in rclone's words.
func remote(dialect, url string) string {
	if dialect == gcs {
		return fmt.Sprintf(`:gcs,anonymous=true,endpoint="%s/storage/v1/":synthetic`, url)
	}
	return fmt.Sprintf(`:s3,provider=AWS,env_auth=true,region=us-east-1,force_path_style=true,endpoint="%s":synthetic`, url)
}

// row is a line of the table. peers are what the others took in the same group.
func (r *run) row(versions int64, peers []time.Duration) string {
	var ratios []string
	for _, p := range peers {
		if !r.peer && r.args[0] == listWord {
			ratios = append(ratios, fmt.Sprintf("%.1f", p.Seconds()/r.took.Seconds()))
		}
	}
	memory := "not known here"
	if r.memory > 0 {
		memory = fmt.Sprintf("%d MB", r.memory>>20)
	}
	pages := float64((versions + 999) / 1000)
	return fmt.Sprintf("| %s | %.1f s | %.2f µs%s | %s | %.2f | %s |", r, r.took.Seconds(), r.cpu.Seconds()*1e6/float64(versions), r.note, memory, float64(r.counts.Listings)/pages, strings.Join(ratios, ", "))
}
