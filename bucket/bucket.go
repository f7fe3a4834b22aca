// Package bucket is the program's view of a versioned object store: one small
// interface about versions, the few errors that its callers decide by, and the
// way from a URL to a driver. It knows nothing of commits.
package bucket

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"
)

// A Version is one immutable state of one object, or a delete marker.
//
// All strings come from the store as they are; nothing in them has been
// checked or escaped. Use internal/safe before showing them to anybody.
type Version struct {
	Key string
	// ID is the store's name for this version: opaque, never parsed, never
	// compared for order. "null" is S3's name for a version that was written
	// while versioning was off or suspended.
	ID string
	// Latest says that this is the newest version or marker of its key: what a
	// plain GET meets. A key whose latest version is a marker has no live one.
	Latest bool
	// DeleteMarker says that this version has no body and hides the key.
	DeleteMarker bool
	// Derived says of a delete marker that the store has no such object: it stands for
	// the time at which the version under it stopped being live. It cannot be removed;
	// what DeleteVersion does with it see there.
	Derived bool
	// MD5 says that the ETag is the MD5 of the bytes. Only Open knows it: an ETag of an
	// encrypted object looks like one too.
	MD5 bool
	// Modified is the store's own time of the version in UTC: whole seconds on
	// S3, and for a multipart upload the time at which it started. Never use it
	// to order versions: the listing's order is the only right one.
	Modified time.Time
	// ETag tells the bytes apart; without quotes. Empty for markers.
	ETag string
	// Size is the whole object's size in bytes, also after a ranged read.
	Size int64
	// StorageClass is the store's word, such as "STANDARD" or "GLACIER"; empty
	// where the store gives none.
	StorageClass string
}

// Live says that this version is what a plain GET reads.
func (v Version) Live() bool { return v.Latest && !v.DeleteMarker }

// NullID is the ID of versions written while versioning was off or suspended.
const NullID = "null"

// A Range selects keys for a listing.
type Range struct {
	// Prefix that every key has. Empty: every key of the bucket.
	Prefix string
	// After is an exclusive lower bound: keys at or before it are left out,
	// with all their versions. Empty: none.
	After string
	// Through is an inclusive upper bound. Empty: none.
	Through string
	// PageSize is the most entries to ask for in one request, 1 to 1,000.
	// 0: the store's default.
	PageSize int
	// Ahead has the next page asked for while the versions of this one are taken: for
	// listings that mean to come to their end. One that is stopped early may have made
	// one request too many, which is then cancelled. Two pages are in memory, not one.
	// What a page that is never reached failed with is not told. Drivers that cannot
	// do it leave it.
	Ahead bool
	// OnSlowDown is called where the store asks for fewer requests and the driver's own
	// tries are over, with the ErrSlowDown that the listing would end with. It may wait.
	// Nil as its result has the very page that was refused asked for again, with the
	// same markers: the listing goes on as if nothing had been. Any other error ends it.
	// It runs on the goroutine of whoever reads the listing, between two versions. A nil
	// OnSlowDown ends the listing. Drivers call it in Versions.
	OnSlowDown func(error) error
	// OnPage is called with each page before its first version comes, on the same
	// goroutine, where Again of the bucket is not nil. Nil: nobody wants to know.
	OnPage func(Page)
}

// Again says what becomes of a listing one of whose pages failed with err: nil, the page
// is to be asked for again; else the error that the listing ends with. For drivers.
func (r Range) Again(err error) error {
	if r.OnSlowDown == nil || !errors.Is(err, ErrSlowDown) {
		return err
	}
	return r.OnSlowDown(err)
}

// An Item is one line of a one-level listing: either a folder or a version.
type Item struct {
	// Folder is a key prefix that ends in "/", in full length; empty for a version.
	Folder  string
	Version Version
}

// Name is the folder's prefix or the version's key.
func (i Item) Name() string {
	if i.Folder != "" {
		return i.Folder
	}
	return i.Version.Key
}

