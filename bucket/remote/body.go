package remote

import (
	"io"
	"net/http"
	"sync"

	"provcat-tui/bucket"
)

// errorKept is how much of a refusal's body is read to say what it says.
const errorKept = 8 << 10

// Traced is an answer's body that is counted while it is read, and ends t when it was
// read or closed. refusal is what an answer says of its status, describe an error in
// one clause; sent is how many bytes the request's body had.
func Traced(res *http.Response, t *bucket.Trace, sent int64, refusal func(status int, body []byte) (text string, expected bool), describe func(error) string) io.ReadCloser {
	return &traced{ReadCloser: res.Body, t: t, status: res.StatusCode, sent: sent, refusal: refusal, describe: describe}
}

type traced struct {
	io.ReadCloser
	t        *bucket.Trace
	status   int
	sent     int64
	refusal  func(int, []byte) (string, bool)
	describe func(error) string
	mu       sync.Mutex // Close may come while a Read runs
	n        int64
	kept     []byte
}

func (b *traced) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	b.n += int64(n)
	if b.status >= 300 && len(b.kept) < errorKept {
		b.kept = append(b.kept, p[:min(n, errorKept-len(b.kept))]...)
	}
	b.mu.Unlock()
	switch {
	case err == io.EOF:
		b.end()
	case err != nil:
		b.t.End(b.read(), "while its body was read: "+b.describe(err), false)
	}
	return n, err
}

func (b *traced) read() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(b.n, b.sent)
}

func (b *traced) end() {
	b.mu.Lock()
	kept := b.kept
	b.mu.Unlock()
	text, expected := b.refusal(b.status, kept)
	b.t.End(b.read(), text, expected)
}

func (b *traced) Close() error {
	b.end()
	return b.ReadCloser.Close()
}
