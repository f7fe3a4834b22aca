package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"provcat-tui/demo"
	"provcat-tui/internal/fakes3"
)

// A stage is a machine as the scenes know it: the program, a home that holds
// nothing but the demo bucket, and credentials for a test server with a few
// buckets. The home's place is the same on each run, since the screens show it.
type stage struct {
	s3     *fakes3.Server
	home   string
	binary string
	bucket string
}

func newStage(ctx context.Context, binary string) (*stage, error) {
	st := &stage{home: filepath.Join(os.TempDir(), "provcat")}
	if err := os.Mkdir(st.home, 0o700); err != nil {
		return nil, fmt.Errorf("make the scenes' home: %w; if no other run is under way, remove it", err)
	}
	st.s3 = fakes3.New(fakes3.Options{})
	for _, name := range []string{"analytics-staging", "team-archive", "team-data"} {
		st.s3.CreateBucket(name, true)
	}
	st.bucket = filepath.Join(st.home, "team-data.bucket")
	st.binary = binary
	err := demo.Make(ctx, st.bucket, nil)
	if err == nil && binary == "" {
		st.binary = filepath.Join(st.home, "provcat-tui")
		build := exec.CommandContext(ctx, "go", "build", "-o", st.binary, "provcat-tui")
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		err = build.Run()
	}
	if err == nil {
		err = st.settle()
	}
	if err != nil {
		st.strike()
		return nil, err
	}
	return st, nil
}

// settle writes the settings that a person would have.
func (st *stage) settle() error {
	dir := filepath.Join(st.home, ".config", "provcat-tui")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(settings(st.bucket)), 0o600)
}

// env is all of the program's environment.
func (st *stage) env(l look) []string {
	env := []string{
		"HOME=" + st.home, "XDG_CONFIG_HOME=" + filepath.Join(st.home, ".config"),
		"XDG_DATA_HOME=" + filepath.Join(st.home, ".data"), "XDG_STATE_HOME=" + filepath.Join(st.home, ".state"),
		"XDG_CACHE_HOME=" + filepath.Join(st.home, ".cache"),
		"PATH=" + os.Getenv("PATH"), "USER=ana", "LANG=C.UTF-8", "TZ=UTC",
		"TERM=xterm-256color", "COLORTERM=truecolor", "AWS_EC2_METADATA_DISABLED=true",
		"AWS_ENDPOINT_URL_S3=" + st.s3.URL(), "AWS_REGION=eu-central-1",
		"AWS_ACCESS_KEY_ID=SCENES", "AWS_SECRET_ACCESS_KEY=scenes",
	}
	if l.plain {
		env = append(env, "NO_COLOR=1")
	}
	return env
}

func (st *stage) strike() {
	st.s3.Close()
	if err := os.RemoveAll(st.home); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
	}
}

// play runs one scene in a terminal of its own and gives the last screen.
func (st *stage) play(ctx context.Context, s scene) (*screen, error) {
	args := make([]string, len(s.args))
	for i, a := range s.args {
		args[i] = os.Expand(a, func(string) string { return st.bucket })
	}
	cmd := exec.CommandContext(ctx, st.binary, args...)
	cmd.Dir, cmd.Env = st.home, st.env(s.look)
	t, err := open(cmd, s.look)
	if err != nil {
		return nil, err
	}
	defer t.close()
	for _, step := range s.steps {
		if err := t.do(step); err != nil {
			return nil, fmt.Errorf("step %q: %w; the screen is\n%s", step, err, t.shot().text())
		}
	}
	if t.caught != nil {
		return t.caught, nil
	}
	return t.shot(), nil
}
