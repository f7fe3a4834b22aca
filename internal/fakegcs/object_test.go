package fakegcs

import (
	"fmt"
	"testing"
	"time"
)

// The resource of a new object, every member by hand: noon is 1772625600 s after
// 1970; crc32c and MD5 are those of "123456789" in RFC 3720, B.4's polynomial (the
// check value e3069283) and of `md5sum`.
func TestInsertedResource(t *testing.T) {
	s := start(t, Options{})
	got := put(t, s, 200, "b", "a/b c", "123456789", "")
	for name, want := range map[string]string{
		"kind": "storage#object", "id": "b/a/b c/1772625600000000", "name": "a/b c", "bucket": "b",
		"generation": "1772625600000000", "metageneration": "1", "contentType": "text/plain", "storageClass": "STANDARD", "size": "9",
		"md5Hash": "JfnnlDI7RTiF9RgfG2JNCw==", "crc32c": "4waSgw==", "etag": "CIDg1PmYhpMDEAE=",
		"timeCreated": "2026-03-04T12:00:00.000Z", "updated": "2026-03-04T12:00:00.000Z", "timeStorageClassUpdated": "2026-03-04T12:00:00.000Z", "timeFinalized": "2026-03-04T12:00:00.000Z",
		"selfLink": s.URL() + "/storage/v1/b/b/o/a%2Fb%20c", "mediaLink": s.URL() + "/download/storage/v1/b/b/o/a%2Fb%20c?generation=1772625600000000&alt=media",
	} {
		if got[name] != want {
			t.Errorf("%s: %v, want %s", name, got[name], want)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("also there: %v", got)
	}
}

// When the generations of an object become noncurrent.
func TestTimesOfAnOverwriteAndADeletion(t *testing.T) {
	s := start(t, Options{})
	put(t, s, 200, "b", "k", "one", "")      // at noon
	put(t, s, 200, "b", "k", "two", "")      // + 1 ms
	must(t, s, 204, "DELETE", "b/b/o/k", "") // + 2 ms
	put(t, s, 200, "b", "k", "three", "")    // + 3 ms
	page := must(t, s, 200, "GET", "b/b/o?versions=true&fields=items(timeCreated,timeDeleted)", "")
	equal(t, "times", page["items"], "[map[timeCreated:2026-03-04T12:00:00.000Z timeDeleted:2026-03-04T12:00:00.001Z]"+
		" map[timeCreated:2026-03-04T12:00:00.001Z timeDeleted:2026-03-04T12:00:00.002Z]"+
		" map[timeCreated:2026-03-04T12:00:00.003Z]]")
	equal(t, "states", states(s, "b", ""), "(one) (two) three")

	same := start(t, Options{SameTimes: true})
	put(t, same, 200, "b", "k", "one", "")
	must(t, same, 204, "DELETE", "b/b/o/k", "")
	put(t, same, 200, "b", "k", "two", "")
	page = must(t, same, 200, "GET", "b/b/o?versions=true&fields=items(timeCreated,timeDeleted,generation)", "")
	equal(t, "times of one clock", page["items"], "[map[generation:1772625600000000 timeCreated:2026-03-04T12:00:00.000Z timeDeleted:2026-03-04T12:00:00.000Z]"+
		" map[generation:1772625600000001 timeCreated:2026-03-04T12:00:00.000Z]]")
}

// What an overwrite and the two kinds of deletion leave, with and without
// versioning and soft delete. The three writes are one, two, three.
func TestWhatIsLeft(t *testing.T) {
	for _, c := range []struct {
		name, bucket string
		soft         time.Duration
		do           func(*Server, int64)
		states, gone string
	}{
		{"versioned", "b", 0, func(*Server, int64) {}, "(one) (two) three", ""},
		{"unversioned", "u", 0, func(*Server, int64) {}, "three", ""},
		{"unversioned, soft delete", "u", week, func(*Server, int64) {}, "three", "one two"},
		{"versioned, deleted", "b", week, func(s *Server, _ int64) { s.Delete("b", "k") }, "(one) (two) (three)", ""},
		{"unversioned, deleted", "u", 0, func(s *Server, _ int64) { s.Delete("u", "k") }, "", ""},
		{"unversioned, soft delete, deleted", "u", week, func(s *Server, _ int64) { s.Delete("u", "k") }, "", "one two three"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, Options{})
			s.SetSoftDelete(c.bucket, c.soft)
			for _, body := range []string{"one", "two", "three"} {
				put(t, s, 200, c.bucket, "k", body, "")
			}
			c.do(s, 0)
			equal(t, "left", states(s, c.bucket, ""), c.states)
			equal(t, "soft-deleted", softStates(s, c.bucket, ""), c.gone)
		})
	}
}

