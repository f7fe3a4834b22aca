package s3

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	fixed "github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// canned answers each request for a setting with a body, without a network.
type canned struct{ lifecycle, lock []byte }

func (c *canned) Do(r *http.Request) (*http.Response, error) {
	q, body := r.URL.Query(), []byte(nil)
	switch {
	case q.Has("lifecycle"):
		body = c.lifecycle
	case q.Has("object-lock"):
		body = c.lock
	case q.Has("versioning"):
		body = []byte("<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>")
	default:
		body = []byte("<ListVersionsResult><Name>b</Name><Prefix></Prefix><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated></ListVersionsResult>")
	}
	return &http.Response{StatusCode: 200, Proto: "HTTP/1.1", Header: http.Header{"Content-Type": {"application/xml"}}, ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}

func openCanned(f testing.TB) (*canned, *store) {
	c := &canned{}
	b, err := OpenWith(context.Background(), bucket.Location{Scheme: "s3", Bucket: "b"}, bucket.Options{Endpoint: "http://127.0.0.1:9", Region: "us-east-1", PathStyle: true},
		func(o *awss3.Options) {
			o.HTTPClient, o.Retryer, o.Credentials = c, aws.NopRetryer{}, fixed.NewStaticCredentialsProvider("test", "test", "")
		})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = b.Close() })
	return c, b.(*store)
}

// read reads the settings one after another, so that a run is like the one before.
func (c *canned) read(b *store) (out bucket.Settings) {
	out.Lifecycle, out.LifecycleErr = b.lifecycle(context.Background())
	out.ObjectLock, out.ObjectLockErr = b.objectLock(context.Background())
	return out
}

const emptyLock = "<ObjectLockConfiguration></ObjectLockConfiguration>"

