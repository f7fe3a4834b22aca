package fakegcs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A lifecycle configuration as the discovery document has it
// (Bucket.lifecycle.rule). It is only checked; the bucket keeps it as it was
// given, and nothing here acts on it.
type lifecycleRule struct {
	Action *struct {
		Type         string
		StorageClass string
	}
	Condition *struct {
		Age                     *int64
		CreatedBefore           *date
		CustomTimeBefore        *date
		DaysSinceCustomTime     *int64
		DaysSinceNoncurrentTime *int64
		IsLive                  *bool
		MatchesPattern          *string
		MatchesPrefix           []string
		MatchesStorageClass     []string
		MatchesSuffix           []string
		NoncurrentTimeBefore    *date
		NumNewerVersions        *int64
		SizeAboveBytes          *int64 `json:",string"`
		SizeBelowBytes          *int64 `json:",string"`
	}
}

// date is a day, such as "2026-03-04".
type date string

func (d *date) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return err
	}
	*d = date(text)
	return nil
}

// lifecycle counts the rules of a configuration and refuses one that the API's
// reference rules out.
func lifecycle(raw []byte) (rules int, err error) {
	var in struct{ Rule []lifecycleRule }
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return 0, err
	}
	for _, r := range in.Rule {
		switch {
		case r.Action == nil:
			return 0, errors.New("a lifecycle rule needs an action")
		case r.Action.Type != "Delete" && r.Action.Type != "SetStorageClass" && r.Action.Type != "AbortIncompleteMultipartUpload":
			return 0, fmt.Errorf("unknown lifecycle action %q", r.Action.Type)
		case (r.Action.Type == "SetStorageClass") != (r.Action.StorageClass != ""):
			return 0, errors.New("a storage class goes with SetStorageClass")
		case r.Condition == nil:
			return 0, errors.New("a lifecycle rule needs a condition")
		}
		for _, n := range []*int64{r.Condition.Age, r.Condition.DaysSinceCustomTime, r.Condition.DaysSinceNoncurrentTime, r.Condition.NumNewerVersions} {
			if n != nil && *n < 0 {
				return 0, errors.New("a number in a lifecycle condition is negative")
			}
		}
	}
	return len(in.Rule), nil
}
