package cli

import (
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/internal/fakegcs"
	"provcat-tui/internal/fakes3"
)

type doctorReport struct {
	May []doctorCheck
	Has []doctorCheck `json:"bucket_has"`
}

// find gives the only check that has a word in its name.
func find(t *testing.T, list []doctorCheck, word string) doctorCheck {
	t.Helper()
	i := slices.IndexFunc(list, func(c doctorCheck) bool { return strings.Contains(c.Check, word) })
	if i < 0 {
		t.Fatalf("no check of %q in %+v", word, list)
	}
	return list[i]
}

const lockOn = "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>"

// Each thing that is refused is told with the permission that is missing, and nothing
// else is; what fails otherwise is unknown. The doctor never writes.
func TestDoctorOfWhatIsRefused(t *testing.T) {
	for _, c := range []struct {
		fault      fakes3.Fault
		check      string
		permission string
		others     int // checks that need the same
	}{
		{fakes3.Fault{Kind: "no such call"}, "", "", 0},
		{fakes3.Fault{Kind: "ListObjectVersions", Prefix: ".provcat/log/"}, "versions of the log", "s3:ListBucketVersions", 0},
		{fakes3.Fault{Kind: "ListObjectVersions", Prefix: "sales/"}, "versions of the files", "s3:ListBucketVersions", 0},
		{fakes3.Fault{Kind: "GetObject", Match: func(r fakes3.Request) bool { return strings.Contains(r.Query, "versionId=") }}, "version by its ID", "s3:GetObjectVersion", 0},
		{fakes3.Fault{Kind: "GetObject", Key: absentKey}, "isn't there", "s3:ListBucket", 0},
		{fakes3.Fault{Kind: "GetBucketVersioning"}, "the versioning state", "s3:GetBucketVersioning", 0},
		{fakes3.Fault{Kind: "GetBucketLifecycleConfiguration"}, "the lifecycle rules", "s3:GetLifecycleConfiguration", 0},
		{fakes3.Fault{Kind: "GetObjectLockConfiguration"}, "object lock's settings", "s3:GetBucketObjectLockConfiguration", 1}, // without it nobody knows whether versions can be locked
		{fakes3.Fault{Kind: "GetObjectTagging"}, "the tags", "s3:GetObjectVersionTagging", 0},
		{fakes3.Fault{Kind: "GetObjectRetention"}, "the retention", "s3:GetObjectRetention", 0},
		{fakes3.Fault{Kind: "ListMultipartUploads"}, "unfinished uploads", "s3:ListBucketMultipartUploads", 0},
	} {
		t.Run(c.check, func(t *testing.T) {
			s := newS3(t, fakes3.Options{AccessKey: "TESTKEY"})
			s.SetObjectLock("team-data", lockOn)
			via := func(args ...string) result {
				return cli(append(args, "--endpoint", s.URL(), "--region", "us-east-1", "--path-style")...)
			}
			s.Put("team-data", "sales/eu.csv", []byte("1"))
			via("commit", "s3://team-data/sales", "-m", "1").wants(t, 0)
			s.Forget()
			code := 0
			if c.check != "" {
				code = 1
			}
			f := c.fault
			f.Times, f.Do = -1, fakes3.AccessDenied
			s.Fail(f)
			var got doctorReport
			via("doctor", "s3://team-data/sales", "--format", "json").wants(t, code).json(t, &got)
			not := 0
			for _, a := range got.May {
				if a.Answer == answerNo {
					not++
				}
			}
			if c.check != "" {
				if a := find(t, got.May, c.check); a.Answer != answerNo || a.Permission != c.permission || not > 1+c.others {
					t.Errorf("%+v among %+v", a, got.May)
				}
			} else if not != 0 {
				t.Errorf("nothing was refused: %+v", got.May)
			}
			for _, r := range s.Requests() {
				if !slices.Contains(readingCalls, r.Kind) {
					t.Errorf("the doctor made a %s", r.Kind)
				}
			}
			if c.check == "" {
				return
			}
			s.Heal()
			f.Do = fakes3.InternalError
			s.Fail(f)
			if c.fault.Prefix == "sales/" { // the bucket itself is opened by it
				via("doctor", "s3://team-data/sales", "--format", "json").wants(t, 2)
				return
			}
			var then doctorReport
			via("doctor", "s3://team-data/sales", "--format", "json").wants(t, 3).json(t, &then)
			if a := find(t, then.May, c.check); a.Answer != answerUnknown || a.Permission != "" {
				t.Errorf("a failure that is no refusal: %+v", a)
			}
		})
	}
}