// Whatever comes back for the settings is settings or a named error that can be shown,
// soon; no number in them is below zero, and the same bytes mean the same.
func FuzzSettings(f *testing.F) {
	c, b := openCanned(f)
	rule := func(s string) string {
		return "<LifecycleConfiguration><Rule>" + s + "</Rule></LifecycleConfiguration>"
	}
	var bodies [][]byte
	for _, s := range []string{
		rule("<ID>a</ID><Status>Enabled</Status><Filter><Prefix>p</Prefix></Filter><Expiration><Days>1</Days></Expiration>"),
		rule("<Status>Disabled</Status><Filter><And><Tag><Key>k</Key><Value>v</Value></Tag><ObjectSizeGreaterThan>9</ObjectSizeGreaterThan></And></Filter><NoncurrentVersionExpiration><NoncurrentDays>3</NoncurrentDays><NewerNoncurrentVersions>2</NewerNoncurrentVersions></NoncurrentVersionExpiration>"),
		rule("<Status>Enabled</Status><Expiration><Date>2027-01-01T00:00:00Z</Date></Expiration><Transition><Days>3</Days><StorageClass>GLACIER</StorageClass></Transition>"),
		"<LifecycleConfiguration/>", "<LifecycleConfiguration>" + strings.Repeat("<a>", 100), "<!DOCTYPE x [<!ENTITY a \"b\">]><LifecycleConfiguration>&a;</LifecycleConfiguration>", "<html>",
		"<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>COMPLIANCE</Mode><Days>3</Days></DefaultRetention></Rule></ObjectLockConfiguration>",
	} {
		f.Add(uint8(len(bodies)), uint16(0), uint16(0), "", false)
		bodies = append(bodies, []byte(s))
	}
	place := func(which int, text string) uint16 { return uint16(bytes.Index(bodies[which], []byte(text))) }
	f.Add(uint8(0), place(0, "1</Days>"), uint16(1), "-1", false)
	f.Add(uint8(0), place(0, "1</Days>"), uint16(1), "99999999999999999999", false)
	f.Add(uint8(0), place(0, "Enabled"), uint16(1), "e", false)
	f.Add(uint8(0), place(0, "Enabled"), uint16(0), "&#x202e;\u009b31m", false)
	f.Add(uint8(2), place(2, "2027"), uint16(4), "9999-99", false)
	f.Add(uint8(2), place(2, "GLACIER"), uint16(0), "\u009b31m\x1b", false)
	f.Add(uint8(7), place(7, "3</Days>"), uint16(0), "-", true)
	f.Add(uint8(7), place(7, "COMP"), uint16(0), "\u202e", true)
	// What is fuzzed is a change of a body: small, so that finds are soon made smaller.
	f.Fuzz(func(t *testing.T, which uint8, at, cut uint16, text string, isLock bool) {
		body := bodies[int(which)%len(bodies)]
		from := int(at) % (len(body) + 1)
		body = []byte(string(body[:from]) + text + string(body[min(len(body), from+int(cut)):]))
		c.lifecycle, c.lock = body, []byte(emptyLock)
		if isLock {
			c.lifecycle, c.lock = []byte("<LifecycleConfiguration/>"), body
		}
		start := time.Now()
		got := c.read(b)
		if took := time.Since(start); took > 10*time.Second {
			t.Fatalf("%v", took)
		}
		for _, err := range []error{got.LifecycleErr, got.ObjectLockErr} {
			if err == nil {
				continue
			}
			if e := (*bucket.Error)(nil); !errors.As(err, &e) {
				t.Fatalf("%T %v", err, err)
			}
			if safe.Text(err.Error()) != strings.ReplaceAll(err.Error(), `\`, `\\`) {
				t.Fatalf("%q cannot be shown", err)
			}
		}
		for _, r := range got.Lifecycle {
			numbers := []int64{int64(r.ExpireDays), int64(r.NoncurrentDays), int64(r.NewerNoncurrent), int64(r.AbortUploadsDays), r.LargerThan, r.SmallerThan}
			for _, x := range r.Transitions {
				numbers = append(numbers, int64(x.Days), int64(x.NewerNoncurrent))
			}
			for _, n := range numbers {
				if n < 0 {
					t.Fatalf("%+v", r)
				}
			}
		}
		if got.ObjectLock.Days < 0 || got.ObjectLock.Years < 0 {
			t.Fatalf("%+v", got.ObjectLock)
		}
		again := c.read(b)
		if !reflect.DeepEqual(again.Lifecycle, got.Lifecycle) || again.ObjectLock != got.ObjectLock || (again.LifecycleErr == nil) != (got.LifecycleErr == nil) {
			t.Fatalf("%+v, then %+v", got, again)
		}
	})
}

// What a rule says is read back from its XML.
func FuzzRule(f *testing.F) {
	c, b := openCanned(f)
	c.lock = []byte(emptyLock)
	f.Add("old", "logs/", "team", "a & b", "GLACIER", int64(1), int32(30), int32(7), int32(3), uint8(0))
	f.Add("", "", "", "", "", int64(0), int32(0), int32(0), int32(0), uint8(255))
	f.Add(" ]]> ", "<x>\n", "\t", "\"'", "\u202e", int64(1)<<62, int32(1)<<30, int32(1), int32(0), uint8(0x55))
	f.Fuzz(func(t *testing.T, id, prefix, key, value, class string, larger int64, days, noncurrent, newer int32, form uint8) {
		for _, s := range []string{id, prefix, key, value, class} {
			if !xmlText(s) {
				t.Skip("no XML can say it")
			}
		}
		if larger < 0 || days < 0 || noncurrent < 0 || newer < 0 {
			t.Skip("refused: see FuzzSettings")
		}
		want := bucket.Rule{ID: id, Enabled: form&1 == 0, Prefix: prefix}
		status := "Enabled"
		if !want.Enabled {
			status = "Disabled"
		}
		in := "<ID>" + escaped(id) + "</ID>"
		switch form >> 1 & 3 {
		case 0:
			in += "<Prefix>" + escaped(prefix) + "</Prefix>"
		case 1:
			in += "<Filter><Prefix>" + escaped(prefix) + "</Prefix></Filter>"
		case 2:
			want.Prefix, want.Tags = "", map[string]string{key: value}
			in += "<Filter><Tag><Key>" + escaped(key) + "</Key><Value>" + escaped(value) + "</Value></Tag></Filter>"
		case 3:
			want.Tags, want.LargerThan = map[string]string{key: value}, larger
			in += fmt.Sprintf("<Filter><And><ObjectSizeGreaterThan>%d</ObjectSizeGreaterThan><Prefix>%s</Prefix><Tag><Key>%s</Key><Value>%s</Value></Tag></And></Filter>", larger, escaped(prefix), escaped(key), escaped(value))
		}
		in += "<Status>" + status + "</Status>"
		if form&8 == 0 {
			want.ExpireDays = int(days)
			in += fmt.Sprintf("<Expiration><Days>%d</Days></Expiration>", days)
		}
		if form&16 == 0 {
			want.NoncurrentDays, want.NewerNoncurrent = int(noncurrent), int(newer)
			in += fmt.Sprintf("<NoncurrentVersionExpiration><NoncurrentDays>%d</NoncurrentDays><NewerNoncurrentVersions>%d</NewerNoncurrentVersions></NoncurrentVersionExpiration>", noncurrent, newer)
		}
		if form&32 == 0 {
			want.Transitions = append(want.Transitions, bucket.Transition{Days: int(days), StorageClass: class})
			in += fmt.Sprintf("<Transition><Days>%d</Days><StorageClass>%s</StorageClass></Transition>", days, escaped(class))
		}
		if form&64 == 0 {
			want.AbortUploadsDays = int(noncurrent)
			in += fmt.Sprintf("<AbortIncompleteMultipartUpload><DaysAfterInitiation>%d</DaysAfterInitiation></AbortIncompleteMultipartUpload>", noncurrent)
		}
		c.lifecycle = []byte("<LifecycleConfiguration><Rule>" + in + "</Rule></LifecycleConfiguration>")
		got := c.read(b)
		if got.LifecycleErr != nil || len(got.Lifecycle) != 1 || !reflect.DeepEqual(got.Lifecycle[0], want) {
			t.Fatalf("%s\nis %+v (%v)\nnot %+v", in, got.Lifecycle, got.LifecycleErr, want)
		}
	})
}

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes all
	return b.String()
}

// xmlText says whether XML 1.0 has all the characters (section 2.2).
func xmlText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
	})
}
