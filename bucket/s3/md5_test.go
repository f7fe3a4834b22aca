package s3

import (
	"testing"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// An ETag is taken for an MD5 only where the object is neither in parts nor encrypted
// with a key of KMS or of the customer.
func TestIsMD5(t *testing.T) {
	const sum = "5a8dd3ad0756a93ded72b823b19dd877"
	key := "AES256"
	for _, c := range []struct {
		etag string
		out  awss3.GetObjectOutput
		want bool
	}{
		{sum, awss3.GetObjectOutput{}, true},
		{sum, awss3.GetObjectOutput{ServerSideEncryption: types.ServerSideEncryptionAes256}, true},
		{sum, awss3.GetObjectOutput{ServerSideEncryption: types.ServerSideEncryptionAwsKms}, false},
		{sum, awss3.GetObjectOutput{ServerSideEncryption: types.ServerSideEncryptionAwsKmsDsse}, false},
		{sum, awss3.GetObjectOutput{SSECustomerAlgorithm: &key}, false},
		{sum + "-2", awss3.GetObjectOutput{}, false},
		{"", awss3.GetObjectOutput{}, false},
	} {
		if got := isMD5(c.etag, &c.out); got != c.want {
			t.Errorf("%q, %v: %v", c.etag, c.out.ServerSideEncryption, got)
		}
	}
}
