package fakegcs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/storage"
)

func TestRewrite(t *testing.T) {
	s := start(t, Options{})
	s.Plant("b", Planted{Key: "from/k", Body: []byte("one"), ContentType: "text/x", Metadata: map[string]string{"a": "b"}, TemporaryHold: true, RetainUntil: noon.Add(week), ContentEncoding: "br", Created: noon})
	s.Plant("b", Planted{Key: "from/k", Body: []byte("two"), Created: noon})
	one := s.Entries("b", "")[0].Generation
	to := "b/b/o/from%2Fk/rewriteTo/b/u/o/to%2Fk"
	got := must(t, s, 200, "POST", to+fmt.Sprint("?sourceGeneration=", one), `{}`)
	for name, want := range map[string]any{"kind": "storage#rewriteResponse", "totalBytesRewritten": "3", "objectSize": "3", "done": true} {
		equal(t, name, got[name], want)
	}
	r := got["resource"].(map[string]any)
	equal(t, "what is copied", line(r["contentType"], r["contentEncoding"], r["metadata"], r["name"], r["bucket"], r["metageneration"]), "text/x br map[a:b] to/k u 1")
	equal(t, "what is not", line(r["temporaryHold"], r["retention"], r["timeDeleted"], r["timeCreated"]), "<nil> <nil> <nil> 2026-03-04T12:00:00.000Z")
	equal(t, "copied", states(s, "u", ""), "one")
	// Some metadata in the request: none of the source's is copied then.
	r = must(t, s, 200, "POST", to+fmt.Sprint("?sourceGeneration=", one), `{"contentType":"text/new"}`)["resource"].(map[string]any)
	equal(t, "new metadata", line(r["contentType"], r["contentEncoding"], r["metadata"]), "text/new <nil> <nil>")
	must(t, s, 200, "POST", to, "")
	equal(t, "the live one", states(s, "u", ""), "two")
	must(t, s, 200, "POST", "b/b/o/from%2Fk/copyTo/b/u/o/copy", "")
	equal(t, "objects.copy", states(s, "u", "copy"), "two")
	for query, want := range map[string]int{
		"?sourceGeneration=5": 404, "?ifGenerationMatch=0": 412, "?ifSourceGenerationMatch=5": 412, "?ifSourceGenerationNotMatch=0": 200, "?ifSourceMetagenerationMatch=1": 200,
		"?rewriteToken=x": 400, "?maxBytesRewrittenPerCall=5": 400,
	} {
		if r := api(t, s, "POST", to+query, ""); r.status != want {
			t.Errorf("%s: %d %s", query, r.status, r.body)
		}
	}
	for path, want := range map[string]int{"b/none/o/k/rewriteTo/b/u/o/k": 404, "b/b/o/none/rewriteTo/b/u/o/k": 404, "b/b/o/from%2Fk/rewriteTo/b/none/o/k": 404} {
		wantError(t, api(t, s, "POST", path, ""), want, "notFound")
	}
	must(t, s, 200, "POST", "b/b/o/from%2Fk/rewriteTo/b/b/o/from%2Fk"+fmt.Sprint("?sourceGeneration=", one), "")
	equal(t, "over itself", states(s, "b", ""), "(one) (two) one")
}

// A rewrite in several calls holds on to the generation that the first one met.
func TestRewriteInSeveralCalls(t *testing.T) {
	s := start(t, Options{})
	s.Put("b", "k", []byte("1234567"))
	s.SetRewriteStep("u", 3)
	first := must(t, s, 200, "POST", "b/b/o/k/rewriteTo/b/u/o/k", "")
	equal(t, "first", line(first["done"], first["totalBytesRewritten"], first["objectSize"], first["resource"]), "false 3 7 <nil>")
	token := "?rewriteToken=" + first["rewriteToken"].(string)
	s.Put("b", "k", []byte("another"))
	second := must(t, s, 200, "POST", "b/b/o/k/rewriteTo/b/u/o/k"+token, "")
	equal(t, "second", line(second["done"], second["totalBytesRewritten"], second["rewriteToken"] == first["rewriteToken"]), "false 6 true")
	wantError(t, api(t, s, "POST", "b/b/o/k/rewriteTo/b/u/o/other"+token, ""), 400, "invalid")
	equal(t, "not yet", states(s, "u", ""), "")
	third := must(t, s, 200, "POST", "b/b/o/k/rewriteTo/b/u/o/k"+token, "")
	equal(t, "third", line(third["done"], third["totalBytesRewritten"]), "true 7")
	equal(t, "done", states(s, "u", ""), "1234567")

	s.Forget()
	copier := client(t, s).Bucket("u").Object("c").CopierFrom(client(t, s).Bucket("b").Object("k"))
	var told []string
	copier.ProgressFunc = func(done, all uint64) { told = append(told, fmt.Sprint(done, "/", all)) }
	if attrs, err := copier.Run(context.Background()); err != nil || attrs.Size != 7 {
		t.Errorf("%+v %v", attrs, err)
	}
	equal(t, "progress", strings.Join(told, " "), "3/7 6/7 7/7")
	equal(t, "calls", s.Count("objects.rewrite"), 3)
	// Across storage classes maxBytesRewrittenPerCall counts by itself.
	s.SetRewriteStep("u", 0)
	s.Put("b", "large", make([]byte, 3<<20))
	s.Set("u", "storageClass", `"NEARLINE"`)
	equal(t, "another class", must(t, s, 200, "POST", "b/b/o/large/rewriteTo/b/u/o/large?maxBytesRewrittenPerCall=2097152", "")["done"], false)
	equal(t, "the same class", must(t, s, 200, "POST", "b/b/o/large/rewriteTo/b/b/o/l2?maxBytesRewrittenPerCall=2097152", "")["done"], true)
}

