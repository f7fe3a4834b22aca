package views

import "testing"

// In the ASCII face no sign of a frame is beyond ASCII, where the bucket's own texts
// are ASCII; a frame has its size (the driver checks that) and its meaning.
func TestASCIIFace(t *testing.T) {
	f, _ := damaged(t)
	s := f.start("sales/2026")
	s.ASCII = true
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		d := newDriver(t, s, size[0], size[1])
		for _, key := range []string{"?", "esc", "l", "down", "enter", "esc", "esc", "p", "esc", "tab", "enter", "esc", "esc", "a"} {
			d.press(key)
			for _, r := range d.text() {
				if r >= 0x7f {
					t.Fatalf("after %s: %q in\n%s", key, r, d.text())
				}
			}
		}
		d.sees("x FAIL")
	}
}
