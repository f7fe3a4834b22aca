package commit

import (
	"errors"
	"iter"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// RestoreAction is what has to be done with a key so that it is as a commit named it.
type RestoreAction string

// The actions. All but RestoreCopy and RestoreHide write nothing.
const (
	RestoreLive    RestoreAction = "live"    // the very version is live
	RestoreSame    RestoreAction = "same"    // another version with equal bytes is live
	RestoreCopy    RestoreAction = "copy"    // a version has to become the newest
	RestoreHide    RestoreAction = "delete"  // live, and the commit does not name it
	RestoreGone    RestoreAction = "gone"    // no version with these bytes is left
	RestoreRefused RestoreAction = "refused" // it must not or cannot be written
	// RestoreOverwritten is RestoreGone, but that the version's ID is there, with other bytes.
	RestoreOverwritten RestoreAction = "overwritten"
)

// A RestoreStep is what has to be done with one key.
type RestoreStep struct {
	Action RestoreAction
	Key    string
	File   File   // the commit's; of RestoreHide the live one
	From   string // of RestoreCopy: the version to copy, another with equal bytes where the commit's own is gone or has other ones
	// Latest is the key's newest version or marker when it was looked at; empty: none.
	Latest string
	Why    string // of RestoreRefused and RestoreOverwritten
}

// PlanRestore compares the files of a commit with the versions that are there, both in
// bytewise order (of path, and of key), and streams what has to be done, in that order.
// prefix is the folder's: the key of a file is prefix and path. It asks nothing of any
// store. It ends with the first error of either stream, and then nothing that came
// before it counts: the commit's hash is known at its end only.
func PlanRestore(prefix string, files iter.Seq2[File, error], versions iter.Seq2[bucket.Version, error]) iter.Seq2[RestoreStep, error] {
	return func(yield func(RestoreStep, error) bool) {
		nextFile, stopFiles := ahead(files)
		defer stopFiles()
		nextVersion, stopVersions := iter.Pull2(versions)
		defer stopVersions()
		r := restorer{next: nextVersion}
		r.step()
		f, err, more := nextFile()
		for more || r.ok {
			switch {
			case err != nil:
				yield(RestoreStep{}, err)
				return
			case r.err != nil:
				yield(RestoreStep{}, r.err)
				return
			}
			var s RestoreStep
			if key := prefix + f.Path; !more || r.ok && r.v.Key < key {
				s = r.extra(prefix)
			} else {
				s = r.named(key, f)
				was := f.Path
				for f, err, more = nextFile(); more && err == nil && f.Path == was; f, err, more = nextFile() {
					s.Action, s.Why = RestoreRefused, "it stands more than once in the commit: which is meant is not known"
				}
			}
			if r.err == nil && s.Action != "" && !yield(s, nil) {
				return
			}
		}
	}
}

// A restorer reads versions key by key.
type restorer struct {
	next func() (bucket.Version, error, bool)
	v    bucket.Version
	err  error
	ok   bool // v or err is to be looked at
}

func (r *restorer) step() { r.v, r.err, r.ok = r.next() }

// extra is the step for a key that the commit does not name; none if nothing is live.
func (r *restorer) extra(prefix string) RestoreStep {
	v := r.v
	for r.ok && r.err == nil && r.v.Key == v.Key {
		r.step()
	}
	if !v.Live() || strings.HasPrefix(v.Key, Root) || !strings.HasPrefix(v.Key, prefix) {
		return RestoreStep{}
	}
	return RestoreStep{Action: RestoreHide, Key: v.Key, File: liveFile(v, prefix), Latest: v.ID}
}

// named is the step for a file of the commit.
func (r *restorer) named(key string, f File) RestoreStep {
	s := RestoreStep{Action: RestoreGone, Key: key, File: f}
	for first := true; r.ok && r.err == nil && r.v.Key == key; r.step() {
		v := r.v
		own := f.Is(v)
		same := !v.DeleteMarker && f.SameBytes(v.ETag, v.Size)
		if !own && !v.DeleteMarker && v.ID == f.Version && s.Action == RestoreGone {
			s.Action, s.Why = RestoreOverwritten, "version "+safe.Text(v.ID)+" is there with other bytes: "+f.OtherText(v.ETag, v.Size)
		}
		if first {
			s.Latest = v.ID
			switch {
			case own && v.Live():
				s.Action = RestoreLive
			case same && v.Live():
				s.Action = RestoreSame
			}
			first = false
		}
		if s.Action == RestoreLive || s.Action == RestoreSame {
			continue
		}
		if own || same && s.From == "" {
			s.Action, s.From, s.Why = RestoreCopy, v.ID, ""
		}
	}
	if s.Action == RestoreCopy && strings.HasPrefix(key, Root) {
		s.Action, s.Why = RestoreRefused, "keys under "+Root+" belong to no folder, and only commits and repairs write them"
	}
	return s
}

// ErrMoved says of a step that its key was written to since it was looked at: nothing
// was done, or what was done was followed by another write.
var ErrMoved = errors.New("somebody wrote there meanwhile")
