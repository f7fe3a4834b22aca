package views

import (
	"context"
	"encoding/hex"
	"io"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/bucket"
	"provcat-tui/ui"
)

// previewBytes is how much of a version is read to show it.
const previewBytes = 64 << 10

// preview is the start of a version: text where it is text, else hex.
type preview struct {
	version string
	asked   bool
	marker  bool
	gone    string // why there are no bytes; empty: there are
	text    bool
	empty   bool
	cut     bool     // there is more than was read
	raw     []string // lines, as they came
	err     error
	top     int
	page    int
	ready   bool
	find    textFind
}

// readPreview reads the start of a version.
func readPreview(ctx context.Context, b bucket.Bucket, key, version string) (preview, error) {
	p := preview{version: version, asked: true, ready: true}
	body, v, err := b.Open(ctx, key, version, previewBytes)
	if err != nil {
		return p, err
	}
	data, err := io.ReadAll(io.LimitReader(body, previewBytes))
	if cerr := body.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return p, err
	}
	p.cut = v.Size > int64(len(data))
	p.empty = len(data) == 0
	if p.text = isText(data, p.cut); p.text {
		p.raw = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	} else {
		p.raw = strings.Split(strings.TrimSuffix(hex.Dump(data), "\n"), "\n")
	}
	return p, nil
}

// isText says whether data is UTF-8 without control characters that texts don't
// have. Where it was cut, its last character may be incomplete.
func isText(data []byte, cut bool) bool {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return cut && len(data)-i < utf8.UTFMax
		}
		if r < 0x20 && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != 0x1b || r == 0x7f {
			return false
		}
		i += n
	}
	return true
}

// search takes a key of a search in it.
func (p *preview) search(msg tea.Msg) {
	if to, ok := p.find.input(msg, p.raw, p.top); ok {
		p.show(to)
	}
}

// show scrolls so far that a line is on the screen.
func (p *preview) show(line int) {
	if line < p.top || line >= p.top+p.page {
		p.top = line - p.page/3
	}
	p.top = max(min(p.top, len(p.raw)-p.page), 0)
}

// move scrolls.
func (p *preview) move(id string) {
	switch id {
	case "next", "previous":
		by := 1
		if id == "previous" {
			by = -1
		}
		if to, ok := p.find.step(by); ok {
			p.show(to)
		}
	default:
		p.top, _ = scrolled(id, p.top, p.page, len(p.raw))
	}
}

// Wheel scrolls, for the mouse.
func (p *preview) Wheel(n int) { p.top = max(min(p.top+n, len(p.raw)-p.page), 0) }

// lines gives the h lines that are scrolled to.
func (p *preview) lines(e *env, w, h int, th *ui.Theme) []string {
	p.page = h
	switch {
	case p.err != nil:
		return indent(e.failure("Reading it", p.err, w-4, th), w, h)
	case p.gone != "":
		return indent(th.Paragraph(ui.Bad, "✗ "+p.gone, w-4), w, h)
	case p.marker:
		return indent(th.Paragraph(ui.Dim, "A delete marker has no bytes: it hides the versions under it.", w-4), w, h)
	case !p.ready:
		return indent([]string{th.Paint(ui.Dim, "…")}, w, h)
	case p.empty:
		return indent(th.Paragraph(ui.Dim, "This version is empty: 0 bytes.", w-4), w, h)
	}
	foot := p.find.foot(w, th)
	if foot != "" && h > 1 {
		h--
		p.page = h
	}
	p.top = max(min(p.top, len(p.raw)-h), 0)
	out := make([]string, 0, h)
	for i, l := range p.raw[p.top:min(p.top+max(h, 0), len(p.raw))] {
		l = strings.ReplaceAll(strings.TrimSuffix(l, "\r"), "\t", "    ")
		mark := " "
		if p.top+i == p.find.current() {
			mark = "›"
		}
		out = append(out, mark+ui.FitMarked(l, p.find.marks(l), w-1, ui.Left))
	}
	if foot != "" {
		out = append(ui.Block(out, w, h), foot)
	}
	return out
}
