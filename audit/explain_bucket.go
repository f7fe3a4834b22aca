package audit

var explainBucket = []Explanation{
	{
		ID: "witness-regressed", Subject: "bucket", Severity: []Severity{Damage},
		Means:    "Entries or commits that an earlier audit saw (--witness) have gone or changed, and the bucket itself shows nothing of it.",
		Happened: "Somebody removed every version of log entries, of the newest or of all, with or without their commit objects; or wrote an entry anew after all its versions were removed; or put back an older state of the bucket. The writer never does any of this. The witness lies outside of the bucket, so it is certain that the entries were there. It can look the same only where the witness is kept for another bucket of the same name, such as a test server at another endpoint.",
		Works:    "What the log still shows is as it was. Readers get an older commit, or none, and believe that it is the newest. The finding says which of the commit objects are still there: those, and their files, can be read under their full ID. The next commit would take a number that was used and make a second history.",
		Do:       "Stop the writers of this folder. If the bucket was put back on purpose (a restore, a test), that explains it. Otherwise look into the bucket's access log between the two times in the finding, and stop whoever deletes under .provcat/. Where the commit objects are there, write the entries again with put-if-absent, the lowest number first; where they are not, look for copies of them (a replica, a backup, a reader's cache) whose SHA-256 is the ID. Until then each audit with this witness says so again. If the loss is final, acknowledge this finding by its fingerprint in the --ignore file; anything that is lost later is another finding.",
		Repairs:  []string{"rebuild-entry", "restore-commit-object"},
	},
}
