package ui

import (
	"strings"
	"testing"
)

func TestSparkline(t *testing.T) {
	for _, c := range []struct {
		counts []int
		broken []bool
		h      int
		want   string
	}{
		{[]int{0, 1, 4, 8}, nil, 1, "·▁▄█"},
		{[]int{1, 100}, nil, 1, "▁█"}, // little is not nothing
		{[]int{-3, 2}, nil, 0, "·█"},
		{[]int{2, 0, 1}, []bool{false, true}, 1, "█┊▄"},
		{[]int{2, 1}, []bool{false, true}, 1, "█┊"},
		{[]int{1, 2, 0}, []bool{true, false, true}, 2, "┊█ |██┊"},
		{nil, nil, 2, "|"},
	} {
		if got := strings.Join(Sparkline(c.counts, c.broken, c.h), "|"); got != c.want {
			t.Errorf("%v %v in %d: %q, want %q", c.counts, c.broken, c.h, got, c.want)
		}
	}
}

func TestSparklineOfHugeCounts(t *testing.T) {
	const most = int(^uint(0) >> 1)
	if got := Sparkline([]int{most / 1000, 1}, nil, 1)[0]; got != "█▁" {
		t.Errorf("%q", got)
	}
}
