package safe

import (
	"strings"
	"testing"
)

// The mark stands in each text where a secret stands in that form.
func TestSecrets(t *testing.T) {
	const mark = "M4rkM4rkM4rkM4rk"
	for _, text := range []string{
		"https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=" + mark + "%2F20260101&X-Amz-Signature=" + mark,
		"https://storage.googleapis.com/b/k?x-goog-signature=" + mark + "&x=1",
		"https://b/k?AWSAccessKeyId=" + mark + "&Expires=1&Signature=" + mark,
		"https://ana:" + mark + "@host:9000/x",
		"GET /?token=" + mark + " HTTP/1.1",
		"Authorization: AWS4-HMAC-SHA256 Credential=" + mark + "/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=" + mark,
		`{"Authorization":["Bearer ` + mark + `"]}`,
		"the header Bearer " + mark + " was refused",
		"Basic " + mark + "==",
		`{"Version":1,"AccessKeyId":"` + mark + `","SecretAccessKey":"` + mark + ` with blanks","SessionToken":"` + mark + `"}`,
		`starts with "{\"AccessKeyId\": \"` + mark + `\", \"Token\": 1}"`,
		`{\"Authorization\":[\"AWS4 ` + mark + `\"]}`,
		`{"access_token": "` + mark + `", "refresh_token":'` + mark + `'}`,
		`{"type":"service_account","private_key_id":"` + mark + `","private_key":"-----BEGIN PRIVATE KEY-----\n` + mark + `\n-----END PRIVATE KEY-----\n"}`,
		"-----BEGIN RSA PRIVATE KEY-----\n" + mark + "\n",
		"export AWS_SECRET_ACCESS_KEY=" + mark,
		"x-amz-security-token:" + mark,
		"<AWSAccessKeyId>" + mark + "</AWSAccessKeyId><StringToSign>AWS4-HMAC-SHA256\n" + mark + "</StringToSign>",
		"eyJhbGciOiJSUzI1NiJ9." + mark + "." + mark,
		"ya29." + mark,
	} {
		got := Secrets(text)
		if strings.Contains(got, mark) {
			t.Errorf("%q: %q", text, got)
		}
		if !strings.Contains(got, hidden) {
			t.Errorf("%q: nothing tells that something was hidden: %q", text, got)
		}
	}
}

// A name that may be a secret's stays where it ends the path of a file, before the cause;
// a secret in the cause, or after a path in any other form, does not.
func TestSecretsLeavesPaths(t *testing.T) {
	for _, name := range []string{"passwd", "password", "authorization", "my-password", "old.passwd", "session_token", "private_key", "Credential", "client_secret"} {
		for _, path := range []string{"/etc/" + name, "./" + name, "../a b/" + name, `C:\Users\` + name, name, "file:///tmp/" + name, "s3://b/x/" + name} {
			for _, cause := range []string{"not a directory", "no such file or directory", "permission denied", "file exists"} {
				text := "-o: mkdir " + path + ": " + cause + "; choose another"
				if got := Secrets(text); got != text {
					t.Errorf("%q became %q", text, got)
				}
			}
			if text := "open " + path + ": it is no bucket file"; strings.ContainsAny(path, `/\`) && Secrets(text) != text {
				t.Errorf("%q became %q", text, Secrets(text))
			}
		}
		const mark = "M4rkM4rkM4rkM4rk"
		for _, text := range []string{
			name + ": " + mark, name + "=" + mark, "/etc/" + name + "=" + mark, `{"x/` + name + `": "` + mark + `"}`,
			"read /etc/" + name + ": password=" + mark, "https://b/k?x=1&" + name + "=" + mark, "open " + name + ": permission denied: " + name + ": " + mark,
		} {
			if got := Secrets(text); strings.Contains(got, mark) {
				t.Errorf("%q: %q", text, got)
			}
		}
	}
}

// What is no secret stays as it is.
func TestSecretsLeaves(t *testing.T) {
	for _, text := range []string{
		"", "The specified key does not exist.", "HTTP 403 without an S3 error document",
		"SignatureDoesNotMatch: The request signature we calculated does not match the signature you provided. Check your key and signing method.",
		"InvalidToken: The provided token is malformed or otherwise invalid.",
		"User: arn:aws:iam::123456789012:user/ana is not authorized to perform: s3:ListBucketVersions on resource: arn:aws:s3:::b",
		"127.0.0.1:1 refused the connection", "credentials: could not find default credentials",
		"https://host:9000/a@b", "ana@example.org has no access",
	} {
		if got := Secrets(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestEndpoint(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "",
		"https://host:9000":            "https://host:9000",
		"nonsense":                     "nonsense",
		"https://ana:pw@host:9000/x":   "https://(hidden)@host:9000/x",
		"ana:p@w@host:9000":            "(hidden)@host:9000",
		"https://host/?token=abc":      "https://host/?(hidden)",
		"https://ana:p?w@host":         "https://(hidden)",
		"http://%zz:pw@host/%zz?a=b#c": "http://(hidden)@host/%zz?(hidden)",
		"https://host#abc":             "https://host#(hidden)",
		"https://host/?token=a@b":      "https://(hidden)",
	} {
		if got := Endpoint(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestSigned(t *testing.T) {
	for url, want := range map[string]bool{
		"s3://b/k?X-Amz-Signature=0":                                true,
		"s3://b/k?versionId=1&x-amz-credential=0":                   true,
		"https://b.s3.amazonaws.com/k?AWSAccessKeyId=0&Signature=0": true,
		"gs://b/k?X-Goog-Signature=0":                               true,
		"s3://b/k?GoogleAccessId%3Da":                               true,
		"s3://ana:pw@b/k":                                           true,
		"s3://b/k":                                                  false,
		"s3://b/ana@example.org/k?versionId=1":                      false,
		"/data/a@b.bucket/x-amz-signature":                          false,
		"s3://b/how-to-read-X-Amz-Signature=.md":                    false,
		"file:///data/x.bucket/sales/?signature":                    false,
	} {
		if got := Signed(url); got != want {
			t.Errorf("%q: %v, want %v", url, got, want)
		}
	}
}
