package audit

var explainLifecycle = []Explanation{
	{
		ID: "version-will-expire", Subject: "versions", Severity: []Severity{Risk},
		Means:    "A lifecycle rule will delete versions that commits name; the date, the rule, which commits break first, and counts by week.",
		Happened: "Somebody set a rule that deletes noncurrent versions, for good, some days after a newer one was made, or that expires live ones, which become noncurrent then. A commit keeps nothing alive: the rule does not know of it. The audit computed the dates from the rules and from each version's place in its key's history, as the service documents it. With confidence possible it may also not happen: the finding says what was not known (tags, object lock, or what the service leaves open). A rule that only expires live files is no risk to commits, for it lays a delete marker over them and they can still be read by version, so it is not reported.",
		Works:    "Everything, until the date. Versions that are due already are still there because the store lags behind, by days at times.",
		Do:       "Before the date: disable the rule, give it more days, or a filter (prefix, tag, size) that leaves out what commits name. A changed rule counts at once, but what is being deleted already may still go. If the old commits may go, leave it: tell those who read them, and acknowledge the finding.",
		Repairs:  []string{"change-rule"},
	},
	{
		ID: "version-archived", Subject: "versions", Severity: []Severity{Risk},
		Means:    "Versions that commits name are in a storage class that cannot be read at once, or a lifecycle rule will move them there, on the date of the finding.",
		Happened: "A rule with a transition to GLACIER or DEEP_ARCHIVE moved them or will move them, or somebody wrote them there. GLACIER_IR can be read at once and is not meant. Whether INTELLIGENT_TIERING has moved a version to one of its archive tiers no listing tells: --depth readable does. A read that the store refuses because the version is archived (InvalidObjectState) is this finding and no other: it is neither unreadable nor denied.",
		Works:    "Nothing is lost. A read of an archived version fails until it was restored; the other files of the commits can be read.",
		Do:       "Restore what somebody needs (minutes to two days, and it costs money); the command of the finding shows how for one version. To stop it, take the transition out of the rule, or give the rule a filter that leaves out what commits name. Copying a file makes a new version, which old commits don't name.",
		Repairs:  []string{"restore-version", "change-rule"},
	},
	{
		ID: "lifecycle-covers-log", Subject: "bucket", Severity: []Severity{Risk, Info},
		Means:    "An enabled lifecycle rule expires or archives live objects under .provcat/: the log itself can then not be read; the date of the first.",
		Happened: "A rule that was meant for data has a prefix so short (or none) that it takes in log entries and commit objects. On its date each gets a delete marker, as if somebody had deleted it; or it moves to a class such as GLACIER, from which nothing can be read before it is restored. A rule with tags is only reported if some of these keys have the tags or they could not be read; info means that none of those that were looked at has them, or that a rule which archives takes in only objects so small that S3 leaves them where they are.",
		Works:    "Everything, until the date. From then on readers lose the oldest commits first, and in the end the folder seems to have none. Files are not touched by this.",
		Do:       "Now: keep the rule off .provcat/. No rule can leave a prefix out, so give it the prefixes of the data that it is meant for (on S3 one rule each, or a tag; on Google Cloud matchesPrefix takes several). If entries have expired already, they come as log-entry-deleted, each with the command that removes its marker: change the rule first, or it does it again. What S3 has archived already has to be restored (aws s3api restore-object) and then copied over itself.",
		Repairs:  []string{"change-rule"},
	},
	{
		ID: "evidence-erased", Subject: "bucket", Severity: []Severity{Risk, Info},
		Means:    "A lifecycle rule removes noncurrent versions or old delete markers under .provcat/: after some days a deletion cannot be undone, or leaves no trace.",
		Happened: "A rule that keeps the bucket small also takes in the log. Nothing is wrong yet. But if somebody deletes or overwrites a log entry or a commit object, the version below the delete marker goes after the days of the rule, and with a rule that removes old markers the marker goes too.",
		Works:    "Everything. What is live is not touched by this.",
		Do:       "Give the rule the prefixes of the data that it is meant for, so that it leaves out .provcat/: log entries and commit objects are small. If it has to stay, audit more often than its days, and keep a witness (--witness) outside of the bucket: it shows what has gone without a trace. Object lock on .provcat/ keeps everything.",
		Repairs:  []string{"change-rule"},
	},
}
