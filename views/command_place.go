package views

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

const timeFormat = time.RFC3339Nano

var refForm = regexp.MustCompile(`^([0-9]+|head(~[0-9]+)?|live|id:[0-9a-fA-F]{6,64}|[0-9a-fA-F]{6,64})$`)

// isRef says whether a word has the form of a REF.
func isRef(text string) bool { return refForm.MatchString(text) }

// needRef says what is wrong with a word that must be a REF.
func needRef(name, text string) error {
	switch {
	case isRef(text):
		return nil
	case text == "":
		return mistaken("A commit is missing: %s.", refForms)
	case ui.Near(text, []string{"head", "live"}) != "":
		return &mistake{fmt.Sprintf("%q is no commit: %s.", text, refForms), name + " " + ui.Near(text, []string{"head", "live"})}
	}
	if name == "commit" { // on the command line of a shell this word writes
		return mistaken("%q is no commit: %s; :write makes a new one.", text, refForms)
	}
	return mistaken("%q is no commit: %s.", text, refForms)
}

const refForms = "write its number, six digits of its ID, head, or head~2"

// folderNamed says how to find the folder that a person names: a path below the
// current folder if there is such a folder, else one from the bucket's root; with a
// "/" before it always that, with "./" or "../" always from here. The function waits.
func (c *commandLine) folderNamed(text string) (func(context.Context) (string, error), error) {
	candidates, err := c.paths(text)
	if err != nil {
		return nil, err
	}
	for i, p := range candidates {
		if p != "" && !strings.HasSuffix(p, "/") {
			candidates[i] = p + "/"
		}
	}
	known := c.folders()
	for _, p := range candidates {
		if p == "" || p == c.here.prefix || known[p] {
			return func(context.Context) (string, error) { return p, nil }, nil
		}
	}
	here := c.here
	return func(ctx context.Context) (string, error) {
		for _, p := range candidates {
			if ok, err := folderThere(ctx, here.b, p); ok || err != nil {
				return p, err
			}
		}
		m := &mistake{text: fmt.Sprintf("There is no folder %s in %s: no version and no log.", strings.Join(candidates, " or "), bucketName(here.loc))}
		var names []string
		for p := range known {
			names = append(names, p)
		}
		if near := ui.Near(candidates[len(candidates)-1], names); near != "" {
			m.text += " Did you mean " + near + "?"
		}
		return "", m
	}, nil
}

// folderThere says whether a folder has a version or a log. What may not be listed is
// not taken for absent.
func folderThere(ctx context.Context, b bucket.Bucket, prefix string) (bool, error) {
	looks := []string{prefix}
	if folder, err := commit.FolderOf(prefix); err == nil {
		looks = append(looks, commit.LogPrefix(commit.FolderHash(folder)))
	}
	for _, l := range looks {
		if ok, err := anyVersion(ctx, b, bucket.Range{Prefix: l, PageSize: 1}); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// anyVersion asks for one version of a range.
func anyVersion(ctx context.Context, b bucket.Bucket, r bucket.Range) (bool, error) {
	for _, err := range b.Versions(ctx, r) {
		return err == nil, err
	}
	return false, ctx.Err()
}

// keyNamed says how to find the key that a person names: below the current folder if
// there is such a key, else from the bucket's root, there or not. The function waits.
func (c *commandLine) keyNamed(text string) (func(context.Context) (string, error), error) {
	candidates, err := c.paths(text)
	if err != nil {
		return nil, err
	}
	last := candidates[len(candidates)-1]
	if last == "" || strings.HasSuffix(text, "/") {
		return nil, mistaken("%q is a folder; :cd goes there. A key is missing: :object KEY [VERSION]", text)
	}
	b := c.here.b
	return func(ctx context.Context) (string, error) {
		for _, key := range candidates[:len(candidates)-1] {
			ok, err := anyVersion(ctx, b, bucket.Range{Prefix: key, Through: key, PageSize: 1})
			if err != nil {
				return "", err
			}
			if ok {
				return key, nil
			}
		}
		return last, nil
	}, nil
}

// paths are the paths that a person may mean, the likeliest first; never none.
func (c *commandLine) paths(text string) ([]string, error) {
	if c.here.why != "" && !strings.HasPrefix(text, "/") && !strings.Contains(text, "://") {
		return nil, mistaken("Not now: %s; write it from the root, as in /sales.", c.here.why)
	}
	root := c.here.loc.Root()
	switch {
	case text == "" || text == ".":
		return []string{c.here.prefix}, nil
	case text == root:
		return []string{""}, nil
	case strings.HasPrefix(text, root+"/"):
		return []string{text[len(root)+1:]}, nil
	case strings.Contains(text, "://"):
		return nil, &mistake{fmt.Sprintf("%s is another bucket than %s.", text, root), "open " + text}
	case strings.HasPrefix(text, "/"):
		return []string{text[1:]}, nil
	}
	rest, at := text, c.here.prefix
	for {
		if r, ok := strings.CutPrefix(rest+"/", "./"); ok {
			rest = strings.TrimSuffix(r, "/")
		} else if r, ok := strings.CutPrefix(rest+"/", "../"); ok {
			if at == "" {
				return nil, mistaken("There is no folder above the bucket's own.")
			}
			rest = strings.TrimSuffix(r, "/")
			at = at[:strings.LastIndexByte(at[:len(at)-1], '/')+1]
		} else {
			break
		}
	}
	if rest != text || at == "" {
		return []string{at + rest}, nil
	}
	return []string{at + text, text}, nil
}

// folders are those that are known to be there.
func (c *commandLine) folders() map[string]bool {
	out := map[string]bool{}
	for _, x := range c.below {
		if s, ok := x.(*folder); ok && s.loc.Root() == c.here.loc.Root() {
			for _, n := range s.nodes {
				// The way to a folder that was named may not be there.
				if n.Loaded || n.Parent != nil && n.Parent.Loaded {
					p, _ := n.Value.(string)
					out[p] = true
				}
			}
		}
	}
	for p := range c.learnt.folders {
		out[p] = true
	}
	return out
}
