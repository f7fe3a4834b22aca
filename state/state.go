// Package state keeps what the program remembers between runs: the places that were
// visited, the one that was left last, and the commands that were typed. It is a
// comfort: whatever fails here is told to a log and otherwise costs nothing. The file is
// the person's alone (0600), also where it was there with another mode before.
package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/adrg/xdg"

	"provcat-tui/internal/safe"
	"provcat-tui/internal/whole"
)

const (
	maxRecent   = 20      // places
	maxCommands = 200     // typed commands
	maxLength   = 4 << 10 // bytes of one of them; a longer one is not kept
	maxFile     = 4 << 20 // bytes of a file that is read at all
)

// Path is where the state is kept: the platform's folder for it (XDG_STATE_HOME).
func Path() string { return filepath.Join(xdg.StateHome, "provcat-tui", "state.json") }

// A State is a file of what is remembered. Its methods may be called from several
// goroutines, and by several programs at once on the same file: none loses what
// another one added.
type State struct {
	path string
	warn func(what string, err error)
	mu   sync.Mutex
}

// file is what the file holds.
type file struct {
	Recent   []string `json:"recent"`         // URLs, newest first
	Last     string   `json:"last,omitempty"` // a command line
	Commands []string `json:"commands"`       // oldest first
}

// Open gives the state at a path; nothing is read yet. warn is told what failed.
func Open(path string, warn func(what string, err error)) *State {
	return &State{path: path, warn: warn}
}

// Recent gives the URLs that were visited last, newest first.
func (s *State) Recent() []string { return s.read().Recent }

// Last is the command line that leads to the place that was left last.
func (s *State) Last() string { return s.read().Last }

// Commands gives the commands that were typed, oldest first.
func (s *State) Commands() []string { return s.read().Commands }

// Visited puts a URL first among the recent ones.
func (s *State) Visited(url string) {
	s.change(url, func(f *file) { f.Recent = bounded(append([]string{url}, without(f.Recent, url)...), maxRecent) })
}

// Left remembers the command line that leads back to where the person was.
func (s *State) Left(command string) { s.change(command, func(f *file) { f.Last = command }) }

// Typed remembers a command; one that was typed before moves to the end.
func (s *State) Typed(command string) {
	s.change(command, func(f *file) {
		f.Commands = append(without(f.Commands, command), command)
		f.Commands = f.Commands[max(len(f.Commands)-maxCommands, 0):]
	})
}

func without(list []string, x string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(y string) bool { return y == x })
}

func bounded(list []string, n int) []string { return list[:min(len(list), n)] }

// change alters the file under its lock, unless what is to be kept may hold a secret.
func (s *State) change(text string, alter func(*file)) {
	if !keepable(text) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	dir := filepath.Dir(s.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		s.warn("remember "+s.path, err)
		return
	}
	defer whole.Lock(dir)()
	f, err := load(s.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		// What is there is not ours to throw away: it goes aside, once.
		s.warn("read "+s.path, err)
		if err := os.Rename(s.path, s.path+".broken"); err != nil {
			s.warn("put aside "+s.path, err)
			return
		}
		if err := os.Chmod(s.path+".broken", 0o600); err != nil { // whoever wrote it
			s.warn("keep "+s.path+".broken from others", err)
		}
	}
	alter(&f)
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		s.warn("write "+s.path, err)
		return
	}
	if err := whole.Write(s.path, 0o600, func(w *os.File) error {
		_, err := w.Write(append(data, '\n'))
		return err
	}); err != nil {
		s.warn("write "+s.path, err)
	}
}

func (s *State) read() file {
	f, err := load(s.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.warn("read "+s.path, err)
	}
	return f
}

// load reads the file. What could not have been written by this program, such as a
// text too long, is left out.
func load(path string) (file, error) {
	r, err := os.Open(path)
	if err != nil {
		return file{}, err
	}
	defer func() { _ = r.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return file{}, err
	}
	if len(data) > maxFile {
		return file{}, errors.New("larger than 4 MiB")
	}
	return parse(data)
}

func parse(data []byte) (file, error) {
	var f file
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&f); err != nil {
		return file{}, err
	}
	bad := func(text string) bool { return !keepable(text) }
	f.Recent = bounded(slices.DeleteFunc(f.Recent, bad), maxRecent)
	f.Commands = slices.DeleteFunc(f.Commands, bad)
	f.Commands = f.Commands[max(len(f.Commands)-maxCommands, 0):]
	if bad(f.Last) {
		f.Last = ""
	}
	return f, nil
}

// keepable says whether a text may be written to a file: one line of bounded length,
// without what could be a credential.
func keepable(text string) bool {
	if text == "" || len(text) > maxLength || !utf8.ValidString(text) || strings.ContainsAny(text, "\n\r\x00") {
		return false
	}
	low := strings.ToLower(text)
	for _, sign := range []string{"x-amz-signature", "x-amz-credential", "x-amz-security-token", "awsaccesskeyid=", "secret_access_key", "x-goog-signature", "sig="} {
		if strings.Contains(low, sign) {
			return false
		}
	}
	return safe.Secrets(text) == text
}
