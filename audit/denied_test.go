package audit

import (
	"slices"
	"strings"
	"testing"

	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// What is denied, in turn: the requests of one kind, or those of a kind about some
// keys.
var denials = []struct {
	name  string
	fault fakes3.Fault
	// On a bucket with everything and no damage:
	sound   []want
	verdict Verdict
	// What can still be proved where there is damage.
	proved []string
}{
	{"every listing", fakes3.Fault{Kind: "ListObjectVersions"},
		[]want{{id: "access-denied", severity: Unknown, says: "s3:ListBucketVersions"}}, Incomplete, nil},
	{"the listing of the logs", fakes3.Fault{Kind: "ListObjectVersions", Prefix: commit.Root},
		[]want{{id: "access-denied", severity: Unknown, says: "keys under .provcat/"}}, Incomplete, nil},
	{"the listing of a folder", fakes3.Fault{Kind: "ListObjectVersions", Prefix: "f/"},
		[]want{{id: "access-denied", severity: Unknown, folder: "f"}}, Incomplete, []string{"log-entry-deleted", "commit-missing"}},
	{"every read", fakes3.Fault{Kind: "GetObject"},
		[]want{{id: "access-denied", severity: Unknown, says: "log entries"}, {id: "access-denied", severity: Unknown, says: "commit objects"}}, Incomplete, []string{"log-entry-deleted"}},
	{"reads of versions", fakes3.Fault{Kind: "GetObject", Match: func(r fakes3.Request) bool { return strings.Contains(r.Query, "versionId=") }},
		nil, Incomplete, []string{"log-entry-deleted"}},
	{"reads of log entries", fakes3.Fault{Kind: "GetObject", Prefix: commit.Logs}, nil, Incomplete, []string{"log-entry-deleted"}},
	{"reads of commit objects", fakes3.Fault{Kind: "GetObject", Prefix: commit.Commits}, nil, Incomplete, []string{"log-entry-deleted", "commit-missing"}},
	{"reads of files", fakes3.Fault{Kind: "GetObject", Prefix: "f/"},
		[]want{willExpire2, {id: "access-denied", severity: Unknown, says: "s3:GetObjectVersion"}}, Incomplete, []string{"log-entry-deleted", "commit-missing", "version-missing"}},
	{"the versioning state", fakes3.Fault{Kind: "GetBucketVersioning"},
		[]want{{id: "access-denied", severity: Unknown, says: "s3:GetBucketVersioning"}, willExpire2}, Incomplete, []string{"log-entry-deleted", "commit-missing", "version-missing"}},
	{"the lifecycle rules", fakes3.Fault{Kind: "GetBucketLifecycleConfiguration"},
		[]want{{id: "access-denied", severity: Unknown, says: "s3:GetLifecycleConfiguration"}}, Incomplete, []string{"log-entry-deleted", "commit-missing", "version-missing"}},
	{"object lock", fakes3.Fault{Kind: "GetObjectLockConfiguration"},
		[]want{{id: "access-denied", severity: Unknown, says: "s3:GetBucketObjectLockConfiguration"}, willExpire2}, Incomplete, []string{"log-entry-deleted", "commit-missing", "version-missing"}},
	{"unfinished uploads", fakes3.Fault{Kind: "ListMultipartUploads"},
		[]want{{id: "access-denied", severity: Unknown, folder: "f", says: "unfinished uploads"}, willExpire2}, Incomplete, []string{"log-entry-deleted", "commit-missing", "version-missing"}},
	// What a forecast hangs on: it then says "may", and why. The risk is told, so
	// nothing that was not read is taken for sound.
	{"tags", fakes3.Fault{Kind: "GetObjectTagging"}, []want{mayExpireAll, mayExpireSub}, Pass, []string{"log-entry-deleted", "commit-missing", "version-missing"}},
	{"retention", fakes3.Fault{Kind: "GetObjectRetention"}, []want{mayExpire2}, Pass, []string{"log-entry-deleted", "commit-missing", "version-missing"}},
	{"legal hold", fakes3.Fault{Kind: "GetObjectLegalHold"}, []want{mayExpire2}, Pass, []string{"log-entry-deleted", "commit-missing", "version-missing"}},
}

// What is denied makes a sound bucket neither sound nor damaged, and hides no
// damage that shows elsewhere.
func TestDeniedInTurn(t *testing.T) {
	for _, x := range denials {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			w := newS3World(t)
			first := w.everything()
			x.fault.Times, x.fault.Do = -1, fakes3.AccessDenied
			armed := w.s.Fail(x.fault)
			r := auditOf(t, w.b, Options{Depth: DepthReadable})
			if x.sound != nil {
				expect(t, r, x.sound...)
			}
			if r.Verdict != x.verdict || r.Counts[Damage] > 0 || r.Counts[Anomaly] > 0 || armed.Fired() == 0 {
				t.Errorf("sound: verdict %s, want %s; %v; %d refusals: %s", r.Verdict, x.verdict, r.Counts, armed.Fired(), titles(r))
			}
			w.s.Heal()
			w.damage(first)
			w.s.Fail(x.fault)
			r = auditOf(t, w.b, Options{Depth: DepthReadable})
			verdict := Incomplete
			if len(x.proved) > 0 {
				verdict = Fail
			}
			if got := damageIn(r); r.Verdict != verdict || !slices.Equal(got, slices.Sorted(slices.Values(x.proved))) || r.Counts[Anomaly] > 0 {
				t.Errorf("damaged: verdict %s, want %s; %q, want %q: %s", r.Verdict, verdict, got, x.proved, titles(r))
			}
		})
	}
}

