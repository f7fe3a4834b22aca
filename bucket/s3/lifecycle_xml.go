package s3

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// lifecycleMembers are the elements of a lifecycle configuration that are understood,
// each with those it stands in (S3 API reference, "GetBucketLifecycleConfiguration").
var lifecycleMembers = func() map[string]bool {
	out := map[string]bool{}
	add := func(in string, names ...string) {
		for _, n := range names {
			out[strings.ToLower(in+"/"+n)] = true
		}
	}
	const rule = "LifecycleConfiguration/Rule"
	conditions := []string{"Prefix", "Tag", "Tag/Key", "Tag/Value", "ObjectSizeGreaterThan", "ObjectSizeLessThan"}
	add("LifecycleConfiguration", "Rule")
	add(rule, "ID", "Prefix", "Status", "Filter", "Expiration", "NoncurrentVersionExpiration", "Transition", "NoncurrentVersionTransition", "AbortIncompleteMultipartUpload")
	add(rule+"/Filter", append([]string{"And"}, conditions...)...)
	add(rule+"/Filter/And", conditions...)
	add(rule+"/Expiration", "Days", "Date", "ExpiredObjectDeleteMarker")
	add(rule+"/NoncurrentVersionExpiration", "NoncurrentDays", "NewerNoncurrentVersions")
	add(rule+"/Transition", "Days", "Date", "StorageClass")
	add(rule+"/NoncurrentVersionTransition", "NoncurrentDays", "NewerNoncurrentVersions", "StorageClass")
	add(rule+"/AbortIncompleteMultipartUpload", "DaysAfterInitiation")
	return out
}()

// knownLifecycle refuses a lifecycle configuration with an element that isn't understood,
// or that stands elsewhere: the SDK's decoder leaves it out, and a rule that does more than
// is known, or holds for less, must not pass for one that is read. Names are compared as the
// SDK does, without regard to case.
func knownLifecycle(body []byte) error {
	d := xml.NewDecoder(bytes.NewReader(body))
	var path []string
	rules := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return &badAnswer{Text: fmt.Sprintf("lifecycle rules that cannot be read: %.80q", err.Error())}
		}
		switch t := token.(type) {
		case xml.StartElement:
			path = append(path, t.Name.Local)
			if len(path) == 2 {
				rules++
			}
			if len(path) > 1 && !lifecycleMembers[strings.ToLower(strings.Join(path, "/"))] {
				return &badAnswer{Text: fmt.Sprintf("lifecycle rule %d has %.80q, which is not understood", rules, strings.Join(path[min(2, len(path)-1):], "/")),
					Hint: "what the rule does cannot be told: look at it with the store's own tools, or use a newer provcat-tui"}
			}
		case xml.EndElement:
			path = path[:len(path)-1]
		}
	}
}
