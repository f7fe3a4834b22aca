package gcs_test

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/gcs"
	"provcat-tui/bucket/gcs/gcstest"
	"provcat-tui/internal/fakegcs"
	"provcat-tui/internal/faults"
)

func read(t *testing.T, b bucket.Bucket, key, version string, first int64) (string, bucket.Version, error) {
	t.Helper()
	r, v, err := b.Open(t.Context(), key, version, first)
	if err != nil {
		return "", v, err
	}
	all, err := io.ReadAll(r)
	return string(all), v, errors.Join(err, r.Close())
}

// What is stored packed is read as it is stored: the hash is that of the stored bytes.
func TestReadsStoredBytes(t *testing.T) {
	s, b := serve(t, fakegcs.Options{})
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(strings.Repeat("text ", 1000))) // to memory: cannot fail
	_ = z.Close()
	s.Plant(b.Name, fakegcs.Planted{Key: "k.csv", Body: packed.Bytes(), ContentEncoding: "gzip"})
	sum := md5.Sum(packed.Bytes())
	for _, first := range []int64{0, 10} {
		got, v, err := read(t, b, "k.csv", "", first)
		want := packed.String()
		if first > 0 {
			want = want[:first]
		}
		if err != nil || got != want || v.Size != int64(packed.Len()) || v.ETag != hex.EncodeToString(sum[:]) {
			t.Errorf("first %d: %d bytes, %+v, %v; want %d", first, len(got), v, err, len(want))
		}
	}
}

// A composed object has no MD5: its ETag is the checksum, from all three sources.
func TestETagOfComposedObjects(t *testing.T) {
	s, b := serve(t, fakegcs.Options{})
	s.Plant(b.Name, fakegcs.Planted{Key: "k", Body: []byte("123456789"), NoMD5: true})
	const want = "crc32c:4waSgw==" // e3069283, RFC 3720's check value
	_, v, err := read(t, b, "k", "", 0)
	if err != nil || v.ETag != want {
		t.Errorf("read: %+v, %v", v, err)
	}
	for v, err := range b.Versions(t.Context(), bucket.Range{}) {
		if err != nil || v.ETag != want {
			t.Errorf("listing: %+v, %v", v, err)
		}
	}
	if v, err := b.CopyVersion(t.Context(), "k", v.ID, "l"); err != nil || v.ETag != want {
		t.Errorf("copy: %+v, %v", v, err)
	}
}

// The write whose answer is lost, in all ways.
func TestPutIfAbsentWithoutAnAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		do      fakegcs.Action
		times   int
		kind    error
		written bool
	}{
		"the answer lost once":     {fakegcs.DropAnswer, 1, bucket.ErrExists, true}, // sent again, and refused for its own write
		"no answer, ever":          {fakegcs.DropAnswer, -1, bucket.ErrUnclear, true},
		"never arrived":            {fakegcs.Drop, -1, bucket.ErrUnclear, false},
		"not arrived once":         {fakegcs.Drop, 1, nil, true},
		"503 for good":             {fakegcs.BackendError, -1, bucket.ErrUnclear, false},
		"503 after it was applied": {fakegcs.Applied(fakegcs.BackendError), 1, bucket.ErrExists, true},
		"reset":                    {fakegcs.Reset, -1, bucket.ErrUnclear, false},
		"a portal's page":          {fakegcs.HTML, -1, bucket.ErrUnclear, false},
		"a proxy's 403":            {faults.Proxy(403), -1, bucket.ErrUnclear, false},
		"a proxy's 403, written":   {faults.Applied(faults.Proxy(403)), -1, bucket.ErrUnclear, true},
		"a proxy's 404":            {faults.Proxy(404), -1, bucket.ErrUnclear, false},
		"a proxy's 412":            {faults.Proxy(412), -1, bucket.ErrUnclear, false},
		"a proxy's 501":            {faults.Proxy(501), -1, bucket.ErrUnclear, false},
		"an empty answer":          {fakegcs.Applied(fakegcs.EmptyObject), -1, bucket.ErrUnclear, true},
		"forbidden":                {fakegcs.Forbidden, -1, bucket.ErrDenied, false},
		"429 for good":             {fakegcs.RateLimitExceeded, -1, nil, false},
		"a 412 for nothing":        {fakegcs.ConditionNotMet, 1, bucket.ErrExists, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, b := serve(t, fakegcs.Options{})
			s.Fail(fakegcs.Fault{Kind: "objects.insert", Times: c.times, Do: c.do})
			_, err := b.PutIfAbsent(t.Context(), "k", strings.NewReader("body"))
			if c.kind != nil && !errors.Is(err, c.kind) || c.kind == nil && (err == nil) != c.written || errors.Is(err, bucket.ErrUnclear) && c.kind != bucket.ErrUnclear {
				t.Errorf("%v; want %v", err, c.kind)
			}
			entries := s.Entries(b.Name, "")
			if (len(entries) == 1) != c.written || c.written && string(entries[0].Body) != "body" {
				t.Errorf("%d generations are there; written: %v", len(entries), c.written)
			}
		})
	}
}

