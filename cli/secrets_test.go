package cli

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"provcat-tui/internal/fakegcs"
	"provcat-tui/internal/fakes3"
	"provcat-tui/internal/race"
)

// The marks stand where a person's secrets stand. None is in a form that a pattern knows:
// they are found only because the program knows what it was given.
var marks = []string{"MARKKEYID7713", "mark/secret+key/5521", "mark-session-token-9917", "mark-password-3321", "mark-query-4410"}

// No test may pass because a mark was written in another way.
var anySecret = regexp.MustCompile(`(?i)X-Amz-Signature|Authorization\b|Bearer|AWS4-HMAC|Credential=|Signature=[0-9a-f]|marksecret|mark%2fsecret`)

// leaks looks for a secret in a text.
func leaks(text string) string {
	for _, m := range marks {
		if i := strings.Index(text, m); i >= 0 {
			return text[max(0, i-120):min(len(text), i+120)]
		}
	}
	if at := anySecret.FindStringIndex(text); at != nil {
		return text[max(0, at[0]-120):min(len(text), at[1]+120)]
	}
	return ""
}

// noLeaks checks the streams of a run, and every file below a folder.
func noLeaks(t *testing.T, what string, r result, dirs ...string) {
	t.Helper()
	for _, text := range []string{r.out, r.err} {
		if l := leaks(text); l != "" {
			t.Errorf("%s: a stream has a secret: %q", what, l)
		}
	}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			body, err := os.ReadFile(path)
			if l := leaks(string(body)); l != "" {
				t.Errorf("%s: the file %s has a secret: %q", what, path, l)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// everything is each command, on a bucket at a URL whose folder sales has two commits.
func everything(url, dir string) [][]string {
	folder := url + "/sales"
	out := [][]string{
		{"ls", url}, {"ls", folder, "--format", "json"}, {"ls", folder, "--at", "1"},
		{"log", folder}, {"log", folder, "--format", "json"}, {"show", folder, "2"},
		{"diff", folder, "1", "2"}, {"diff", folder, "2"}, {"pin", folder, "--format", "json"},
		{"cat", folder + "/us.csv"}, {"cat", folder + "/us.csv", "--at", "1"},
		{"get", folder, "-o", filepath.Join(dir, "got"), "--at", "1"},
		{"restore", folder, "--at", "1", "--dry-run"}, {"restore", folder, "--at", "1", "--yes"},
		{"protect", folder, "--dry-run"}, {"protect", folder, "--yes"},
		{"doctor", folder}, {"doctor", folder, "--format", "json"},
		{"commit", folder, "-m", "more", "--dry-run"}, {"commit", folder, "-m", "more"}, {"commit", folder, "-m", "more", "--format", "json"},
		{"audit", url, "--depth", "readable"}, {"audit", url, "--estimate"}, {"audit", folder, "--witness", filepath.Join(dir, "witness.json")},
		{"repair", "deletions", url, "--all", "--from", "2020-01-01", "--to", "2020-01-02", "--dry-run"},
	}
	for _, format := range []string{"text", "json", "jsonl", "markdown", "sarif", "junit", "metrics"} {
		out = append(out, []string{"audit", url, "--format", format, "--output", filepath.Join(dir, "report."+format)})
	}
	return append(out, []string{"no-such-command"}, []string{"ls"}, []string{url})
}

// A mean server tells back what it was sent, in each way that an answer has.
type mean struct {
	sound http.Handler
	mode  atomic.Pointer[string]
	saw   atomic.Int64 // requests that carried the session token
	// followed are requests that came because of a redirect.
	followed atomic.Int64
}

func (m *mean) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Amz-Security-Token") == "mark-session-token-9917" {
		m.saw.Add(1)
	}
	if strings.HasPrefix(r.URL.Path, "/elsewhere") {
		m.followed.Add(1)
	}
	var told strings.Builder
	for k, v := range r.Header {
		fmt.Fprintf(&told, "%s: %s ", k, strings.Join(v, " "))
	}
	// What a careless server or a helper of it might say, with words that the request had.
	said := fmt.Sprintf("you sent %s and mark/secret+key/5521 and mark%%2Fsecret%%2Bkey%%2F5521", told.String())
	document := func(status int, code string) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		fmt.Fprintf(w, `<Error><Code>%s</Code><Message>%s</Message><AWSAccessKeyId>MARKKEYID7713</AWSAccessKeyId><StringToSign>%s</StringToSign></Error>`, code, said, said)
	}
	switch *m.mode.Load() {
	case "sound":
		m.sound.ServeHTTP(w, r)
	case "403":
		document(http.StatusForbidden, "SignatureDoesNotMatch")
	case "403 denied":
		document(http.StatusForbidden, "AccessDenied")
	case "500":
		document(http.StatusInternalServerError, "InternalError")
	case "wrong region":
		w.Header().Set("x-amz-bucket-region", "eu-mark-session-token-9917")
		document(http.StatusBadRequest, "AuthorizationHeaderMalformed")
	case "redirect":
		http.Redirect(w, r, "/elsewhere?token="+r.Header.Get("X-Amz-Security-Token"), http.StatusTemporaryRedirect)
	case "page":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "%s <html>%s</html>", r.Header.Get("X-Amz-Security-Token"), said)
	case "malformed":
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprintf(w, "<%s>%s", r.Header.Get("X-Amz-Security-Token"), said)
	case "request ID":
		w.Header().Set("x-amz-request-id", r.Header.Get("Authorization")+r.Header.Get("X-Amz-Security-Token"))
		document(http.StatusConflict, r.Header.Get("X-Amz-Security-Token"))
	case "long":
		said = strings.Repeat("x", 590) + r.Header.Get("X-Amz-Security-Token")
		document(http.StatusTeapot, "Long")
	}
}

