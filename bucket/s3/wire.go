package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"provcat-tui/bucket/remote"
)

type (
	badAnswer = remote.BadAnswer
	lostBody  = remote.LostBody // the SDK's retryer asks again
	said      = remote.Said
)

// maxBody bounds an answer in memory: 1,000 entries with keys of 1,024 bytes,
// three characters each, are 4 MB.
const maxBody = 32 << 20

const deserializer = "OperationDeserializer"

// into makes ListObjectVersions decode its answer into p. Only the SDK's step
// that decodes is replaced, and it still decodes what is no success.
func into(p *page) func(*awss3.Options) {
	return awss3.WithAPIOptions(func(stack *middleware.Stack) error {
		sdk, ok := stack.Deserialize.Get(deserializer)
		if !ok {
			return errors.New("the SDK has no step " + deserializer)
		}
		_, err := stack.Deserialize.Swap(deserializer, middleware.DeserializeMiddlewareFunc(deserializer, func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
			out, metadata, err := next.HandleDeserialize(ctx, in)
			res, ok := out.RawResponse.(*smithyhttp.Response)
			if err != nil || !ok || res.StatusCode < 200 || res.StatusCode >= 300 {
				return sdk.HandleDeserialize(ctx, in, middleware.DeserializeHandlerFunc(func(context.Context, middleware.DeserializeInput) (middleware.DeserializeOutput, middleware.Metadata, error) {
					return out, metadata, err
				}))
			}
			out.Result = &awss3.ListObjectVersionsOutput{}
			if p.body, err = readBody(res, p.body); err != nil {
				return out, metadata, err
			}
			if p.key != nil {
				p.sum = p.key.sum(p.body) // before parse, which writes in it
			}
			if p.raw {
				return out, metadata, nil
			}
			return out, metadata, p.parse()
		}))
		return err
	})
}

// requireRoot refuses a success whose body is not the XML document that was
// asked for, or that checks refuse. The SDK's decoders take any page, even none, for an
// empty answer, and leave out what they don't know.
func requireRoot(name string, checks ...func(body []byte) error) func(*awss3.Options) {
	return awss3.WithAPIOptions(func(stack *middleware.Stack) error {
		return stack.Deserialize.Insert(middleware.DeserializeMiddlewareFunc("provcatRequireRoot", func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
			out, metadata, err := next.HandleDeserialize(ctx, in)
			res, ok := out.RawResponse.(*smithyhttp.Response)
			if err != nil || !ok || res.StatusCode < 200 || res.StatusCode >= 300 {
				return out, metadata, err
			}
			body, err := readBody(res, nil)
			if err != nil {
				return out, metadata, err
			}
			res.Body = io.NopCloser(bytes.NewReader(body))
			s := &xmlScanner{b: body}
			if err := s.prolog(); err == nil {
				s.space()
				if root, empty, err := s.tag(); err == nil && string(root) == name {
					if empty {
						return out, metadata, nil
					}
					if _, err := s.skip(root, 0); err == nil {
						for _, check := range checks {
							if err := check(body); err != nil {
								return out, metadata, err
							}
						}
						return out, metadata, nil
					}
				}
			}
			return out, metadata, &badAnswer{Text: fmt.Sprintf("not a %s: it starts with %.60q", name, bytes.TrimSpace(body))}
		}), deserializer, middleware.After)
	})
}

// A breaking is a body whose reads fail with a lostBody.
type breaking struct{ io.ReadCloser }

func (b *breaking) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = &lostBody{Err: err}
	}
	return n, err
}

// readBody reads the whole body into buf's memory, and closes it.
func readBody(res *smithyhttp.Response, buf []byte) ([]byte, error) {
	defer func() { _ = res.Body.Close() }() // all of it was read, or it is given up
	buf = buf[:0]
	if n := res.ContentLength; n > int64(cap(buf)) && n <= maxBody {
		// One byte more, so that the end is seen without growing.
		buf = make([]byte, 0, n+1)
	}
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := res.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return buf, err // a lostBody: see breaking
		}
		if len(buf) > maxBody {
			return buf, &badAnswer{Text: fmt.Sprintf("more than %d MB in one answer", maxBody>>20)}
		}
	}
}
