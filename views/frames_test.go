package views

import (
	"fmt"
	"testing"
)

// The frames of each screen, at the size of most terminals and on a wide one.
func TestGoldenFrames(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		w, h := size[0], size[1]
		name := func(screen string) string { return fmt.Sprintf("%s-%dx%d", screen, w, h) }
		t.Run(name("sound"), func(t *testing.T) {
			f, _ := small(t)
			d := newDriver(t, f.start("sales/2026"), w, h)
			d.golden(name("folder"), false)
			d.golden(name("folder-styled"), true)
			d.press("?")
			d.golden(name("help"), false)
			d.press("esc", "@")
			d.golden(name("at"), false)
			d.press("esc", "l")
			d.golden(name("log"), false)
			d.press("enter")
			d.golden(name("commit"), false)
			d.press("d")
			d.golden(name("diff"), false)
			d.press("end", "up", "enter", "enter")
			d.golden(name("object"), false)
			d.press("esc", "esc", "esc", "esc", "c")
			d.golden(name("commit-form"), false)
		})
		t.Run(name("buckets"), func(t *testing.T) {
			s := places(t)
			s.Last = "provcat-tui s3://team-data/sales/2026 --log"
			d := newDriver(t, s, w, h)
			d.golden(name("buckets"), false)
			d.golden(name("buckets-styled"), true)
			d = newDriver(t, Start{ConfigFile: "/home/ana/.config/provcat-tui/config.yaml", Now: s.Now}, w, h)
			d.golden(name("buckets-none"), false)
		})
		t.Run(name("folders"), func(t *testing.T) {
			f, _ := small(t)
			f.commit("", "ana", "All of it")
			f.put("web/new.html", "x")
			f.delete("web/index.html")
			f.removeAll("README.md")
			d := newDriver(t, f.start(""), w, h)
			d.golden(name("folder-of-folders"), false)
		})
		t.Run(name("damaged"), func(t *testing.T) {
			f, _ := damaged(t)
			d := newDriver(t, f.start("sales/2026"), w, h)
			d.golden(name("folder-damaged"), false)
			d.press("l")
			d.golden(name("log-damaged"), false)
			d.golden(name("log-damaged-styled"), true)
		})
		t.Run(name("nocolor"), func(t *testing.T) {
			f, _ := small(t)
			s := f.start("sales/2026")
			s.NoColor, s.ReadOnly = true, true
			d := newDriver(t, s, w, h)
			d.golden(name("folder-nocolor-styled"), true)
		})
	}
}
