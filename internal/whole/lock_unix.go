//go:build unix

package whole

import (
	"os"
	"syscall"
	"time"
)

// Lock keeps other runs of this program from changing a file of the folder
// at the same time, until the function that it gives is called. It waits ten
// seconds at most, and does without where the file system has no locks.
func Lock(dir string) (unlock func()) {
	f, err := os.Open(dir)
	if err != nil {
		return func() {}
	}
	for range 1000 {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != syscall.EWOULDBLOCK {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return func() { _ = f.Close() } // which ends the lock
}
