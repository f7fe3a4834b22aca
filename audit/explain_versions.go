package audit

var explainVersions = []Explanation{
	{
		ID: "version-missing", Subject: "versions", Severity: []Severity{Damage},
		Means:    "A commit names a version that no longer exists: that file of that commit cannot be read.",
		Happened: "The complete listing of the key, made twice, lacks the version. A lifecycle rule for noncurrent versions removed it (the finding names the rule if one explains it), or a person or a tool deleted it by its version ID. One with the ID null is destroyed by any deletion while versioning is suspended.",
		Works:    "All other files of the same commits, and all commits that don't name the version. Reads of this file at these commits fail; they do not give other bytes.",
		Do:       "If the finding names a rule that is still enabled, change it first: it takes more every midnight UTC. A version that was removed for good cannot be brought back. Meanwhile read the commit that the finding names as whole. If the finding says that the same bytes are still at another version, or a backup has them, put them under the key again and commit: the newest commit is then whole. Tell those who read the old commits.",
		Repairs:  []string{"recommit"},
	},
	{
		ID: "version-changed", Subject: "versions", Severity: []Severity{Damage},
		Means:    "The version exists, but with another ETag or size than the commit recorded.",
		Happened: "If the version's ID is null: the file was overwritten while versioning was suspended, or before it was switched on. The new bytes then take the place of the old ones and keep the ID; S3 works so, and it is no sign of tampering. Versions with any other ID never change in a store that works: somebody replaced the store's own data, restored it wrongly, or a tool wrote a commit that names the wrong version.",
		Works:    "Other files. Reads of this file at these commits give bytes that the commit did not mean: don't trust them.",
		Do:       "Compare the evidence (what the store says) with the examples (what the commit recorded). With the ID null the recorded bytes are gone: commit what is there now, and keep versioning on. With another ID, if one commit only is wrong, suspect its writer; if all commits that name the version are, suspect the store. `restore` finds another version of the key with the same bytes, where one is left; else restore them from a backup under the key and commit.",
	},
	{
		ID: "version-null", Subject: "versions", Severity: []Severity{Risk},
		Means:    "A commit names a version with the ID null: while versioning is suspended, an overwrite destroys it.",
		Happened: "The file was written before versioning was switched on, or while it was suspended. Every key has at most one such version, and the next write under suspended versioning replaces it without a trace.",
		Works:    "Everything, as long as versioning stays on.",
		Do:       "Keep versioning on. Then put each of these files once more, so that it gets a version of its own, and commit.",
		Repairs:  []string{"rewrite"},
	},
	{
		ID: "version-unreadable", Subject: "versions", Severity: []Severity{Damage, Unknown}, From: DepthReadable,
		Means:    "A version is listed, but the store gives no byte of it.",
		Happened: "The store says that it isn't there, against its own listing, or that its encryption key is disabled or gone. A refused read (403) or a failing one is not called damage: it comes as access-denied or check-incomplete.",
		Works:    "Other files. Reads of this one fail.",
		Do:       "If an encryption key is disabled, enable it: nothing is lost until the key is deleted. If the store denies what it lists, ask its operator, with the key and the version of the evidence.",
	},
}
