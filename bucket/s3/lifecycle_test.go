package s3

import (
	"context"
	"errors"
	"strings"
	"testing"

	"provcat-tui/bucket"
)

// A rule that has more than is understood, or something elsewhere than S3 has it, is not
// read: the decoder would leave that out, and the rule would do less, or hold for more.
func TestRulesThatAreNotUnderstood(t *testing.T) {
	c, b := openCanned(t)
	read := func(rule string) error {
		c.lifecycle = []byte("<LifecycleConfiguration><Rule><Status>Enabled</Status>" + rule + "</Rule></LifecycleConfiguration>")
		_, err := b.lifecycle(context.Background())
		return err
	}
	for _, known := range []string{
		"<ID>a</ID><Prefix>p</Prefix>",
		"<Filter><Prefix>p</Prefix></Filter><Expiration><Days>1</Days></Expiration>",
		"<Filter><Tag><Key>k</Key><Value>v</Value></Tag></Filter><Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>",
		"<Filter><ObjectSizeLessThan>9</ObjectSizeLessThan></Filter><AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation></AbortIncompleteMultipartUpload>",
		"<Filter><And><Prefix>p</Prefix><Tag><Key>k</Key><Value>v</Value></Tag><Tag><Key>l</Key><Value>v</Value></Tag><ObjectSizeGreaterThan>1</ObjectSizeGreaterThan><ObjectSizeLessThan>9</ObjectSizeLessThan></And></Filter>",
		"<Filter/><Transition><Days>1</Days><StorageClass>GLACIER</StorageClass></Transition><Transition><Date>2027-01-01T00:00:00Z</Date><StorageClass>GLACIER</StorageClass></Transition>",
		"<Filter/><NoncurrentVersionTransition><NoncurrentDays>1</NoncurrentDays><NewerNoncurrentVersions>1</NewerNoncurrentVersions><StorageClass>GLACIER</StorageClass></NoncurrentVersionTransition>",
		"<Filter/><NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays><NewerNoncurrentVersions>1</NewerNoncurrentVersions></NoncurrentVersionExpiration>",
	} {
		if err := read(known); err != nil {
			t.Errorf("%s: %v", known, err)
		}
	}
	for unknown, what := range map[string]string{
		"<Filter/><NewThing><Days>1</Days></NewThing>":                                                   `"NewThing"`,
		"<Filter/><Expiration><NewDays>1</NewDays></Expiration>":                                         `"Expiration/NewDays"`,
		"<Filter><NewFilter>1</NewFilter></Filter><Expiration><Days>1</Days></Expiration>":               `"Filter/NewFilter"`,
		"<Filter><And><Or><Prefix>p</Prefix></Or></And></Filter><Expiration><Days>1</Days></Expiration>": `"Filter/And/Or"`,
		"<Filter/><Days>1</Days>":                                                                                    `"Days"`,
		"<Filter><Expiration><Days>1</Days></Expiration></Filter>":                                                   `"Filter/Expiration"`,
		"<Filter/><DelMarkerExpiration><Days>1</Days></DelMarkerExpiration>":                                         `"DelMarkerExpiration"`,
		"<Filter/><Expiration><Days>1</Days><ExpiredObjectAllVersions>true</ExpiredObjectAllVersions></Expiration>":  `"Expiration/ExpiredObjectAllVersions"`,
		"<Filter/><NoncurrentVersionExpiration><NoncurrentDays>1<X/></NoncurrentDays></NoncurrentVersionExpiration>": `"NoncurrentVersionExpiration/NoncurrentDays/X"`,
	} {
		if err := read(unknown); !errors.Is(err, bucket.ErrBadAnswer) || !strings.Contains(err.Error(), "lifecycle rule 1 has "+what+", which is not understood") {
			t.Errorf("%s: %v", unknown, err)
		}
	}
	c.lifecycle = []byte("<LifecycleConfiguration><New/></LifecycleConfiguration>")
	if _, err := b.lifecycle(context.Background()); !errors.Is(err, bucket.ErrBadAnswer) {
		t.Errorf("beside the rules: %v", err)
	}
}
