package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// pending is what unfinished multipart uploads there are under one prefix.
type pending struct {
	count  int64
	swept  int64           // of which a rule aborts, sooner or later
	oldest []bucket.Upload // the examples, by their start
	rules  []string        // that abort some of them
}

// uploads looks for unfinished multipart uploads: one listing for each committed top
// folder. Where a store has none nothing is said.
func (a *auditor) uploads(ctx context.Context, r *refs) ([]Finding, error) {
	walks := r.walks()
	found := make([]pending, len(walks))
	err := a.each(ctx, len(walks), func(i int) {
		for u, err := range a.b.Uploads(ctx, walks[i]) {
			if errors.Is(err, bucket.ErrUnsupported) {
				return
			}
			if err != nil {
				folder := strings.TrimSuffix(walks[i], "/")
				a.t.add("committed folders (a listing of their unfinished uploads)", walks[i], &folder, err)
				return // what was seen is there all the same
			}
			if !strings.HasPrefix(u.Key, commit.Root) {
				found[i].add(u, a.f.settings.Lifecycle)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	var out []Finding
	for i, p := range found {
		if p.count > 0 {
			out = append(out, a.uploadsPending(strings.TrimSuffix(walks[i], "/"), p))
		}
	}
	return out, nil
}

// add counts an upload and keeps it if it is among the oldest.
func (p *pending) add(u bucket.Upload, rules []bucket.Rule) {
	p.count++
	swept := false
	for _, r := range rules {
		if r.Enabled && r.AbortUploadsDays > 0 && strings.HasPrefix(u.Key, r.Prefix) {
			swept = true
			if name := ruleName(r); !slices.Contains(p.rules, name) {
				p.rules = append(p.rules, name)
			}
		}
	}
	if swept {
		p.swept++
	}
	at, _ := slices.BinarySearchFunc(p.oldest, u, func(x, y bucket.Upload) int {
		return x.Started.Compare(y.Started)
	})
	for at < len(p.oldest) && p.oldest[at].Started.Equal(u.Started) {
		at++ // of equal ones the first listed
	}
	if at >= maxExamples {
		return
	}
	if p.oldest = slices.Insert(p.oldest, at, u); len(p.oldest) > maxExamples {
		p.oldest = p.oldest[:maxExamples]
	}
}

func (a *auditor) uploadsPending(folder string, p pending) Finding {
	oldest := p.oldest[0]
	for _, u := range p.oldest {
		if !u.Started.IsZero() { // those without a time sort first
			oldest = u
			break
		}
	}
	f := Finding{ID: "uploads-pending", Severity: Info, Confidence: Certain, Folder: &folder,
		Title: fmt.Sprintf("%s under %s %s neither completed nor aborted", count(p.count, "multipart upload"), folderTitle(folder), its(p.count, "were", "was"))}
	f.Detail = "Their parts are in no listing of versions and belong to no commit, but are stored and paid for. A writer may be at work still, which can take days."
	if p.count == 1 {
		f.Detail = "Its parts are in no listing of versions and belong to no commit, but are stored and paid for. A writer may be at work still, which can take days."
	}
	if !oldest.Started.IsZero() {
		f.Detail += " The oldest was started at " + commit.FormatTime(oldest.Started.UTC())
		if age := a.clock.Sub(oldest.Started); age >= time.Minute {
			f.Detail += ", " + lasting(int64(age/time.Second)) + " ago"
		}
		f.Detail += "."
	}
	_, known := a.f.rules()
	switch {
	case !known:
		f.Detail += " Whether a lifecycle rule aborts such uploads is not known: the rules could not be read."
	case p.swept == p.count:
		f.Detail += fmt.Sprintf(" The lifecycle %s %s will abort %s.", its(int64(len(p.rules)), "rules", "rule"), quoted(p.rules), its(p.count, "them", "it"))
	case p.swept > 0:
		f.Detail += fmt.Sprintf(" The lifecycle %s %s will abort %d of them, and none the others.", its(int64(len(p.rules)), "rules", "rule"), quoted(p.rules), p.swept)
	default:
		f.Detail += " No lifecycle rule aborts such uploads here, so they stay until somebody does."
	}
	for _, u := range p.oldest {
		e := Evidence{Key: u.Key, Note: "an unfinished upload, " + u.ID}
		if !u.Started.IsZero() {
			t := u.Started.UTC()
			e.Modified = &t
		}
		f.Evidence = append(f.Evidence, e)
	}
	f.Repair = &Repair{Kind: "abort-upload", Text: "Once nobody is at work on it, abort the oldest; it cannot be completed afterwards."}
	if p.swept < p.count {
		f.Repair.Text += " A lifecycle rule with AbortIncompleteMultipartUpload does it for all, and for those to come."
	}
	if name, ok := a.s3Name(); ok {
		awsRepair(f.Repair, "abort-multipart-upload", "--bucket", name, "--key", oldest.Key, "--upload-id", oldest.ID)
	}
	f.Fingerprint = fingerprint(Finding{ID: f.ID}, commit.FolderHash(folder))
	return f
}

// quoted lists names in a sentence.
func quoted(names []string) string {
	var out []string
	for _, n := range names[:min(len(names), 3)] {
		out = append(out, fmt.Sprintf("%q", n))
	}
	if len(names) > 3 {
		out = append(out, fmt.Sprintf("%d more", len(names)-3))
	}
	return strings.Join(out, ", ")
}
