package fakegcs

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/storage"
)

// What holds and retentions stand against: an overwrite, a deletion, and a deletion
// of that very generation, with versioning ("b") and without ("u").
func TestProtection(t *testing.T) {
	const free = ""
	for _, c := range []struct {
		name, reason string
		set          func(s *Server, bucket string) // before the object is there
		plant        Planted
		versioned    [3]string // reasons of the three refusals; free: none
		unversioned  [3]string
	}{
		{"temporary hold", "objectUnderActiveHold", nil, Planted{TemporaryHold: true}, [3]string{"x", "x", "x"}, [3]string{"x", "x", "x"}},
		{"event-based hold", "objectUnderActiveHold", nil, Planted{EventBasedHold: true}, [3]string{"x", "x", "x"}, [3]string{"x", "x", "x"}},
		{"own retention", "retentionPolicyNotMet", nil, Planted{RetainUntil: noon.Add(time.Hour)}, [3]string{free, free, "x"}, [3]string{"x", "x", "x"}},
		{"own retention that is over", "", nil, Planted{RetainUntil: noon.Add(-time.Hour)}, [3]string{}, [3]string{}},
		{"policy", "retentionPolicyNotMet", func(s *Server, b string) { s.SetRetention(b, time.Hour, false) }, Planted{Created: noon}, [3]string{free, free, "x"}, [3]string{"x", "x", "x"}},
		{"policy that is met", "", func(s *Server, b string) { s.SetRetention(b, time.Hour, false) }, Planted{Created: noon.Add(-time.Hour)}, [3]string{}, [3]string{}},
	} {
		for bucket, want := range map[string][3]string{"b": c.versioned, "u": c.unversioned} {
			for i, do := range []func(*testing.T, *Server, int64) reply{
				func(t *testing.T, s *Server, _ int64) reply {
					return call(t, s, "POST", "/upload/storage/v1/b/"+bucket+"/o?uploadType=media&name=k", "new")
				},
				func(t *testing.T, s *Server, _ int64) reply { return api(t, s, "DELETE", "b/"+bucket+"/o/k", "") },
				func(t *testing.T, s *Server, n int64) reply {
					return api(t, s, "DELETE", fmt.Sprint("b/", bucket, "/o/k?generation=", n), "")
				},
			} {
				t.Run(fmt.Sprint(c.name, "/", bucket, "/", i), func(t *testing.T) {
					s := start(t, Options{})
					if c.set != nil {
						c.set(s, bucket)
					}
					p := c.plant
					p.Key, p.Body = "k", []byte("old")
					number := s.Plant(bucket, p)[0]
					r := do(t, s, number)
					if want[i] == free {
						if r.status >= 300 {
							t.Errorf("%d %s", r.status, r.body)
						}
						return
					}
					wantError(t, r, 403, c.reason, "Object '"+bucket+"/k' is ")
					if got := states(s, bucket, ""); got != "old" {
						t.Errorf("left: %s", got)
					}
				})
			}
		}
	}
}

