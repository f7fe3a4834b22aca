package views

import (
	"provcat-tui/commit"
)

// What the lists of the screens can be sorted by.

// sizeOf puts what has no size before what is empty.
func sizeOf(n int64, has bool) int64 {
	if !has {
		return -1
	}
	return n
}

var fileOrders = []order[fileRow]{
	{name: "name", column: "name", str: func(r *fileRow) string { return r.name }},
	{name: "size", column: "size", desc: true, num: func(r *fileRow) int64 { return sizeOf(r.v.Size, !r.v.DeleteMarker) }},
	{name: "modified", column: "modified (UTC)", desc: true, num: func(r *fileRow) int64 { return r.v.Modified.UnixMilli() }},
}

var commitFileOrders = []order[commitFile]{
	{name: "path", column: "path", str: func(f *commitFile) string { return f.Path }},
	{name: "state", column: "state", num: func(f *commitFile) int64 { return f.load().rank() }},
	{name: "size", column: "size", desc: true, num: func(f *commitFile) int64 { return f.Size }},
}

// changeBytes is by how much a change makes the folder larger.
func changeBytes(c *commit.Change) int64 { return max(c.To.Size, 0) - max(c.From.Size, 0) }

var changeOrders = []order[commit.Change]{
	{name: "path", column: "path", str: func(c *commit.Change) string { return c.Path }},
	{name: "kind", column: "", str: func(c *commit.Change) string { return string(c.Kind) }},
	{name: "change", column: "change", desc: true, num: changeBytes},
}

var bucketOrders = []order[bucketRow]{
	{name: "name", column: "name", str: func(r *bucketRow) string { return r.Name }},
}

func (s *folder) lines() liner       { return &s.files }
func (s *commitScreen) lines() liner { return &s.list }
func (s *diffScreen) lines() liner   { return &s.list }
func (s *buckets) lines() liner      { return &s.list }
func (s *logScreen) lines() liner    { return &s.list }
func (s *auditScreen) lines() liner  { return &s.list }
