package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"provcat-tui/commit"
)

// MaxBaseline is the most bytes of a report that are read as a baseline.
const MaxBaseline = 1 << 30

// ErrBaseline says that bytes are no report.
var ErrBaseline = errors.New("not a report of audit --format json")

// A Baseline is an earlier report of the same bucket, whose findings are known. It
// is not changed once it is made.
type Baseline struct {
	Bucket   string
	Finished time.Time
	Scope    Scope
	known    map[string]baseFinding // by fingerprint
}

// A baseFinding is a finding as a report has it.
type baseFinding struct {
	KnownFinding
	Affected struct {
		Versions int64      `json:"versions"`
		Digest   string     `json:"digest"`
		Commits  []struct{} `json:"commits"`
	} `json:"affected"`
	By string `json:"by"` // of acknowledged ones
}

// ReadBaseline reads a report as a baseline. Findings that the report has as
// acknowledged by a list of ignored ones are not taken for known: their rules
// expire. An ErrBaseline says that the bytes are no report; any other error is in's.
func ReadBaseline(in io.Reader) (*Baseline, error) {
	src := &source{in: in, left: MaxBaseline}
	r := &docReader{d: json.NewDecoder(src)}
	b := &Baseline{known: map[string]baseFinding{}}
	err := r.baseline(b)
	switch {
	case err == nil:
		return b, nil
	case src.err != nil:
		return nil, src.err
	case src.left < 0:
		return nil, fmt.Errorf("%w: larger than %d MiB", ErrBaseline, MaxBaseline>>20)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%w: it breaks off after %d bytes", ErrBaseline, MaxBaseline-src.left)
	}
	return nil, fmt.Errorf("%w: before byte %d: %w", ErrBaseline, r.d.InputOffset(), err)
}

func (r *docReader) baseline(b *Baseline) error {
	schema, listed := "", false
	err := r.object(func(name string) error {
		switch name {
		case "schema":
			if err := r.d.Decode(&schema); err != nil {
				return err
			}
			if schema != "provcat-audit/1" {
				return fmt.Errorf("its schema is %q, not %q", schema, "provcat-audit/1")
			}
			return nil
		case "bucket":
			return r.d.Decode(&b.Bucket)
		case "finished":
			return r.d.Decode(&b.Finished)
		case "scope":
			return r.d.Decode(&b.Scope)
		case "findings":
			listed = true
			return r.list(func() error {
				var f baseFinding
				if err := r.d.Decode(&f); err != nil {
					return err
				}
				return b.add(f)
			})
		case "acknowledged":
			return r.list(func() error {
				var f baseFinding
				if err := r.d.Decode(&f); err != nil || f.By != "baseline" {
					return err
				}
				return b.add(f)
			})
		}
		return r.skip()
	})
	switch {
	case err != nil:
		return err
	case schema == "" || !listed:
		return errors.New("it has no schema or no findings")
	case b.Bucket == "":
		return errors.New("it names no bucket")
	}
	if b.Finished = b.Finished.UTC(); b.Finished.Year() > 9999 {
		return errors.New("it was finished in no year that can be") // nor be written as JSON
	}
	return r.end()
}

func (b *Baseline) add(f baseFinding) error {
	if !validPrint(f.Fingerprint) || !slices.Contains(Severities, f.Severity) {
		return fmt.Errorf("a finding has the fingerprint %.40q and the severity %.40q", f.Fingerprint, f.Severity)
	}
	if was, ok := b.known[f.Fingerprint]; ok && was.Severity.AtLeast(f.Severity) {
		return nil
	}
	b.known[f.Fingerprint] = f
	return nil
}

// knows says whether the baseline has the finding, as bad as it is now or worse, and
// damage with the same affected, or with more. b may be nil.
func (b *Baseline) knows(f Finding) bool {
	if b == nil {
		return false
	}
	was, ok := b.known[f.Fingerprint]
	if !ok || !was.Severity.AtLeast(f.Severity) {
		return false
	}
	if f.Severity != Damage {
		return true
	}
	// As a rule that was made of the finding.
	commits := int64(len(was.Affected.Commits))
	rule := IgnoreRule{versions: &was.Affected.Versions, commits: &commits, digest: was.Affected.Digest}
	return !rule.outgrown(f)
}

// use tells how the findings of the baseline stand; here has the fingerprints of
// all that was found. Info is left out: that it is no longer so means nothing.
func (b *Baseline) use(r *Report, here map[string]bool, witness bool) *BaselineUse {
	u := &BaselineUse{Finished: b.Finished, Scope: b.Scope, Resolved: []KnownFinding{}, NotSeen: []KnownFinding{}}
	for _, x := range r.Acknowledged {
		if x.By == "baseline" {
			u.Known++
		}
	}
	for _, f := range r.Findings {
		if _, ok := b.known[f.Fingerprint]; ok {
			u.Worse++
		}
	}
	covered := r.Complete && r.Scope.Depth.Covers(b.Scope.Depth) &&
		(b.Scope.Folder == r.Scope.Folder || strings.HasPrefix(b.Scope.Folder, commit.KeyPrefix(r.Scope.Folder)))
	for print, f := range b.known {
		switch {
		case here[print] || f.Severity == Info:
		case covered && (witness || f.ID != "witness-regressed"):
			u.Resolved = append(u.Resolved, f.KnownFinding)
		default:
			u.NotSeen = append(u.NotSeen, f.KnownFinding)
		}
	}
	for _, list := range [][]KnownFinding{u.Resolved, u.NotSeen} {
		slices.SortFunc(list, func(x, y KnownFinding) int { return strings.Compare(x.Fingerprint, y.Fingerprint) })
	}
	return u
}