// Holds and retention set and taken away, and when the retention ends.
func TestHoldsAndRetention(t *testing.T) {
	s := start(t, Options{})
	s.Put("b", "k", []byte("x"))
	number := s.Entries("b", "")[0].Generation
	got := must(t, s, 200, "PATCH", "b/b/o/k", `{"temporaryHold":true,"metadata":{"a":"1","b":"2"}}`)
	equal(t, "hold", line(got["temporaryHold"], got["metageneration"], got["generation"] == fmt.Sprint(number), got["updated"], got["timeCreated"]),
		"true 2 true 2026-03-04T12:00:00.001Z 2026-03-04T12:00:00.000Z")
	got = must(t, s, 200, "PATCH", "b/b/o/k?ifMetagenerationMatch=2", `{"temporaryHold":false,"metadata":{"a":null,"c":"3"}}`)
	equal(t, "no hold", line(got["temporaryHold"], got["metageneration"], got["metadata"]), "<nil> 3 map[b:2 c:3]")
	wantError(t, api(t, s, "PATCH", "b/b/o/k?ifMetagenerationMatch=2", `{}`), 412, "conditionNotMet")
	wantError(t, api(t, s, "PATCH", "b/b/o/none", `{}`), 404, "notFound")
	wantError(t, api(t, s, "PATCH", "b/b/o/k", `{`), 400, "parseError")

	until := func(mode, hours string) string {
		if hours == "" {
			return `{"retention":{}}`
		}
		return `{"retention":{"mode":"` + mode + `","retainUntilTime":"2026-03-04T` + hours + `:00:00Z"}}`
	}
	wantError(t, api(t, s, "PATCH", "b/b/o/k", until("Unlocked", "14")), 400, "invalid", "not enabled")
	s.Set("b", "objectRetention", `{"mode":"Enabled"}`)
	for _, c := range []struct {
		query, mode, hour string
		status            int
		is                string
	}{
		{"", "Unlocked", "11", 400, "<nil>"}, // over already
		{"", "Other", "14", 400, "<nil>"},
		{"", "Unlocked", "14", 200, "map[mode:Unlocked retainUntilTime:2026-03-04T14:00:00.000Z]"},
		{"", "Unlocked", "15", 200, "map[mode:Unlocked retainUntilTime:2026-03-04T15:00:00.000Z]"},
		{"", "Unlocked", "14", 403, "map[mode:Unlocked retainUntilTime:2026-03-04T15:00:00.000Z]"},
		{"", "", "", 403, "map[mode:Unlocked retainUntilTime:2026-03-04T15:00:00.000Z]"},
		{"?overrideUnlockedRetention=true", "", "", 200, "<nil>"},
		{"", "Locked", "14", 200, "map[mode:Locked retainUntilTime:2026-03-04T14:00:00.000Z]"},
		{"?overrideUnlockedRetention=true", "Unlocked", "15", 403, "map[mode:Locked retainUntilTime:2026-03-04T14:00:00.000Z]"},
		{"?overrideUnlockedRetention=true", "", "", 403, "map[mode:Locked retainUntilTime:2026-03-04T14:00:00.000Z]"},
		{"", "Locked", "16", 200, "map[mode:Locked retainUntilTime:2026-03-04T16:00:00.000Z]"},
	} {
		r := api(t, s, "PATCH", "b/b/o/k"+c.query, until(c.mode, c.hour))
		is := must(t, s, 200, "GET", "b/b/o/k", "")["retention"]
		if r.status != c.status || fmt.Sprint(is) != c.is {
			t.Errorf("%s %s %s: %d, and is %v; want %d %s: %s", c.query, c.mode, c.hour, r.status, is, c.status, c.is, r.body)
		}
	}
	// The end of the retention: the later of both; none while an event is awaited.
	expires := func() any { return must(t, s, 200, "GET", "b/b/o/k", "")["retentionExpirationTime"] }
	equal(t, "own", expires(), "2026-03-04T16:00:00.000Z")
	s.SetRetention("b", time.Hour, false)
	equal(t, "own is later", expires(), "2026-03-04T16:00:00.000Z")
	s.SetRetention("b", 24*time.Hour, false)
	equal(t, "policy is later", expires(), "2026-03-05T12:00:00.000Z")
	must(t, s, 200, "PATCH", "b/b/o/k", `{"eventBasedHold":true}`)
	equal(t, "with an event-based hold", expires(), nil)
	must(t, s, 200, "PATCH", "b/b/o/k", `{"eventBasedHold":false}`)
	if got := fmt.Sprint(expires()); !strings.HasPrefix(got, "2026-03-05T12:00:00.0") || got == "2026-03-05T12:00:00.000Z" {
		t.Errorf("a day after the event: %s", got)
	}
	s.Set("u", "defaultEventBasedHold", "true")
	equal(t, "by default", put(t, s, 200, "u", "k", "x", "")["eventBasedHold"], true)
}

// Google's client sets the same and is refused in the same way.
func TestGooglesClientAndHolds(t *testing.T) {
	ctx := context.Background()
	s := start(t, Options{})
	s.Set("b", "objectRetention", `{"mode":"Enabled"}`)
	s.Put("b", "k", []byte("x"))
	o := client(t, s).Bucket("b").Object("k")
	if got, err := o.Update(ctx, storage.ObjectAttrsToUpdate{TemporaryHold: true}); err != nil || !got.TemporaryHold {
		t.Fatalf("%+v %v", got, err)
	}
	if err := o.Delete(ctx); status(err) != 403 || !strings.Contains(err.Error(), "is under active Temporary hold and cannot be deleted, overwritten or archived until hold is removed.") {
		t.Errorf("delete: %v", err)
	}
	if got, err := o.Update(ctx, storage.ObjectAttrsToUpdate{TemporaryHold: false, Retention: &storage.ObjectRetention{Mode: "Unlocked", RetainUntil: noon.Add(time.Hour)}}); err != nil || got.TemporaryHold || got.Retention.Mode != "Unlocked" {
		t.Fatalf("%+v %v", got, err)
	}
	number := s.Entries("b", "")[0].Generation
	if err := o.Generation(number).Delete(ctx); status(err) != 403 || !strings.Contains(err.Error(), "cannot be deleted or overwritten until 2026-03-04T13:00:00.000Z") {
		t.Errorf("delete: %v", err)
	}
	if err := o.Delete(ctx); err != nil {
		t.Errorf("it becomes noncurrent: %v", err)
	}
	equal(t, "left", states(s, "b", ""), "(x)")
}
