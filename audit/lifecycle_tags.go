package audit

import (
	"context"
	"fmt"

	"provcat-tui/bucket"
)

// A tagReader reads the tags of log entries and commit objects. The writer gives
// them none, so a rule with tags seldom takes them in.
type tagReader struct {
	a    *auditor
	left int
	read map[string]map[string]string // by key and version; nil: not to be had
	err  error                        // the first
}

// prepare reads, side by side, what a rule with tags hangs on.
func (t *tagReader) prepare(ctx context.Context, r bucket.Rule, keys []owned) error {
	var list []bucket.Version
	for _, o := range keys {
		for _, v := range o.versions {
			_, done := t.read[v.Key+"\x00"+v.ID]
			if !done && !v.DeleteMarker && len(r.Tags) > 0 && reach(r, v, nil) == maybe && len(list) < t.left {
				list = append(list, v)
			}
		}
	}
	t.left -= len(list)
	got, errs := make([]map[string]string, len(list)), make([]error, len(list))
	err := t.a.each(ctx, len(list), func(i int) {
		got[i], errs[i] = t.a.b.Tags(ctx, list[i].Key, list[i].ID)
	})
	for i, v := range list {
		switch {
		case errs[i] == nil && got[i] == nil, gone(errs[i]): // gone: no rule acts on it
			got[i] = map[string]string{}
		case errs[i] != nil:
			got[i] = nil
			if t.err == nil {
				t.err = errs[i]
			}
		}
		t.read[v.Key+"\x00"+v.ID] = got[i]
	}
	return err
}

// of gives the tags of a version; nil: not known.
func (t *tagReader) of(v bucket.Version) map[string]string { return t.read[v.Key+"\x00"+v.ID] }

func (t *tagReader) reach(r bucket.Rule, v bucket.Version) chance { return reach(r, v, t.of(v)) }

// doubt says why a rule with tags may take in a key, and how grave that is.
func (t *tagReader) doubt(f *Finding) {
	f.Confidence = Possible
	if f.Detail += " The rule asks for tags. The writer gives none to these keys; "; t.err != nil {
		f.Detail += "what they have now could not be read: " + t.err.Error() + "."
		return
	}
	f.Severity = Info
	f.Detail += fmt.Sprintf("none of the %d whose tags were read has them, and there are more.", maxForecastReads-t.left)
}