// What the bucket lacks is told; what it has is not.
func TestDoctorOfProtections(t *testing.T) {
	rule := func(prefix string) string {
		return "<LifecycleConfiguration><Rule><ID>old</ID><Status>Enabled</Status><Filter><Prefix>" + prefix + "</Prefix></Filter><Expiration><Days>30</Days></Expiration></Rule></LifecycleConfiguration>"
	}
	for name, c := range map[string]struct {
		lock, rules string
		suspended   bool
		check       string
		want        answer
		says        string
		code        int
	}{
		"all is well":           {lock: lockOn, check: "lifecycle", want: answerYes, says: "it has no rules"},
		"a rule elsewhere":      {lock: lockOn, rules: rule("tmp/"), check: "lifecycle", want: answerYes, says: "1 rules, none of which takes a log entry"},
		"a rule of all":         {lock: lockOn, rules: rule(""), check: "lifecycle", want: answerNo, says: `"old" expires the log itself`, code: 1},
		"no object lock":        {check: "object lock", want: answerNo, says: "whoever may delete versions can break commits", code: 1},
		"object lock":           {lock: lockOn, check: "object lock", want: answerYes, says: "no default retention"},
		"versioning":            {lock: lockOn, check: "versioning", want: answerYes},
		"versioning, suspended": {lock: lockOn, suspended: true, check: "versioning", want: answerNo, says: "suspended", code: 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newS3(t, fakes3.Options{AccessKey: "TESTKEY"})
			via := func(args ...string) result {
				return cli(append(args, "--endpoint", s.URL(), "--region", "us-east-1", "--path-style")...)
			}
			s.Put("team-data", "sales/eu.csv", []byte("1"))
			via("commit", "s3://team-data/sales", "-m", "1").wants(t, 0)
			if c.lock != "" {
				s.SetObjectLock("team-data", c.lock)
			}
			if c.rules != "" {
				s.SetLifecycle("team-data", c.rules)
			}
			if c.suspended {
				s.SetVersioning("team-data", "Suspended")
			}
			var got doctorReport
			via("doctor", "s3://team-data/sales", "--format", "json").wants(t, c.code).json(t, &got)
			if a := find(t, got.Has, c.check); a.Answer != c.want || !strings.Contains(a.Detail, c.says) {
				t.Errorf("%+v", a)
			}
			r := via("doctor", "s3://team-data/sales").wants(t, c.code)
			if !strings.Contains(r.out, "These credentials may\n  ✓ yes        list the versions of the log\n") {
				t.Errorf("%s", r.out)
			}
		})
	}
}

// A bucket without anything has nothing to try reads on, and that is said.
func TestDoctorOfNothing(t *testing.T) {
	s := newS3(t, fakes3.Options{AccessKey: "TESTKEY"})
	s.SetObjectLock("team-data", lockOn)
	var got doctorReport
	cli("doctor", "s3://team-data", "--format", "json", "--endpoint", s.URL(), "--region", "us-east-1", "--path-style").wants(t, 0).json(t, &got)
	for _, word := range []string{"what is live", "version by its ID", "tags, retention", "commit, and repair"} {
		if a := find(t, got.May, word); a.Answer != answerUntried || a.Detail == "" {
			t.Errorf("%+v", a)
		}
	}
}

// The doctor speaks of Cloud Storage in its own words: it has no object lock, and its
// objects have no tags.
func TestDoctorOfGCS(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(*fakegcs.Server)
		code int
		says []string
	}{
		"plain":     {func(*fakegcs.Server) {}, 0, []string{"no retention policy: only objects with a retention of their own or a hold"}},
		"retention": {func(s *fakegcs.Server) { s.SetRetention("team-data", 30*24*time.Hour, true) }, 0, []string{"the retention policy keeps each version for 30 days (LOCKED)"}},
		"denied":    {func(s *fakegcs.Server) { s.Deny("team-data", "storage.buckets.get") }, 1, []string{"retention policy", "storage.buckets.get"}},
	} {
		for _, file := range []bool{true, false} {
			s := newGCS(t, fakegcs.Options{})
			if file {
				s.Put("team-data", "sales/a", []byte("1"))
			}
			c.set(s)
			for _, format := range []string{"text", "json"} {
				r := cli("doctor", "gs://team-data/sales", "--format", format).wants(t, c.code)
				for _, no := range []string{"object lock", "tags", "s3:"} {
					if strings.Contains(strings.ToLower(r.out), no) {
						t.Errorf("%s, %s: it speaks of %q:\n%s", name, format, no, r.out)
					}
				}
				if !file {
					c.says = append(c.says, "read retention and holds") // there was nothing to try it on
				}
				for _, says := range c.says {
					if !strings.Contains(r.out, says) {
						t.Errorf("%s, %s: no %q in\n%s", name, format, says, r.out)
					}
				}
			}
		}
	}
}
