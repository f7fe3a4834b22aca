package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// MaxIgnore is the most bytes of a list of ignored findings: some 20,000 rules.
const MaxIgnore = 4 << 20

// ParseIgnore reads a list of ignored findings: YAML, a list of rules as docs/cli.md
// describes it. It is strict, since a misspelt member would widen a rule: errors
// name the line.
func ParseIgnore(data []byte) (*IgnoreList, error) {
	root, err := ignoreRoot(data)
	if err != nil || root == nil {
		return &IgnoreList{}, err
	}
	list := &IgnoreList{}
	for _, n := range root.Content {
		r, err := parseRule(n)
		if err != nil {
			return nil, err
		}
		list.Rules = append(list.Rules, r)
	}
	return list, nil
}

// ignoreRoot gives the list's node; nil: the file has none.
func ignoreRoot(data []byte) (*yaml.Node, error) {
	if len(data) > MaxIgnore {
		return nil, fmt.Errorf("larger than %d MiB", MaxIgnore>>20)
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, errors.New(safe.Text(strings.TrimPrefix(err.Error(), "yaml: ")))
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("a second document follows: one list is expected")
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	if root.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("line %d: a list of rules is expected, each one starting with a dash", root.Line)
	}
	return root, nil
}

// ruleMembers are those of a rule.
var ruleMembers = []string{"fingerprint", "versions", "commits", "digest", "id", "folder", "key", "reason", "expires"}

func parseRule(n *yaml.Node) (IgnoreRule, error) {
	r := IgnoreRule{Line: n.Line}
	wrong := func(line int, format string, args ...any) (IgnoreRule, error) {
		return IgnoreRule{}, fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))
	}
	if n.Kind != yaml.MappingNode {
		return wrong(n.Line, "a rule is expected: members such as fingerprint, reason and expires")
	}
	has := map[string]string{}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode || !slices.Contains(ruleMembers, k.Value):
			return wrong(k.Line, "a rule has no member %q; it has %s", safe.Text(k.Value), strings.Join(ruleMembers, ", "))
		case lines[k.Value] > 0:
			return wrong(k.Line, "%s stands twice in one rule", k.Value)
		case v.Kind != yaml.ScalarNode:
			return wrong(v.Line, "%s: one text is expected", k.Value)
		case v.Tag == "!!null":
			return wrong(v.Line, `%s has no value; an empty text is ""`, k.Value)
		case k.Value == "reason" && v.Tag != "!!str":
			return wrong(v.Line, "reason: a text is expected, not %s", safe.Text(v.Value))
		}
		has[k.Value], lines[k.Value] = v.Value, v.Line
	}
	var ok bool
	if r.Fingerprint, ok = has["fingerprint"]; ok {
		for _, m := range []string{"id", "folder", "key"} {
			if lines[m] > 0 {
				return wrong(lines[m], "%s does not go with fingerprint, which names one finding", m)
			}
		}
		if !validPrint(r.Fingerprint) {
			return wrong(lines["fingerprint"], "fingerprint: 32 hex digits are expected, as a report has them, not %q", safe.Text(r.Fingerprint))
		}
	} else if r.ID, ok = has["id"]; !ok {
		return wrong(n.Line, "a rule needs a fingerprint, or an id")
	} else if msg := byKind(r.ID); msg != "" {
		return wrong(lines["id"], "%s", msg)
	}
	for m, to := range map[string]**int64{"versions": &r.versions, "commits": &r.commits} {
		if lines[m] == 0 {
			continue
		}
		n, err := strconv.ParseInt(has[m], 10, 64)
		switch {
		case r.Fingerprint == "":
			return wrong(lines[m], "%s goes with fingerprint only", m)
		case err != nil || n < 0:
			return wrong(lines[m], "%s: a count is expected, not %q", m, safe.Text(has[m]))
		}
		*to = &n
	}
	if r.digest = has["digest"]; lines["digest"] > 0 {
		switch {
		case r.Fingerprint == "":
			return wrong(lines["digest"], "digest goes with fingerprint only")
		case !validPrint(r.digest):
			return wrong(lines["digest"], "digest: 32 hex digits are expected, as a report has them, not %q", safe.Text(r.digest))
		}
	}
	if text, ok := has["folder"]; ok {
		if text != "" && strings.HasSuffix(text, "/") {
			if folder, err := commit.FolderOf(text); err == nil {
				text = folder // a/ is the folder a, here as elsewhere
			}
		}
		r.folder = newPattern(text)
	}
	if text, ok := has["key"]; ok {
		r.key = newPattern(text)
	}
	if r.Reason = strings.TrimSpace(has["reason"]); r.Reason == "" {
		return wrong(max(lines["reason"], n.Line), "a rule needs a reason")
	}
	if lines["expires"] == 0 {
		return wrong(n.Line, "a rule needs a day on which it expires, such as 2027-01-31")
	}
	day, err := time.Parse(time.DateOnly, has["expires"])
	if err != nil || day.Year() < 2000 || day.Year() > 9000 {
		return wrong(lines["expires"], "expires: a day such as 2027-01-31 is expected, not %q", safe.Text(has["expires"]))
	}
	r.Through = day
	return r, nil
}

// byKind says why findings of a kind cannot be acknowledged by it; empty: they can.
func byKind(id string) string {
	e, ok := Explain(id)
	if !ok {
		return fmt.Sprintf("no finding has the id %q", safe.Text(id))
	}
	if slices.ContainsFunc(e.Severity, func(s Severity) bool { return s != Damage }) {
		return ""
	}
	return fmt.Sprintf("%s is damage, which can be acknowledged only one by one: give the fingerprint that the report shows", id)
}

func validPrint(s string) bool {
	return len(s) == 32 && !strings.ContainsFunc(s, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) })
}
