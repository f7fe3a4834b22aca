package views

import (
	"context"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/ui"
)

// opening opens a bucket and gives way to its folder screen, or shows why it
// could not.
type opening struct {
	plain
	env *env
	loc bucket.Location
	to  Link // the screen to go to
	// below is the folder to which esc leads where the screen is not there.
	below screen
	err   error
}

func newOpening(e *env, l bucket.Location) *opening { return &opening{env: e, loc: l} }

func (o *opening) kind() string      { return onOpening }
func (o *opening) crumb() string     { return bucketName(o.loc) }
func (o *opening) key(string) action { return nil }

func (o *opening) start() action {
	o.err, o.below = nil, nil
	var b bucket.Bucket
	var screens []screen
	root := o.loc
	root.Path = ""
	keep := false // among the recent places
	return begin{load("open", "Opening "+o.loc.String(), func(ctx context.Context, _ func(struct{})) (err error) {
		if b, err = o.env.bucket(ctx, o.loc); err != nil {
			return err
		}
		to := o.to
		if keep = to.Screen != onObject; keep && o.toFolder() {
			to, keep = o.named(ctx, b)
		}
		if keep && o.env.Visited != nil {
			o.env.Visited(o.loc.String())
		}
		screens, err = screensTo(ctx, place{o.env, b, root}, o.loc.Path, to)
		return err
	}, nil, func(err error) action {
		if b != nil && keep {
			o.env.recently(o.loc.String())
		}
		if err != nil {
			o.err = err
			if b != nil {
				o.below = newFolder(place{o.env, b, root}, o.loc.Path)
			}
			return nil
		}
		return lay{screens}
	})}
}

// toFolder says that the URL alone says what to open, and that it is below the root.
func (o *opening) toFolder() bool {
	return o.loc.Path != "" && (o.to.Screen == "" || o.to.Screen == onFolder) && o.to.Ref == ""
}

// named looks what the URL names: a folder, else a file, else nothing that is there;
// there says that it is a folder. It waits: only for tasks. What may not be listed is
// taken for a folder, whose screen tells the error.
func (o *opening) named(ctx context.Context, b bucket.Bucket) (to Link, there bool) {
	path := strings.TrimSuffix(o.loc.Path, "/")
	if some, err := folderThere(ctx, b, path+"/"); some || err != nil {
		return o.to, true
	}
	if path != o.loc.Path {
		return o.to, false
	}
	if some, err := anyVersion(ctx, b, bucket.Range{Prefix: path, Through: path, PageSize: 1}); some || err != nil {
		return Link{URL: o.loc.String(), Screen: onObject}, false
	}
	return o.to, false
}

func (o *opening) view(w, h int, th *ui.Theme) []string {
	if o.err == nil {
		return ui.Centre([]string{th.Paint(ui.Dim, strings.TrimRight(ui.Fit("Opening "+o.loc.String(), w-4, ui.Left), " "))}, w, h)
	}
	lines := o.env.failure("Opening "+o.loc.String(), o.err, w-4, th)
	if o.below != nil {
		lines = append(lines, "", th.Paint(ui.Dim, o.env.keys("{back} shows the folder instead; {reload} tries again.")))
	}
	return indent(lines, w, h)
}

func (o *opening) escape() (bool, action) {
	if o.below == nil {
		return false, nil
	}
	return true, swap{o.below}
}

// indent puts lines in a block, one line down and two columns in.
func indent(lines []string, w, h int) []string {
	out := []string{""}
	for _, l := range lines {
		out = append(out, "  "+l)
	}
	return ui.Block(out, w, h)
}
