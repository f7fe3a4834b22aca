// Package commit is the provcat commit format on a versioned bucket: what lies
// there, how it is read, and the protocol by which one put-if-absent makes a
// whole folder's state visible. docs/format.md describes the format for readers.
package commit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	// Format is what our commit objects say in their member "format".
	Format = "provcat/1"
	// Root is the prefix of everything that the format keeps. Keys under it
	// belong to no folder.
	Root = ".provcat/"
	// Commits is the prefix of all commit objects.
	Commits = Root + "commits/"
	// Logs is the prefix of all logs.
	Logs = Root + "log/"
	// MaxNumber is the highest number that a slot can hold.
	MaxNumber = 1_000_000_000_000_000
)

// ErrNoFolder: a prefix that no folder has.
var ErrNoFolder = errors.New("not a folder")

// KeyPrefix is what every key of the folder starts with: the name and a slash;
// empty for the whole bucket.
func KeyPrefix(folder string) string {
	if folder == "" {
		return ""
	}
	return folder + "/"
}

// FolderOf names the folder of a key prefix: the prefix less exactly one final
// slash. "sales" and "sales/" are both the folder "sales". A prefix of "/" alone
// has no name and gives ErrNoFolder; so do prefixes under Root.
func FolderOf(prefix string) (string, error) {
	if prefix == "/" {
		return "", fmt.Errorf("%w: a prefix of \"/\" alone has no name and cannot be committed", ErrNoFolder)
	}
	f := strings.TrimSuffix(prefix, "/")
	if f+"/" == Root || strings.HasPrefix(f, Root) {
		return "", fmt.Errorf("%w: keys under %s belong to no folder", ErrNoFolder, Root)
	}
	return f, nil
}

// Ancestors gives the folders above folder, nearest first, ending with "" (the
// whole bucket). The folder "" has none.
func Ancestors(folder string) []string {
	var out []string
	for folder != "" {
		i := strings.LastIndexByte(folder, '/')
		if i < 0 {
			folder = ""
		} else {
			folder = folder[:i]
			// "a//b" has the folder "a/" above it; "/b" has none but the
			// bucket, since the prefix "/" has no name.
			if folder == "" {
				out = append(out, "")
				break
			}
		}
		out = append(out, folder)
	}
	return out
}

// FolderHash is the lowercase hex SHA-256 of a folder's name: its log's name.
func FolderHash(folder string) string {
	h := sha256.Sum256([]byte(folder))
	return hex.EncodeToString(h[:])
}

// LogPrefix is the prefix of the log with that folder hash.
func LogPrefix(hash string) string { return Logs + hash + "/" }

// SlotKey is the key of log entry n, 1 to MaxNumber, of the log with that hash.
// A higher number has a lower key, so that the newest entry is listed first.
func SlotKey(hash string, n int64) string {
	return fmt.Sprintf("%s%015d", LogPrefix(hash), MaxNumber-n)
}

// EntryKey is the key of the folder's log entry n, 1 to MaxNumber.
func EntryKey(folder string, n int64) string { return SlotKey(FolderHash(folder), n) }

// ParseSlotKey takes a log entry's key apart; ok is false for keys that are no slot.
func ParseSlotKey(key string) (hash string, n int64, ok bool) {
	rest, found := strings.CutPrefix(key, Logs)
	if !found {
		return "", 0, false
	}
	hash, slot, found := strings.Cut(rest, "/")
	if !found || !ValidID(hash) || len(slot) != 15 {
		return "", 0, false
	}
	for i := range len(slot) {
		if slot[i] < '0' || slot[i] > '9' {
			return "", 0, false
		}
	}
	v, err := strconv.ParseInt(slot, 10, 64)
	if err != nil {
		return "", 0, false
	}
	return hash, MaxNumber - v, true
}

// CommitKey is the key of a commit object.
func CommitKey(id string) string { return Commits + id + ".json" }

// ParseCommitKey takes a commit object's key apart.
func ParseCommitKey(key string) (id string, ok bool) {
	rest, found := strings.CutPrefix(key, Commits)
	if !found {
		return "", false
	}
	id, found = strings.CutSuffix(rest, ".json")
	return id, found && ValidID(id)
}

// ValidID says whether s is 64 lowercase hex digits.
func ValidID(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// ShortID is the form of an ID for people: its first 10 digits.
func ShortID(id string) string {
	if len(id) > 10 {
		return id[:10]
	}
	return id
}

// A File is one file of a commit.
type File struct {
	Path    string // the key less the folder's prefix; may be empty
	Version string
	ETag    string // empty: unknown
	Size    int64  // bytes; -1: unknown
}

// A Header is all of a commit object but its files.
type Header struct {
	Folder string
	Number int64  // 0: unknown
	Parent string // empty: none, the first commit of its log
	Time   time.Time
	Author string
	// Message is free text and may have several lines.
	Message string
}
