package audit

import "fmt"

// together makes one finding of more than maxExamples orphans of one kind in one
// log: thousands of lines with one cause help nobody.
func together(fs []Finding, hash string) []Finding {
	count := map[string]int64{}
	for _, f := range fs {
		count[f.ID+string(f.Severity)]++
	}
	first := map[string]int{} // index in out
	var out []Finding
	for _, f := range fs {
		kind := f.ID + string(f.Severity)
		if count[kind] <= maxExamples {
			out = append(out, f)
			continue
		}
		ref := CommitRef{Folder: *f.Folder, Number: f.Number, ID: f.Commit}
		i, seen := first[kind]
		if !seen {
			i = len(out)
			first[kind] = i
			g := f
			g.Title = fmt.Sprintf("%d commits like this: %s", count[kind], f.Title)
			g.Detail = fmt.Sprintf("There are %d of this kind in the folder, all listed under the commits; of the first: %s", count[kind], f.Detail)
			g.Number, g.Commit, g.Key, g.Repair = 0, "", "", nil
			g.Fingerprint = fingerprint(Finding{ID: f.ID, Key: string(f.Severity)}, hash)
			out = append(out, g)
		}
		g := &out[i]
		g.Affected.Commits = append(g.Affected.Commits, ref)
		if seen && len(g.Evidence) < maxExamples {
			g.Evidence = append(g.Evidence, f.Evidence...)
		}
	}
	return out
}
