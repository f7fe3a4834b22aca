package commit

// NOTE TO THE OWNER OF THIS FOLDER, from the lead, 04:45: to save time I wrote
// snapshot.go (with Progress, the Stage constants, throttle) and diff.go, and am
// writing pin.go and write.go/settle.go right now. Please do log.go, entry.go and ref.go
// next, as quickly as you can, then all tests of the package (format, log, ref, diff, pin, snapshot,
// and, when write.go is there, write, races, faults), and harden what I wrote.


import (
	"context"
	"errors"
	"iter"
	"time"

	"provcat-tui/bucket"
)

// ---- entry.go ----

// An Entry is the content of a log entry.
type Entry struct {
	Commit    string
	Folder    string // only if HasFolder
	HasFolder bool
	Number    int64     // 0: unknown
	Time      time.Time // zero: unknown
}

// ErrEntry: the bytes of a log entry are neither JSON with "commit" nor 64 hex digits.
var ErrEntry = errors.New("not a log entry")

func ParseEntry(body []byte) (Entry, error) { panic("stub") }
func EncodeEntry(e Entry) []byte            { panic("stub") }

// LoadEntry reads one version of a slot ("": the live one).
func LoadEntry(ctx context.Context, b bucket.Bucket, key, version string) (Entry, error) {
	panic("stub")
}

// ---- log.go ----

// A Slot is one number of a log, or a gap in it.
type Slot struct {
	Number int64
	// Gap > 0: nothing at all is at the Gap numbers Number, Number-1, …; the
	// other members are then empty.
	Gap      int64
	Key      string
	Versions []bucket.Version // newest first
	// Entry is the live version's content; Err says why there is none:
	// ErrDeleted (no live version), ErrEntry, or what the read failed with.
	Entry Entry
	Err   error
}

// ErrDeleted: the newest version is a delete marker, or nothing is live.
var ErrDeleted = errors.New("deleted")

// Log streams a log, newest first, with its gaps in their place (also from the
// lowest slot down to 1), entries read side by side. Keys that are no slots are skipped.
func Log(ctx context.Context, b bucket.Bucket, hash string, concurrency int) iter.Seq2[Slot, error] {
	panic("stub")
}

// Head gives the highest slot with any version or marker; Number 0 for an empty
// log. It only reads; it does not judge (see CheckHead).
func Head(ctx context.Context, b bucket.Bucket, folder string) (Slot, error) { panic("stub") }

// CheckHead is step 1 of writing: Head, and ErrDamaged with the reason unless the
// log may be grown.
func CheckHead(ctx context.Context, b bucket.Bucket, folder string) (Slot, error) { panic("stub") }

// A LogRef is one log of a bucket.
type LogRef struct {
	Hash   string
	Folder string
	Known  bool // Folder is known
	Head   Slot
	Err    error // the head could not be read
}

// AllLogs lists the logs of a bucket, named from their entries, else from commit
// objects, else, with hashFolders, by hashing every folder that exists (a walk
// of the whole bucket).
func AllLogs(ctx context.Context, b bucket.Bucket, concurrency int, hashFolders bool) iter.Seq2[LogRef, error] {
	panic("stub")
}

// ---- ref.go ----

// A Ref is what a person's REF means in a folder.
type Ref struct {
	Live   bool   // the word "live"
	Number int64  // 0: not in the log (an orphan, named by ID)
	ID     string // the commit's ID
}

var (
	ErrUnknownRef   = errors.New("no such commit")
	ErrAmbiguousRef = errors.New("ambiguous commit")
)

// Resolve reads a REF: a number, six or more hex digits, id:<hex>, head, head~n, live.
func Resolve(ctx context.Context, b bucket.Bucket, folder, ref string) (Ref, error) { panic("stub") }

// ---- pin.go ----

type PinCandidate struct {
	Folder string
	Number int64
	ID     string
	Time   time.Time
	Err    error // why its time is unknown
}

type Pin struct {
	Folder     string
	At         time.Time      // zero: no bound
	Chosen     *PinCandidate  // nil: there is no commit
	Candidates []PinCandidate // the newest eligible one of each log above, and the folder's own; chosen first
	Doubts     []string       // what could not be read and might change the answer
}

func FindPin(ctx context.Context, b bucket.Bucket, folder string, at time.Time, concurrency int) (Pin, error) {
	panic("stub")
}

// ---- write.go ----

type WriteOptions struct {
	Author, Message string
	DryRun          bool          // stops before step 4; Result tells what would be written
	MaxSkew         time.Duration // 0: five minutes
	TimeLimit       time.Duration // for settling an unclear answer; 0: two minutes
	Concurrency     int           // 0: 16
	Now             func() time.Time
	Sleep           func(context.Context, time.Duration) error
	Progress        func(Progress)
}

type Result struct {
	Committed bool
	Folder    string
	Number    int64 // N+1, or N where there was nothing to commit
	ID        string
	Parent    string
	Time      time.Time
	Files     int64
	Bytes     int64
	Listings  int
	Attempts  int
	Versions  int64
	// DryRun: what would change against the head.
	Added, Removed, ChangedFiles int64
}

// Refusal reasons.
const (
	ReasonDamagedLog  = "damaged-log"
	ReasonVersioning  = "versioning"
	ReasonConditions  = "store-ignores-conditions"
	ReasonClock       = "clock"
	ReasonNoFolder    = "no-such-folder" // wrong usage
	ReasonContended   = "contended"
	ReasonUnsettled   = "unsettled"
	ReasonUnclear     = "unclear"
	ReasonDenied      = "denied"
	ReasonDamageAfter = "damage-seen-after-commit"
)

// A WriteError says why nothing was committed, or why it is unclear.
type WriteError struct {
	Reason string
	// Unclear: whether the commit is visible is not known. ID is then the commit.
	Unclear bool
	ID      string
	Number  int64
	Detail  string // for a person, with what to do
	Err     error
}

func (e *WriteError) Error() string { return e.Detail }
func (e *WriteError) Unwrap() error { return e.Err }

// Write commits a folder, steps 0 to 6. A nil error with Committed false: there was
// nothing to commit.
func Write(ctx context.Context, b bucket.Bucket, folder string, o WriteOptions) (Result, error) {
	panic("stub")
}
