package views

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// endMsg asks the program to end: a signal came, or its context is over.
type endMsg struct{}

// overdueMsg says that a write was waited for long enough.
type overdueMsg struct{}

const (
	// patience is how long the answer to a cancelled write is waited for, once the
	// program must end. Whoever shuts a machine down gives a program ten seconds or more.
	patience = 5 * time.Second
	// stuck is when a program that was asked to end is ended, the terminal put back.
	stuck = patience + 3*time.Second
)

// show runs the model on the terminal until the person quits, ctx is over or a signal
// comes. Whatever ends it, the terminal is as it was. ended says that it was asked to end.
//
// Bubble Tea's own handler takes SIGTERM for the person's wish to quit and knows nothing
// of SIGHUP.
func show(ctx context.Context, m tea.Model) (ended bool, err error) {
	gone := make(chan struct{})
	options := []tea.ProgramOption{tea.WithoutSignalHandler()}
	if runtime.GOOS != "windows" { // whose console is read in another way
		options = append(options, tea.WithInput(&terminal{File: os.Stdin, gone: gone}))
	}
	p := tea.NewProgram(m, options...)
	signals, quit := make(chan os.Signal, 4), make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	signal.Notify(quit, syscall.SIGQUIT)
	defer signal.Stop(signals)
	defer signal.Stop(quit)
	over, watched, asked := make(chan struct{}), make(chan struct{}), false
	go func() {
		defer close(watched)
		received := 0
		done, late := ctx.Done(), (<-chan time.Time)(nil)
		for {
			select {
			case <-over:
				return
			case <-done:
				done = nil
			case <-signals:
				received++
			case <-gone:
				gone = nil
			case <-quit:
				dump(p)
			case <-late:
				received = 2
			}
			if received > 1 { // the person doesn't want to wait
				p.Kill()
				return
			}
			if !asked {
				asked = true
				late = time.After(stuck)
				go p.Send(endMsg{})
			}
		}
	}()
	_, err = p.Run()
	close(over)
	<-watched
	if asked && (errors.Is(err, tea.ErrProgramKilled) || err == nil) {
		err = nil
	}
	return asked, err
}

// A terminal tells when it has vanished: then a read ends or fails. The SIGHUP that comes
// besides may be ignored, or go to another program.
type terminal struct {
	*os.File
	gone chan struct{} // closed then
	once sync.Once
}

func (t *terminal) Read(p []byte) (int, error) {
	n, err := t.File.Read(p)
	if n == 0 && err != nil {
		t.once.Do(func() { close(t.gone) })
	}
	return n, err
}

// dump puts the terminal back and then does what SIGQUIT does to a Go program: it tells
// what everything was at, and ends.
func dump(p *tea.Program) {
	_ = p.ReleaseTerminal()
	signal.Reset(syscall.SIGQUIT)
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Signal(syscall.SIGQUIT)
	}
}
