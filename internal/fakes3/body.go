package fakes3

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"net/http"
	"strconv"
	"strings"
)

// A checksum is one of S3's additional checksums, over the whole object.
type checksum struct {
	name  string // "crc32", as in x-amz-checksum-crc32
	value string // base64
}

// checksums are those of the user guide, "Checking object integrity".
var checksums = map[string]func() hash.Hash{
	"crc32":     func() hash.Hash { return crc32.NewIEEE() },
	"crc32c":    func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) },
	"crc64nvme": func() hash.Hash { return crc64.New(nvme) },
	"sha1":      sha1.New,
	"sha256":    sha256.New,
}

// nvme is the polynomial of CRC-64/NVME, reversed.
var nvme = crc64.MakeTable(0x9a6c9329ac4bc9b5)

func sumOf(name string, body []byte) string {
	h := checksums[name]()
	h.Write(body) // a hash never fails
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// payload is the request's body, taken out of its chunks and checked against
// all that the request says about it. It also finds the object's checksum.
func (x *exchange) payload() ([]byte, *answer) {
	h := x.R.Header
	body, trailer := x.Body, http.Header{}
	sha := h.Get("X-Amz-Content-Sha256")
	if strings.HasPrefix(sha, "STREAMING-") {
		var err error
		if body, trailer, err = unchunk(x.Body); err != nil {
			return nil, x.fail(400, "IncompleteBody", "The request body terminated unexpectedly")
		}
		if h.Get("X-Amz-Decoded-Content-Length") != strconv.Itoa(len(body)) {
			return nil, x.fail(400, "IncompleteBody", "You did not provide the number of bytes specified by the x-amz-decoded-content-length HTTP header")
		}
		for _, name := range strings.Split(h.Get("X-Amz-Trailer"), ",") {
			if name = strings.TrimSpace(name); name != "" && trailer.Get(name) == "" {
				return nil, x.fail(400, "MalformedTrailerError", "The request contained trailing data that was not well-formed or did not conform to our published schema.")
			}
		}
	} else if sum := sha256.Sum256(body); sha != "" && sha != "UNSIGNED-PAYLOAD" && sha != hex.EncodeToString(sum[:]) {
		return nil, x.fail(400, "XAmzContentSHA256Mismatch", "The provided 'x-amz-content-sha256' header does not match what was computed.")
	}
	if want := h.Get("Content-Md5"); want != "" {
		raw, err := base64.StdEncoding.DecodeString(want)
		if err != nil || len(raw) != md5.Size {
			return nil, x.fail(400, "InvalidDigest", "The Content-MD5 you specified was invalid.")
		}
		if sum := md5.Sum(body); !bytes.Equal(raw, sum[:]) {
			return nil, x.fail(400, "BadDigest", "The Content-MD5 you specified did not match what we received.")
		}
	}
	for name := range checksums {
		want := h.Get("X-Amz-Checksum-" + name)
		if want == "" {
			want = trailer.Get("X-Amz-Checksum-" + name)
		}
		if want == "" {
			continue
		}
		x.sum = checksum{name, want}
		if want != sumOf(name, body) {
			return nil, x.fail(400, "BadDigest", "The "+strings.ToUpper(name)+" you specified did not match the calculated checksum.")
		}
	}
	return body, nil
}

// unchunk takes aws-chunked apart (API reference, "Signature calculations for
// the Authorization header: transferring payload in multiple chunks"): chunks of
// "size in hex[;chunk-signature=…] CRLF bytes CRLF", one of size 0, then trailers.
func unchunk(in []byte) ([]byte, http.Header, error) {
	bad := errors.New("not aws-chunked")
	var out []byte
	for {
		line, rest, ok := bytes.Cut(in, []byte("\r\n"))
		if !ok {
			return nil, nil, bad
		}
		size, _, _ := strings.Cut(string(line), ";")
		n, err := strconv.ParseUint(size, 16, 40)
		if err != nil {
			return nil, nil, bad
		}
		if in = rest; n == 0 {
			break
		}
		if uint64(len(in)) < n+2 || string(in[n:n+2]) != "\r\n" {
			return nil, nil, bad
		}
		out, in = append(out, in[:n]...), in[n+2:]
	}
	trailer := http.Header{}
	for {
		line, rest, ok := bytes.Cut(in, []byte("\r\n"))
		if !ok {
			return nil, nil, bad // the empty line at the end is missing
		}
		if in = rest; len(line) == 0 {
			break
		}
		name, value, ok := strings.Cut(string(line), ":")
		if !ok {
			return nil, nil, bad
		}
		trailer.Set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	if len(in) > 0 {
		return nil, nil, bad
	}
	return out, trailer, nil
}

// The continuation token of ListObjectsV2.
func toToken(key string) string { return hex.EncodeToString([]byte(key)) }

func fromToken(token string) (string, error) {
	raw, err := hex.DecodeString(token)
	return string(raw), err
}
