package ui

import "testing"

func TestTimeline(t *testing.T) {
	for _, c := range []struct {
		m    Moment
		want string
	}{
		{Moment{First: true, Mark: MarkLive, Word: "live"}, "┌─● live"},
		{Moment{Mark: MarkPast}, "├─○ "},
		{Moment{Last: true, Mark: MarkLost, Word: "gone"}, "└─✗ gone"},
		{Moment{First: true, Last: true, Mark: MarkLive, Word: "live"}, "──● live"},
		{Moment{Span: "live for 3 d"}, "┊   live for 3 d"},
	} {
		if got := Timeline(c.m); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if n := Width(Timeline(c.m)); c.m.Span == "" && n != TimelineWidth+len(c.m.Word) {
			t.Errorf("%q is %d wide", Timeline(c.m), n)
		}
	}
}
