package fakes3

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func (x *exchange) listBuckets(*bucket) *answer {
	prefix, after := x.query.Get("prefix"), x.query.Get("continuation-token")
	most := 10000
	if n, err := strconv.Atoi(x.query.Get("max-buckets")); err == nil && n > 0 {
		most = n
	}
	x.s.mu.Lock()
	var found []*bucket
	for name, b := range x.s.buckets {
		if strings.HasPrefix(name, prefix) && name > after {
			found = append(found, b)
		}
	}
	x.s.mu.Unlock()
	slices.SortFunc(found, func(a, b *bucket) int { return strings.Compare(a.name, b.name) })
	b := append([]byte(xmlHead), "<ListAllMyBucketsResult"+xmlns+">"+ownerXML+"<Buckets>"...)
	for _, f := range found[:min(most, len(found))] {
		f.mu.Lock()
		b = append(b, "<Bucket>"...)
		b = element(b, "Name", f.name)
		b = element(b, "CreationDate", xmlTime(f.created))
		b = element(b, "BucketRegion", f.region)
		b = append(b, "</Bucket>"...)
		f.mu.Unlock()
	}
	b = append(b, "</Buckets>"...)
	if len(found) > most {
		b = element(b, "ContinuationToken", found[most-1].name)
	}
	if prefix != "" {
		b = element(b, "Prefix", prefix)
	}
	return xmlAnswer(append(b, "</ListAllMyBucketsResult>"...))
}

func (x *exchange) createBucket(*bucket) *answer {
	locked := strings.EqualFold(x.R.Header.Get("X-Amz-Bucket-Object-Lock-Enabled"), "true")
	versioning := ""
	if locked {
		versioning = "Enabled" // object lock works on versions only
	}
	if !x.s.newBucket(x.Req.Bucket, versioning) {
		return x.fail(409, "BucketAlreadyOwnedByYou", "Your previous request to create the named bucket succeeded and you already own it.", "BucketName", x.Req.Bucket)
	}
	if locked {
		x.s.SetObjectLock(x.Req.Bucket, "<ObjectLockConfiguration"+xmlns+"><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>")
	}
	return &answer{Status: 200, Header: http.Header{"Location": {"/" + x.Req.Bucket}}}
}

func (x *exchange) headBucket(b *bucket) *answer {
	return &answer{Status: 200, Header: http.Header{"X-Amz-Bucket-Region": {b.region}, "Content-Type": {"application/xml"}}}
}

func (x *exchange) getLocation(b *bucket) *answer {
	if b.region == "us-east-1" { // the API's word for it is an empty one
		return xmlAnswer([]byte(xmlHead + "<LocationConstraint" + xmlns + "/>"))
	}
	return xmlAnswer([]byte(xmlHead + "<LocationConstraint" + xmlns + ">" + b.region + "</LocationConstraint>"))
}

func (x *exchange) getVersioning(b *bucket) *answer {
	status := ""
	if b.versioning != "" {
		status = "<Status>" + b.versioning + "</Status>"
	}
	return xmlAnswer([]byte(xmlHead + "<VersioningConfiguration" + xmlns + ">" + status + "</VersioningConfiguration>"))
}

func (x *exchange) putVersioning(b *bucket) *answer {
	var in struct {
		XMLName xml.Name `xml:"VersioningConfiguration"`
		Status  string
	}
	body, a := x.payload()
	if a != nil {
		return a
	}
	if xml.Unmarshal(body, &in) != nil {
		return x.malformed()
	}
	if in.Status != "Enabled" && in.Status != "Suspended" {
		return x.fail(400, "IllegalVersioningConfigurationException", "The Versioning element must be specified")
	}
	if in.Status == "Suspended" && b.lock != nil {
		return x.fail(409, "InvalidBucketState", "An Object Lock configuration is present on this bucket, so the versioning state cannot be changed.")
	}
	b.versioning = in.Status
	return &answer{Status: 200}
}

func (x *exchange) getLifecycle(b *bucket) *answer {
	if b.lifecycle == nil {
		return x.fail(404, "NoSuchLifecycleConfiguration", "The lifecycle configuration does not exist", "BucketName", b.name)
	}
	return xmlAnswer(b.lifecycle)
}

func (x *exchange) putLifecycle(b *bucket) *answer {
	body, a := x.document("LifecycleConfiguration")
	if a == nil {
		b.lifecycle = body
		a = &answer{Status: 200}
	}
	return a
}

func (x *exchange) deleteLifecycle(b *bucket) *answer {
	b.lifecycle = nil
	return &answer{Status: 204}
}

func (x *exchange) getLock(b *bucket) *answer {
	if b.lock == nil {
		return x.fail(404, "ObjectLockConfigurationNotFoundError", "Object Lock configuration does not exist for this bucket", "BucketName", b.name)
	}
	return xmlAnswer(b.lock)
}

func (x *exchange) putLock(b *bucket) *answer {
	if b.versioning != "Enabled" {
		return x.fail(409, "InvalidBucketState", "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration")
	}
	body, a := x.document("ObjectLockConfiguration")
	if a == nil {
		b.lock = body
		a = &answer{Status: 200}
	}
	return a
}

// document is a body that is an XML document with the given root.
func (x *exchange) document(root string) ([]byte, *answer) {
	body, a := x.payload()
	if a != nil {
		return nil, a
	}
	var in struct{ XMLName xml.Name }
	if xml.Unmarshal(body, &in) != nil || in.XMLName.Local != root {
		return nil, x.malformed()
	}
	return body, nil
}

func (x *exchange) malformed() *answer {
	return x.fail(400, "MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema")
}