// What is soft-deleted, who sees it, and what comes of its restore.
func TestSoftDelete(t *testing.T) {
	now := noon
	s := start(t, Options{Now: func() time.Time { return now }})
	one, two := s.Put("b", "k", []byte("one")), s.Put("b", "k", []byte("two"))
	must(t, s, 204, "DELETE", fmt.Sprint("b/b/o/k?generation=", one), "")
	must(t, s, 204, "DELETE", fmt.Sprint("b/b/o/k?generation=", two), "")
	equal(t, "left", states(s, "b", ""), "")
	equal(t, "of versions", rows(t, s, "versions=true"), "")
	equal(t, "of soft-deleted ones", rows(t, s, "softDeleted=true&maxResults=1"), "k=one | k=two")
	equal(t, "by folder", rows(t, s, "softDeleted=true&delimiter=/&prefix=k"), "k=one k=two")
	get := fmt.Sprint("b/b/o/k?generation=", one)
	wantError(t, api(t, s, "GET", get, ""), 404, "notFound")
	wantError(t, api(t, s, "GET", "b/b/o/k?softDeleted=true", ""), 400, "required")
	equal(t, "its times", api(t, s, "GET", get+"&softDeleted=true&fields=softDeleteTime,hardDeleteTime,timeDeleted,timeCreated", "").body,
		`{"hardDeleteTime":"2026-03-11T12:00:00.002Z","softDeleteTime":"2026-03-04T12:00:00.002Z","timeCreated":"2026-03-04T12:00:00.000Z","timeDeleted":"2026-03-04T12:00:00.001Z"}`)
	if r := api(t, s, "GET", get+"&softDeleted=true&alt=media", ""); r.status != 400 {
		t.Errorf("soft-deleted bytes: %d %s", r.status, r.body)
	}
	restored := must(t, s, 200, "POST", fmt.Sprint("b/b/o/k/restore?generation=", one), "")
	if restored["generation"] == fmt.Sprint(one) || restored["softDeleteTime"] != nil || restored["hardDeleteTime"] != nil || restored["timeDeleted"] != nil || restored["metageneration"] != "1" || restored["timeCreated"] != "2026-03-04T12:00:00.004Z" {
		t.Errorf("restored %v", restored)
	}
	equal(t, "restored", states(s, "b", ""), "one")
	equal(t, "still there", softStates(s, "b", ""), "one two")
	wantError(t, api(t, s, "POST", fmt.Sprint("b/b/o/k/restore?generation=", two, "&ifGenerationMatch=0"), ""), 412, "conditionNotMet")
	must(t, s, 200, "POST", fmt.Sprint("b/b/o/k/restore?generation=", two), "")
	equal(t, "over a live one", states(s, "b", ""), "(one) two")
	wantError(t, api(t, s, "POST", fmt.Sprint("b/b/o/k/restore?generation=", restored["generation"]), ""), 412, "objectNotSoftDeleted")
	wantError(t, api(t, s, "POST", "b/b/o/k/restore?generation=5", ""), 404, "notFound")

	now = noon.Add(week + time.Millisecond) // one is past its time, deleted after 2 ms; two after 3 ms
	equal(t, "not yet", rows(t, s, "softDeleted=true"), "k=one k=two")
	now = noon.Add(week + 2*time.Millisecond)
	equal(t, "a week later", rows(t, s, "softDeleted=true"), "k=two")
	wantError(t, api(t, s, "POST", fmt.Sprint("b/b/o/k/restore?generation=", one), ""), 404, "notFound")

	s.SetSoftDelete("b", 0)
	equal(t, "switched off", rows(t, s, "softDeleted=true"), "k=two")
	s.Delete("b", "k")
	s.SetSoftDelete("b", -1)
	wantError(t, api(t, s, "GET", "b/b/o?softDeleted=true", ""), 400, "invalid")
	if !s.Forgotten("b", "k", two) || s.Forgotten("b", "k", two) {
		t.Error("two was not there, or twice")
	}
}

// Google's client lists, reads and restores soft-deleted objects.
func TestGooglesClientAndSoftDelete(t *testing.T) {
	ctx := context.Background()
	s := start(t, Options{})
	number := s.Put("u", "k", []byte("one"))
	s.Delete("u", "k")
	b := client(t, s).Bucket("u")
	attrs, err := b.Objects(ctx, &storage.Query{SoftDeleted: true}).Next()
	if err != nil || attrs.Generation != number || !attrs.SoftDeleteTime.Equal(noon.Add(time.Millisecond)) || !attrs.HardDeleteTime.Equal(noon.Add(week+time.Millisecond)) {
		t.Errorf("listed %+v %v", attrs, err)
	}
	if _, err := b.Object("k").Attrs(ctx); !errors.Is(err, storage.ErrObjectNotExist) {
		t.Errorf("attrs: %v", err)
	}
	if got, err := b.Object("k").Generation(number).SoftDeleted().Attrs(ctx); err != nil || got.Size != 3 {
		t.Errorf("attrs of the soft-deleted one: %+v %v", got, err)
	}
	if got, err := b.Object("k").Generation(number).Restore(ctx, &storage.RestoreOptions{}); err != nil || got.Generation <= number {
		t.Errorf("restored %+v %v", got, err)
	}
	if body, err := read(ctx, b.Object("k")); err != nil || body != "one" {
		t.Errorf("read %q %v", body, err)
	}
}
