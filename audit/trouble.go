package audit

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"

	"provcat-tui/bucket"
)

// troubles gathers what could not be checked: one finding for each kind of
// thing and cause.
type troubles struct {
	mu   sync.Mutex
	list map[string]*trouble
}

type trouble struct {
	what       string
	permission string
	denied     bool
	err        error // the one of the lowest key
	count      int64
	keys       []string // the lowest, in order: the same in every run
	folder     *string  // nil: none, or several
}

// add notes that something could not be read. what is a plural: "log entries".
func (t *troubles) add(what, key string, folder *string, err error) {
	if _, ok := chosen(err); ok {
		return // in the coverage
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.list == nil {
		t.list = map[string]*trouble{}
	}
	permission := ""
	var e *bucket.Error
	if errors.As(err, &e) {
		permission = e.Permission
	}
	denied := errors.Is(err, bucket.ErrDenied)
	id := fmt.Sprint(what, "\x00", denied, permission)
	x := t.list[id]
	if x == nil {
		x = &trouble{what: what, permission: permission, denied: denied, err: err, folder: folder}
		t.list[id] = x
	}
	x.count++
	if x.folder != nil && (folder == nil || *folder != *x.folder) {
		x.folder = nil
	}
	if key == "" {
		return
	}
	at, _ := slices.BinarySearch(x.keys, key)
	if at == 0 {
		x.err = err
	}
	if x.keys = slices.Insert(x.keys, at, key); len(x.keys) > maxExamples {
		x.keys = x.keys[:maxExamples]
	}
}

// findings gives a finding for each, in a fixed order.
func (t *troubles) findings() []Finding {
	var ids []string
	for id := range t.list {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	var out []Finding
	for _, id := range ids {
		x := t.list[id]
		f := Finding{ID: "check-incomplete", Severity: Unknown, Confidence: Certain, Folder: x.folder,
			Title: fmt.Sprintf("%d %s could not be checked", x.count, x.what)}
		if x.count == 1 {
			f.Title = x.what + " could not be checked"
		}
		f.Detail = "Nothing is known of it: neither that it is sound nor that it is damaged: " + x.err.Error() + "."
		if x.count > 1 {
			f.Detail = "Nothing is known of them: neither that they are sound nor that they are damaged. The first: " + x.err.Error() + "."
		}
		if x.denied {
			f.ID = "access-denied"
			f.Title += ": access denied"
			if x.permission != "" {
				f.Repair = &Repair{Kind: "grant-permission", Text: "Grant " + x.permission + " to the one who audits."}
			}
		}
		if len(x.keys) > 0 {
			f.Key = x.keys[0]
		}
		for _, key := range x.keys {
			f.Evidence = append(f.Evidence, Evidence{Key: key, Note: "not read"})
		}
		f.Fingerprint = fingerprint(Finding{ID: f.ID, Key: x.what, Version: x.permission}, "")
		out = append(out, f)
	}
	return out
}
