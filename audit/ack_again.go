package audit

// Acknowledge gives the report as the same audit would have made it with this list
// of ignored findings, in place of the one that it had: nothing is read of the
// bucket, and r stays as it is. What a baseline acknowledged stays acknowledged.
// Whether a rule has expired goes by the time at which the audit started.
func (r *Report) Acknowledge(list *IgnoreList) *Report {
	out := *r
	a := acknowledger{o: Options{Ignore: list}, known: map[string]Acknowledged{}}
	out.Findings = append([]Finding{}, r.Findings...)
	for _, x := range r.Acknowledged {
		out.Findings = append(out.Findings, x.Finding)
		if x.By == "baseline" {
			a.known[x.Fingerprint] = x
		}
	}
	order(out.Findings)
	out.Acknowledged, out.Rules = nil, nil
	a.apply(&out)
	out.conclude(out.FailOn)
	a.tell(&out)
	return &out
}
