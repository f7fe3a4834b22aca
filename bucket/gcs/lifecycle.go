package gcs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/remote"
)

// config is what a bucket's description has of its lifecycle. The library's type
// cannot tell a condition of 0 from one that isn't there, and drops those it doesn't
// know.
type config struct {
	Lifecycle struct {
		Rule []struct {
			Action struct {
				Type         string
				StorageClass string
			}
			Condition map[string]json.RawMessage
		}
	}
}

// rules reads the rules of a bucket's description. They have no names: the ID is
// their place, counted from 1, as Google's console shows them.
func rules(description []byte) ([]bucket.Rule, error) {
	var c config
	if err := json.Unmarshal(description, &c); err != nil {
		return nil, &remote.BadAnswer{Text: "lifecycle rules that cannot be read: " + remote.Clip(err.Error())}
	}
	var out []bucket.Rule
	for i, r := range c.Lifecycle.Rule {
		when, err := conditions(r.Condition)
		if err != nil {
			return nil, &remote.BadAnswer{Text: fmt.Sprintf("lifecycle rule %d cannot be read: %s", i+1, remote.Clip(err.Error()))}
		}
		when.Action, when.StorageClass = bucket.Action(r.Action.Type), r.Action.StorageClass
		out = append(out, bucket.Rule{ID: fmt.Sprint(i + 1), Enabled: true, When: when})
	}
	return out, nil
}

// conditions translates a rule's. JSON API reference, "Buckets", lifecycle.rule[].condition.
func conditions(in map[string]json.RawMessage) (*bucket.Conditions, error) {
	c := &bucket.Conditions{}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		var err error
		switch v := in[name]; name {
		case "age":
			c.AgeDays, err = days(v)
		case "createdBefore":
			c.MadeBefore, err = date(v)
		case "isLive":
			err = json.Unmarshal(v, &c.Live)
		case "numNewerVersions":
			var n *int
			if n, err = days(v); n != nil {
				c.Newer = *n
			}
		case "daysSinceNoncurrentTime":
			c.Noncurrent, err = days(v)
		case "noncurrentTimeBefore":
			c.GoneBefore, err = date(v)
		case "daysSinceCustomTime":
			c.CustomDays, err = days(v)
		case "customTimeBefore":
			c.CustomBefore, err = date(v)
		case "matchesPrefix":
			err = json.Unmarshal(v, &c.Prefixes)
		case "matchesSuffix":
			err = json.Unmarshal(v, &c.Suffixes)
		case "matchesStorageClass":
			err = json.Unmarshal(v, &c.Classes)
		default:
			c.Unknown = append(c.Unknown, name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return c, nil
}

// days reads a number, which the API also writes as a string.
func days(v json.RawMessage) (*int, error) {
	var n json.Number
	if err := json.Unmarshal(v, &n); err != nil || n == "" {
		return nil, err
	}
	whole, err := n.Int64()
	if err != nil || whole < 0 {
		return nil, fmt.Errorf("%.40q is no number of days", n)
	}
	i := int(whole)
	return &i, nil
}

// date reads a day, which begins at midnight UTC.
func date(v json.RawMessage) (time.Time, error) {
	var s string
	if err := json.Unmarshal(v, &s); err != nil || s == "" {
		return time.Time{}, err
	}
	return time.Parse(time.DateOnly, s)
}
