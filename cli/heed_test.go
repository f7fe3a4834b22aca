package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// heedSignals has the processes that tests start heed signals, although these tests may
// have been started to ignore some, as under nohup or in a shell's background: what a
// process catches its children begin with anew, what it ignores they go on to ignore.
func heedSignals() {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}
