package gcs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/remote"
	"provcat-tui/internal/safe"
)

// observer is the step right above the connection. It sees every attempt: it counts,
// logs and traces it, notes for writes whether it may have reached the store without
// an answer, and looks whether an answer is one.
type observer struct {
	b    *store
	base http.RoundTripper
}

// A wayError is a failure on the way to the store, which tells it from one of the
// credentials.
type wayError struct{ err error }

func (e *wayError) Error() string { return e.err.Error() }
func (e *wayError) Unwrap() error { return e.err }

// RoundTrip sends one attempt.
func (o *observer) RoundTrip(req *http.Request) (*http.Response, error) {
	c, _ := req.Context().Value(callKey{}).(*call)
	if c == nil {
		return o.base.RoundTrip(req)
	}
	ctx := req.Context()
	var connected atomic.Bool
	if c.write {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	}
	req = req.Clone(ctx)
	if c.media {
		// Without it the store unpacks what is stored with Content-Encoding: gzip.
		req.Header.Set("Accept-Encoding", "gzip")
		if c.span != "" {
			req.Header.Set("Range", c.span)
		}
	}
	o.b.count.add(c.name)
	trace := bucket.Begin(ctx, bucket.Request{Op: c.name, Kind: kindOf(c.name), Bucket: o.b.URL(), Key: c.key + c.prefix,
		Version: c.version, After: c.after, Attempt: c.attempt}).Hiding(o.b.secrets.Hide)
	// The token that the step above has put on.
	_, token, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	o.b.secrets.Add(token)
	start := time.Now()
	res, err := o.base.RoundTrip(req)
	code := 0
	if err != nil {
		err = &wayError{err}
		trace.End(0, describe(err), false)
	} else {
		code = res.StatusCode
		o.b.answered.Store(true)
		trace.Answered(code, res.Header.Get("X-Guploader-Uploadid"))
		res.Body = remote.Traced(res, trace, max(req.ContentLength, 0), refusal, describe)
	}
	if c.write && connected.Load() && (code == 0 || code >= 500 && code != http.StatusNotImplemented) {
		c.lost.Store(true)
	}
	if err == nil && code < 300 && !c.media {
		if err = answer(c, res); err != nil && c.write {
			c.lost.Store(true) // something answered: nobody knows what the store did
		}
	}
	o.b.note(c, req, res, start, err)
	if err != nil {
		return nil, err
	}
	return res, nil
}

// note logs one attempt.
func (b *store) note(c *call, req *http.Request, res *http.Response, start time.Time, err error) {
	if b.log == nil {
		return
	}
	attrs := []slog.Attr{slog.String("operation", c.name), slog.Duration("duration", time.Since(start)), slog.String("key", safe.Text(c.key+c.prefix))}
	if res != nil {
		attrs = append(attrs, slog.Int("status", res.StatusCode), slog.String("request", safe.Text(b.secrets.Hide(res.Header.Get("X-Guploader-Uploadid")))))
	}
	if err != nil {
		attrs = append(attrs, slog.String("error", safe.Text(b.secrets.Hide(err.Error()))))
	}
	b.log.LogAttrs(req.Context(), slog.LevelDebug, "gcs", attrs...)
}

// maxBody bounds an answer in memory: 1,000 entries with keys of 1,024 bytes, six
// characters each, and as much besides, are 7 MB.
const maxBody = 32 << 20

// answer reads an answer that is no object's content, so that one that broke off is
// asked for again, and a portal's page is not taken for an empty answer.
func answer(c *call, res *http.Response) error {
	defer func() { _ = res.Body.Close() }() // all of it was read, or it is given up
	if res.StatusCode == http.StatusNoContent {
		res.Body = http.NoBody
		return nil
	}
	if t, _, err := mime.ParseMediaType(res.Header.Get("Content-Type")); t != "application/json" {
		start, _ := io.ReadAll(io.LimitReader(res.Body, 60)) // for the text only
		return &remote.BadAnswer{Text: fmt.Sprintf("not JSON, but %.80q, which starts with %.60q", res.Header.Get("Content-Type"), bytes.TrimSpace(start))}
	} else if err != nil {
		return &remote.BadAnswer{Text: err.Error()}
	}
	body := res.Body
	if c.page != nil {
		res.Body = io.NopCloser(bytes.NewReader([]byte("{}"))) // what the library decodes
		res.ContentLength = 2
		return c.page.decode(body)
	}
	all, err := io.ReadAll(io.LimitReader(body, maxBody+1))
	switch {
	case err != nil:
		return &remote.LostBody{Err: err}
	case len(all) > maxBody:
		return tooLong()
	case c.name == opDelete && saysNothing(all):
	case !wholeObject(all):
		return &remote.BadAnswer{Text: fmt.Sprintf("not a JSON object: it starts with %.60q", bytes.TrimSpace(all))}
	}
	c.answer = all
	res.Body = io.NopCloser(bytes.NewReader(all))
	return nil
}

// saysNothing holds of the answer to a deletion, which has nothing to say: Cloud
// Storage's is empty, and other servers of its protocol say JSON's null.
func saysNothing(body []byte) bool {
	text := string(bytes.TrimSpace(body))
	return text == "" || text == "null"
}

func tooLong() error {
	return &remote.BadAnswer{Text: fmt.Sprintf("more than %d MB in one answer", maxBody>>20)}
}

// counters count attempts, so that a retry counts as the request that it is.
type counters struct {
	list, get, head, put, del, settings atomic.Int64
}

func (c *counters) add(name string) {
	switch kindOf(name) {
	case bucket.KindList:
		c.list.Add(1)
	case bucket.KindGet:
		c.get.Add(1)
	case bucket.KindHead:
		c.head.Add(1)
	case bucket.KindPut:
		c.put.Add(1)
	case bucket.KindDelete:
		c.del.Add(1)
	default:
		c.settings.Add(1)
	}
}

func (c *counters) requests() bucket.Requests {
	return bucket.Requests{List: c.list.Load(), Get: c.get.Load(), Head: c.head.Load(),
		Put: c.put.Load(), Delete: c.del.Load(), Settings: c.settings.Load()}
}

// The API's names of the operations (JSON API reference). getMedia is ours: the API
// reads an object's description and its content by one method.
const (
	opList    = "objects.list"
	opGet     = "objects.get"
	opMedia   = "objects.getMedia"
	opInsert  = "objects.insert"
	opRewrite = "objects.rewrite"
	opDelete  = "objects.delete"
	opPatch   = "objects.patch"
	opBucket  = "buckets.get"
	opBuckets = "buckets.list"

	opPermissions = "buckets.testIamPermissions"
)

// kindOf is how an operation is counted.
func kindOf(name string) bucket.Kind {
	switch name {
	case opList, opBuckets:
		return bucket.KindList
	case opMedia:
		return bucket.KindGet
	case opGet:
		return bucket.KindHead
	case opInsert, opRewrite, opPatch:
		return bucket.KindPut
	case opDelete:
		return bucket.KindDelete
	}
	return bucket.KindSettings
}

var errNoVersion = errors.New("no version was named")
