// Package target writes files into one directory of this machine, each as a whole or
// not at all, and never outside of that directory: whatever the names are, and whatever
// links lie there.
package target

import (
	"crypto/md5"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"provcat-tui/internal/safe"
)

// A Dir is an open directory. Its methods may be called from several goroutines at once,
// but not for one name.
type Dir struct {
	root  *os.Root // nil: it is not there, and nothing is written
	rules Rules
}

// Open opens a directory to write into, and makes it where it is not there. It finds out
// whether names that differ only in case are one there.
func Open(path string) (*Dir, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	d := &Dir{root: root, rules: Usual()}
	probe := "." + strings.ToLower(rand.Text()[:10]) + ".provcat"
	f, err := root.OpenFile(probe, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	_, other := root.Lstat(strings.ToUpper(probe))
	d.rules.Fold = other == nil
	if err := errors.Join(f.Close(), root.Remove(probe)); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return d, nil
}

// Look opens a directory to look at. It need not be there, and nothing can be put into it.
func Look(path string) (*Dir, error) {
	d := &Dir{rules: Usual()}
	root, err := os.OpenRoot(path)
	switch {
	case err == nil:
		d.root = root
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return d, nil
}

// Rules are those of the file system.
func (d *Dir) Rules() Rules { return d.rules }

// Close gives the directory up.
func (d *Dir) Close() error {
	if d.root == nil {
		return nil
	}
	return d.root.Close()
}

// Stat tells of the file at a name; nil: nothing is there. A *Refused: a link, a folder
// or something else is there or on the way, so that the name cannot be written.
func (d *Dir) Stat(name string) (fs.FileInfo, error) {
	if d.root == nil {
		return nil, nil
	}
	var info fs.FileInfo
	for _, p := range prefixes(name) {
		if info != nil && !info.IsDir() {
			return nil, occupied(p[:strings.LastIndexByte(p, '/')], info, "not a folder")
		}
		var err error
		switch info, err = d.root.Lstat(p); {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, plain(err)
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, occupied(p, info, "")
		}
	}
	if !info.Mode().IsRegular() {
		return nil, occupied(name, info, "not a file")
	}
	return info, nil
}

func occupied(name string, info fs.FileInfo, what string) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		what = "a symbolic link, which is not followed"
	case info.IsDir():
		what = "a folder"
	case info.Mode().IsRegular():
		what = "a file"
	}
	return refuse("%s is there, and is %s", safe.Text(name), what)
}

// MD5 is that of a file's bytes, in hex.
func (d *Dir) MD5(name string) (string, error) {
	f, err := d.root.Open(name)
	if err != nil {
		return "", plain(err)
	}
	defer func() { _ = f.Close() }() // only read from
	sum := md5.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", plain(err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Mkdir makes a folder and those above it, unless it is there. A *Refused: a link or a
// file is there or on the way.
func (d *Dir) Mkdir(name string) error {
	if name == "" {
		return nil
	}
	for _, p := range prefixes(name) {
		err := d.root.Mkdir(p, 0o777)
		if errors.Is(err, fs.ErrExist) {
			var info fs.FileInfo
			if info, err = d.root.Lstat(p); err == nil && !info.IsDir() {
				return occupied(p, info, "not a folder")
			}
		}
		if err != nil {
			return plain(err)
		}
	}
	return nil
}

// ErrThere: somebody else has put a file at a name since it was looked at.
var ErrThere = errors.New("a file has come there meanwhile")

// Put writes a file as a whole or not at all: into a new one beside it, which takes its
// name when write has ended well. modified, unless it is zero, becomes its time. Without
// over nothing that is there is replaced: ErrThere. A program that is killed meanwhile
// leaves a file .provcat-*.part that nobody reads.
func (d *Dir) Put(name string, over bool, write func(io.Writer) (modified time.Time, err error)) (err error) {
	folder := ""
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		folder = name[:i]
		if err := d.Mkdir(folder); err != nil {
			return err
		}
		folder += "/"
	}
	tmp := folder + ".provcat-" + rand.Text()[:10] + ".part"
	f, err := d.root.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return plain(err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()          // the first error counts; closing twice does no harm
			_ = d.root.Remove(tmp) // best effort
		}
	}()
	modified, err := write(disk{f})
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return plain(err)
	}
	if !modified.IsZero() {
		_ = d.root.Chtimes(tmp, modified, modified) // a file system without times has the bytes all the same
	}
	if over {
		return plain(d.root.Rename(tmp, name))
	}
	return d.settle(tmp, name)
}

// settle gives tmp its name, if nothing has it.
func (d *Dir) settle(tmp, name string) error {
	switch err := d.root.Link(tmp, name); {
	case err == nil:
		_ = d.root.Remove(tmp) // its other name is what counts
		return nil
	case errors.Is(err, fs.ErrExist):
		return ErrThere
	}
	// A file system without links.
	if _, err := d.root.Lstat(name); err == nil {
		return ErrThere
	}
	return plain(d.root.Rename(tmp, name))
}

// disk is a file whose errors are plain.
type disk struct{ f *os.File }

func (d disk) Write(p []byte) (int, error) {
	n, err := d.f.Write(p)
	return n, plain(err)
}

// Full says of an error that no other file can be written either: the disk is full or
// may only be read.
func Full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS)
}

// plain takes the name of the operation and of a temporary file out of an error.
func plain(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return fmt.Errorf("on the disk: %w", pe.Err)
	case errors.As(err, &le):
		return fmt.Errorf("on the disk: %w", le.Err)
	}
	return err
}