const week = 7 * 24 * time.Hour

// A deletion with a number takes that generation away for good, and nothing comes
// to life for it.
func TestDeleteAGeneration(t *testing.T) {
	s := start(t, Options{})
	s.SetSoftDelete("b", 0)
	one := put(t, s, 200, "b", "k", "one", "")["generation"]
	two := put(t, s, 200, "b", "k", "two", "")["generation"]
	three := put(t, s, 200, "b", "k", "three", "")["generation"]
	must(t, s, 204, "DELETE", fmt.Sprint("b/b/o/k?generation=", two), "")
	equal(t, "without the middle one", states(s, "b", ""), "(one) three")
	wantError(t, api(t, s, "DELETE", fmt.Sprint("b/b/o/k?generation=", two), ""), 404, "notFound", "No such object: b/k")
	must(t, s, 204, "DELETE", fmt.Sprint("b/b/o/k?generation=", three), "")
	equal(t, "without the live one", states(s, "b", ""), "(one)")
	wantError(t, api(t, s, "GET", "b/b/o/k", ""), 404, "notFound")
	wantError(t, api(t, s, "DELETE", "b/b/o/k", ""), 404, "notFound")
	must(t, s, 204, "DELETE", fmt.Sprint("b/b/o/k?generation=", one), "")
	equal(t, "nothing", states(s, "b", ""), "")
}

// Each condition on each state of an object: none, live, noncurrent only. G is the
// newest generation's number; metagenerations are 1.
func TestConditions(t *testing.T) {
	for _, c := range []struct {
		condition             string
		absent, live, deleted int // statuses of an insert
	}{
		{"ifGenerationMatch=0", 200, 412, 200},
		{"ifGenerationMatch=G", 412, 200, 412},
		{"ifGenerationMatch=1", 412, 412, 412},
		{"ifGenerationNotMatch=0", 304, 200, 304},
		{"ifGenerationNotMatch=G", 304, 304, 304},
		{"ifGenerationNotMatch=1", 304, 200, 304},
		{"ifMetagenerationMatch=1", 412, 200, 412},
		{"ifMetagenerationMatch=2", 412, 412, 412},
		{"ifMetagenerationNotMatch=1", 304, 304, 304},
		{"ifMetagenerationNotMatch=2", 304, 200, 304},
	} {
		for state, want := range map[string]int{"absent": c.absent, "live": c.live, "deleted": c.deleted} {
			s := start(t, Options{})
			number := "77"
			if state != "absent" {
				number = fmt.Sprint(put(t, s, 200, "b", "k", "one", "")["generation"])
			}
			if state == "deleted" {
				must(t, s, 204, "DELETE", "b/b/o/k", "")
			}
			condition := c.condition
			if condition[len(condition)-1] == 'G' {
				condition = condition[:len(condition)-1] + number
			}
			before := states(s, "b", "")
			put(t, s, want, "b", "k", "two", "&"+condition)
			if after := states(s, "b", ""); (after != before) != (want == 200) {
				t.Errorf("%s, %s: %d, and %q became %q", c.condition, state, want, before, after)
			}
		}
	}
	s := start(t, Options{})
	put(t, s, 200, "b", "k", "one", "")
	r := call(t, s, "POST", "/upload/storage/v1/b/b/o?uploadType=media&name=k&ifGenerationMatch=0", "x")
	wantError(t, r, 412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
	wantError(t, call(t, s, "POST", "/upload/storage/v1/b/b/o?uploadType=media&name=k&ifGenerationMatch=x", "x"), 400, "invalid")
}
