package bucket

import (
	"errors"
	"slices"
	"sort"
	"strings"
	"time"
)

// budget keeps the requests of a walk to 1.25 times those of one listing. A listing of
// n versions takes n/page requests, one more at most. Every further part, and every
// look at a folder, can add one. So one of them is allowed for four pages that came.
type budget struct {
	listed int64 // versions
	extra  int64 // parts but the first, and looks
}

const pagesPerExtra = 4

func (w *walk) credit() int { return int(w.listed/int64(pagesPerExtra*w.page) - w.extra) }

// cutting is what a part knows of where it can be cut.
type cutting struct {
	// names are folders in what is left of the part, as a look found them, ascending;
	// passed is how many of them the last page went by.
	names  []string
	passed int
	// start is the key where the last page began; samples are some keys of it.
	start   string
	starts  [pagesPerExtra]string // of the last pages, in a ring
	pages   int                   // that came
	behind  float64               // pages: see gap
	left    float64               // pages, as far as can be guessed
	samples [samplesKept]string
	looking bool // a look is under way
	barren  bool // nothing lies between through and where the part above it ended
}

const samplesKept = 32

// sample keeps some of the keys of a page.
func (p *Part) sample(key string) {
	if p.start == "" {
		p.start, p.starts[0] = key, key
	}
	if step := max(1, int64(p.w.page)/samplesKept); p.count%step == 0 {
		p.samples[p.count/step%samplesKept] = key
	}
}

// began begins a page.
func (p *Part) began() {
	p.start = p.key
	p.starts[p.pages%len(p.starts)] = p.key
}

// earlier is a key some pages back.
func (p *Part) earlier() string {
	if p.pages < len(p.starts) {
		return p.starts[0]
	}
	return p.starts[p.pages%len(p.starts)]
}

// divide cuts what is left of a part, or has one of its folders looked at, where there
// are workers and credit for that, and no other part has much more left. w.mu is held,
// and p is between two requests.
func (w *walk) divide(p *Part) {
	p.pages++
	if w.most == 1 || w.err != nil {
		return
	}
	n := 0
	for n < len(p.names) && p.names[n] <= p.key {
		n++
	}
	p.names, p.passed = p.names[n:], n
	if p.through != "" && p.key >= p.through {
		p.left = 0 // no key is left, only versions of the last
		return
	}
	p.behind++
	g := gap{pos: p.key, before: p.earlier(), start: p.start, through: p.through, prefix: w.r.Prefix, samples: p.samples[:], behind: p.behind, barren: p.barren}
	x := g.plan(0)
	switch p.left = x.left; {
	case len(p.names) > 0 && p.passed > 0:
		p.left = float64(len(p.names)) / float64(p.passed)
	case len(p.names) > 0: // of a folder that holds whole pages
		p.left = float64(len(p.names) * p.pages)
	}
	free := min(int(w.limit)-w.open, w.credit())
	if free <= 0 {
		return
	}
	if len(p.names) == 0 {
		if folder, there := w.worthALook(p); there || p.looking {
			if !p.looking {
				w.looked[folder], p.looking = true, true
				w.extra++
				w.push(task{part: p, folder: folder, look: true})
			}
			return
		}
	}
	if p.left < leastLeft {
		return
	}
	for _, q := range w.ends {
		if p.left < q.left/2 {
			return // q has more use for the credit
		}
	}
	cuts := p.named(free)
	if len(p.names) == 0 {
		x = g.plan(free)
		cuts = x.cuts
	}
	for _, c := range slices.Backward(cuts) {
		q := w.cut(p, c)
		if x.jump > 0 {
			q.behind = p.behind + x.jump
		}
	}
	p.left /= float64(len(cuts) + 1)
}

// leastLeft is how many pages must be left of a part that is cut.
const leastLeft = 4

// cut gives what lies behind a key to a part of its own, which it returns.
func (w *walk) cut(p *Part, at string) *Part {
	q := &Part{w: w, after: at, through: p.through}
	q.barren = p.barren
	i := sort.SearchStrings(p.names, at+"\x00")
	q.names = slices.Clone(p.names[i:])
	p.names = p.names[:sort.SearchStrings(p.names, at)]
	p.through, p.barren = at, false
	w.ends[at] = p
	w.extra++
	w.push(task{part: q})
	return q
}

// done notes that a part was read. Where nothing was in it the part below learns that
// nothing lies above it.
func (w *walk) done(p *Part) {
	if w.ends[p.through] == p {
		delete(w.ends, p.through)
	}
	if below := w.ends[p.after]; p.count == 0 && below != nil && below != p {
		below.barren = true
	}
}

// named gives up to n of the part's folders that cut it into pieces of two pages or
// more, as far as the last page tells.
func (p *Part) named(n int) []string {
	if p.passed > 0 {
		n = min(n, len(p.names)/(2*p.passed))
	}
	n = min(n, len(p.names))
	out := make([]string, 0, n)
	for i := range n {
		out = append(out, p.names[(i+1)*len(p.names)/(n+1)])
	}
	return slices.Compact(out)
}

// worthALook gives the highest folder that was not looked at yet, that holds the whole
// last page, and of which there can be more folders in what is left of the part.
func (w *walk) worthALook(p *Part) (string, bool) {
	same := len(p.start)
	for i := range min(len(p.start), len(p.key)) {
		if p.start[i] != p.key[i] {
			same = i
			break
		}
	}
	same = min(same, len(p.key))
	for i := -1; i < same; i++ {
		if i >= 0 && p.key[i] != '/' {
			continue
		}
		folder, rest := p.key[:i+1], p.key[i+1:]
		at := strings.IndexByte(rest, '/')
		if at < 0 {
			break // its keys lie in it, not in folders
		}
		sub := folder + rest[:at] + "0" // the first key behind the folder that p.key is in
		if strings.HasPrefix(folder, w.r.Prefix) && !w.looked[folder] && (p.through == "" || p.through >= sub) {
			return folder, true
		}
	}
	return "", false
}

// look finds the folders of one level, as far as one request tells, for a part that
// is being read.
func (w *walk) look(t task) {
	if w.enter() != nil {
		w.leave()
		return
	}
	began := time.Now()
	var names []string
	n := 0
	var failed error
	for item, err := range w.b.Level(w.ctx, t.folder) {
		if err != nil {
			failed = err
			break
		}
		if item.Folder != "" {
			names = append(names, strings.Clone(item.Folder))
		}
		if n++; n == w.page {
			break // the next one would be asked for
		}
	}
	w.leave()
	if errors.Is(failed, ErrSlowDown) {
		// The part itself goes on; looking is only for speed.
		_ = w.slower(began, 0)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p := t.part
	p.looking = false
	i := sort.SearchStrings(names, p.after)
	j := len(names)
	if p.through != "" {
		j = sort.SearchStrings(names, p.through)
	}
	if i < j && len(p.names) == 0 {
		p.names = names[i:j]
	}
}
