package cli

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/internal/fakegcs"
	"provcat-tui/internal/fakes3"
)

type doctorReport struct {
	May    []doctorCheck
	Enough []doctorCheck `json:"enough_to"`
	Has    []doctorCheck `json:"bucket_has"`
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
	for _, word := range []string{"what is live", "version by its ID", "tags, retention"} {
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

// For which kinds of work the credentials are enough: on S3 only reading shows, Google's
// store tells of what they have on the whole bucket. None of it is tried, and none of it
// is needed by who reads.
func TestDoctorOfWork(t *testing.T) {
	answers := func(r doctorReport) string {
		var out []string
		for _, c := range r.Enough {
			name, _, _ := strings.Cut(c.Check, ":")
			out = append(out, name+" "+string(c.Answer))
		}
		return strings.Join(out, ", ")
	}
	t.Run("s3", func(t *testing.T) {
		s := newS3(t, fakes3.Options{AccessKey: "TESTKEY"})
		s.SetObjectLock("team-data", lockOn)
		s.Put("team-data", "sales/a", []byte("1"))
		run := func(code int) (r doctorReport) {
			cli("doctor", "s3://team-data/sales", "--format", "json", "--endpoint", s.URL(), "--region", "us-east-1", "--path-style").wants(t, code).json(t, &r)
			return r
		}
		if got := answers(run(0)); got != "read yes, commit not tried, restore not tried, protect not tried, repair not tried" {
			t.Error(got)
		}
		for _, c := range run(0).Enough[1:] {
			if !strings.Contains(c.Detail, "only a write shows it") || !strings.Contains(c.Detail, c.Permission) || c.Permission == "" {
				t.Errorf("%+v", c)
			}
		}
		s.Fail(fakes3.Fault{Kind: "GetObjectTagging", Times: -1, Do: fakes3.AccessDenied})
		r := run(1)
		if c := r.Enough[0]; c.Answer != answerNo || c.Detail != "not all of it: without s3:GetObjectVersionTagging" {
			t.Errorf("%+v", c)
		}
		s.Heal()
		s.Fail(fakes3.Fault{Kind: "GetObjectTagging", Times: -1, Do: fakes3.InternalError})
		if c := run(3).Enough[0]; c.Answer != answerUnknown {
			t.Errorf("%+v", c)
		}
	})
	t.Run("gcs", func(t *testing.T) {
		s := newGCS(t, fakegcs.Options{})
		s.Put("team-data", "sales/a", []byte("1"))
		run := func(code int) (r doctorReport) {
			cli("doctor", "gs://team-data/sales", "--format", "json").wants(t, code).json(t, &r)
			return r
		}
		for _, c := range []struct {
			denied []string
			want   string
		}{
			{nil, "read yes, commit yes, restore yes, protect yes, repair yes"},
			{[]string{"storage.objects.delete"}, "read yes, commit yes, restore unknown, protect yes, repair unknown"},
			{[]string{"storage.objects.update", "storage.objects.delete"}, "read yes, commit yes, restore unknown, protect unknown, repair unknown"},
			{[]string{"storage.objects.create", "storage.objects.update", "storage.objects.delete"}, "read yes, commit unknown, restore unknown, protect unknown, repair unknown"},
		} {
			s.Deny("team-data", c.denied...)
			s.Forget()
			r := run(0)
			if got := answers(r); got != c.want {
				t.Errorf("without %v: %s, want %s", c.denied, got, c.want)
			}
			for _, x := range r.Enough {
				if x.Answer == answerUnknown && (!slices.Contains(c.denied, x.Permission) || !strings.Contains(x.Detail, "a role with a condition")) {
					t.Errorf("%+v", x)
				}
			}
			for _, q := range s.Requests() {
				if q.Method != "GET" {
					t.Errorf("the doctor made a %s %s", q.Method, q.Kind)
				}
			}
			s.Allow("team-data", c.denied...)
		}
		// A server that has no such question, and one that fails at it.
		s.Fail(fakegcs.Fault{Kind: "buckets.testIamPermissions", Times: -1, Do: fakegcs.Error(404, "notFound", "Not Found")})
		if got := answers(run(0)); got != "read yes, commit not tried, restore not tried, protect not tried, repair not tried" {
			t.Error(got)
		}
		s.Heal()
		s.Fail(fakegcs.Fault{Kind: "buckets.testIamPermissions", Times: -1, Do: fakegcs.Reply(200, "application/json", `{"kind":"storage#testIamPermissionsResponse","permissions":["storage.objects.list\\u001b"]}`)})
		r := run(3)
		if c := find(t, r.May, "ask which permissions"); c.Answer != answerUnknown || !strings.Contains(c.Detail, "which was not asked for") {
			t.Errorf("%+v", c)
		}
	})
}

// What a command opens hides nothing that only the driver can do, read-only or not: a
// commit's second listing, and the question for permissions.
func TestPlaceHidesNothing(t *testing.T) {
	g := newGCS(t, fakegcs.Options{})
	s := newS3(t, fakes3.Options{AccessKey: "TESTKEY"})
	t.Setenv("STORAGE_EMULATOR_HOST", g.Host()) // newS3 takes it away
	for _, readOnly := range []bool{false, true} {
		for url, endpoint := range map[string]string{"gs://team-data": "", "s3://team-data": s.URL()} {
			a := &app{err: io.Discard}
			a.flags.endpoint, a.flags.region, a.flags.pathStyle, a.flags.readOnly = endpoint, "us-east-1", endpoint != "", readOnly
			a.flags.set = func(string) bool { return true }
			p, err := a.open(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			if (bucket.Again(p) != nil) != (endpoint != "") { // Google's driver has no such thing
				t.Errorf("%s, read-only %v: whether a page can be asked for again: %v", url, readOnly, bucket.Again(p) != nil)
			}
			if (bucket.Permitted(p) != nil) != (endpoint == "") {
				t.Errorf("%s, read-only %v: the question for permissions: %v", url, readOnly, bucket.Permitted(p) != nil)
			}
			p.close()
		}
	}
}
