package views

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/bucket"
	"provcat-tui/ui"
)

// requestsScreen shows what was asked of the buckets: those under way, then the
// newest first, and what they took and cost. It follows by itself while it is shown.
type requestsScreen struct {
	*env
	list list[bucket.Request]
	seen traceView
	ran  bool // following
}

func newRequests(e *env) *requestsScreen {
	s := &requestsScreen{env: e}
	s.list.text = func(r *bucket.Request) string {
		return strings.Join([]string{r.Op, string(r.Kind), r.Key, r.Version, r.After, r.Bucket, r.Store, r.Err, statusWord(r)}, " ")
	}
	s.list.row = s.draw
	s.list.table.Show = e.Columns[onRequests]
	s.list.table.Columns = []ui.Column{
		{Title: "ended", Min: 8, Drop: 3},
		{Title: "took", Min: 8, Align: ui.Right},
		{Title: "answer", Min: 11},
		{Title: "what", Min: 9},
		{Title: "key or prefix", Min: 26, Weight: 3, Align: ui.Tail},
		{Title: "bytes", Min: 9, Align: ui.Right, Drop: 2},
		{Title: "page after", Min: 12, Weight: 1, Max: 40, Align: ui.Tail, Drop: 4},
		{Title: "first byte", Min: 10, Align: ui.Right, Drop: 6},
		{Title: "request ID", Min: 16, Max: 24, Weight: 1, Drop: 5},
	}
	return s
}

func (s *requestsScreen) kind() string  { return onRequests }
func (s *requestsScreen) crumb() string { return "Requests" }

// start follows the requests, at most 20 times a second, without ever being busy.
func (s *requestsScreen) start() action {
	s.ran = true
	w := aside(load("requests", "Following the requests", func(ctx context.Context, add func(traceView)) error {
		for {
			v := s.trace.look()
			add(v)
			var tick <-chan time.Time
			if v.open > 0 { // their times go on
				tick = time.After(2 * pace)
			}
			select {
			case <-s.trace.wake:
			case <-tick:
			case <-ctx.Done():
				return ctx.Err()
			}
			if !rest(ctx, pace) {
				return ctx.Err()
			}
		}
	}, func(vs []traceView) action {
		if s.shown != screen(s) {
			s.ran = false
			return stop{"requests"}
		}
		return s.show(vs[len(vs)-1])
	}, nil))
	w.waits = func() bool { return true }
	return begin{w}
}

// returned follows again: it stopped when another screen was shown.
func (s *requestsScreen) returned() action {
	if s.ran {
		return nil
	}
	return s.start()
}

// show puts a view on the screen; the cursor stays on its request, or at the top.
func (s *requestsScreen) show(v traceView) action {
	at := int64(0)
	if r := s.list.selected(); r != nil && s.list.table.Cursor > 0 {
		at = r.ID
	}
	s.seen = v
	s.list.items = nil
	s.list.restart()
	act := s.list.add(v.rows)
	s.list.table.Cursor = 0
	if at > 0 {
		for i := range s.list.Len() {
			if s.list.at(i).ID == at {
				s.list.table.Cursor = i
				break
			}
		}
	}
	return act
}

// statusWord is the answer in a word, and its mark.
func statusWord(r *bucket.Request) string {
	text := ""
	if r.Status > 0 {
		text = strconv.Itoa(r.Status)
	}
	switch {
	case !r.Done && r.First > 0:
		text += " reading"
	case !r.Done:
		text = "waiting"
	case r.Err == "cancelled":
		text = "cancelled"
	case r.Err != "" && r.Expected:
		text = "○ " + strings.TrimSpace(text+" no")
	case r.Err != "":
		text = "✗ " + text
		if r.Status == 0 {
			text = "✗ failed"
		}
	case text == "":
		text = "ok"
	}
	if r.Attempt > 1 {
		text += fmt.Sprintf(" ×%d", r.Attempt)
	}
	return text
}

// shortOps are the names of operations that have room in a column.
var shortOps = strings.NewReplacer("ListObjectVersions", "list", "ListMultipartUploads", "uploads", "GetObject", "get", "HeadObject", "head",
	"PutObject", "put", "CopyObject", "copy", "DeleteObject", "delete", "GetBucket", "", "Configuration", "", "ListBuckets", "buckets",
	"buckets.list", "buckets", "buckets.get", "bucket", "objects.getMedia", "get", "objects.get", "head", "objects.", "")

func (s *requestsScreen) draw(r *bucket.Request, out *ui.Row) {
	tone := ui.Plain
	switch {
	case !r.Done:
		tone = ui.Accent
	case r.Err != "" && !r.Expected:
		tone = ui.Bad
	case r.Err != "":
		tone = ui.Dim
	case r.Attempt > 1:
		tone = ui.Warn
	}
	ended, took := "", r.Took
	if r.Done {
		ended = r.Started.Add(r.Took).UTC().Format("15:04:05")
	} else {
		took = time.Since(r.Started)
	}
	out.Add(ui.Dim, ended)
	out.Add(tone, duration(took))
	out.Add(tone, statusWord(r))
	out.Add(ui.Plain, strings.ToLower(shortOps.Replace(r.Op)))
	key := r.Key
	if key == "" {
		key = "(bucket)"
	}
	out.Add(ui.Plain, key)
	if r.Bytes > 0 {
		out.Add(ui.Plain, size(r.Bytes))
	} else {
		out.Add(ui.Dim, "")
	}
	out.Add(ui.Dim, r.After)
	first := ""
	if r.First > 0 {
		first = duration(r.First)
	}
	out.Add(ui.Dim, first)
	out.Add(ui.Dim, r.Store)
}

