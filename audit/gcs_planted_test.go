package audit

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"provcat-tui/internal/race"
)

// storeEnv has the worlds of these tests lie on another store.
const storeEnv = "PROVCAT_AUDIT_STORE"

// onCloudStorage are the tests whose tables run on Cloud Storage too: planted damage,
// its look-alikes, repairs, what rules will do, and random histories.
const onCloudStorage = "^(TestLogEntries|TestCommitObjects|TestVersions|TestCommitNotSnapshot|TestLookAlikes|TestTimes|TestPins|TestBucketCopied|" +
	"TestWitnessRegressed|TestDeletionsInOneGo|TestAMarkerGivenTwice|TestARepairThatWasMadeIsDone|TestAKeptCopyServesTheNextTry|" +
	"TestRulesThatCutALog|TestNoFalseAlarms|TestRandomLossesAreToldOnce|TestRandomHistoriesAndAWitness)$"

const (
	noSecond  = "what is deleted cannot be deleted again"
	noBare    = "a deletion goes with the version that it ended, and of what never was there is none"
	noRule    = "no rule removes markers, which are no objects, or goes by tags or sizes"
	noNull    = "no version has the ID null: what is live while versioning is off is destroyed"
	noWayBack = "a deletion that was undone stays in the history, under a new version"
	exact     = "days count from the moment itself, not from midnight"
	ofThePast = "a date means what was made before it, not what is there from it on"
)

// s3Only are the lines of the tables that are about what S3 does otherwise. Such a line
// must fail: when the difference is gone, this test says so.
var s3Only = map[string]string{
	"TestLogEntries/log-entry-overwritten,_or_made_anew,_where_a_rule_takes_markers_away": noRule,
	"TestLogEntries/deleted_twice":                                              noSecond,
	"TestLogEntries/deleted,_and_what_was_under_the_marker_removed":             noBare,
	"TestCommitObjects/commit-deleted_with_nothing_under_the_marker":            noBare,
	"TestLookAlikes/a_marker_over_a_slot_that_never_was":                        noBare,
	"TestRulesThatCutALog/objects_larger_than_any_entry":                        noRule,
	"TestRulesThatCutALog/a_date_to_come":                                       ofThePast,
	"TestRulesThatCutALog/due":                                                  exact,
	"TestARepairThatWasMadeIsDone":                                              "it is undone by a copy, so that no version is removed",
	"TestCommitNotSnapshot/no_claim:_suspended_versioning":                      noNull,
	"TestCommitNotSnapshot/a_delete_marker,_and_a_version_left_out":             "it hides a key that is not there",
	"TestCommitNotSnapshot/a_file_that_was_brought_back_by_removing_its_marker": noWayBack,
	"TestVersions/commit-not-snapshot:_it_names_a_marker":                       "it hides a key that is not there",
	"TestVersions/version-missing_by_a_rule":                                    exact,
	"TestVersions/version-missing_where_a_rule_has_tags":                        noRule,
	"TestDeletionsInOneGo/one_of_them_had_been_deleted_an_hour_before_too":      noSecond,
}

var ended = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL): (\S+)`)

// The same tables, by this very binary.
func TestOnCloudStorage(t *testing.T) {
	if os.Getenv(storeEnv) != "" {
		t.Skip("this is the other run")
	}
	if testing.Short() || race.On {
		t.Skip("runs the tables a second time: CI does so without the race detector")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+onCloudStorage, "-test.v", "-test.short") //nolint:gosec // this very binary
	cmd.Env = append(os.Environ(), storeEnv+"=gcs")
	out, err := cmd.CombinedOutput()
	var passed, failed []string
	for _, m := range ended.FindAllStringSubmatch(string(out), -1) {
		if m[1] == "FAIL" {
			failed = append(failed, m[2])
		} else {
			passed = append(passed, m[2])
		}
	}
	if len(passed) < 200 {
		t.Fatalf("only %d lines passed: %v\n%s", len(passed), err, out)
	}
	for _, name := range failed {
		over := slices.ContainsFunc(failed, func(other string) bool { return strings.HasPrefix(other, name+"/") })
		if _, known := s3Only[name]; !known && !over {
			t.Errorf("%s fails on Cloud Storage:\n%s", name, linesOf(string(out), name))
		}
	}
	for name, reason := range s3Only {
		if !slices.Contains(failed, name) {
			t.Errorf("%s holds on Cloud Storage too (or is gone): take it from the differences (%s)", name, reason)
		}
	}
}

// linesOf is what a run says of one test.
func linesOf(out, name string) string {
	_, rest, _ := strings.Cut(out, "--- FAIL: "+name+" ")
	lines := strings.SplitAfter(rest, "\n")
	return strings.Join(lines[:min(len(lines), 12)], "")
}
