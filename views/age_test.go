package views

import (
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	now := time.Date(2026, 12, 2, 12, 0, 0, 0, time.UTC)
	for in, want := range map[string]string{
		"2026-12-02T11:59:30Z": "30 s",
		"2026-12-02T11:00:00Z": "1 h",
		"2026-12-02T12:05:00Z": "in 5 min",
		"2026-11-02T12:00:00Z": "30 d",
		"2020-12-02T12:00:00Z": "6 y",
		"9999-12-31T23:59:59Z": "in 7973 y",
		"0001-01-02T00:00:00Z": "2025 y",
	} {
		at, err := time.Parse(time.RFC3339, in)
		if err != nil {
			t.Fatal(err)
		}
		if got := age(now, at); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	if got := age(now, time.Time{}); got != "?" {
		t.Errorf("unknown: %q", got)
	}
}
