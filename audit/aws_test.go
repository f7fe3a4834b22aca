package audit

import (
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
)

func TestAWSCommand(t *testing.T) {
	for value, want := range map[string]string{
		"a b":                "aws s3api op --key 'a b'",
		"-rf":                "aws s3api op --key=-rf",
		"file:///etc/passwd": "",
		"FileB://x":          "",
		"http://x/":          "",
		"https://x/":         "",
		"x/file://y":         "aws s3api op --key x/file://y",
	} {
		if got := awsCommand("op", "--key", value); got != want {
			t.Errorf("%q gives %q, want %q", value, got, want)
		}
	}
}

// A key that the AWS command line takes for a file's address is never put into a
// command: the line would send the file to the bucket's owner.
func TestAKeyThatNamesAFile(t *testing.T) {
	w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	server := fakes3.New(fakes3.Options{Now: w.tick})
	t.Cleanup(server.Close)
	b := s3test.New(t, server.URL())
	const key = "file:///etc/hostname"
	server.Plant(b.Name, fakes3.Planted{Key: key, Body: []byte("x"), Class: "GLACIER"})
	server.StartUpload(b.Name, key)
	if _, err := w.write(b, "", "x"); err != nil {
		t.Fatal(err)
	}
	r := auditOf(t, b, Options{})
	found := 0
	for _, f := range r.Findings {
		if f.Repair == nil || f.ID != "version-archived" && f.ID != "uploads-pending" {
			continue
		}
		found++
		if strings.Contains(f.Repair.Command, "file:") || !strings.Contains(f.Repair.Text, "No command is given") {
			t.Errorf("%s: %q, %q", f.ID, f.Repair.Command, f.Repair.Text)
		}
	}
	if found != 2 {
		t.Errorf("%d findings have a repair, want 2", found)
	}
}

// Only a key that is disabled, gone or in a state in which it cannot be used makes a
// version unreadable; a fault of the key service passes.
func TestKeysThatAreOutOfUse(t *testing.T) {
	for code, want := range map[string]bool{
		"KMS.DisabledException": true, "KMS.NotFoundException": true, "KMS.KMSInvalidStateException": true, "KMS.InvalidStateException": true,
		"KMS.ThrottlingException": false, "KMS.KMSInternalException": false, "KMS.DependencyTimeoutException": false, "AccessDenied": false,
	} {
		if got := keyDisabled(&bucket.Error{Op: "read", Err: coded(code)}); got != want {
			t.Errorf("%s: %v", code, got)
		}
	}
}

type coded string

func (c coded) Error() string     { return string(c) }
func (c coded) ErrorCode() string { return string(c) }
