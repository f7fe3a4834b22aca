package audit

var explainTime = []Explanation{
	{
		ID: "commit-not-snapshot", Subject: "versions", Severity: []Severity{Anomaly},
		Means:    "The files of a commit were never all there at one moment, or it leaves one out, or it names a delete marker as a file.",
		Happened: "A commit promises every live version of its folder at one moment. By the bucket's own times two of its versions were never live together; or a version that was live all the while is missing from it; or a version that it names is a delete marker, which is certain. A program that lists a folder only once, while others write, makes such commits; provcat-tui lists until two listings agree. A file that was deleted for a while and brought back by removing its delete marker looks as if it had been left out.",
		Works:    "Every version that it names can be read (a delete marker cannot). But a reader of this commit sees a mix of two states: totals may not add up, a file may be missing, or belong to another run.",
		Do:       "Compare the evidence with what was done to the folder at that time: if a file was deleted and brought back, nothing is wrong. Otherwise find out which program made the commit, and tell those who read it. The commit cannot be mended: commit the folder again.",
		Repairs:  []string{"recommit"},
	},
	{
		ID: "time-backwards", Subject: "time", Severity: []Severity{Anomaly}, From: DepthLog,
		Means:    "A commit is not dated after the commit before it in the same log.",
		Happened: "A writer that keeps to the format dates its commit after all that it can see. Another program wrote one of the two, with its clock off or with a date that somebody chose.",
		Works:    "The numbers of the log are right, and so is everything that goes by number. A pin goes by time: while the earlier number has the later time, readers who pin the folder get that one (pin-misordered says for which times). At equal times the higher number is taken.",
		Do:       "Find the program by the author of the commits and make it date its commits as the format says. A new commit by provcat-tui is dated after both, so from then on pins without a time are right again.",
	},
	{
		ID: "time-future", Subject: "time", Severity: []Severity{Anomaly}, From: DepthCommits,
		Means:    "A commit is dated more than two seconds ahead of the bucket's own clock.",
		Happened: "The clock of its writer was ahead, or somebody chose that date. Commits that are dated one microsecond after it only follow it, and are listed with it.",
		Works:    "Everything that goes by number. Pins of this folder and of those below it give this commit until its time has come, also where a program that doesn't look commits later. provcat-tui dates its commits after it, and refuses where that is more than --max-skew (five minutes) ahead of the bucket.",
		Do:       "Set the clock of the writer right (the finding names the author). If it is minutes ahead, wait. If it is days ahead, and commits are refused, allow them with a larger --max-skew; every commit until then is dated into the future as well. A commit's time cannot be changed.",
	},
	{
		ID: "time-skewed", Subject: "time", Severity: []Severity{Anomaly}, From: DepthCommits,
		Means:    "A commit's time and the bucket's time of its log entry are further apart than --skew-tolerance: its writer's clock is off.",
		Happened: "The bucket keeps the time at which the entry was made; the commit says what its writer's clock said. The finding tells by how much and which way, one finding for each author and folder. A commit that was not read, whose author is not known, is left out. A log that was copied to where it is, with all its entries, looks like a clock that is behind; a restored entry does not, for the time of its earliest version counts. A commit that had to be dated after another one says nothing of its writer's clock, and is left out.",
		Works:    "Everything that goes by number, and pins without a time as long as no pin-misordered is reported. A pin with a time close to the commit's is off by as much as the clock.",
		Do:       "Set the clock right on the machine of that author: time synchronisation is most likely off. Nothing in the bucket needs to be changed, and nothing can be.",
	},
	{
		ID: "pin-tied", Subject: "time", Severity: []Severity{Anomaly}, From: DepthLog,
		Means:    "A folder and a folder above it have commits with exactly the same time.",
		Happened: "Two writers that did not see each other read the same microsecond from their clocks, or another program dates several commits alike. At equal times the folder above counts as newer, so that every reader gets the same answer.",
		Works:    "Everything: pins are definite. The finding says whether the other commit was written later by the bucket's own times; then the pin gives the older of the two.",
		Do:       "If the folder's own commit should win, commit the folder again: if nothing has changed in it, put one of its files once more first. Make programs of your own date each commit after all they can see.",
	},
	{
		ID: "pin-misordered", Subject: "time", Severity: []Severity{Risk}, From: DepthLog,
		Means:    "For a span of time the pin of a folder gives one commit, though another one was committed later.",
		Happened: "A pin takes the newest commit by time, among the folder's and those of the folders above it. The clock of one writer was off, and another one did not look at the commit it made (provcat-tui does). The order comes from the numbers within one log, and from the bucket's own times of the log entries across logs, where they are more than two seconds apart and neither writer was at work while the other committed.",
		Works:    "Every commit can be read, by number or ID. A reader who pins the folder at a time in the span, or who read without a time while it lasted, gets the wrong one of the two commits that the finding names, always the same.",
		Do:       "If readers without a time still get the wrong one, commit the folder with provcat-tui: the new commit is dated after all others. Readers who need a time in the span must name the commit by number or ID instead. Then set the clock right (time-skewed or time-future name its owner).",
	},
}