// A Bucket is one versioned bucket. All methods may be called from several
// goroutines at once, and stop early when ctx is done.
//
// Errors are *Error (see there) and are told apart with errors.Is. What could
// not be read is an error, never an empty answer.
type Bucket interface {
	// URL names the bucket without a folder or a final slash:
	// "s3://team-data", "file:///data/demo.bucket".
	URL() string

	// Versions lists every version and delete marker in the range, keys in
	// ascending bytewise order, the versions of a key newest first, markers in
	// their place among them. It asks for a page when the page before is used
	// up, or where r.Ahead is set when that has come. After an error it yields
	// nothing more: what came before is then no proof that something is absent.
	Versions(ctx context.Context, r Range) iter.Seq2[Version, error]

	// Level lists one level under prefix (which is empty or ends in "/"), in
	// ascending order of names: the versions and markers of each key that has
	// no further "/", and each folder below that holds any version or marker,
	// deleted ones too.
	Level(ctx context.Context, prefix string) iter.Seq2[Item, error]

	// Open reads a version; an empty version means the live one. With first > 0
	// at most that many bytes are asked for, from the start. The Version tells
	// what is being read (Latest is only known where version is empty).
	// ErrNotFound where it is absent, or is a delete marker.
	Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, Version, error)

	// PutIfAbsent creates key unless it has a live version. Over a delete
	// marker it succeeds. The body is read from its start, more than once if
	// needed. ErrExists: the store refused, since a live version is there (on a
	// lost answer that may be this very call's: read it and compare).
	// ErrUnclear: no clear answer (time-out, reset, 5xx, S3's 409); the write may
	// have landed or may land yet. ErrUnsupported: the store has no conditional
	// writes. Any other error means that nothing was written.
	PutIfAbsent(ctx context.Context, key string, body io.ReadSeeker) (Version, error)

	// CopyVersion makes a new live version of key to, with the bytes of one
	// version of key. It is unconditional.
	CopyVersion(ctx context.Context, key, version, to string) (Version, error)

	// Delete hides key under a new delete marker, which it returns. Where markers
	// are Derived a key without a live version is ErrNotFound.
	Delete(ctx context.Context, key string) (Version, error)

	// DeleteVersion removes one version or marker for good. Removing the
	// latest marker brings the version under it back to life: the very version, or
	// where the marker is Derived a new one with its bytes, made with put-if-absent
	// (ErrExists: somebody wrote meanwhile); the marker then stays in the history. A
	// Derived marker that is not the latest is ErrUnsupported.
	DeleteVersion(ctx context.Context, key, version string) error

	// Hold puts a version under a legal hold, or takes the hold away: while it is held
	// nobody and no rule removes it. It is no error where it is so already. ErrNotFound:
	// the version is absent, or is a delete marker. ErrUnsupported: the bucket has no
	// object lock.
	Hold(ctx context.Context, key, version string, on bool) error

	// Versioning reads the bucket's versioning state, and the bucket's own
	// clock at the time of the answer (zero where the store doesn't tell).
	Versioning(ctx context.Context) (Versioning, time.Time, error)

	// Settings reads all settings. Each part has an error of its own, so that
	// what may not be read is never taken for "not set".
	Settings(ctx context.Context) Settings

	// Tags reads the tags of one version; none is an empty map. ErrNotFound where
	// the version is absent.
	Tags(ctx context.Context, key, version string) (map[string]string, error)

	// Protection reads what keeps one version from being deleted. Where the
	// bucket has no object lock it is the zero value, and nothing is asked.
	Protection(ctx context.Context, key, version string) (Protection, error)

	// Uploads lists the unfinished multipart uploads of the keys that start with
	// prefix, keys ascending. ErrUnsupported where the store has none.
	Uploads(ctx context.Context, prefix string) iter.Seq2[Upload, error]

	// Requests counts what was asked of the store so far, retries included.
	Requests() Requests

	// Close gives up what the bucket holds (files, connections).
	Close() error
}

// Versioning is a bucket's versioning state.
type Versioning string

// The states. The zero value is VersioningUnknown.
const (
	VersioningUnknown     Versioning = ""
	VersioningEnabled     Versioning = "enabled"
	VersioningSuspended   Versioning = "suspended"
	VersioningOff         Versioning = "off"         // never switched on
	VersioningUnsupported Versioning = "unsupported" // the store has none
)