// A deletion's lost answer is settled by what became of the generation.
func TestDeleteWithoutAnAnswer(t *testing.T) {
	s, b := serve(t, fakegcs.Options{})
	number := s.Put(b.Name, "k", []byte("x"))
	s.Fail(fakegcs.Fault{Kind: "objects.delete", Do: fakegcs.DropAnswer})
	v, err := b.Delete(t.Context(), "k")
	if err != nil || v.ID != fmt.Sprint("deleted-", number) {
		t.Errorf("%+v, %v", v, err)
	}
	number = s.Put(b.Name, "k", []byte("x"))
	s.Fail(fakegcs.Fault{Kind: "objects.delete", Times: -1, Do: fakegcs.Drop})
	if _, err := b.Delete(t.Context(), "k"); !errors.Is(err, bucket.ErrUnclear) {
		t.Errorf("%v", err)
	}
	s.Heal()
	s.Put(b.Name, "k", []byte("y")) // between the look and the delete
	if _, _, err := read(t, b, "k", fmt.Sprint(number), 0); err != nil {
		t.Error(err)
	}
}

// A copy in many steps, and the undoing of a deletion over somebody's write.
func TestCopyInSteps(t *testing.T) {
	s, b := serve(t, fakegcs.Options{})
	body := bytes.Repeat([]byte("0123456789"), 300_000)
	number := s.Put(b.Name, "k", body)
	s.SetRewriteStep(b.Name, 1<<20)
	s.Put(b.Name, "k", []byte("newer"))
	before := b.Requests().Put
	v, err := b.CopyVersion(t.Context(), "k", fmt.Sprint(number), "k")
	if err != nil || v.Size != int64(len(body)) || b.Requests().Put-before != 3 {
		t.Errorf("%+v, %v in %d requests", v, err, b.Requests().Put-before)
	}
	if got, _, err := read(t, b, "k", "", 0); got != string(body) || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	m, err := b.Delete(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	s.Fail(fakegcs.Fault{Kind: "objects.rewrite", Do: fakegcs.Call(func(fakegcs.Request) { s.Put(b.Name, "k", []byte("somebody's")) })})
	if err := b.DeleteVersion(t.Context(), "k", m.ID); !errors.Is(err, bucket.ErrExists) {
		t.Errorf("%v", err)
	}
	if got, _, err := read(t, b, "k", "", 0); got != "somebody's" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// Holds and retention, which any object may have.
func TestProtection(t *testing.T) {
	s, b := serve(t, fakegcs.Options{})
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	s.Plant(b.Name, fakegcs.Planted{Key: "held", Generation: 1, TemporaryHold: true}, fakegcs.Planted{Key: "event", Generation: 2, EventBasedHold: true},
		fakegcs.Planted{Key: "kept", Generation: 3, RetainUntil: until}, fakegcs.Planted{Key: "free", Generation: 4})
	for key, want := range map[string]struct {
		id string
		p  bucket.Protection
	}{"held": {"1", bucket.Protection{LegalHold: true}}, "event": {"2", bucket.Protection{LegalHold: true}}, "kept": {"3", bucket.Protection{RetainUntil: until}}, "free": {"4", bucket.Protection{}}} {
		if p, err := b.Protection(t.Context(), key, want.id); err != nil || p != want.p {
			t.Errorf("%s: %+v, %v", key, p, err)
		}
		if err := b.DeleteVersion(t.Context(), key, want.id); (err == nil) != (key == "free") || err != nil && !errors.Is(err, bucket.ErrDenied) {
			t.Errorf("%s is deleted: %v", key, err)
		}
	}
	if _, err := b.Protection(t.Context(), "free", "4"); !errors.Is(err, bucket.ErrNotFound) {
		t.Errorf("%v", err)
	}
}

// Settings that Cloud Storage alone has.
func TestSettings(t *testing.T) {
	s, b := serve(t, fakegcs.Options{})
	s.SetSoftDelete(b.Name, 9*24*time.Hour)
	s.SetRetention(b.Name, 36*time.Hour, true)
	s.SetLifecycle(b.Name, `[{"action":{"type":"Delete"},"condition":{"age":30,"matchesPattern":"x"}}]`)
	before := b.Requests().Settings
	got := b.Settings(t.Context())
	if n := b.Requests().Settings - before; n != 1 {
		t.Errorf("%d requests", n)
	}
	if want := (bucket.ObjectLock{Enabled: true, Holds: true, CanHold: true, HoldsLive: true, Mode: "LOCKED", Days: 2}); got.ObjectLock != want || got.SoftDelete != 9*24*time.Hour {
		t.Errorf("%+v", got)
	}
	if len(got.Lifecycle) != 1 || *got.Lifecycle[0].When.AgeDays != 30 || fmt.Sprint(got.Lifecycle[0].When.Unknown) != "[matchesPattern]" {
		t.Errorf("%+v", got.Lifecycle)
	}
	s.Deny(b.Name, "storage.buckets.get")
	got = b.Settings(t.Context())
	for _, err := range []error{got.VersioningErr, got.LifecycleErr, got.ObjectLockErr} {
		if !errors.Is(err, bucket.ErrDenied) || !strings.Contains(err.Error(), "storage.buckets.get") {
			t.Errorf("%v", err)
		}
	}
}

// A hierarchical namespace has no versioning.
func TestHierarchicalNamespace(t *testing.T) {
	s, b := serve(t, fakegcs.Options{})
	s.Set(b.Name, "versioning", "null")
	s.Set(b.Name, "hierarchicalNamespace", `{"enabled":true}`)
	if v, _, err := b.Versioning(t.Context()); v != bucket.VersioningUnsupported || err != nil {
		t.Errorf("%q, %v", v, err)
	}
}

func TestRequesterPays(t *testing.T) {
	s, b := serve(t, fakegcs.Options{})
	number := s.Put(b.Name, "k", []byte("x"))
	s.SetRequesterPays(b.Name, true)
	_, err := gcs.OpenWith(t.Context(), bucket.Location{Scheme: "gs", Bucket: b.Name}, bucket.Options{Endpoint: s.URL()}, gcstest.Tune)
	if !errors.Is(err, bucket.ErrDenied) || !strings.Contains(err.Error(), "--billing-project") {
		t.Errorf("%v", err)
	}
	paid, err := gcs.OpenWith(t.Context(), bucket.Location{Scheme: "gs", Bucket: b.Name}, bucket.Options{Endpoint: s.URL(), BillingProject: "ours"}, gcstest.Tune)
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"create":  second(paid.PutIfAbsent(t.Context(), "l", strings.NewReader("x"))),
		"copy":    second(paid.CopyVersion(t.Context(), "k", fmt.Sprint(number), "m")),
		"delete":  second(paid.Delete(t.Context(), "m")),
		"destroy": paid.DeleteVersion(t.Context(), "k", fmt.Sprint(number)),
		"protect": second(paid.Protection(t.Context(), "l", liveID(t, paid, "l"))),
		"set":     paid.Settings(t.Context()).VersioningErr,
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, r := range s.Requests() {
		if r.Bucket == b.Name && !strings.Contains(r.Query, "userProject=ours") && r.Status < 300 && r.Kind != "buckets.insert" && r.Kind != "buckets.patch" && r.Kind != "objects.list" {
			t.Errorf("%s without a project: %v", r.Kind, r.Query)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func liveID(t *testing.T, b bucket.Bucket, key string) string {
	t.Helper()
	_, v, err := read(t, b, key, "", 0)
	if err != nil {
		t.Error(err)
	}
	return v.ID
}

// A deletion has nothing to say: an empty answer, or JSON's null, as other servers of
// the protocol give. A portal's page, or text, is no answer.
func TestAnswersToADeletion(t *testing.T) {
	s, b := serve(t, fakegcs.Options{})
	for _, c := range []struct {
		contentType, body string
		sound             bool
	}{
		{"application/json", "", true}, {"application/json", "null\n", true}, {"application/json", "{}", true},
		{"application/json", "nullify", false}, {"application/json", `"null"`, false}, {"text/html", "null", false}, {"text/html", "<html>Sign in</html>", false},
	} {
		s.Fail(fakegcs.Fault{Kind: "objects.delete", Times: -1, Do: fakegcs.Reply(200, c.contentType, c.body)})
		err := b.DeleteVersion(t.Context(), "k", "1")
		if (err == nil) != c.sound || err != nil && !errors.Is(err, bucket.ErrUnclear) {
			t.Errorf("%s %q: %v", c.contentType, c.body, err)
		}
		s.Heal()
	}
}
