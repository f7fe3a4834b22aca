package s3

import (
	"context"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"provcat-tui/bucket/remote"
)

// A call is what an error tells about an operation, and what its requests are
// logged with.
type call struct {
	op         string
	key        string // of an object
	prefix     string // of a listing
	version    string
	permission string // the IAM action that the operation needs
	// outcome is set for writes.
	outcome     *outcome
	conditional bool
	// The attempts so far at one operation, which come one after another.
	operation string
	attempt   int
}

// outcome is shared by the attempts of one write.
type outcome struct {
	// lost: an attempt may have reached the store, and no clear answer came.
	lost atomic.Bool
}

type callKey struct{}

func (c call) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, callKey{}, &c)
}

func (b *store) requestPayer() types.RequestPayer {
	if b.payer {
		return types.RequestPayerRequester
	}
	return ""
}

// configError marks an error of the SDK's configuration: a profile that isn't
// there, a file that cannot be read.
type configError struct{ err error }

func (e *configError) Error() string { return e.err.Error() }
func (e *configError) Unwrap() error { return e.err }

// credentials marks the errors of the credential chain, which otherwise look
// like those of the store.
type credentials struct {
	chain   aws.CredentialsProvider
	secrets *remote.Secrets // takes what the chain gives
}

type credentialsError struct{ err error }

func (e *credentialsError) Error() string { return e.err.Error() }
func (e *credentialsError) Unwrap() error { return e.err }

func (c credentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	got, err := c.chain.Retrieve(ctx)
	if err != nil && ctx.Err() == nil {
		err = &credentialsError{err}
	}
	c.secrets.Add(got.AccessKeyID, got.SecretAccessKey, got.SessionToken)
	return got, err
}
