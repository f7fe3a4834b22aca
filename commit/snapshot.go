package commit

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"provcat-tui/bucket"
)

// maxListings is how often a folder is listed before its snapshot is given up.
const maxListings = 6

// ErrUnsettled marks a folder that changed between any two of six listings.
var ErrUnsettled = errors.New("the folder kept changing")

// A Snapshot is the live versions of a folder at one moment.
type Snapshot struct {
	Files    []File // in bytewise order of path
	Bytes    int64  // sum of the sizes
	Listings int    // 2 to 6
	// Versions counts versions and markers of the last listing. 0: the folder
	// has and had no file.
	Versions int64
}

// Collect takes a snapshot of a folder by double collect: it lists every version
// and marker, deleted ones too, until two listings in a row are equal. The live
// versions of the last one were then live from their read in the listing before
// to their read in the last: all of them at the moment between the two.
//
// The first listing is a walk with at most concurrency requests side by side; 0: 16.
// The next ones ask for its pages again, where the store's driver can, and list anew
// what differs; else they are walks too. One listing's live files are kept, and digests
// of another. progress may be nil.
// ErrUnsettled after six listings of which no two in a row were equal. ErrBadAnswer: of
// some key no version was called the latest, so that nobody knows whether it is there.
func Collect(ctx context.Context, b bucket.Bucket, folder string, concurrency int, progress func(Progress)) (Snapshot, error) {
	report := throttle(progress)
	same := bucket.Again(b)
	var before *listing
	odd := ""
	for n := 1; n <= maxListings; n++ {
		l := &listing{prefix: KeyPrefix(folder), keep: n > 1 || same != nil, side: parallel(concurrency)}
		l.seen = func(versions int64) { report(Progress{Stage: StageListing, Listing: n, Versions: versions}) }
		if before != nil {
			l.digest.secret = before.digest.secret
			l.cuts = before.even()
		} else if err := l.digest.begin(); err != nil {
			return Snapshot{}, err
		}
		made, err := false, error(nil)
		if before != nil {
			made, err = l.again(ctx, b, same, before)
		}
		if err == nil && !made {
			if before != nil {
				before.parts = nil // their files
			}
			err = l.read(ctx, b)
		}
		if err != nil {
			return Snapshot{}, err
		}
		if odd = l.odd(); odd != "" {
			if err := sleep(ctx, lookAgain); err != nil {
				return Snapshot{}, err
			}
		} else if before != nil && l.digest == before.digest {
			return Snapshot{Files: l.files(), Bytes: l.bytes, Listings: n, Versions: l.versions}, nil
		}
		if same == nil {
			l.parts = nil
		}
		before = l
	}
	if odd != "" {
		return Snapshot{}, &bucket.Error{Op: "take a snapshot of", Bucket: b.URL(), Key: odd, Kind: bucket.ErrBadAnswer,
			Err:  errors.New("the store lists its versions and calls none of them the latest, or not the newest"),
			Hint: "whether the file is there cannot be told: the store differs from what it should be, tell whoever runs it"}
	}
	return Snapshot{}, &bucket.Error{Op: "take a snapshot of", Bucket: b.URL(), Key: KeyPrefix(folder),
		Err:  fmt.Errorf("%w: %d listings, and no two in a row were equal", ErrUnsettled, maxListings),
		Hint: "commit when fewer writers are at work, or commit a smaller folder"}
}

// strayKey is the error for a listing with a key that was not asked for.
func strayKey(b bucket.Bucket, prefix, key string) error {
	return &bucket.Error{Op: "list", Bucket: b.URL(), Key: prefix, Kind: bucket.ErrBadAnswer,
		Err: fmt.Errorf("the listing holds the key %s", key)}
}

func liveFile(v bucket.Version, prefix string) File {
	return File{Path: v.Key[len(prefix):], Version: v.ID, ETag: v.ETag, Size: v.Size}
}

// Live streams the live files of a folder in order of path, from one listing: no
// snapshot, since the folder may change under it.
func Live(ctx context.Context, b bucket.Bucket, folder string) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		prefix := KeyPrefix(folder)
		for v, err := range b.Versions(ctx, bucket.Range{Prefix: prefix, Ahead: true}) {
			if err != nil {
				yield(File{}, err)
				return
			}
			if !v.Live() || strings.HasPrefix(v.Key, Root) {
				continue
			}
			if !strings.HasPrefix(v.Key, prefix) {
				yield(File{}, strayKey(b, prefix, v.Key))
				return
			}
			if !yield(liveFile(v, prefix), nil) {
				return
			}
		}
	}
}

// Stages of a commit, in their order.
const (
	StageSettings = "settings"
	StageHead     = "head"
	StageListing  = "listing"
	StageCompare  = "compare"
	StageTime     = "time"
	StageObject   = "commit object"
	StagePoint    = "commit point"
	StageCheck    = "check"
)

// Progress tells what a commit is doing.
type Progress struct {
	Stage    string // one of the Stage constants
	Listing  int    // 1 to 6, in StageListing
	Versions int64  // seen in this listing so far
	Attempt  int    // 1 to 10
	Detail   string // for a person: what is waited for; may be empty
}

// throttle passes on each change of stage or listing, and within one at most 20
// reports a second. The result may not be called from several goroutines at once.
func throttle(f func(Progress)) func(Progress) {
	if f == nil {
		return func(Progress) {}
	}
	var last Progress
	var at time.Time
	return func(p Progress) {
		now := time.Now()
		same := p.Stage == last.Stage && p.Listing == last.Listing && p.Attempt == last.Attempt && p.Detail == last.Detail
		if same && now.Sub(at) < 50*time.Millisecond {
			return
		}
		last, at = p, now
		f(p)
	}
}