func damageIn(r *Report) (ids []string) {
	for _, f := range r.Findings {
		if f.Severity == Damage {
			ids = append(ids, f.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func titles(r *Report) string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, string(f.Severity)+" "+f.ID+": "+f.Title+" "+f.Detail)
	}
	return strings.Join(out, "\n")
}

// Each request of an audit is refused alone, whatever it is: those that another
// check adds too.
func TestEachRequestDenied(t *testing.T) {
	// What only a forecast asks for: without it the finding says "may".
	forecast := []string{"GetObjectTagging", "GetObjectRetention", "GetObjectLegalHold"}
	always := []string{"ListObjectVersions", "GetObject", "GetBucketVersioning", "GetBucketLifecycleConfiguration", "GetObjectLockConfiguration", "ListMultipartUploads"}
	for name, x := range map[string]struct {
		damaged bool
		asked   []string
	}{"sound": {false, slices.Concat(always, forecast)}, "damaged": {true, always}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newS3World(t)
			if first := w.everything(); x.damaged {
				w.damage(first)
			}
			w.s.Forget()
			all := damageIn(auditOf(t, w.b, Options{Depth: DepthReadable}))
			seen, kinds := map[string]int{}, map[string]bool{}
			for _, q := range w.s.Requests() {
				what := q.Kind + " " + q.Key + "?" + q.Query
				w.s.Heal()
				refused := w.s.Fail(fakes3.Fault{Kind: q.Kind, Skip: seen[what], Do: fakes3.AccessDenied,
					Match: func(r fakes3.Request) bool { return r.Key == q.Key && r.Query == q.Query }})
				seen[what]++
				r := auditOf(t, w.b, Options{Depth: DepthReadable})
				if refused.Fired() == 0 {
					t.Errorf("%s was not asked for again", what)
				}
				kinds[q.Kind] = true
				verdict, got := Incomplete, damageIn(r)
				if slices.Contains(forecast, q.Kind) {
					verdict = Pass
				}
				if len(got) > 0 {
					verdict = Fail
				}
				for _, id := range got {
					if !slices.Contains(all, id) {
						t.Errorf("%s denied: damage that is none: %s", what, titles(r))
					}
				}
				if len(got) < len(all) && (r.Complete || r.Counts[Unknown] == 0) {
					t.Errorf("%s denied: %q of %q, and all was checked", what, got, all)
				}
				if r.Verdict != verdict || r.Counts[Anomaly] > 0 {
					t.Errorf("%s denied: verdict %s, want %s, %v: %s", what, r.Verdict, verdict, r.Counts, titles(r))
				}
			}
			for _, kind := range x.asked {
				if !kinds[kind] {
					t.Errorf("no %s was made", kind)
				}
			}
		})
	}
}
