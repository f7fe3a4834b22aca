package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Credentials of the server's only identity. They open nothing else.
const (
	accessKey = "provcat-test"
	secretKey = "provcat-test-secret"
)

const identities = `{"identities":[{"name":"test","credentials":[{"accessKey":"` + accessKey +
	`","secretKey":"` + secretKey + `"}],"actions":["Admin","Read","Write","List","Tagging"]}]}`

type server struct {
	cmd      *exec.Cmd
	dir      string // data, settings and log; removed by stop
	log      string
	endpoint string
	gone     chan struct{} // closed once the process has ended
	ended    error         // how; only after gone
}

// start starts the server and returns at once.
func start(weed, keepLog string) (*server, error) {
	dir, err := os.MkdirTemp("", "provcat-realserver-")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, log: filepath.Join(dir, "log"), gone: make(chan struct{})}
	if keepLog != "" {
		s.log = keepLog
	}
	fail := func(err error) (*server, error) {
		_ = os.RemoveAll(dir) // the error before is the one to tell
		return nil, err
	}
	for _, d := range []string{"data", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			return fail(err)
		}
	}
	settings := filepath.Join(dir, "s3.json")
	if err := os.WriteFile(settings, []byte(identities), 0o600); err != nil {
		return fail(err)
	}
	port, err := freePorts(4)
	if err != nil {
		return fail(err)
	}
	logFile, err := os.Create(s.log)
	if err != nil {
		return fail(err)
	}
	defer logFile.Close() //nolint:errcheck // the child has its own descriptor
	p := func(n int) string { return fmt.Sprint(port + n) }
	s.endpoint = "http://127.0.0.1:" + p(0)
	s.cmd = exec.Command(weed, "-logtostderr=true", "server",
		"-dir="+filepath.Join(dir, "data"), "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
		"-master.port="+p(1), "-master.volumeSizeLimitMB=64", "-master.telemetry=false",
		"-volume.port="+p(2), "-volume.max=200", "-volume.preStopSeconds=1",
		"-filer", "-filer.port="+p(3),
		"-s3", "-s3.port="+p(0), "-s3.config="+settings,
		// Neither catalog is used, and their ports are fixed ones.
		"-s3.port.iceberg=0", "-s3.port.lance=0")
	s.cmd.Dir = dir
	s.cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(dir, "tmp"), "HOME="+dir)
	s.cmd.Stdout, s.cmd.Stderr = logFile, logFile
	s.cmd.SysProcAttr = withParent()
	if err := s.cmd.Start(); err != nil {
		return fail(fmt.Errorf("start SeaweedFS: %w", err))
	}
	go func() {
		if s.ended = s.cmd.Wait(); s.ended == nil {
			s.ended = errors.New("exit status 0")
		}
		close(s.gone)
	}()
	return s, nil
}

// await returns when the server takes a bucket and an object and gives them
// back: its parts come up one after the other.
func (s *server) await(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client := s3.New(s3.Options{
		BaseEndpoint: aws.String(s.endpoint), UsePathStyle: true, Region: "us-east-1",
		Credentials:      credentials.NewStaticCredentialsProvider(accessKey, secretKey, ""),
		RetryMaxAttempts: 1,
	})
	var last error
	for {
		if last = tryOut(ctx, client); last == nil {
			return nil
		}
		select {
		case <-s.gone:
			return fmt.Errorf("the server ended by itself: %w", s.ended)
		case <-ctx.Done():
			return fmt.Errorf("the server at %s gave no right answer in %s: %w", s.endpoint, limit, last)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func tryOut(ctx context.Context, c *s3.Client) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	name, key := aws.String("realserver-ready"), aws.String("k")
	if _, err := c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: name}); err != nil && !strings.Contains(err.Error(), "BucketAlready") {
		return err
	}
	if _, err := c.PutObject(ctx, &s3.PutObjectInput{Bucket: name, Key: key, Body: strings.NewReader("ready")}); err != nil {
		return err
	}
	if _, err := c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: name, Key: key}); err != nil {
		return err
	}
	_, err := c.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: name})
	return err
}

// env is what the tests read.
func (s *server) env() []string {
	return []string{
		"PROVCAT_TEST_S3=" + s.endpoint,
		"AWS_ACCESS_KEY_ID=" + accessKey,
		"AWS_SECRET_ACCESS_KEY=" + secretKey,
	}
}

// stop ends the server, by its process, and removes what it kept. A polite stop
// takes SeaweedFS longer than 15 seconds, and its data has served its turn.
func (s *server) stop() {
	_ = s.cmd.Process.Kill() // fails only if it is gone already
	<-s.gone
	if err := os.RemoveAll(s.dir); err != nil {
		fmt.Fprintln(os.Stderr, "realserver:", err)
	}
}

// tail gives the last lines of the server's log.
func (s *server) tail(lines int) string {
	raw, err := os.ReadFile(s.log)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(raw), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// freePorts gives the first of n loopback ports in a row that are free now, and
// so are those 10,000 above them, which SeaweedFS takes for gRPC.
func freePorts(n int) (int, error) {
	for range 50 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, err
		}
		first := l.Addr().(*net.TCPAddr).Port
		_ = l.Close() // it held nothing
		if first+n+10000 > 65535 {
			first -= 12000
		}
		free := true
		for i := 0; i < n && free; i++ {
			free = isFree(first+i) && isFree(first+i+10000)
		}
		if free {
			return first, nil
		}
	}
	return 0, errors.New("found no free loopback ports")
}

func isFree(port int) bool {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return false
	}
	return l.Close() == nil
}
