package gcs

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"google.golang.org/api/googleapi"

	"provcat-tui/bucket/remote"
)

// A call is what an error tells about an operation, and what its requests are logged
// with.
type call struct {
	op         string
	name       string // the API's name of the operation: "objects.list"
	key        string // of an object
	prefix     string // of a listing
	version    string
	after      string // where a page of a listing begins
	permission string // the IAM permission that the operation needs
	// write is set for writes; lost once an attempt may have reached the store and no
	// clear answer came.
	write       bool
	conditional bool
	lost        atomic.Bool
	attempt     int

	page  *page  // decodes a listing's answer into it
	media bool   // the answer is an object's bytes
	span  string // the Range to ask for

	answer []byte // the last one, where it is neither a listing nor content
}

type callKey struct{}

// do sends a call, again where that can help: after an answer that says so, or none.
// Every call here may be sent twice: reads, writes under a condition, deletions of one
// generation. A second copy of an object is one more version.
func (b *store) do(ctx context.Context, c *call, send func(context.Context) error) error {
	ctx = context.WithValue(ctx, callKey{}, c)
	for c.attempt = 1; ; c.attempt++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := send(ctx)
		attempts, pause := b.tuning.Attempts, b.tuning.Pause
		if errors.Is(err, syscall.ECONNREFUSED) && !b.answered.Load() {
			// A wrong port, most likely. A store that answered before is being started
			// anew: that takes longer.
			attempts, pause = min(attempts, 3), pause/4
		}
		if err == nil || c.attempt >= attempts || !again(ctx, err) {
			return err
		}
		wait := pause << (c.attempt - 1)
		select {
		case <-time.After(wait/2 + rand.N(wait/2+1)):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// again says whether another attempt may go better.
//
// Cloud Storage documentation, "Retry strategy": 408, 429 and 5xx, and what happens
// on the way.
func again(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	if s := status(err); s != 0 {
		return s == http.StatusRequestTimeout || s == http.StatusTooManyRequests || limited(err) ||
			s >= 500 && s != http.StatusNotImplemented
	}
	var lost *remote.LostBody
	var way *wayError
	switch {
	case errors.As(err, &lost):
		return true
	case errors.As(err, &way):
		var dns *net.DNSError
		return !remote.Lasting(err) && !(errors.As(err, &dns) && dns.IsNotFound)
	}
	return false
}

// limited says that a 403 only asks for fewer requests.
func limited(err error) bool {
	switch reason(err) {
	case "rateLimitExceeded", "userRateLimitExceeded":
		return true
	}
	return false
}

// status is the HTTP status of the answer; 0: there was no answer.
func status(err error) int {
	var api *googleapi.Error
	if errors.As(err, &api) {
		return api.Code
	}
	return 0
}

// reason is the API's word for what went wrong; empty: it said none.
func reason(err error) string {
	var api *googleapi.Error
	if errors.As(err, &api) && len(api.Errors) > 0 {
		return api.Errors[0].Reason
	}
	return ""
}
