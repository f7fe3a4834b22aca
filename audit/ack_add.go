package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"provcat-tui/internal/safe"
	"provcat-tui/internal/whole"
)

// AddIgnore adds a rule to the text of a list of ignored findings that acknowledges
// one finding by its fingerprint, and damage as far as it goes now, through a day
// (its date in UTC). All that was in the text stays as it is, comments too. The error
// says what is wrong with the text as it was, or how to add the rule by hand.
func AddIgnore(text []byte, f Finding, reason string, through time.Time) ([]byte, error) {
	old, err := ParseIgnore(text)
	if err != nil {
		return nil, err
	}
	root, err := ignoreRoot(text)
	if err != nil {
		return nil, err
	}
	rule, err := ignoreText(f, reason, through)
	if err != nil {
		return nil, err
	}
	indent := ""
	if root != nil && len(root.Content) > 0 && root.Column > 1 {
		indent = strings.Repeat(" ", root.Column-1)
	}
	out := bytes.Clone(text)
	if n := len(out); n > 0 && out[n-1] != '\n' {
		out = append(out, '\n')
	}
	for line := range strings.Lines(rule) {
		out = append(out, indent+line...)
	}
	// The text is read as the next audit will: nothing else may have changed.
	all, err := ParseIgnore(out)
	if err != nil || len(all.Rules) != len(old.Rules)+1 {
		return nil, fmt.Errorf("the rule cannot be added to a file that is laid out like this one; add it by hand:\n%s", rule)
	}
	last := all.Rules[len(old.Rules)]
	if !reflect.DeepEqual(all.Rules[:len(old.Rules)], old.Rules) && len(old.Rules) > 0 || last.Fingerprint != f.Fingerprint {
		return nil, fmt.Errorf("the rule cannot be added without changing others; add it by hand:\n%s", rule)
	}
	return out, nil
}

// ignoreText is one rule as YAML.
func ignoreText(f Finding, reason string, through time.Time) (string, error) {
	reason = strings.TrimSpace(strings.ToValidUTF8(reason, "\uFFFD"))
	switch {
	case !validPrint(f.Fingerprint):
		return "", fmt.Errorf("the finding has no fingerprint: %q", safe.Text(f.Fingerprint))
	case reason == "":
		return "", errors.New("a reason is needed")
	}
	scalar := func(s string, style yaml.Style) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: style}
	}
	print := scalar(f.Fingerprint, yaml.DoubleQuotedStyle) // it may look like a number
	print.LineComment = "# " + safe.Text(f.ID+": "+strings.ToValidUTF8(f.Title, "\uFFFD"))
	members := []*yaml.Node{scalar("fingerprint", 0), print}
	if e := f.extent(); f.Severity == Damage { // more of it is another thing
		for _, x := range []struct {
			name string
			n    int64
		}{{"versions", e.Versions}, {"commits", e.Commits}} {
			if x.n > 0 {
				members = append(members, scalar(x.name, 0), &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatInt(x.n, 10)})
			}
		}
		if d := f.Affected.Digest; validPrint(d) { // as much of something else is, too
			members = append(members, scalar("digest", 0), scalar(d, yaml.DoubleQuotedStyle))
		}
	}
	day := &yaml.Node{Kind: yaml.ScalarNode, Value: through.UTC().Format(time.DateOnly)}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	members = append(members, scalar("reason", 0), scalar(reason, yaml.DoubleQuotedStyle), scalar("expires", 0), day)
	err := e.Encode(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{{Kind: yaml.MappingNode, Content: members}}})
	if err == nil {
		err = e.Close()
	}
	// The library escapes less than a terminal needs; it is all in the reason.
	var out strings.Builder
	for _, r := range b.String() {
		if s := string(r); r >= 0x7f && safe.Text(s) != s {
			_, _ = fmt.Fprintf(&out, `\U%08x`, r) // a builder takes all
		} else {
			_, _ = out.WriteString(s) // as above
		}
	}
	return out.String(), err
}

// Acknowledge is AddIgnore for a file: a new one is made with mode 0600, an old one
// is replaced as a whole or not at all and keeps its mode. Several programs may do
// so at once.
func Acknowledge(path string, f Finding, reason string, through time.Time) error {
	failed := func(err error) error {
		return fmt.Errorf("acknowledge a finding in %s: %w", safe.Text(path), err)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	defer whole.Lock(filepath.Dir(real))()
	text, err := readIgnore(real)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failed(err)
	}
	if text, err = AddIgnore(text, f, reason, through); err != nil {
		return failed(err)
	}
	if err := whole.Replace(real, 0o600, func(out *os.File) error { _, err := out.Write(text); return err }); err != nil {
		return failed(err)
	}
	return nil
}

func readIgnore(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	return io.ReadAll(io.LimitReader(f, MaxIgnore+1))
}

// LoadIgnore reads a list of ignored findings from a file.
func LoadIgnore(path string) (*IgnoreList, error) {
	text, err := readIgnore(path)
	if err != nil {
		return nil, err
	}
	return ParseIgnore(text)
}
