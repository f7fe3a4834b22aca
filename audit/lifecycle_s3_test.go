package audit

import (
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
)

// From rules on an S3 server to what is foretold, and the shell line that shows them.
func TestForecastOnS3(t *testing.T) {
	w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	server := fakes3.New(fakes3.Options{Now: w.tick})
	t.Cleanup(server.Close)
	b := s3test.New(t, server.URL())
	for _, body := range []string{"1", "2"} {
		server.Put(b.Name, "f/a", []byte(body))
		if _, err := w.write(b, "f", body); err != nil {
			t.Fatal(err)
		}
	}
	const open, end = `<LifecycleConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Rule><ID>trim</ID><Status>Enabled</Status>`, `</Rule></LifecycleConfiguration>`
	const trims = `<NoncurrentVersionExpiration><NoncurrentDays>7</NoncurrentDays></NoncurrentVersionExpiration>`
	for name, c := range map[string]struct {
		rule string
		want []want
	}{
		"a prefix":                {`<Filter><Prefix>f/</Prefix></Filter>` + trims, []want{{id: "version-will-expire", sure: Certain, versions: 1, commits: 1, says: "on 2026-10-09"}}},
		"sizes that leave it out": {`<Filter><And><Prefix>f/</Prefix><ObjectSizeGreaterThan>1</ObjectSizeGreaterThan></And></Filter>` + trims, nil},
		"tags that it lacks":      {`<Filter><And><Prefix>f/</Prefix><Tag><Key>k</Key><Value>v</Value></Tag></And></Filter>` + trims, nil},
		"everything": {`<Filter></Filter><Expiration><Days>30</Days></Expiration>`,
			[]want{{id: "lifecycle-covers-log", sure: Certain, versions: 4, commits: 2, says: "from 2026-11-01 on"}}},
	} {
		t.Run(name, func(t *testing.T) {
			server.SetLifecycle(b.Name, open+c.rule+end)
			r := auditOf(t, b, Options{})
			expect(t, r, c.want...)
			for _, f := range r.Findings {
				calls, _ := shell(t, f.Repair.Command)
				if want := "s3api get-bucket-lifecycle-configuration --bucket " + b.Name; len(calls) != 1 || strings.Join(calls[0], " ") != want {
					t.Errorf("%q, want %q", calls, want)
				}
			}
		})
	}
}
