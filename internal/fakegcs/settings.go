package fakegcs

import (
	"encoding/json"
	"time"
)

// settings are what is set on a bucket. What the server works by is taken apart;
// the rest is kept as it was given.
type settings struct {
	Versioning struct {
		Enabled bool `json:"enabled"`
	}
	Billing struct {
		RequesterPays bool `json:"requesterPays"`
	}
	// SoftDeletePolicy nil: a bucket that never had one, as of an emulator.
	SoftDeletePolicy *struct {
		RetentionDurationSeconds int64 `json:"retentionDurationSeconds,string"`
	}
	RetentionPolicy *struct {
		RetentionPeriod int64     `json:"retentionPeriod,string"`
		EffectiveTime   time.Time `json:"effectiveTime"`
		IsLocked        bool      `json:"isLocked"`
	}
	ObjectRetention *struct {
		Mode string `json:"mode"`
	}
	DefaultEventBasedHold bool
	StorageClass          string

	raw map[string]json.RawMessage // every member of the bucket resource that can be set
}

// softFor is how long soft-deleted generations are kept; 0: not at all.
func (s *settings) softFor() time.Duration {
	if s.SoftDeletePolicy == nil {
		return 0
	}
	return time.Duration(s.SoftDeletePolicy.RetentionDurationSeconds) * time.Second
}

// retention is the bucket's retention period; 0: none.
func (s *settings) retention() time.Duration {
	if s.RetentionPolicy == nil {
		return 0
	}
	return time.Duration(s.RetentionPolicy.RetentionPeriod) * time.Second
}

// settable are the members of the bucket resource that writes may set, and those
// that only the server sets but that are kept with them.
var settable = []string{"versioning", "lifecycle", "billing", "softDeletePolicy", "retentionPolicy", "defaultEventBasedHold",
	"storageClass", "labels", "hierarchicalNamespace", "objectRetention", "iamConfiguration", "autoclass", "cors", "website", "logging", "encryption", "rpo", "location"}

// with is the settings with a merge patch laid over them (RFC 7396, which
// buckets.patch follows for top-level members): null takes a member away.
func (s settings) with(patch map[string]json.RawMessage, now time.Time) (settings, error) {
	raw := map[string]json.RawMessage{}
	for name, value := range s.raw {
		raw[name] = value
	}
	for _, name := range settable {
		value, ok := patch[name]
		if !ok {
			continue
		}
		if string(value) == "null" {
			delete(raw, name)
			continue
		}
		switch name {
		case "softDeletePolicy", "retentionPolicy": // the time comes from the server
			var m map[string]json.RawMessage
			if err := json.Unmarshal(value, &m); err != nil {
				return s, err
			}
			if _, ok := m["effectiveTime"]; !ok {
				m["effectiveTime"] = json.RawMessage(`"` + stamp(now) + `"`)
			}
			value, _ = json.Marshal(m) // of what was JSON
		case "lifecycle":
			rules, err := lifecycle(value)
			if err != nil {
				return s, err
			}
			if rules == 0 {
				delete(raw, name)
				continue
			}
		}
		raw[name] = value
	}
	out := settings{raw: raw}
	for name, to := range map[string]any{"versioning": &out.Versioning, "billing": &out.Billing, "softDeletePolicy": &out.SoftDeletePolicy,
		"retentionPolicy": &out.RetentionPolicy, "objectRetention": &out.ObjectRetention, "defaultEventBasedHold": &out.DefaultEventBasedHold, "storageClass": &out.StorageClass} {
		if value, ok := raw[name]; ok {
			if err := json.Unmarshal(value, to); err != nil {
				return s, err
			}
		}
	}
	return out, nil
}
