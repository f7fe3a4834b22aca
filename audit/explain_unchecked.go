package audit

var explainUnchecked = []Explanation{
	{
		ID: "access-denied", Subject: "not checked", Severity: []Severity{Unknown},
		Means:    "A read was refused, so something could not be checked. It is neither sound nor damaged.",
		Happened: "The credentials lack a permission, a policy of the bucket or of an encryption key denies it, or the bucket's owner took it away. Without the permission to list, a store answers 403 also for what isn't there.",
		Works:    "Not known for what the finding names; everything else was checked.",
		Do:       "Grant the permission that the finding names (docs/permissions.md has a whole policy) and run the audit again. If it is meant to be denied, narrow the audit with --folder or acknowledge the finding, so that it doesn't hide a new one.",
		Repairs:  []string{"grant-permission"},
	},
	{
		ID: "check-incomplete", Subject: "not checked", Severity: []Severity{Unknown},
		Means:    "A read or a listing failed, or the answer wasn't what was asked for, so something could not be checked.",
		Happened: "The network or the store failed and went on failing, a proxy answered in its place, a listing broke off, or a log entry or a commit object lies in an archive and cannot be read at once. A listing that broke off proves nothing about what is absent.",
		Works:    "Not known for what the finding names; everything else was checked.",
		Do:       "Run the audit again. If it stays, --log-file FILE notes each request and its answer: look at the first that failed. A log entry or commit object that S3 has archived has to be restored first (aws s3api restore-object), and the rule that archived it kept off .provcat/.",
		Repairs:  []string{"audit-folder"},
	},
}
