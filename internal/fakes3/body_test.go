package fakes3

import (
	"strings"
	"testing"
)

// The check values of "123456789" are those of the catalogue of CRC algorithms
// and of the SHA standard's implementations.
func TestChecksums(t *testing.T) {
	for name, want := range map[string]string{
		"crc32":     "y/Q5Jg==",     // cbf43926
		"crc32c":    "4waSgw==",     // e3069283
		"crc64nvme": "rosUhgp5mIg=", // ae8b14860a799888
		"sha1":      "98O8HYCOBHMq32eZZczDTKeuNEE=",
		"sha256":    "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU=",
	} {
		if got := sumOf(name, []byte("123456789")); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		s := start(t, Options{})
		r := must(t, s, 200, "PUT", "/b/k", "123456789", "X-Amz-Checksum-"+name, want)
		wantHeader(t, r, "X-Amz-Checksum-"+name, want)
		wantError(t, call(t, s, "PUT", "/b/k", "12345678", "X-Amz-Checksum-"+name, want), 400, "BadDigest")
		wantHeader(t, must(t, s, 200, "GET", "/b/k", "", "X-Amz-Checksum-Mode", "ENABLED"), "X-Amz-Checksum-"+name, want)
		wantHeader(t, must(t, s, 200, "GET", "/b/k", ""), "X-Amz-Checksum-"+name, "")
		wantHeader(t, must(t, s, 206, "GET", "/b/k", "", "X-Amz-Checksum-Mode", "ENABLED", "Range", "bytes=0-1"), "X-Amz-Checksum-"+name, "")
		if n := len(s.Entries("b", "")); n != 1 {
			t.Errorf("%s: %d versions, want 1: a bad digest writes nothing", name, n)
		}
	}
}

func TestPayload(t *testing.T) {
	const streaming = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
	const good = "5\r\n12345\r\n4;chunk-signature=ab\r\n6789\r\n0\r\nx-amz-checksum-crc32:y/Q5Jg==\r\n\r\n"
	for _, c := range []struct {
		name, body string
		headers    []string
		code       string // empty: 200
	}{
		{"plain", "123456789", nil, ""},
		{"md5", "123456789", []string{"Content-MD5", "JfnnlDI7RTiF9RgfG2JNCw=="}, ""},
		{"wrong md5", "12345678", []string{"Content-MD5", "JfnnlDI7RTiF9RgfG2JNCw=="}, "BadDigest"},
		{"no md5", "123456789", []string{"Content-MD5", "abc"}, "InvalidDigest"},
		{"sha256", "123456789", []string{"X-Amz-Content-Sha256", "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"}, ""},
		{"wrong sha256", "12345678", []string{"X-Amz-Content-Sha256", "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"}, "XAmzContentSHA256Mismatch"},
		{"unsigned", "123456789", []string{"X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD"}, ""},
		{"chunks", good, []string{"X-Amz-Content-Sha256", streaming, "X-Amz-Decoded-Content-Length", "9", "X-Amz-Trailer", "x-amz-checksum-crc32"}, ""},
		{"chunks of another length", good, []string{"X-Amz-Content-Sha256", streaming, "X-Amz-Decoded-Content-Length", "8"}, "IncompleteBody"},
		{"chunks with a wrong sum", strings.Replace(good, "12345", "12344", 1), []string{"X-Amz-Content-Sha256", streaming, "X-Amz-Decoded-Content-Length", "9"}, "BadDigest"},
		{"chunks without their trailer", "9\r\n123456789\r\n0\r\n\r\n", []string{"X-Amz-Content-Sha256", streaming, "X-Amz-Decoded-Content-Length", "9", "X-Amz-Trailer", "x-amz-checksum-crc32"}, "MalformedTrailerError"},
		{"chunks cut off", good[:20], []string{"X-Amz-Content-Sha256", streaming, "X-Amz-Decoded-Content-Length", "9"}, "IncompleteBody"},
		{"no chunks", "123456789", []string{"X-Amz-Content-Sha256", streaming, "X-Amz-Decoded-Content-Length", "9"}, "IncompleteBody"},
		{"a huge chunk", "ffffffffff\r\n1\r\n", []string{"X-Amz-Content-Sha256", streaming, "X-Amz-Decoded-Content-Length", "9"}, "IncompleteBody"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, Options{})
			r := call(t, s, "PUT", "/b/k", c.body, c.headers...)
			if c.code != "" {
				wantError(t, r, 400, c.code)
				equal(t, "written", states(s, "b", "k"), "")
				return
			}
			if r.status != 200 {
				t.Fatalf("%d %s", r.status, r.body)
			}
			equal(t, "written", states(s, "b", "k"), "123456789")
		})
	}
}

func FuzzUnchunk(f *testing.F) {
	f.Add([]byte("5\r\nhello\r\n0\r\nx-amz-checksum-crc32:abc\r\n\r\n"))
	f.Add([]byte("0\r\n\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if out, _, err := unchunk(in); err == nil && len(out) > len(in) {
			t.Errorf("%d bytes out of %d", len(out), len(in))
		}
	})
}
