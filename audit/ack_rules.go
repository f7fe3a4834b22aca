package audit

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// An IgnoreList is a list of rules that acknowledge findings. It is not changed
// once it is made.
type IgnoreList struct {
	Rules []IgnoreRule // in the file's order
}

// An IgnoreRule acknowledges one finding, by its fingerprint, or those of one kind,
// by folder and key.
type IgnoreRule struct {
	Line        int // in the file, from 1
	Fingerprint string
	ID          string
	Reason      string
	// Through is the last day on which it holds, in UTC.
	Through     time.Time
	folder, key *pattern // nil: any
	// What the damage that a fingerprint names may affect: how much at most (nil: any),
	// and the digest of what, as Affected has it (empty: anything).
	versions, commits *int64
	digest            string
}

// An Extent is how much a finding affects.
type Extent struct {
	Versions int64 `json:"versions"`
	Commits  int64 `json:"commits"`
}

func (f Finding) extent() Extent {
	if f.sized() {
		return Extent{Versions: f.Affected.Versions}
	}
	return Extent{f.Affected.Versions, int64(len(f.Affected.Commits))}
}

// outgrown says that damage affects more than the rule allows, or other versions: one
// finding stands for all that a folder has lost, and more may be lost tomorrow.
func (r *IgnoreRule) outgrown(f Finding) bool {
	e := f.extent()
	return f.Severity == Damage && (r.versions != nil && e.Versions > *r.versions || r.commits != nil && e.Commits > *r.commits ||
		r.digest != "" && r.digest != f.Affected.Digest && (r.versions == nil || e.Versions >= *r.versions))
}

// unbounded says that damage which may grow is acknowledged without a bound.
func (r *IgnoreRule) unbounded(f Finding) bool {
	return f.Severity == Damage && f.Affected.Versions > 1 && r.versions == nil && r.digest == ""
}

// covers says whether the rule is about the finding, whatever its severity.
func (r *IgnoreRule) covers(f Finding) bool {
	switch {
	case r.Fingerprint != "":
		return r.Fingerprint == f.Fingerprint
	case r.ID != f.ID:
		return false
	case r.folder != nil && (f.Folder == nil || !r.folder.match(*f.Folder)):
		return false
	}
	return r.key == nil || f.Key != "" && r.key.match(f.Key)
}

// A pattern is a folder or a key, or many.
type pattern struct {
	text string
	re   *regexp.Regexp // nil: only the text itself
}

func (p *pattern) match(s string) bool {
	if p.re == nil {
		return p.text == s
	}
	return p.re.MatchString(s)
}

// newPattern reads a pattern: * is any characters but /, ** any characters, ? one
// character but /, and \ takes the next one as it is. a/** is also a itself, and
// **/a is also a.
func newPattern(text string) *pattern {
	if !strings.ContainsAny(text, `*?\`) {
		return &pattern{text: text}
	}
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	rest := text
	if tail, ok := strings.CutPrefix(rest, "**/"); ok {
		b.WriteString(`(?:.*/)?`)
		rest = tail
	}
	for rest != "" {
		switch {
		case rest == "/**":
			b.WriteString(`(?:/.*)?`)
			rest = ""
		case strings.HasPrefix(rest, "**"):
			b.WriteString(`.*`)
			rest = strings.TrimLeft(rest, "*")
		case rest[0] == '*':
			b.WriteString(`[^/]*`)
			rest = rest[1:]
		case rest[0] == '?':
			b.WriteString(`[^/]`)
			rest = rest[1:]
		case rest[0] == '\\' && len(rest) > 1:
			rest = rest[1:]
			fallthrough
		default:
			n := strings.IndexAny(rest[1:], `*?\/`) + 1
			if n == 0 {
				n = len(rest)
			}
			b.WriteString(regexp.QuoteMeta(rest[:n]))
			rest = rest[n:]
		}
	}
	b.WriteString(`\z`)
	re, err := regexp.Compile(b.String())
	if err != nil {
		return &pattern{text: text} // too long for an expression: itself only
	}
	return &pattern{text: text, re: re}
}

// A ruleBook is a list of rules at work on one report.
type ruleBook struct {
	rules   []bookRule
	byPrint map[string][]*bookRule
	byID    map[string][]*bookRule
}

type bookRule struct {
	*IgnoreRule
	expired bool
	used    bool
	refused []string // fingerprints of damage that it names by kind or without bound
	grown   []string // fingerprints of damage that affects more than it allows
	extent  Extent   // of the last one that it refused or that has grown
	missed  []string // fingerprints that it covered until it expired
}

func newRuleBook(list *IgnoreList, now time.Time) *ruleBook {
	b := &ruleBook{byPrint: map[string][]*bookRule{}, byID: map[string][]*bookRule{}}
	if list == nil {
		return b
	}
	b.rules = make([]bookRule, len(list.Rules))
	for i := range list.Rules {
		r := &b.rules[i]
		r.IgnoreRule = &list.Rules[i]
		r.expired = !now.Before(r.Through.AddDate(0, 0, 1))
		if r.Fingerprint != "" {
			b.byPrint[r.Fingerprint] = append(b.byPrint[r.Fingerprint], r)
		} else {
			b.byID[r.ID] = append(b.byID[r.ID], r)
		}
	}
	return b
}

// cover gives the rule that acknowledges a finding; nil: none does. Damage is
// acknowledged by its fingerprint only: a rule for a kind would cover tomorrow's
// damage too.
func (b *ruleBook) cover(f Finding) *IgnoreRule {
	var found *IgnoreRule
	for _, r := range slices.Concat(b.byPrint[f.Fingerprint], b.byID[f.ID]) {
		switch {
		case !r.covers(f):
		case r.expired:
			r.missed = append(r.missed, f.Fingerprint)
		case r.Fingerprint == "" && f.Severity == Damage, r.unbounded(f):
			r.refused, r.extent = append(r.refused, f.Fingerprint), f.extent()
		case r.outgrown(f):
			r.grown, r.extent = append(r.grown, f.Fingerprint), f.extent()
		default:
			r.used = true
			if found == nil {
				found = r.IgnoreRule
			}
		}
	}
	return found
}

// use tells of the rules that need a look; all: everything was looked at.
func (b *ruleBook) use(all bool) *RuleUse {
	u := &RuleUse{Expired: []RuleRef{}, Refused: []RuleRef{}, Outgrown: []RuleRef{}, Unused: []RuleRef{}}
	for i := range b.rules {
		r := &b.rules[i]
		ref := r.ref()
		switch {
		case r.expired:
			ref.Findings = r.missed
			u.Expired = append(u.Expired, ref)
		case len(r.refused) > 0:
			ref.Findings = r.refused
			ref.Affected = &r.extent
			u.Refused = append(u.Refused, ref)
		case len(r.grown) > 0:
			ref.Findings, ref.Affected = r.grown, &r.extent
			u.Outgrown = append(u.Outgrown, ref)
		case !r.used && all:
			u.Unused = append(u.Unused, ref)
		}
	}
	return u
}
