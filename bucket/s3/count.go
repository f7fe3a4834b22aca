package s3

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// counters count attempts, so that a retry counts as the request that it is.
type counters struct {
	list, get, head, put, del, settings atomic.Int64
}

func (c *counters) add(operation string) {
	switch kindOf(operation) {
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

// observe adds the step that sees every attempt: it counts, logs, and notes
// for writes whether an attempt may have reached the store without an answer.
func (b *store) observe(log *slog.Logger) func(*middleware.Stack) error {
	return func(stack *middleware.Stack) error {
		return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("provcatObserve", func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
			operation := awsmiddleware.GetOperationName(ctx)
			b.count.add(operation)
			c, _ := ctx.Value(callKey{}).(*call)

			var connected atomic.Bool
			if c != nil && c.outcome != nil {
				ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
					GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
			}
			trace := b.trace(ctx, operation, c, in.Request)
			start := time.Now()
			out, metadata, err := next.HandleDeserialize(ctx, in)
			status := 0
			res, _ := out.RawResponse.(*smithyhttp.Response)
			if res != nil && res.Response != nil {
				status = res.StatusCode
			}
			follow(trace, res, err, sentBy(in.Request))
			if status != 0 && res.Body != nil && res.Body != http.NoBody && operation != "GetObject" {
				// Before the SDK's own steps, which read of it: what breaks off is asked for
				// again, whoever met it.
				res.Body = &breaking{res.Body}
			}
			if c != nil && c.outcome != nil && connected.Load() && (status == 0 || status >= 500 && status != 501) {
				c.outcome.lost.Store(true)
			}
			if log != nil {
				attrs := []slog.Attr{slog.String("operation", operation), slog.Int("status", status), slog.Duration("duration", time.Since(start))}
				if c != nil {
					attrs = append(attrs, slog.String("key", safe.Text(c.key+c.prefix)))
				}
				if status != 0 {
					attrs = append(attrs, slog.String("request", safe.Text(b.secrets.Hide(res.Header.Get("x-amz-request-id")))))
				}
				if err != nil {
					attrs = append(attrs, slog.String("error", safe.Text(b.secrets.Hide(err.Error()))))
				}
				log.LogAttrs(ctx, slog.LevelDebug, "s3", attrs...)
			}
			return out, metadata, err
		}), middleware.After)
	}
}