func (m *mean) be(mode string) { m.mode.Store(&mode) }

// No credential and nothing made of one is in an output, an error, a log, a report or a
// file, whatever is run and whatever the server says.
func TestSecretsS3(t *testing.T) {
	if race.On {
		t.Skip("every command with a bucket of its own; CI runs this without the race detector")
	}
	home := isolate(t)
	srv := fakes3.New(fakes3.Options{})
	t.Cleanup(srv.Close)
	srv.CreateBucket("team-data", true)
	srv.SetObjectLock("team-data", `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>`)
	m := &mean{sound: srv.Handler()}
	m.be("sound")
	front := httptest.NewServer(m)
	t.Cleanup(front.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", marks[0])
	t.Setenv("AWS_SECRET_ACCESS_KEY", marks[1])
	t.Setenv("AWS_SESSION_TOKEN", marks[2])
	via := func(endpoint string, args ...string) result {
		log := filepath.Join(home, "requests.log")
		return cliAt(time.Now().Add(time.Second), append(args, "--endpoint", endpoint, "--region", "us-east-1", "--path-style", "--log-file", log)...)
	}
	srv.Put("team-data", "sales/us.csv", []byte("12345"))
	via(front.URL, "commit", "s3://team-data/sales", "-m", "first").wants(t, 0)
	srv.Put("team-data", "sales/us.csv", []byte("123456789"))
	via(front.URL, "commit", "s3://team-data/sales", "-m", "second").wants(t, 0)

	for j, mode := range []string{"sound", "403", "403 denied", "500", "wrong region", "redirect", "page", "malformed", "request ID", "long"} {
		commands := everything("s3://team-data", home)
		for i, args := range commands {
			if mode != "sound" && (i+j)%5 != 0 {
				continue
			}
			m.be(mode)
			r := via(front.URL, args...)
			what := mode + ": " + strings.Join(args, " ")
			noLeaks(t, what, r)
			if usage := i >= len(commands)-3; mode == "sound" && (r.code == 2) != usage {
				t.Errorf("%s: exit code %d: %s", what, r.code, r.err)
			}
			if mode != "sound" && r.code == 0 {
				t.Errorf("%s: exit code 0", what)
			}
		}
		noLeaks(t, mode, result{}, home)
	}
	if m.saw.Load() == 0 {
		t.Fatal("the server never saw the session token: the test tests nothing")
	}

	if n := m.followed.Load(); n > 0 {
		t.Errorf("%d redirects were followed", n)
	}

	// What a mean server says only in the middle of things.
	for j, kind := range []string{"ListObjectVersions", "GetObject", "PutObject", "CopyObject", "GetBucketVersioning", "GetBucketLifecycleConfiguration",
		"GetObjectLockConfiguration", "GetObjectTagging", "GetObjectRetention", "GetObjectLegalHold", "PutObjectLegalHold", "ListMultipartUploads"} {
		m.be("sound")
		srv.Fail(fakes3.Fault{Kind: kind, Times: -1, Do: fakes3.Error(403, "AccessDenied", "no: "+strings.Join(marks[:3], " and ")+" Authorization: AWS4-HMAC-SHA256 Credential=x, Signature=0123")})
		for i, args := range everything("s3://team-data", home) {
			if (i+j)%7 == 0 {
				noLeaks(t, kind+" denied: "+strings.Join(args, " "), via(front.URL, args...))
			}
		}
		srv.Heal()
	}
	noLeaks(t, "denied", result{}, home)

	// Endpoints that hold secrets are refused and not told, however they are given.
	host := strings.TrimPrefix(front.URL, "http://")
	for _, endpoint := range []string{
		"http://ana:mark-password-3321@" + host, "http://" + host + "/?token=mark-query-4410", "ana:mark-password-3321@" + host,
		"http://mark-password-3321@127.0.0.1:1", "http://ana:mark-password-3321@%zz", "https://" + host + "#mark-query-4410",
	} {
		for _, args := range [][]string{{"ls", "s3://team-data"}, {"audit", "s3://team-data", "--format", "json"}, {"commit", "s3://team-data/sales", "-m", "x"}, {"ls", "gs://team-data"}} {
			r := via(endpoint, args...)
			noLeaks(t, endpoint+" "+args[0], r, home)
			if r.code != 2 {
				t.Errorf("%s %s: exit code %d: %s", endpoint, args[0], r.code, r.err)
			}
		}
		t.Setenv("AWS_ENDPOINT_URL_S3", endpoint)
		r := cli("ls", "s3://team-data", "--region", "us-east-1")
		noLeaks(t, "AWS_ENDPOINT_URL_S3="+endpoint, r)
		a := &app{}
		a.flags.set = func(string) bool { return false }
		if at := a.way("s3://team-data").Endpoint; leaks(at) != "" {
			t.Errorf("the list of buckets shows %q", at)
		}
		t.Setenv("AWS_ENDPOINT_URL_S3", "")
	}
}

// A presigned URL, or one with a password, is refused, and its secret is told and kept
// nowhere.
func TestSecretsInURLs(t *testing.T) {
	home := isolate(t)
	for _, url := range []string{
		"s3://team-data/sales/us.csv?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=MARKKEYID7713%2F20260101&X-Amz-Signature=mark-query-4410",
		"https://team-data.s3.amazonaws.com/sales/us.csv?versionId=x&X-Amz-Security-Token=mark-session-token-9917&X-Amz-Signature=mark-query-4410",
		"gs://team-data/us.csv?GoogleAccessId=a&Signature=mark-query-4410",
		"https://ana:mark-password-3321@host/bucket", "s3://ana:mark-password-3321@team-data/x",
		"no-such-file?X-Amz-Signature=mark-query-4410", "https://host/?token=mark-query-4410",
	} {
		for _, args := range [][]string{{"ls", url}, {url}, {url, "--log"}, {"audit", url}, {"get", url, "."}, {"cat", url}, {"commit", url, "-m", "x"},
			{"repair", "marker", url}, {"ls", "s3://b", url}, {"audit", "s3://b", "--inventory", url}, {"diff", url, "1"}} {
			r := cli(args...)
			noLeaks(t, strings.Join(args, " "), r)
			if r.code != 2 {
				t.Errorf("%q: exit code %d: %s", args, r.code, r.err)
			}
		}
		mem := (&app{}).memory()
		mem.Visited(url)
		mem.Left("provcat-tui " + url)
		mem.Typed("open " + url)
	}
	noLeaks(t, "kept", result{}, home)
	if len((&app{}).memory().Recent()) != 0 {
		t.Error("a URL with a secret is among the recent ones")
	}
}

// What a program that gives credentials says wrongly is not repeated: it may be the
// credentials.
func TestSecretsOfCredentialProcess(t *testing.T) {
	home := isolate(t)
	script := filepath.Join(home, "helper")
	for name, says := range map[string]string{
		"a warning before": `a warning\n{"Version": 1, "AccessKeyId": "MARKKEYID7713", "SecretAccessKey": "mark/secret+key/5521", "SessionToken": "mark-session-token-9917"}`,
		"as text":          `key MARKKEYID7713 secret mark/secret+key/5521, error: mark-session-token-9917`,
	} {
		if err := os.WriteFile(script, []byte("#!/bin/sh\nprintf '"+says+"'\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		config := filepath.Join(home, "aws-config")
		write(t, config, "[default]\ncredential_process = "+script+"\n")
		t.Setenv("AWS_CONFIG_FILE", config)
		for _, args := range [][]string{{"ls", "s3://team-data"}, {"audit", "s3://team-data", "--format", "json"}} {
			r := cli(append(args, "--region", "us-east-1", "--endpoint", "http://127.0.0.1:1")...).wants(t, 2)
			noLeaks(t, name, r)
			if !strings.Contains(r.err, "credential") {
				t.Errorf("%s: %q", name, r.err)
			}
		}
	}
}

// Over plain HTTP Cloud Storage's credentials are not sent at all, and what a server says
// of others' is not repeated.
func TestSecretsGCS(t *testing.T) {
	s := newGCS(t, fakegcs.Options{})
	home := os.Getenv("HOME")
	write(t, filepath.Join(home, "key.json"), `{"type":"service_account","private_key_id":"MARKKEYID7713","private_key":"mark/secret+key/5521","client_email":"x@y.iam.gserviceaccount.com","token_uri":"http://127.0.0.1:1/mark-query-4410"}`)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(home, "key.json"))
	out := filepath.Join(home, "out")
	if err := os.Mkdir(out, 0o700); err != nil {
		t.Fatal(err)
	}
	via := func(args ...string) result {
		return cliAt(time.Now().Add(time.Second), append(args, "--log-file", filepath.Join(out, "log"))...)
	}
	s.Put("team-data", "sales/us.csv", []byte("12345"))
	via("commit", "gs://team-data/sales", "-m", "first").wants(t, 0)
	s.Put("team-data", "sales/us.csv", []byte("123456789"))
	via("commit", "gs://team-data/sales", "-m", "second").wants(t, 0)
	for _, args := range everything("gs://team-data", out) {
		noLeaks(t, strings.Join(args, " "), via(args...))
	}
	for _, r := range s.Requests() {
		if h := r.Header.Get("Authorization"); h != "" {
			t.Fatalf("%s was sent over plain HTTP", h)
		}
	}
	s.Fail(fakegcs.Fault{Times: -1, Do: fakegcs.Error(403, "forbidden", `no: Authorization: Bearer mark-query-4410 {"private_key_id":"MARKKEYID7713"}`)})
	for i, args := range everything("gs://team-data", out) {
		if i%3 == 0 {
			noLeaks(t, "403: "+strings.Join(args, " "), via(args...))
		}
	}
	s.Heal()
	noLeaks(t, "files", result{}, out)
	// The key file itself is broken: the library's words may repeat it.
	r := cli("ls", "gs://team-data", "--endpoint", "https://127.0.0.1:1").wants(t, 2)
	noLeaks(t, "a broken key file", r)
}

// A server over plain HTTP is warned of once in a run, unless it is this machine.
func TestPlainHTTP(t *testing.T) {
	isolate(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "TESTKEY")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "testsecret")
	gone, stop := context.WithCancel(t.Context()) // nothing is sent
	stop()
	const warning = "plain HTTP to "
	for endpoint, warned := range map[string]bool{
		"http://minio.invalid:9000": true, "http://192.0.2.1:1": true, "http://127.0.0.1.example.invalid": true,
		"https://minio.invalid": false, "http://127.0.0.1:1": false, "http://localhost:1": false, "http://[::1]:1": false, "http://127.9.9.9:1": false,
	} {
		for _, url := range []string{"s3://team-data", "gs://team-data"} {
			r := cliWith(gone, time.Now(), "ls", url, "--endpoint", endpoint, "--region", "us-east-1")
			want := 0
			if warned {
				want = 1
			}
			if n := strings.Count(r.err, warning); n != want {
				t.Errorf("%s at %s: warned %d times, want %d: %s", url, endpoint, n, want, r.err)
			}
			if r := cliWith(gone, time.Now(), "ls", url, "--endpoint", endpoint, "--region", "us-east-1", "--quiet"); strings.Contains(r.err, warning) {
				t.Errorf("--quiet: %s", r.err)
			}
		}
	}
}
