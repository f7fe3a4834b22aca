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
	err error
}

func newOpening(e *env, l bucket.Location) *opening { return &opening{env: e, loc: l} }

func (o *opening) kind() string      { return onOpening }
func (o *opening) crumb() string     { return bucketName(o.loc) }
func (o *opening) key(string) action { return nil }

func (o *opening) start() action {
	o.err = nil
	var b bucket.Bucket
	return begin{load("open", "Opening "+o.loc.String(), func(ctx context.Context, _ func(struct{})) (err error) {
		if b, err = o.env.bucket(ctx, o.loc); err == nil && o.env.Visited != nil {
			o.env.Visited(o.loc.String())
		}
		return err
	}, nil, func(err error) action {
		if err != nil {
			o.err = err
			return nil
		}
		root := o.loc
		root.Path = ""
		return swap{newFolder(place{o.env, b, root}, o.loc.Path)}
	})}
}

func (o *opening) view(w, h int, th *ui.Theme) []string {
	if o.err == nil {
		return ui.Centre([]string{th.Paint(ui.Dim, strings.TrimRight(ui.Fit("Opening "+o.loc.String(), w-4, ui.Left), " "))}, w, h)
	}
	return indent(failure("Opening "+o.loc.String(), o.err, w-4, th), w, h)
}

// indent puts lines in a block, one line down and two columns in.
func indent(lines []string, w, h int) []string {
	out := []string{""}
	for _, l := range lines {
		out = append(out, "  "+l)
	}
	return ui.Block(out, w, h)
}
