package commit

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"provcat-tui/bucket"
)

// ---- object.go: encode, decode ----

// An Object is what reading a whole commit object gave.
type Object struct {
	Header
	ID    string // SHA-256 of the bytes that were read, lowercase hex
	Bytes int64
	Files int64
	Total int64 // sum of the known sizes
}

// ErrFormat: the bytes are no commit that this program can read.
var ErrFormat = errors.New("not a commit object that this program can read")

// ErrCorrupt: the bytes do not have the hash that their key says.
var ErrCorrupt = errors.New("hash mismatch")

// Encode writes a commit object, strictly by the format. files must come in
// bytewise order of Path without doubles; else an error. Gives the ID.
func Encode(w io.Writer, h Header, files iter.Seq2[File, error]) (id string, err error) {
	panic("stub")
}

// Decode reads a commit object as a stream, in any order of members; visit (may
// be nil) gets each file as it comes. The Object's ID and Bytes are right even
// with ErrFormat: the rest of r is then read for the hash.
func Decode(r io.Reader, visit func(File) error) (Object, error) { panic("stub") }

// Load reads and checks a commit object of a bucket. ErrCorrupt where its bytes
// don't have the hash id, ErrNotFound (bucket) where it is gone.
func Load(ctx context.Context, b bucket.Bucket, id string, visit func(File) error) (Object, error) {
	panic("stub")
}

// LoadHeader reads the header alone, by a ranged read where the writer put the
// files last. The hash is not checked.
func LoadHeader(ctx context.Context, b bucket.Bucket, id string) (Header, error) { panic("stub") }

// Files streams a commit's files in order of path (a foreign object out of order
// is sorted in memory, within a bound). The hash is checked at the end: a last
// ErrCorrupt.
func Files(ctx context.Context, b bucket.Bucket, id string) iter.Seq2[File, error] { panic("stub") }

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

// ---- snapshot.go ----

// Progress tells what a commit is doing; sent at most 20 times a second.
type Progress struct {
	Stage    string // "settings", "head", "listing", "compare", "time", "commit object", "commit point", "check"
	Listing  int    // 1 to 6
	Versions int64  // seen in this listing
	Attempt  int    // 1 to 10
	Detail   string // for a person, e.g. what is waited for
}

type Snapshot struct {
	Files    []File
	Bytes    int64
	Listings int
	Versions int64 // versions and markers in the last listing; 0: the folder never existed
}

// ErrUnsettled: never two equal listings in a row.
var ErrUnsettled = errors.New("the folder kept changing")

func Collect(ctx context.Context, b bucket.Bucket, folder string, progress func(Progress)) (Snapshot, error) {
	panic("stub")
}

// Live streams the live files of a folder from one listing (no snapshot).
func Live(ctx context.Context, b bucket.Bucket, folder string) iter.Seq2[File, error] { panic("stub") }

// ---- diff.go ----

type ChangeKind string

const (
	Added   ChangeKind = "added"
	Removed ChangeKind = "removed"
	Changed ChangeKind = "changed"
)

// A Change is one difference; From is zero for Added, To for Removed. SameBytes:
// another version with an equal known ETag and size.
type Change struct {
	Path      string
	Kind      ChangeKind
	From, To  File
	SameBytes bool
}

// Diff merges two streams of files in order of path.
func Diff(from, to iter.Seq2[File, error]) iter.Seq2[Change, error] { panic("stub") }

// FilesOf streams what a Ref means: a commit's files or the live ones. The empty
// ID of the commit before the first gives nothing.
func FilesOf(ctx context.Context, b bucket.Bucket, folder string, r Ref) iter.Seq2[File, error] {
	panic("stub")
}

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
