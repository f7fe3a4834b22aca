package commit

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// A time that RFC 3339 cannot write in UTC is none: a reader of ours would write it in its
// JSON all the same.
func TestTimesOutOfTheYears(t *testing.T) {
	for in, want := range map[string]string{
		"9999-12-31T23:59:59.999999Z":   "9999-12-31T23:59:59.999999Z",
		"9999-12-31T23:59:59+00:01":     "9999-12-31T23:58:59.000000Z",
		"9999-12-31T23:59:59.9999999Z":  "9999-12-31T23:59:59.999999Z",
		"0000-01-01T00:00:00Z":          "0000-01-01T00:00:00.000000Z",
		"0000-01-01T00:00:00-00:01":     "0000-01-01T00:01:00.000000Z",
		"9999-12-31T23:59:59-00:01":     "",
		"9999-12-31T23:59:59-12:00":     "",
		"0000-01-01T00:00:00+23:59":     "",
		"0000-01-01T00:00:00.999+00:01": "",
		"10000-01-01T00:00:00Z":         "",
		"-001-01-01T00:00:00Z":          "",
	} {
		o, err := Decode(strings.NewReader(`{"folder":"f","parent":null,"time":"`+in+`","files":[]}`), nil)
		switch {
		case want == "":
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "its time ") || o.ID == "" {
				t.Errorf("%s: %v, %+v", in, err, o)
			}
		case err != nil || FormatTime(o.Time) != want:
			t.Errorf("%s: %s, %v", in, FormatTime(o.Time), err)
		}
		// Of an entry only the commit is needed.
		e, err := ParseEntry([]byte(`{"commit":"` + someID + `","time":"` + in + `"}`))
		if err != nil || e.Time.IsZero() != (want == "") {
			t.Errorf("entry, %s: %v, %v", in, e.Time, err)
		}
	}
}

// A distance is told as it is, also where no Duration holds it.
func TestDistance(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for to, want := range map[string]string{
		"2026-01-01T00:05:01.4Z":      "5m1s",
		"2026-01-02T23:59:59Z":        "47h59m59s",
		"2026-01-03T00:00:00Z":        "2 days",
		"2027-01-01T00:00:00Z":        "365 days",
		"2028-01-02T00:00:00Z":        "2 years",
		"2326-01-02T00:00:00Z":        "300 years",
		"9999-12-31T23:59:59.999999Z": "7973 years",
	} {
		at, err := time.Parse(time.RFC3339, to)
		if err != nil {
			t.Fatal(err)
		}
		if got := distance(now, at); got != want {
			t.Errorf("to %s: %s, want %s", to, got, want)
		}
	}
}