// Settings are what a bucket's owner has set.
type Settings struct {
	Versioning    Versioning
	VersioningErr error
	// Clock is the bucket's own time at the answer; zero: not told.
	Clock time.Time

	Lifecycle    []Rule
	LifecycleErr error // nil with no rules: there are none

	ObjectLock    ObjectLock
	ObjectLockErr error

	// SoftDelete is how long the store keeps what was removed for good, where it can
	// be restored as a new version; 0: not at all, or the store has no such thing.
	SoftDelete time.Duration
}

// A Rule is one lifecycle rule. Zero values mean "not set".
type Rule struct {
	ID      string
	Enabled bool

	// The filter: all of what is set must hold.
	Prefix      string
	Tags        map[string]string
	LargerThan  int64 // bytes, exclusive; 0: no bound
	SmallerThan int64 // bytes, exclusive; 0: no bound

	// Actions on live versions.
	ExpireDays          int
	ExpireDate          time.Time
	ExpireDeleteMarkers bool // removes markers with nothing under them

	// Actions on noncurrent versions: removed this many days after their
	// successor was made, except the newest NewerNoncurrent of each key.
	NoncurrentDays  int
	NewerNoncurrent int

	Transitions      []Transition
	AbortUploadsDays int

	// When is set in rules of Google's kind: one action on every version, live or
	// not, for which all conditions hold. Of what is above such a rule has an ID and
	// Enabled only.
	When *Conditions
}

// Action is what a rule of Google's kind does.
type Action string

// The actions. Another one is the store's own word for what we don't know.
const (
	ActionDelete Action = "Delete" // a live version becomes noncurrent, another one is gone
	ActionClass  Action = "SetStorageClass"
	ActionAbort  Action = "AbortIncompleteMultipartUpload"
)

// Conditions of a rule all have to hold. Nil, zero and empty: not asked for.
type Conditions struct {
	Action       Action
	StorageClass string // of ActionClass

	Live         *bool
	Prefixes     []string // one of them
	Suffixes     []string
	Classes      []string // storage classes
	AgeDays      *int     // since the version was made
	MadeBefore   time.Time
	Newer        int       // at least so many versions of the key are newer, the live one among them
	Noncurrent   *int      // days since the version became noncurrent
	GoneBefore   time.Time // it became noncurrent before
	CustomDays   *int      // since the time that somebody gave the version, if any
	CustomBefore time.Time
	// Unknown names conditions that we can't judge.
	Unknown []string
}

// A Transition moves versions to another storage class.
type Transition struct {
	Noncurrent      bool // applies to noncurrent versions, else to live ones
	Days            int
	Date            time.Time
	NewerNoncurrent int
	StorageClass    string
}

// ObjectLock is the bucket's default retention.
type ObjectLock struct {
	Enabled bool
	// Holds says that any version may be under a hold, whatever the bucket's settings.
	Holds bool
	// CanHold says that Hold works.
	CanHold bool
	// HoldsLive says that a held version that is live can be neither overwritten nor
	// deleted, so that its key is frozen.
	HoldsLive bool
	// Mode is "GOVERNANCE" or "COMPLIANCE" on S3, "UNLOCKED" or "LOCKED" on Google's;
	// empty: no default retention.
	Mode  string
	Days  int
	Years int
}

// Protection is what keeps one version from being deleted, by lifecycle rules too.
//
// S3 user guide, "Object Lock": a version under retention or a legal hold is not
// deleted; a delete marker can still be laid over it.
type Protection struct {
	RetainUntil time.Time // zero: no retention
	LegalHold   bool
}

// At says whether the version cannot be deleted at time t.
func (p Protection) At(t time.Time) bool { return p.LegalHold || t.Before(p.RetainUntil) }

// An Upload is a multipart upload that was neither completed nor aborted. Its
// parts cost storage and are in no listing of versions.
type Upload struct {
	Key     string
	ID      string
	Started time.Time // UTC, whole seconds on S3
}

// Requests counts requests by kind.
type Requests struct {
	List     int64 // pages of listings
	Get      int64
	Head     int64
	Put      int64 // puts and copies
	Delete   int64
	Settings int64
}
