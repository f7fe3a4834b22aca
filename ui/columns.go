package ui

import (
	"slices"
	"strings"
)

// Name is how a person's config calls the column: its title in small letters without
// the time zone, a word for a sign ("number" for #, "added" for +), and "mark" for one
// without a title.
func (c Column) Name() string {
	switch c.Title {
	case "":
		return "mark"
	case "#":
		return "number"
	case "+":
		return "added"
	case "~":
		return "changed"
	case "-":
		return "removed"
	}
	return strings.ToLower(strings.TrimSuffix(c.Title, " (UTC)"))
}

// arrange gives the columns to draw, by their index, in the person's order: those of
// Show that there are, before them the one of the marks if Show does not place it.
// Without Show, or where none of it is there, they are all as they are.
func (t *Table) arrange() []int {
	var out []int
	for _, name := range t.Show {
		if i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name() == name }); i >= 0 {
			out = append(out, i)
		}
	}
	all := len(out) == 0
	for i, c := range t.Columns {
		switch {
		case all:
			out = append(out, i)
		case c.Title == "" && !slices.Contains(out, i):
			out = slices.Insert(out, 0, i)
		}
	}
	return out
}

// Shows says whether a column, by its index, is among those that Show leaves.
func (t *Table) Shows(i int) bool { return i >= 0 && slices.Contains(t.arrange(), i) }
