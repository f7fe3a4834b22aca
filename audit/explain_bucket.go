package audit

var explainBucket = []Explanation{
	{
		ID: "versioning-off", Subject: "bucket", Severity: []Severity{Risk},
		Means:    "The bucket keeps no versions: every overwrite and every deletion destroys what was there.",
		Happened: "Versioning was never switched on, or the store has none (S3 directory buckets, storage accounts with a hierarchical namespace).",
		Works:    "What is there can be read. No commit can be made, since a commit names versions.",
		Do:       "Switch versioning on before anything else is written: it changes nothing about the objects that exist. They keep the version null until they are put again. Where the store has no versioning, move the data to a bucket that has.",
		Repairs:  []string{"enable-versioning"},
	},
	{
		ID: "versioning-suspended", Subject: "bucket", Severity: []Severity{Risk},
		Means:    "Versioning is suspended: old versions stay, but new writes have the version null, and the next write to the same key destroys them.",
		Happened: "Somebody suspended it, often to save storage.",
		Works:    "All commits, and all versions with an ID of their own. No commit can be made, and what is written now is not protected.",
		Do:       "Switch versioning on again. Then put the files once more that were written meanwhile (they have the version null) and commit. If it was about storage, a lifecycle rule for noncurrent versions that no commit names does it better.",
		Repairs:  []string{"enable-versioning"},
	},
	{
		ID: "bucket-copied", Subject: "bucket", Severity: []Severity{Damage}, From: DepthVersions,
		Means:    "This bucket is a copy: the versions that its commits name are those of another bucket, and are not here.",
		Happened: "Somebody copied the bucket, log and all, with a tool that gives each object a version of its own (aws s3 sync, gcloud storage cp, rclone, a restore from a backup). More than half of the named versions are missing, none that a broken commit names is left, the keys that the newest commits name hold the same bytes by ETag and size, and files and log entries were written in one go after the newest commit. It replaces the many version-missing findings, and those about times that the copy set.",
		Works:    "The files as they are now, and the log: it says which commits there were. None of the commits that the finding lists can be read here. In the original bucket they may all be sound.",
		Do:       "Point readers to the original bucket and audit that. To move a bucket with its commits, use S3 Replication, and S3 Batch Replication for what is there already: they keep version IDs, and sync and cp don't. If the original is gone or this copy is to stay, commit each folder again here: that begins a fresh history that can be read, and the old commits stay broken; acknowledge the finding then by its fingerprint.",
		Repairs:  []string{"recommit"},
	},
	{
		ID: "uploads-pending", Subject: "bucket", Severity: []Severity{Info}, From: DepthVersions,
		Means:    "Multipart uploads under a committed folder were begun and neither completed nor aborted.",
		Happened: "A writer is at work, or broke off: a killed process, a lost connection. The parts that it sent are kept, and are in no listing of objects or versions.",
		Works:    "Everything. No commit can name such parts, and none does. They cost storage. One that is completed late becomes a version with the time at which it was started, which may be before commits that don't have it.",
		Do:       "Nothing at once. Ask who writes there, if the oldest is more than a few days old, and abort what nobody will complete. A lifecycle rule with AbortIncompleteMultipartUpload (7 days, say) does so from then on.",
		Repairs:  []string{"abort-upload"},
	},
	{
		ID: "witness-regressed", Subject: "bucket", Severity: []Severity{Damage},
		Means:    "Entries or commits that an earlier audit saw (--witness) have gone or changed, and the bucket itself shows nothing of it.",
		Happened: "Somebody removed every version of log entries, of the newest or of all, with or without their commit objects; or wrote an entry anew after all its versions were removed; or put back an older state of the bucket. The writer never does any of this. The witness lies outside of the bucket, so it is certain that the entries were there. It can look the same only where the witness is kept for another bucket of the same name, such as a test server at another endpoint.",
		Works:    "What the log still shows is as it was. Readers get an older commit, or none, and believe that it is the newest. The finding says which of the commit objects are still there: those, and their files, can be read under their full ID. The next commit would take a number that was used and make a second history.",
		Do:       "Stop the writers of this folder. If the bucket was put back on purpose (a restore, a test), that explains it. Otherwise look into the bucket's access log between the two times in the finding, and stop whoever deletes under .provcat/. Where the commit objects are there, write the entries again with put-if-absent, the lowest number first; where they are not, look for copies of them (a replica, a backup, a reader's cache) whose SHA-256 is the ID. Until then each audit with this witness says so again. If the loss is final, acknowledge this finding by its fingerprint in the --ignore file; anything that is lost later is another finding.",
		Repairs:  []string{"rebuild-entry", "restore-commit-object"},
	},
}
