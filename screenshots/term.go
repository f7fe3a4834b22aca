package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// A term is a program in a terminal that answers its queries.
type term struct {
	cmd  *exec.Cmd
	tty  *os.File
	look look

	mu     sync.Mutex // of emu, last and hidden
	emu    *vt.Emulator
	last   time.Time // of the last output
	hidden bool      // the cursor
	ended  chan struct{}

	caught *screen // by the last step, in passing
}

func open(cmd *exec.Cmd, l look) (*term, error) {
	t := &term{cmd: cmd, look: l, emu: vt.NewEmulator(l.cols, l.rows), last: time.Now(), ended: make(chan struct{})}
	fg, bg := l.colours()
	t.emu.SetDefaultForegroundColor(fg)
	t.emu.SetDefaultBackgroundColor(bg)
	// Called from within Write, under mu.
	t.emu.SetCallbacks(vt.Callbacks{CursorVisibility: func(visible bool) { t.hidden = !visible }})
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(l.rows), Cols: uint16(l.cols)})
	if err != nil {
		return nil, fmt.Errorf("start %s in a terminal: %w", cmd.Path, err)
	}
	t.tty = tty
	go t.answer()
	go t.listen()
	return t, nil
}

// answer passes what the terminal says to the program: answers to its queries.
func (t *term) answer() {
	buf := make([]byte, 4096)
	for {
		n, err := t.emu.Read(buf)
		if n > 0 {
			if _, err := t.tty.Write(buf[:n]); err != nil {
				return // the program has ended
			}
		}
		if err != nil {
			return
		}
	}
}

// listen shows what the program writes.
func (t *term) listen() {
	defer close(t.ended)
	buf := make([]byte, 64<<10)
	for {
		n, err := t.tty.Read(buf)
		t.mu.Lock()
		_, _ = t.emu.Write(buf[:n]) // an emulator takes all
		t.last = time.Now()
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (t *term) close() {
	_ = t.cmd.Process.Kill() // fails only if it is gone already
	_ = t.tty.Close()
	<-t.ended
	// The emulator's own Close is no match for a reader at work; its pipe's is.
	if pipe, ok := t.emu.InputPipe().(io.Closer); ok {
		_ = pipe.Close() // never fails
	}
	_ = t.cmd.Wait() // it was killed
}

var keys = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "shift+tab": "\x1b[Z", "space": " ", "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
	"home": "\x1b[H", "end": "\x1b[F", "pgup": "\x1b[5~", "pgdown": "\x1b[6~",
	"ctrl+c": "\x03", "ctrl+p": "\x10", "ctrl+s": "\x13",
}

// do does one step: "see TEXT" waits until the screen shows it, "type TEXT"
// types, anything else is a key's name, "down*3" that key three times. After
// each the screen has come to rest. "catch KEY TEXT", the last step, presses a
// key and takes the first screen that shows the text, however short.
func (t *term) do(step string) error {
	word, rest, _ := strings.Cut(step, " ")
	switch word {
	case "see":
		return t.until(20*time.Second, "does not show "+rest, func() bool { return strings.Contains(t.shot().text(), rest) })
	case "catch":
		key, text, _ := strings.Cut(rest, " ")
		return t.catch(key, text)
	case "type":
		return t.press(rest)
	}
	name, times, repeated := strings.Cut(step, "*")
	count := 1
	if repeated {
		if _, err := fmt.Sscan(times, &count); err != nil {
			return err
		}
	}
	seq, ok := keys[name]
	if !ok {
		if len([]rune(name)) != 1 {
			return errors.New("no such key")
		}
		seq = name
	}
	for range count {
		if err := t.press(seq); err != nil {
			return err
		}
	}
	return nil
}

func (t *term) press(bytes string) error {
	t.mu.Lock()
	t.last = time.Now()
	t.mu.Unlock()
	if _, err := t.tty.Write([]byte(bytes)); err != nil {
		return fmt.Errorf("the program has ended: %w", err)
	}
	return t.until(20*time.Second, "does not come to rest", t.still)
}

func (t *term) catch(key, text string) error {
	if _, err := t.tty.Write([]byte(key)); err != nil {
		return fmt.Errorf("the program has ended: %w", err)
	}
	for begun := time.Now(); time.Since(begun) < 5*time.Second; time.Sleep(time.Millisecond) {
		if s := t.shot(); strings.Contains(s.text(), text) {
			t.caught = s
			return nil
		}
	}
	return fmt.Errorf("no screen showed %q", text)
}

// still says that nothing was written for a while.
func (t *term) still() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Since(t.last) > 250*time.Millisecond
}

func (t *term) until(limit time.Duration, complaint string, done func() bool) error {
	for begun := time.Now(); time.Since(begun) < limit; time.Sleep(20 * time.Millisecond) {
		if done() {
			if !t.still() {
				continue
			}
			return nil
		}
		select {
		case <-t.ended:
			return errors.New("the program has ended")
		default:
		}
	}
	return errors.New("the screen " + complaint)
}

// shot copies what the screen shows now.
func (t *term) shot() *screen {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &screen{cols: t.look.cols, rows: t.look.rows}
	for y := range s.rows {
		for x := range s.cols {
			c := t.emu.CellAt(x, y)
			if c == nil {
				s.cells = append(s.cells, cell{text: " ", width: 1})
				continue
			}
			s.cells = append(s.cells, cell{text: c.Content, width: c.Width, style: c.Style})
		}
	}
	if !t.hidden {
		p := t.emu.CursorPosition()
		s.cursor = &point{p.X, p.Y}
	}
	return s
}

func (s *screen) text() string {
	var b bytes.Buffer
	for y := range s.rows {
		var line strings.Builder
		for x := 0; x < s.cols; x++ {
			line.WriteString(s.cells[y*s.cols+x].text)
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}
