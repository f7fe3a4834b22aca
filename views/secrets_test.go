package views

import (
	"context"
	"strings"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
)

// No screen shows a credential, whatever the store says: a store that repeats what it
// was sent is asked from each screen.
func TestSecretsOnScreens(t *testing.T) {
	marks := []string{"MARKKEYID7713", "mark/secret+key/5521", "mark-session-token-9917"}
	srv, s := onServer(t, "docs", func(b *s3test.Bucket) {
		putOn(t, b, "docs/a.txt", "hello")
		putOn(t, b, "docs/b.txt", "hello")
	})
	for k, v := range map[string]string{"AWS_ACCESS_KEY_ID": marks[0], "AWS_SECRET_ACCESS_KEY": marks[1], "AWS_SESSION_TOKEN": marks[2], "AWS_MAX_ATTEMPTS": "1",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_PROFILE": ""} {
		t.Setenv(k, v)
	}
	s.Open = func(ctx context.Context, l bucket.Location) (bucket.Bucket, error) {
		return s3.Open(ctx, l, bucket.Options{Endpoint: srv.URL(), Region: "us-east-1", PathStyle: true})
	}
	says := "no: " + strings.Join(marks, " and ") + " Authorization: AWS4-HMAC-SHA256 Credential=" + marks[0] + "/x, Signature=0123abcd"
	srv.Forget()
	d := newDriver(t, s, 160, 48)
	look := func(where string) {
		t.Helper()
		for _, secret := range append(marks, "Credential=", "Signature=", "AWS4-HMAC", "Authorization:") {
			failed := d.m.env.trace.failed
			if strings.Contains(d.text(), secret) || failed != nil && strings.Contains(errorText(failed), secret) {
				t.Errorf("%s: %q is told:\n%s", where, secret, d.text())
			}
		}
	}
	look("sound")
	if h := srv.Requests()[0].Header; h.Get("X-Amz-Security-Token") != marks[2] || !strings.Contains(h.Get("Authorization"), marks[0]) {
		t.Fatalf("the marks were not sent: %v", h)
	}
	armed := srv.Fail(fakes3.Fault{Times: -1, Do: fakes3.Error(403, "AccessDenied", says)})
	for _, keys := range [][]string{{"r"}, {"enter"}, {"r"}, {"esc", "l"}, {"r"}, {"esc", "a"}, {"enter"}, {"r"}, {"esc", "t"}, {"esc", "c"}, {"enter"}, {"esc", "o"}, {"esc", "D"}, {"esc", "R"}, {"enter"}, {"Y"}, {"esc", "?"}} {
		d.press(keys...)
		look(strings.Join(keys, " "))
	}
	if armed.Fired() == 0 {
		t.Fatal("nothing was refused")
	}
	srv.Heal()

	// One that cannot be opened at all.
	srv.Fail(fakes3.Fault{Times: -1, Do: fakes3.Error(403, "SignatureDoesNotMatch", says)})
	d = newDriver(t, s, 160, 48)
	d.sees("SignatureDoesNotMatch")
	look("opening")
	d.press("R")
	d.sees("SignatureDoesNotMatch")
	look("requests of what was not opened")
}

// What a presigned URL is signed with is neither shown nor remembered.
func TestSecretsPasted(t *testing.T) {
	got, ok := pastedObject("s3://team/docs/a.txt?versionId=v12&X-Amz-Credential=MARK&X-Amz-Signature=MARK", "")
	if !ok || got.key != "docs/a.txt" || got.version != "v12" || got.bucket != "team" {
		t.Errorf("%+v", got)
	}
	got, ok = pastedObject("https://team.s3.amazonaws.com/docs/a.txt?X-Amz-Signature=MARK", "")
	if !ok || got.key != "docs/a.txt" || got.version != "" {
		t.Errorf("%+v", got)
	}

	_, s := onServer(t, "docs", func(b *s3test.Bucket) { putOn(t, b, "docs/a.txt", "hello") })
	d := newDriver(t, s, 160, 40)
	d.press(":")
	d.write("open s3://team/docs/a.txt?X-Amz-Signature=MARK7713")
	d.press("enter")
	d.sees("carries a signature")
	d.press("esc")
	d.seesNot("MARK7713")
}

// A warning of a driver is told once.
func TestWarning(t *testing.T) {
	_, s := onServer(t, "docs", func(b *s3test.Bucket) { putOn(t, b, "docs/a.txt", "hello") })
	open := s.Open
	s.Open = func(ctx context.Context, l bucket.Location) (bucket.Bucket, error) {
		bucket.Warn(ctx, "plain HTTP to minio.example")
		return open(ctx, l)
	}
	d := newDriver(t, s, 120, 40)
	d.sees("plain HTTP to minio.example")
	d.press("down")
	d.seesNot("plain HTTP")
	d.m.env.warn("plain HTTP to minio.example")
	d.press("r")
	d.seesNot("plain HTTP")
}
