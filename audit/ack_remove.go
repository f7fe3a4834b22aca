package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"provcat-tui/internal/safe"
	"provcat-tui/internal/whole"
)

// RuleOf gives the rule that acknowledged a finding of a report; nil: none of the
// list did, such as when the file was edited since. l may be nil.
func (l *IgnoreList) RuleOf(x Acknowledged) *IgnoreRule {
	if i := l.ruleOf(x); i >= 0 {
		return &l.Rules[i]
	}
	return nil
}

// ruleOf looks as a report's rule book does: at those by fingerprint first.
func (l *IgnoreList) ruleOf(x Acknowledged) int {
	if l == nil || x.By != "ignore" || x.Expires == nil {
		return -1
	}
	for _, byPrint := range []bool{true, false} {
		for i := range l.Rules {
			r := &l.Rules[i]
			if (r.Fingerprint != "") == byPrint && r.covers(x.Finding) && !r.outgrown(x.Finding) && !r.unbounded(x.Finding) &&
				r.Reason == x.Reason && r.Through.AddDate(0, 0, 1).Equal(*x.Expires) {
				return i
			}
		}
	}
	return -1
}

// RemoveIgnore takes out of the text of a list of ignored findings the one rule that
// acknowledged x. It must name x by its fingerprint: one for a kind of findings is
// about others too. Lines that hold nothing but a comment stay, and so does all else
// that was in the text. The error says what a person can do.
func RemoveIgnore(text []byte, x Acknowledged) ([]byte, error) {
	old, err := ParseIgnore(text)
	if err != nil {
		return nil, err
	}
	at := old.ruleOf(x)
	if at < 0 {
		return nil, errors.New("no rule of it acknowledges this finding any more: audit again to see how it stands")
	}
	rule := old.Rules[at]
	if rule.Fingerprint == "" {
		return nil, fmt.Errorf("line %d: the rule is for findings of the kind %s, not for this one alone: edit the file", rule.Line, safe.Text(rule.ID))
	}
	byHand := fmt.Errorf("line %d: the rule cannot be taken out of a file that is laid out like this one: edit the file", rule.Line)
	root, err := ignoreRoot(text)
	if err != nil || root == nil || len(root.Content) != len(old.Rules) || root.Style&yaml.FlowStyle != 0 {
		return nil, byHand
	}
	out, ok := withoutItem(string(text), root, at)
	if !ok {
		return nil, byHand
	}
	// The text is read as the next audit will: nothing else may have changed.
	left, err := ParseIgnore([]byte(out))
	if err != nil || !sameRules(left.Rules, append(old.Rules[:at:at], old.Rules[at+1:]...)) {
		return nil, byHand
	}
	return []byte(out), nil
}

// withoutItem is a text without the lines of one item of its list.
func withoutItem(text string, root *yaml.Node, at int) (string, bool) {
	var lines []string
	for l := range strings.Lines(text) {
		lines = append(lines, l)
	}
	first := dashLine(lines, root, at)
	end := len(lines)
	if at+1 < len(root.Content) {
		end = dashLine(lines, root, at+1)
	}
	if first < 0 || end <= first || end > len(lines) {
		return "", false
	}
	held := blockText(lines, root.Content[at], end)
	kept := append([]string{}, lines[:first]...)
	for i, l := range lines[first:end] {
		l = strings.TrimSpace(l)
		if comment := strings.HasPrefix(l, "#"); (l == "" || comment) && !held[first+i] || l == "..." {
			if blank := len(kept) == 0 || strings.TrimSpace(kept[len(kept)-1]) == ""; comment || !blank || l == "..." {
				kept = append(kept, lines[first+i])
			}
		}
	}
	return strings.Join(append(kept, lines[end:]...), ""), true
}

// dashLine is the line, from 0, with the dash of an item; -1: it isn't found.
func dashLine(lines []string, root *yaml.Node, at int) int {
	column := root.Column - 1
	for i := min(root.Content[at].Line, len(lines)) - 1; i >= 0; i-- {
		if l := strings.TrimLeft(lines[i], " "); strings.HasPrefix(l, "-") && len(lines[i])-len(l) == column {
			return i
		}
	}
	return -1
}

// blockText has the lines, from 0, of texts that are written as a block, where # begins no
// comment: as far as they are indented like their first line.
func blockText(lines []string, item *yaml.Node, end int) map[int]bool {
	held := map[int]bool{}
	for _, n := range item.Content {
		if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
			continue
		}
		indent := -1
		for i := n.Line; i < end; i++ {
			l := strings.TrimLeft(lines[i], " ")
			if strings.TrimSpace(l) == "" {
				continue
			}
			if indent < 0 {
				indent = len(lines[i]) - len(l)
			}
			if len(lines[i])-len(l) < indent {
				break
			}
			held[i] = true
		}
	}
	return held
}

// sameRules compares rules but for the lines on which they stand.
func sameRules(a, b []IgnoreRule) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		x.Line, y.Line = 0, 0
		if !reflect.DeepEqual(x, y) {
			return false
		}
	}
	return true
}

// Unacknowledge is RemoveIgnore for a file, which is replaced as a whole or not at
// all and keeps its mode. Several programs may do so at once.
func Unacknowledge(path string, x Acknowledged) error {
	failed := func(err error) error {
		return fmt.Errorf("take an acknowledgement out of %s: %w", safe.Text(path), err)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return failed(err)
	}
	defer whole.Lock(filepath.Dir(real))()
	text, err := readIgnore(real)
	if err != nil {
		return failed(err)
	}
	if text, err = RemoveIgnore(text, x); err != nil {
		return failed(err)
	}
	if err := whole.Replace(real, 0o600, func(out *os.File) error { _, err := out.Write(text); return err }); err != nil {
		return failed(err)
	}
	return nil
}
