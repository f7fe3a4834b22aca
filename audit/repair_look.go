package audit

import (
	"context"
	"errors"
	"fmt"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// A target is the key that a repair is about: a slot or a commit object.
type target struct {
	b      bucket.Bucket
	key    string
	hash   string // of a slot
	number int64
	id     string // of a commit object
}

// A seenVersion is one version of a target, and whether it is what should be there.
type seenVersion struct {
	bucket.Version
	right bool
	named string // the commit that a right entry names
	// folder is the one that a right entry says; nil: it says none.
	folder *string
	note   string
	err    error // it could not be read
}

// targetOf takes a key; all but slots and commit objects are refused.
func targetOf(b bucket.Bucket, key string) (target, error) {
	t := target{b: b, key: key}
	var ok bool
	if t.id, ok = commit.ParseCommitKey(key); ok {
		return t, nil
	}
	t.id = ""
	if t.hash, t.number, ok = commit.ParseSlotKey(key); ok {
		return t, nil
	}
	return t, refused("%s is neither a log entry nor a commit object under %s: repair touches nothing else", safe.Text(key), commit.Root)
}

// maxLook is how many versions of a key a repair looks at.
const maxLook = 1000

// look lists the key's versions, newest first, and reads each. An error means that
// the listing failed.
func (t target) look(ctx context.Context) ([]seenVersion, error) {
	var out []seenVersion
	for v, err := range t.b.Versions(ctx, bucket.Range{Prefix: t.key, Through: t.key}) {
		if err != nil {
			return nil, err
		}
		if v.Key != t.key {
			continue
		}
		if len(out) == maxLook {
			return nil, refused("%s has more than %d versions: too many to check", safe.Text(t.key), maxLook)
		}
		out = append(out, seenVersion{Version: v})
	}
	for i := range out {
		if !out[i].DeleteMarker {
			t.judge(ctx, &out[i])
		}
	}
	return out, nil
}

func (t target) judge(ctx context.Context, v *seenVersion) {
	if t.id != "" {
		o, err := commit.LoadVersion(ctx, t.b, t.id, v.ID, nil)
		switch {
		case o.ID == t.id:
			v.right, v.note = true, "has the right hash"
		case errors.Is(err, commit.ErrCorrupt):
			v.note = "has the SHA-256 " + o.ID
		default:
			v.err = err
		}
	} else {
		e, err := commit.LoadEntry(ctx, t.b, t.key, v.ID)
		switch {
		case errors.Is(err, commit.ErrEntry):
			v.note = "is no log entry"
		case err != nil:
			v.err = err
		case e.HasFolder && commit.FolderHash(e.Folder) != t.hash:
			v.note = fmt.Sprintf("is an entry of another folder, %q", e.Folder)
		case e.Number != 0 && e.Number != t.number:
			v.note = fmt.Sprintf("is an entry with the number %d", e.Number)
		default:
			v.right, v.named, v.note = true, e.Commit, "names commit "+e.Commit
			if e.HasFolder {
				v.folder = &e.Folder
			}
		}
	}
	if v.err != nil {
		v.note = "not read: " + v.err.Error()
	}
}

func evidenceOfSeen(vs []seenVersion) []Evidence {
	out := []Evidence{}
	for _, v := range vs {
		out = append(out, evidence(v.Version, v.note))
	}
	return out
}

func sameSeen(a, b []seenVersion) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].ID != b[i].ID || a[i].DeleteMarker != b[i].DeleteMarker || a[i].right != b[i].right || a[i].named != b[i].named {
			return false
		}
	}
	return true
}

// live gives the live version; nil: there is none.
func live(vs []seenVersion) *seenVersion {
	if len(vs) == 0 || !vs[0].Live() {
		return nil
	}
	return &vs[0]
}

func find(vs []seenVersion, id string) (int, *seenVersion) {
	for i := range vs {
		if vs[i].ID == id {
			return i, &vs[i]
		}
	}
	return -1, nil
}

// right tells why a version must not become live; nil: it may.
func (t target) right(v *seenVersion) error {
	switch {
	case v.err != nil:
		return fmt.Errorf("version %s of %s could not be read, so nothing was written: %w", safe.Text(v.ID), safe.Text(t.key), v.err)
	case v.right:
		return nil
	case t.id != "":
		return refused("version %s of %s is not the commit object: it %s", safe.Text(v.ID), safe.Text(t.key), safe.Text(v.note))
	}
	return refused("version %s of %s is not this log's entry: it %s", safe.Text(v.ID), safe.Text(t.key), safe.Text(v.note))
}

// plan starts a plan with what is there now.
func (t target) plan(ctx context.Context, action string) (*RepairPlan, error) {
	vs, err := t.look(ctx)
	if err != nil {
		return nil, err
	}
	return &RepairPlan{Action: action, Bucket: t.b.URL(), Key: t.key, Now: evidenceOfSeen(vs), Notes: []string{}, t: t, seen: vs}, nil
}

// names are the commits that a slot's versions name, hidden or not.
func names(vs []seenVersion) []string {
	var out []string
	for _, v := range vs {
		if v.named != "" {
			out = append(out, v.named)
		}
	}
	return out
}
