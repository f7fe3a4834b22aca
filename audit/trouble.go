package audit

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"provcat-tui/bucket"
)

// troubles gathers what could not be checked: one finding for each kind of
// thing and cause.
type troubles struct {
	mu   sync.Mutex
	list map[string]*trouble
	// nothing says that no read of any kind succeeded: what is denied then has one
	// cause, whatever permission each read needs.
	nothing bool
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

// findings gives a finding for each, in a fixed order; those with one cause are one.
func (t *troubles) findings() []Finding {
	by := map[string][]*trouble{}
	for id, x := range t.list {
		cause := x.cause()
		switch {
		case t.nothing && x.denied:
			cause = "everything is denied"
		case cause == "":
			cause = id
		}
		by[cause] = append(by[cause], x)
	}
	var out []Finding
	for _, cause := range slices.Sorted(maps.Keys(by)) {
		list := by[cause]
		if len(list) == 1 {
			out = append(out, list[0].finding())
			continue
		}
		slices.SortFunc(list, func(x, y *trouble) int {
			return cmp.Or(strings.Compare(x.what, y.what), strings.Compare(x.permission, y.permission))
		})
		out = append(out, oneCause(cause, list))
	}
	return out
}

// cause is what hits everything alike, whatever was asked for: expired credentials,
// a wrong region, a proxy. The store's answer to it speaks of no permission, and what
// can be done is the same for all. Empty: it is a matter of one thing.
func (x *trouble) cause() string {
	var e *bucket.Error
	if !errors.As(x.err, &e) || e.Permission != "" || errors.Is(x.err, bucket.ErrUnsupported) || errors.Is(x.err, bucket.ErrNotFound) {
		return ""
	}
	return e.Hint
}

// finding tells of one kind of thing.
func (x *trouble) finding() Finding {
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
	return f
}

// oneCause tells of several kinds of thing that one cause keeps from being checked.
func oneCause(cause string, list []*trouble) Finding {
	f := Finding{ID: "check-incomplete", Severity: Unknown, Confidence: Certain,
		Title: fmt.Sprintf("%d kinds of thing could not be checked, for one reason", len(list))}
	var what, permissions []string
	for _, x := range list {
		name := x.what
		if x.count > 1 {
			name = fmt.Sprintf("%d %s", x.count, x.what)
		}
		what = append(what, name)
		for _, key := range x.keys[:min(len(x.keys), maxExamples-len(f.Evidence))] {
			f.Evidence = append(f.Evidence, Evidence{Key: key, Note: "not read (" + x.what + ")"})
		}
		if x.permission != "" {
			permissions = append(permissions, x.permission)
		}
		if x.denied {
			f.ID = "access-denied"
		}
	}
	f.Detail = "Not checked: " + strings.Join(what, "; ") + ". Nothing is known of them: neither that they are sound nor that they are damaged. The first: " + list[0].err.Error() + "."
	if f.ID == "access-denied" {
		f.Title += ": access denied"
	}
	if len(permissions) > 0 {
		f.Detail += " Nothing at all could be read, so that there may be one cause: other credentials than meant, a bucket whose requester pays (--request-payer, or --billing-project), or a policy that denies everything."
		f.Repair = &Repair{Kind: "grant-permission", Text: "Check who asks, and whether the requester pays. If neither is it, grant " + strings.Join(slices.Compact(slices.Sorted(slices.Values(permissions))), ", ") + " to the one who audits."}
	}
	f.Fingerprint = fingerprint(Finding{ID: f.ID, Key: cause}, "")
	return f
}
