package cli

import (
	"fmt"
	"os"
	"sync"

	"provcat-tui/internal/safe"
)

// A logFile is the file of --log-file. What it could not take is told when the program
// ends: until then the explorer has the screen.
type logFile struct {
	*os.File
	mu   sync.Mutex
	lost int64 // lines
	err  error // of the first of them
}

// Write takes one line.
func (l *logFile) Write(line []byte) (int, error) {
	n, err := l.File.Write(line)
	if err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.lost++
		if l.err == nil {
			l.err = err
		}
	}
	return n, err
}

// end closes the file. The text says that it is not whole; empty: it is.
func (l *logFile) end() string {
	err := l.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.lost > 0:
		return fmt.Sprintf("the log file is incomplete: %s could not be written: %s", count(l.lost, "line"), safe.Text(l.err.Error()))
	case err != nil:
		return fmt.Sprintf("the log file may be incomplete: %s", safe.Text(err.Error()))
	}
	return ""
}
