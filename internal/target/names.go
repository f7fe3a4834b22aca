package target

import (
	"fmt"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"provcat-tui/internal/safe"
)

// A Refused is a name that is not written, and why; the text is fit to be shown.
type Refused struct{ Why string }

func (r *Refused) Error() string { return r.Why }

func refuse(format string, args ...any) error { return &Refused{fmt.Sprintf(format, args...)} }

// Rules are what a file system makes of names.
type Rules struct {
	Windows bool // reserved names, characters and ends of Windows
	Fold    bool // names that differ only in case are one
}

// Usual are the rules that a system's own file systems have.
func Usual() Rules {
	w := runtime.GOOS == "windows"
	return Rules{Windows: w, Fold: w || runtime.GOOS == "darwin" || runtime.GOOS == "ios"}
}

// Check judges one name, parts of which stand between slashes. A *Refused.
func (r Rules) Check(name string) error {
	if strings.IndexByte(name, 0) >= 0 {
		return refuse("it holds a NUL, which no file's name can have")
	}
	if i := strings.IndexFunc(name, acts); i >= 0 {
		c, _ := utf8.DecodeRuneInString(name[i:])
		return refuse("it holds %U, which acts on a terminal that lists it, or turns the order of letters", c)
	}
	if strings.HasPrefix(name, "/") {
		return refuse("it begins with \"/\": its first part is empty")
	}
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "":
			return refuse("it has an empty part")
		case ".", "..":
			return refuse("it has the part %q, which would lead elsewhere", part)
		}
		if r.Windows {
			if err := windows(part); err != nil {
				return err
			}
		}
	}
	return nil
}

// acts says of a character in a file's name that it does something where the name is shown:
// whoever lists the directory later may not escape it. Controls of all kinds, separators of
// lines, and marks of direction (Unicode Standard Annex 9, 2).
func acts(c rune) bool {
	return unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) || c == '\u2028' || c == '\u2029'
}

// windows judges one part by the rules of Windows.
//
// Microsoft Learn, "Naming Files, Paths, and Namespaces".
func windows(part string) error {
	if i := strings.IndexFunc(part, func(c rune) bool { return c < 0x20 || strings.ContainsRune(`<>:"\|?*`, c) }); i >= 0 {
		c, _ := utf8.DecodeRuneInString(part[i:])
		return refuse("%s holds %q, which Windows allows in no name", safe.Text(part), c)
	}
	if strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") {
		return refuse("%s ends in a dot or a space, which Windows takes away", safe.Text(part))
	}
	base, _, _ := strings.Cut(part, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return refuse("%s is a device's name on Windows", safe.Text(part))
	}
	for _, d := range []string{"COM", "LPT"} {
		if n, ok := strings.CutPrefix(base, d); ok && utf8.RuneCountInString(n) == 1 && strings.Contains("0123456789¹²³", n) {
			return refuse("%s is a device's name on Windows", safe.Text(part))
		}
	}
	return nil
}

// Names finds the names of a list that cannot stand beside each other. It is shown the
// whole list once, in ascending bytewise order; then it judges each.
//
// It keeps the names that it refuses, and where names that differ only in case are one,
// also all others.
type Names struct {
	rules   Rules
	last    string
	any     bool
	above   []string          // of the list so far: the names that may be folders of what follows, each in the next
	twice   map[string]bool   // names that stand there more than once
	folders map[string]bool   // names that are folders of others
	folded  map[string]string // by their folded form, the first name of it
}

// NewNames begins a list.
func NewNames(r Rules) *Names {
	return &Names{rules: r, twice: map[string]bool{}, folders: map[string]bool{}, folded: map[string]string{}}
}

// See takes in the next name of the list. One that ends in a slash is a folder's own.
func (n *Names) See(name string) {
	if n.any && name == n.last {
		n.twice[name] = true
	}
	n.last, n.any = name, true
	// All names that start with a name follow it without a gap.
	for len(n.above) > 0 && !strings.HasPrefix(name, n.above[len(n.above)-1]) {
		n.above = n.above[:len(n.above)-1]
	}
	for _, a := range n.above {
		if strings.HasPrefix(name[len(a):], "/") {
			n.folders[a] = true
		}
	}
	if !strings.HasSuffix(name, "/") && (len(n.above) == 0 || n.above[len(n.above)-1] != name) {
		n.above = append(n.above, name)
	}
	if n.rules.Fold && n.rules.Check(strings.TrimSuffix(name, "/")) == nil {
		for _, p := range prefixes(name) {
			if f := fold(p); n.folded[f] == "" {
				n.folded[f] = p
			}
		}
	}
}

// Check judges a name of the list: a *Refused, or nil.
func (n *Names) Check(name string) error {
	bare := strings.TrimSuffix(name, "/")
	if bare == "" {
		return nil // the folder's own object
	}
	if err := n.rules.Check(bare); err != nil {
		return err
	}
	switch {
	case n.twice[name]:
		return refuse("it stands more than once in the commit: which is meant is not known")
	case n.folders[name]:
		return refuse("it is the name of a folder of the commit too, and a disk has only one of that name")
	}
	if n.rules.Fold {
		for _, p := range prefixes(name) {
			if first := n.folded[fold(p)]; first != p {
				return refuse("%s differs only in case from %s, and on this file system they are one name", safe.Text(p), safe.Text(first))
			}
		}
	}
	return nil
}

// prefixes are the folders above a name, the highest first, and the name.
func prefixes(name string) []string {
	name = strings.TrimSuffix(name, "/")
	var out []string
	for i := range len(name) {
		if name[i] == '/' {
			out = append(out, name[:i])
		}
	}
	return append(out, name)
}

// fold gives one form for all spellings of a name in upper and lower case.
func fold(s string) string {
	return strings.Map(func(c rune) rune {
		// The least rune of those that are the same but for case.
		least := c
		for r := unicode.SimpleFold(c); r != c; r = unicode.SimpleFold(r) {
			least = min(least, r)
		}
		return least
	}, s)
}
