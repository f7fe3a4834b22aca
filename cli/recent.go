package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/adrg/xdg"

	"provcat-tui/internal/whole"
)

// maxRecent URLs are kept.
const maxRecent = 20

type recentFile struct {
	Recent []string `json:"recent"` // newest first
}

func recentPath() string { return filepath.Join(xdg.StateHome, "provcat-tui", "recent.json") }

// recent gives the URLs that were visited last, newest first. It is a comfort:
// when it fails there are none, and the log file tells why.
func (a *app) recent() []string {
	data, err := os.ReadFile(recentPath())
	if err != nil {
		if !os.IsNotExist(err) {
			a.logFailure("read recent URLs", err)
		}
		return nil
	}
	var r recentFile
	if err := json.Unmarshal(data, &r); err != nil {
		a.logFailure("read recent URLs", err)
		return nil
	}
	if len(r.Recent) > maxRecent {
		r.Recent = r.Recent[:maxRecent]
	}
	return r.Recent
}

// visited puts url first among the recent ones. Failures are only logged. It may
// be called from several goroutines at once.
func (a *app) visited(url string) {
	a.recentLock.Lock()
	defer a.recentLock.Unlock()
	urls := append([]string{url}, slices.DeleteFunc(a.recent(), func(u string) bool { return u == url })...)
	if len(urls) > maxRecent {
		urls = urls[:maxRecent]
	}
	data, err := json.Marshal(recentFile{urls})
	if err != nil {
		a.logFailure("write recent URLs", err)
		return
	}
	if err := os.MkdirAll(filepath.Dir(recentPath()), 0o700); err != nil {
		a.logFailure("write recent URLs", err)
		return
	}
	if err := whole.Write(recentPath(), 0o600, func(f *os.File) error {
		_, err := f.Write(append(data, '\n'))
		return err
	}); err != nil {
		a.logFailure("write recent URLs", err)
	}
}

func (a *app) logFailure(what string, err error) {
	if a.log != nil {
		a.log.Warn(what, "error", err.Error())
	}
}
