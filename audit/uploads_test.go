package audit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
)

func TestUploadsPending(t *testing.T) {
	t.Parallel()
	const open, end = `<LifecycleConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`, `</LifecycleConfiguration>`
	rule := func(id, prefix, status string) string {
		return `<Rule><ID>` + id + `</ID><Status>` + status + `</Status><Filter><Prefix>` + prefix + `</Prefix></Filter><AbortIncompleteMultipartUpload><DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule>`
	}
	for name, x := range map[string]struct {
		plant func(s *fakes3.Server, b string, w *world) (key, id string) // the oldest
		rules string
		fault *fakes3.Fault
		depth Depth
		want  []want
	}{
		"one": {plant: func(s *fakes3.Server, b string, w *world) (string, string) {
			return "f/it's", s.StartUpload(b, "f/it's")
		},
			want: []want{{id: "uploads-pending", severity: Info, sure: Certain, folder: "f", repair: "abort-upload", says: "1 multipart upload under f was neither completed nor aborted", shows: "f/it's"}}},
		"a row of them, in a folder below too": {plant: func(s *fakes3.Server, b string, w *world) (string, string) {
			id := s.StartUpload(b, "f/z")
			w.pass(3 * 24 * time.Hour)
			for i := range 30 {
				s.StartUpload(b, fmt.Sprintf("f/sub/%02d", i))
			}
			return "f/z", id
		}, want: []want{{id: "uploads-pending", folder: "f", says: "31 multipart uploads"}, {id: "uploads-pending", says: "3 days ago"}, {id: "uploads-pending", says: "stay until somebody does"}}},
		"a rule aborts them": {plant: func(s *fakes3.Server, b string, w *world) (string, string) { return "f/x", s.StartUpload(b, "f/x") },
			rules: rule("sweep", "", "Enabled"), want: []want{{id: "uploads-pending", says: `The lifecycle rule "sweep" will abort it.`}}},
		"a rule aborts one of two": {plant: func(s *fakes3.Server, b string, w *world) (string, string) {
			id := s.StartUpload(b, "f/x")
			s.StartUpload(b, "f/y/1")
			return "f/x", id
		}, rules: rule("part", "f/y/", "Enabled"), want: []want{{id: "uploads-pending", says: `"part" will abort 1 of them`}}},
		"a rule that is off": {plant: func(s *fakes3.Server, b string, w *world) (string, string) { return "f/x", s.StartUpload(b, "f/x") },
			rules: rule("off", "f/", "Disabled"), want: []want{{id: "uploads-pending", says: "No lifecycle rule aborts such uploads"}}},
		"the rules are not known": {plant: func(s *fakes3.Server, b string, w *world) (string, string) { return "f/x", s.StartUpload(b, "f/x") },
			fault: &fakes3.Fault{Kind: "GetBucketLifecycleConfiguration", Times: -1, Do: fakes3.AccessDenied},
			want:  []want{{id: "uploads-pending", says: "the rules could not be read"}, {id: "access-denied", says: "lifecycle rules"}}},

		// What must not be told of.
		"completed late": {plant: func(s *fakes3.Server, b string, w *world) (string, string) {
			id := s.StartUpload(b, "f/x")
			w.pass(time.Hour)
			s.FinishUpload(b, "f/x", id, []byte("1"))
			return "", ""
		}},
		"in no committed folder": {plant: func(s *fakes3.Server, b string, w *world) (string, string) { s.StartUpload(b, "fg/x"); return "", "" }},
		"not looked for at that depth": {depth: DepthCommits, plant: func(s *fakes3.Server, b string, w *world) (string, string) {
			s.StartUpload(b, "f/x")
			return "", ""
		}},
		"a store that has none": {plant: func(s *fakes3.Server, b string, w *world) (string, string) { return "", "" },
			fault: &fakes3.Fault{Kind: "ListMultipartUploads", Times: -1, Do: fakes3.Error(501, "NotImplemented", "no")}},

		"denied": {plant: func(s *fakes3.Server, b string, w *world) (string, string) { s.StartUpload(b, "f/x"); return "", "" },
			fault: &fakes3.Fault{Kind: "ListMultipartUploads", Times: -1, Do: fakes3.AccessDenied},
			want:  []want{{id: "access-denied", severity: Unknown, folder: "f", repair: "grant-permission", says: "s3:ListBucketMultipartUploads"}}},
		"no listing of uploads": {plant: func(s *fakes3.Server, b string, w *world) (string, string) { return "", "" },
			fault: &fakes3.Fault{Kind: "ListMultipartUploads", Times: -1, Do: fakes3.HTML},
			want:  []want{{id: "check-incomplete", severity: Unknown, folder: "f"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
			server := fakes3.New(fakes3.Options{Now: w.tick})
			t.Cleanup(server.Close)
			b := s3test.New(t, server.URL())
			server.Put(b.Name, "f/a", []byte("1"))
			if _, err := w.write(b, "f", ""); err != nil {
				t.Fatal(err)
			}
			if x.rules != "" {
				server.SetLifecycle(b.Name, open+x.rules+end)
			}
			key, id := x.plant(server, b.Name, w)
			if x.fault != nil {
				server.Fail(*x.fault)
			}
			r := auditOf(t, b, Options{Depth: x.depth})
			expect(t, r, x.want...)
			for _, f := range r.Findings {
				if f.ID != "uploads-pending" {
					continue
				}
				if key == "" {
					t.Errorf("unexpected: %s", f.Title)
					continue
				}
				if len(f.Evidence) == 0 || len(f.Evidence) > maxExamples || f.Evidence[0].Key != key || !strings.Contains(f.Evidence[0].Note, id) {
					t.Errorf("evidence: %+v", f.Evidence)
				}
				calls, _ := shell(t, f.Repair.Command)
				want := []string{"s3api", "abort-multipart-upload", "--bucket", b.Name, "--key", key, "--upload-id", id}
				if len(calls) != 1 || strings.Join(calls[0], "\x00") != strings.Join(want, "\x00") {
					t.Errorf("%q, want %q", calls, want)
				}
			}
		})
	}
}