// money in US dollars.
func money(usd float64) string {
	if usd > 0 && usd < 0.0001 {
		return "<$0.0001"
	}
	return fmt.Sprintf("$%.4f", usd)
}

// duration in three digits and a unit.
func duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

func (s *requestsScreen) enabled(id string) (bool, string) {
	switch id {
	case "open":
		return false, s.keys("{open} opens nothing here: what is selected is told below")
	case "copyerror":
		return s.seen.failed != nil, "no request has failed"
	}
	return true, ""
}

func (s *requestsScreen) key(id string) action {
	if s.list.move(id) {
		return nil
	}
	switch id {
	case "filter":
		s.list.filter.Begin()
	case "copyerror":
		return clip{text: errorText(s.seen.failed), told: note{ui.Good, "The last error is on the clipboard, whole."}}
	}
	return nil
}

// errorText tells of a failed request, whole, for whoever runs the store.
func errorText(r *bucket.Request) string {
	parts := []string{r.Op + " " + r.Key + " of " + r.Bucket, r.Err}
	if r.Version != "" {
		parts = append(parts, "version "+r.Version)
	}
	if r.Store != "" {
		parts = append(parts, "request ID "+r.Store)
	}
	return strings.Join(append(parts, "at "+r.Started.UTC().Format(time.RFC3339), "after "+duration(r.Took)), "; ")
}

func (s *requestsScreen) typing() bool           { return s.list.typing() }
func (s *requestsScreen) input(m tea.Msg) action { return s.list.input(m) }
func (s *requestsScreen) escape() (bool, action) { return s.list.clear(), nil }
func (s *requestsScreen) lines() liner           { return &s.list }

func (s *requestsScreen) status() string {
	n := s.seen.total().n
	text := fmt.Sprintf("%s under way, %s since the start", count(int64(s.seen.open)), plural(n, "request"))
	if n > keptRequests {
		text += fmt.Sprintf("; the last %s are listed", count(keptRequests))
	}
	return text
}

// sums is the table of the kinds at the top.
func (s *requestsScreen) sums(w int, th *ui.Theme) []string {
	fit := func(cells ...string) string {
		var b strings.Builder
		for i, c := range cells {
			if i == 0 {
				b.WriteString(" " + ui.Fit(c, 9, ui.Left))
			} else {
				b.WriteString(" " + ui.Fit(c, 9, ui.Right))
			}
		}
		return ui.Pad(b.String(), w)
	}
	head := []string{"", "requests", "p50", "p99", "failed", "cost"}
	wide := w >= 80
	if wide {
		head = append(head, "retries", "bytes")
	}
	out := []string{th.Paint(ui.Dim, fit(head...))}
	line := func(name string, t requestSum, p50, p99 time.Duration, cost float64) string {
		cells := []string{name, count(t.n), "", "", count(t.failed), money(cost)}
		if p50 > 0 {
			cells[2], cells[3] = duration(p50), duration(p99)
		}
		if wide {
			cells = append(cells, count(t.retries), size(t.bytes))
		}
		return fit(cells...)
	}
	for _, k := range bucket.Kinds {
		if t := s.seen.sums[k]; t.n > 0 {
			out = append(out, line(string(k), t, s.seen.p50[k], s.seen.p99[k], s.seen.cost(s.Prices, k)))
		}
	}
	return append(out, th.Paint(ui.Strong, line("all", s.seen.total(), 0, 0, s.seen.cost(s.Prices, bucket.Kinds...))))
}

func (s *requestsScreen) view(w, h int, th *ui.Theme) []string {
	if len(s.seen.rows) == 0 {
		return indent(th.Paragraph(ui.Plain, "Nothing was asked of a bucket yet. What the screens read is listed here as it happens.", w-4), w, h)
	}
	out := s.sums(w, th)
	var below []string
	if r := s.list.selected(); r != nil {
		below = append(below, ui.Rule("selected", w, false, th))
		below = append(below, s.about(r, w-2, th)...)
	}
	if f := s.seen.failed; f != nil {
		below = append(below, ui.Rule(s.keys("last error ({copyerror} copies it)"), w, false, th))
		for _, l := range th.Shown(ui.Bad, "✗ "+errorText(f), w-2) {
			below = append(below, " "+l)
		}
	}
	below = below[:min(len(below), (h-len(out))/2)]
	out = append(out, ui.Rule("requests, the newest first", w, true, th))
	out = append(out, s.list.view(w, h-len(out)-len(below), true, th)...)
	return append(out, below...)
}

// about tells all of one request.
func (s *requestsScreen) about(r *bucket.Request, w int, th *ui.Theme) []string {
	var out []string
	for _, l := range ui.WrapPath(r.Bucket+"/"+r.Key, w) {
		out = append(out, " "+l)
	}
	text := r.Op
	if r.Version != "" {
		text += ", version " + r.Version
	}
	if r.After != "" {
		text += ", the page after " + r.After
	}
	if r.Attempt > 1 {
		text += fmt.Sprintf(", attempt %d", r.Attempt)
	}
	if r.Store != "" {
		text += ", request ID " + r.Store
	}
	for _, l := range ui.Wrap(text, w) {
		out = append(out, " "+l)
	}
	if r.Err != "" {
		for _, l := range th.Shown(ui.Dim, r.Err, w) {
			out = append(out, " "+l)
		}
	}
	return out
}
