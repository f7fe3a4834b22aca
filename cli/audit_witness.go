package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"provcat-tui/audit"
	"provcat-tui/internal/safe"
	"provcat-tui/internal/whole"
)

func addWitnessFlags(f *pflag.FlagSet, o *auditOptions) {
	f.StringVar(&o.witness, "witness", "", "compare with what earlier audits saw of each log, kept in this `file`, and add what this one sees")
	f.BoolVar(&o.witnessReadonly, "witness-readonly", false, "compare with the --witness file, but don't write it")
}

// checkWitness tells what is wrong with the flags and the path.
func (o *auditOptions) checkWitness() error {
	if o.witness == "" {
		if o.witnessReadonly {
			return usagef("--witness-readonly needs --witness FILE")
		}
		return nil
	}
	if o.output != "" && samePath(o.output, o.witness) {
		return usagef("--output and --witness name the same file, %s", safe.Text(o.witness))
	}
	return writable("--witness", o.witness)
}

func samePath(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	if err == nil && err2 == nil {
		return os.SameFile(x, y)
	}
	return filepath.Clean(a) == filepath.Clean(b)
}

// A witnessFile is the file of --witness as it was read.
type witnessFile struct {
	path    string // links followed: they stay, and what they lead to is replaced
	info    os.FileInfo
	witness *audit.Witness
}

// openWitness reads the file before the audit, so that what cannot be used is told
// at once; nil: there is no --witness. Its errors are wrong usage.
func openWitness(o *auditOptions, bucketURL string) (*witnessFile, error) {
	if o.witness == "" {
		return nil, nil
	}
	f := &witnessFile{path: o.witness}
	if path, err := filepath.EvalSymlinks(o.witness); err == nil {
		f.path = path
	}
	err := f.read(bucketURL)
	if errors.Is(err, fs.ErrNotExist) && !o.witnessReadonly {
		f.witness = audit.NewWitness(bucketURL)
		return f, nil
	}
	if err != nil {
		return nil, usagef("--witness %s: %s", safe.Text(o.witness), err)
	}
	return f, nil
}

func (f *witnessFile) read(bucketURL string) error {
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no such file; an audit without --witness-readonly makes it: %w", fs.ErrNotExist)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("is not a regular file")
	case info.Size() == 0:
		return errors.New("is empty, so what it knew is lost; remove it to begin a new one")
	}
	in, err := os.Open(f.path)
	if err != nil {
		return errors.New(safe.Text(err.Error()))
	}
	defer func() { _ = in.Close() }() // only read
	w, err := audit.ReadWitness(bufio.NewReader(in))
	switch {
	case errors.Is(err, audit.ErrWitness):
		return fmt.Errorf("%s; nothing was changed. Put back a copy of it, or move it away to begin a new one", safe.Text(err.Error()))
	case err != nil:
		return errors.New(safe.Text(err.Error()))
	case w.Bucket != bucketURL:
		return fmt.Errorf("is the witness of %s, not of %s: each bucket needs one of its own", safe.Text(w.Bucket), safe.Text(bucketURL))
	}
	f.info, f.witness = info, w
	return nil
}

// sees says whether it knows of a log of the folder or below it. f may be nil.
func (f *witnessFile) sees(folder string) bool { return f != nil && f.witness.Sees(folder) }

// save puts the new state in the place of the old, whole or not at all. What
// another audit has written since this one read the file is kept too.
func (f *witnessFile) save(w *audit.Witness) error {
	defer whole.Lock(filepath.Dir(f.path))()
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		if f.info == nil || !os.SameFile(f.info, info) || !f.info.ModTime().Equal(info.ModTime()) || f.info.Size() != info.Size() {
			if err := f.read(w.Bucket); err != nil {
				return fmt.Errorf("it was changed meanwhile: %w", err)
			}
			w.Merge(f.witness)
		}
	}
	// Folders and times are in it: nobody else's business.
	return whole.Replace(f.path, 0o600, func(out *os.File) error { return w.Encode(out) })
}

// keepWitness writes what the audit saw to the file of --witness.
func (a *app) keepWitness(f *witnessFile, r *audit.Report, o *auditOptions) error {
	switch {
	case f == nil || o.witnessReadonly:
		return nil
	case r.Witness == nil:
		a.note("the logs could not be listed; the witness %s stays as it was", safe.Text(o.witness))
		return nil
	}
	first := f.info == nil
	if err := f.save(r.Witness); err != nil {
		return fmt.Errorf("write the witness %s: %w; the next audit will know only what the file says now", safe.Text(o.witness), err)
	}
	if logs, entries := r.Witness.Size(); first {
		a.note("the witness %s begins, with %s and %s: earlier losses it cannot know", safe.Text(o.witness),
			count(int64(logs), "log"), count(int64(entries), "commit"))
	}
	return nil
}
