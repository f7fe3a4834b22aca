//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
)

// Started by the test below, this binary is a program on a terminal: it asks for
// the background colour, and writes what it was told and some cells.
func TestMain(m *testing.M) {
	if os.Getenv("SCREENSHOTS_CHILD") == "" {
		os.Exit(m.Run())
	}
	fmt.Print("\x1b]11;?\x07")
	in := bufio.NewReader(os.Stdin)
	answer, _ := in.ReadString('\a') // what came before an error shows it
	fmt.Printf("\x1b[2J\x1b[H%s|\r\n\x1b[7mA\x1b[0m\x1b[1;38;2;1;2;3mB\x1b[0m東<\x1b[?25l", strings.Trim(answer, "\x1b]\a"))
	_, _ = in.ReadString('\n') // the rest of the line with the answer
	_, _ = in.ReadString('\n') // until the terminal ends
}

func TestATerminalAnswersAndShowsCells(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SCREENSHOTS_CHILD=1")
	l := look{cols: 40, rows: 4, light: true}
	tm, err := open(cmd, l)
	if err != nil {
		t.Fatal(err)
	}
	defer tm.close()
	// The terminal is not raw: the answer is only read with a line's end.
	for _, step := range []string{"see ^G", "enter", "see 東<"} {
		if err := tm.do(step); err != nil {
			t.Fatalf("%s: %v\n%s", step, err, tm.shot().text())
		}
	}
	s := tm.shot()
	if want := "11;rgb:fafa/fafa/f7f7|"; !strings.Contains(s.text(), want) {
		t.Errorf("the screen lacks %q, the background of a light terminal:\n%s", want, s.text())
	}
	if s.cursor != nil {
		t.Error("the cursor shows, though it was hidden")
	}
	row := s.cells[s.cols : s.cols+5]
	if row[0].text != "A" || row[0].style.Attrs&uv.AttrReverse == 0 {
		t.Errorf("first cell %+v, want a reversed A", row[0])
	}
	if row[2].text != "東" || row[2].width != 2 || row[3].width != 0 || row[4].text != "<" {
		t.Errorf("cells %+v, want a wide one over two and < after them", row[2:])
	}
	svg := string(s.svg(l))
	for _, want := range []string{
		`<rect x="0" y="33" width="15" height="33" fill="#2a2c33"/>`,      // A's background
		`<text x="0" y="58.5" fill="#fafaf7">A</text>`,                    // and its letter
		`<text x="15" y="58.5" fill="#010203" font-weight="700">B</text>`, //
		`<text x="60" y="58.5" fill="#2a2c33">&lt;</text>`,                // escaped, after the wide one
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("the SVG lacks %s", want)
		}
	}
}
