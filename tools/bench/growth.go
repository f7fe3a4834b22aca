package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"provcat-tui/internal/synthetic"
)

// A point is what one size took.
type point struct {
	what     string // "walk" or "audit"
	versions int64
	seconds  float64
	cpu      float64 // seconds of processor time: what else the machine does is not in it
	mb       float64 // peak, 10^6 bytes
}

// sizes are the versions of the buckets that growth is measured at.
var sizes = []int64{1_000_000, 3_000_000, 10_000_000}

// grow measures walks and audits of every size, one after another, and writes what they
// took to a file of comma-separated values.
func grow(path string) error {
	dir, err := os.MkdirTemp("", "growth")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // in the system's folder for such things
	audit := filepath.Join(dir, "audit.test")
	if out, err := exec.Command("go", "test", "-c", "-o", audit, "./audit").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	var all []point
	for _, n := range sizes {
		p, err := growWalk(n)
		if err != nil {
			return err
		}
		all = append(all, p)
		if p, err = growAudit(audit, n); err != nil {
			return err
		}
		all = append(all, p)
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"what", "versions", "seconds", "processor seconds", "peak MB"}) // to memory: Error below tells
	for _, p := range all {
		_ = w.Write([]string{p.what, fmt.Sprint(p.versions), fmt.Sprintf("%.1f", p.seconds), fmt.Sprintf("%.1f", p.cpu), fmt.Sprintf("%.0f", p.mb)})
	}
	if w.Flush(); w.Error() != nil {
		return w.Error()
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// growWalk is a walk over S3's dialect at no latency, in a process of its own.
func growWalk(n int64) (point, error) {
	server := synthetic.New(synthetic.Folders(n, n/1000))
	defer server.Close()
	r := run{dialect: s3, how: "this program", args: []string{listWord, s3, "16"}}
	if err := r.measure(server, n); err != nil {
		return point{}, err
	}
	fmt.Fprintf(os.Stderr, "walk of %d: %s, %d MB\n", n, r.took, r.memory/1e6)
	return point{"walk", n, r.took.Seconds(), r.cpu.Seconds(), float64(r.memory) / 1e6}, nil
}

// growAudit runs the audit's own benchmark, which makes the bucket in memory.
func growAudit(program string, n int64) (point, error) {
	cmd := exec.Command(program, "-test.run", "^$", "-test.bench", "^BenchmarkScale$", "-test.benchtime", "1x", "-test.timeout", "30m")
	cmd.Env = append(os.Environ(), fmt.Sprintf("PROVCAT_SCALE=%d", n))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return point{}, fmt.Errorf("%w: %s", err, out)
	}
	fmt.Fprintf(os.Stderr, "audit of %d: %s", n, out)
	value := func(unit string) (float64, error) {
		f := bytes.Fields(out)
		for i := 1; i < len(f); i++ {
			if string(f[i]) == unit {
				return strconv.ParseFloat(string(f[i-1]), 64)
			}
		}
		return 0, fmt.Errorf("the benchmark says nothing of %s: %s", unit, out)
	}
	ns, err := value("ns/op")
	if err != nil {
		return point{}, err
	}
	mb, err := value("MB-peak")
	if err != nil {
		return point{}, err
	}
	// The processor time has all of the process in it, the making of the bucket too.
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return point{"audit", n, ns / 1e9, cpu.Seconds(), mb}, nil
}

// points reads what grow wrote.
func points(path string) ([]point, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	var out []point
	for i, row := range rows {
		if i == 0 {
			continue
		}
		if len(row) != 5 {
			return nil, fmt.Errorf("%s: line %d has %d fields, not 5", path, i+1, len(row))
		}
		p := point{what: row[0]}
		if p.versions, err = strconv.ParseInt(row[1], 10, 64); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, i+1, err)
		}
		if p.seconds, err = strconv.ParseFloat(row[2], 64); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, i+1, err)
		}
		if p.cpu, err = strconv.ParseFloat(row[3], 64); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, i+1, err)
		}
		if p.mb, err = strconv.ParseFloat(row[4], 64); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, i+1, err)
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no figures", path)
	}
	return out, nil
}
