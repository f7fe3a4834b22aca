package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"provcat-tui/audit"
	"provcat-tui/audit/report"
	"provcat-tui/internal/safe"
)

// everyKind is what --explain takes for a list of all.
const everyKind = "list"

func addExplainFlags(f *pflag.FlagSet, o *auditOptions) {
	f.StringVar(&o.explain, "explain", "", "tell what the kind of finding `ID` means and what to do, without a URL; list: name all")
}

// auditArgs wants a URL, or --explain and none.
func auditArgs(cmd *cobra.Command, args []string) error {
	if !cmd.Flags().Changed("explain") {
		return argNames(0, "a URL")(cmd, args)
	}
	if len(args) > 0 {
		return usagef("--explain looks at no bucket: leave out %s", safe.Shell(args[0]))
	}
	return nil
}

func completeExplain(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	out := []string{everyKind + "\tname all"}
	for _, e := range audit.Explanations {
		out = append(out, e.ID+"\t"+e.Means)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// explanation is one in JSON.
type explanation struct {
	ID       string           `json:"id"`
	Subject  string           `json:"subject"`
	Severity []audit.Severity `json:"severity"`
	Depth    audit.Depth      `json:"depth"`
	Means    string           `json:"means"`
	Happened string           `json:"happened"`
	Works    string           `json:"works"`
	Do       string           `json:"do"`
	Repairs  []string         `json:"repairs"`
}

// explain tells what a kind of finding means.
func (a *app) explain(id string) error {
	var list []audit.Explanation
	if id == everyKind {
		list = audit.Explanations
	} else if e, ok := audit.Explain(id); ok {
		list = []audit.Explanation{e}
	} else {
		text := "; --explain " + everyKind + " names all"
		if near := nearKinds(id); len(near) > 0 {
			text = ": did you mean " + strings.Join(near, " or ") + "?" + strings.TrimPrefix(text, ";")
		}
		return usagef("--explain %s is no kind of finding%s", safe.Shell(id), text)
	}
	if a.format == "json" {
		d := newDocument(a.out, "provcat-explanations/1")
		d.array("findings")
		for _, e := range list {
			if e.Repairs == nil {
				e.Repairs = []string{}
			}
			if err := d.item(explanation{e.ID, e.Subject, e.Severity, e.Depth(), e.Means, e.Happened, e.Works, e.Do, e.Repairs}); err != nil {
				return err
			}
		}
		return d.close()
	}
	o := a.textOptions(flushing{a.out})
	if id == everyKind {
		return report.ExplainAll(a.out, o)
	}
	return report.Explain(a.out, list[0], o)
}

// nearKinds gives the kinds of finding that a mistyped one may mean, at most four,
// the nearest first.
func nearKinds(id string) []string {
	id = strings.ToLower(id)
	type near struct {
		id       string
		distance int
	}
	var list []near
	for _, e := range audit.Explanations {
		d := distance(id, e.ID)
		if len(id) >= 3 && strings.Contains(e.ID, id) {
			d = min(d, 1)
		}
		if d <= 3 {
			list = append(list, near{e.ID, d})
		}
	}
	slices.SortStableFunc(list, func(a, b near) int { return a.distance - b.distance })
	var out []string
	for _, n := range list[:min(len(list), 4)] {
		out = append(out, n.id)
	}
	return out
}

// distance is how many letters must be put in, taken out or changed to make b of a
// (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := last
			if a[i] != b[j] {
				d = 1 + min(last, row[j], row[j+1])
			}
			last, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}
