package views

import (
	"context"
	"errors"
	"os"
	"os/signal"
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
	p := tea.NewProgram(m, tea.WithoutSignalHandler())
	signals := make(chan os.Signal, 4)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
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
