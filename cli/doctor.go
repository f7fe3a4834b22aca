package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor URL",
		Short: "Tell what the credentials may do with a bucket, and which protections it lacks",
		Long: `Asks the store for each thing that the program needs, once, and reads the bucket's
settings, and tells which kinds of work the credentials are enough for: to read, to
commit, to restore, to protect, to repair. It only reads: what writing needs is asked
for where the store can tell (Google Cloud Storage), else named, and not tried.

Exit 1: something is refused, or a protection is missing. Exit 3: something could
not be found out.`,
		Example: "  provcat-tui doctor s3://team-data/sales",
		Args:    argNames(0, "the URL of a bucket or a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			p, folder, err := a.openUnlisted(ctx, args[0])
			if err != nil {
				return err
			}
			defer p.close()
			d := &doctor{b: p, folder: folder}
			d.access(ctx)
			if err := d.protections(ctx, a.parallel(p)); err != nil {
				return err
			}
			d.enough(ctx)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if a.format == "json" {
				return a.doctorJSON(p, d)
			}
			return a.printDoctor(p, d)
		},
		ValidArgsFunction: a.completeURL,
	}
}

// An answer of the doctor's. One word for each state in both formats.
type answer string

const (
	answerYes     answer = "yes"
	answerNo      answer = "no"
	answerUnknown answer = "unknown" // could not be found out
	answerUntried answer = "not tried"
)

var answerMarks = map[answer]string{answerYes: "✓", answerNo: "✗", answerUnknown: "?", answerUntried: "·"}

// A doctorCheck is one line of the doctor's.
type doctorCheck struct {
	Check      string `json:"check"`
	Answer     answer `json:"answer"`
	Permission string `json:"permission,omitempty"` // where it is known to be missing, or was not tried
	Detail     string `json:"detail,omitempty"`
}

// A doctor looks at a bucket.
type doctor struct {
	b          bucket.Bucket
	folder     string
	may, has   []doctorCheck
	work       []doctorCheck   // the kinds of work that the credentials are enough for
	entry, any *bucket.Version // a log entry and a version of any kind, to try reads on
}

// verdict is the command's: the worst of its answers. Nobody needs to be able to write.
func (d *doctor) verdict() error {
	var out error
	for _, list := range [][]doctorCheck{d.may, d.has} {
		for _, c := range list {
			switch {
			case c.Answer == answerNo:
				return &exitError{exitNegative, nil}
			case c.Answer == answerUnknown:
				out = &exitError{exitIncomplete, nil}
			}
		}
	}
	return out
}

// tried notes how an attempt went. detail is told where it went well.
func tried(what, detail string, err error) doctorCheck {
	c := doctorCheck{Check: what, Answer: answerYes, Detail: detail}
	var be *bucket.Error
	switch {
	case err == nil:
	case errors.Is(err, bucket.ErrUnsupported):
		c.Answer, c.Detail = answerUntried, "the store has none"
	case errors.Is(err, bucket.ErrDenied):
		c.Answer, c.Detail = answerNo, err.Error()
		if errors.As(err, &be) {
			c.Permission = be.Permission
		}
	default:
		c.Answer, c.Detail = answerUnknown, err.Error()
	}
	return c
}

func (a *app) printDoctor(p *place, d *doctor) error {
	a.printf("%s\n\nThese credentials may\n", safe.Text(p.URL()))
	a.printChecks(d.may)
	a.printf("\nThey are enough to\n")
	a.printChecks(d.work)
	a.printf("\nThe bucket\n")
	a.printChecks(d.has)
	return d.verdict()
}

func (a *app) printChecks(list []doctorCheck) {
	for _, c := range list {
		a.printf("  %s %-9s  %s\n", answerMarks[c.Answer], c.Answer, c.Check)
		if c.Detail != "" {
			a.printf("               %s\n", c.Detail)
		}
	}
}

func (a *app) doctorJSON(p *place, d *doctor) error {
	doc := newDocument(a.out, "provcat-doctor/1")
	doc.member("bucket", p.URL())
	doc.member("folder", d.folder)
	doc.array("may")
	for _, c := range d.may {
		_ = doc.item(c) // the document keeps its first error
	}
	doc.array("enough_to")
	for _, c := range d.work {
		_ = doc.item(c) // likewise
	}
	doc.array("bucket_has")
	for _, c := range d.has {
		_ = doc.item(c) // likewise
	}
	if err := doc.close(); err != nil {
		return err
	}
	return d.verdict()
}

// protections looks at what keeps commits readable.
func (d *doctor) protections(ctx context.Context, concurrency int) error {
	s := d.b.Settings(ctx)
	settings := "read the object lock's settings"
	if d.onGCS() {
		settings = "read the bucket's retention policy and object retention"
	}
	d.may = append(d.may, tried("read the versioning state", "", s.VersioningErr), tried("read the lifecycle rules", "", s.LifecycleErr), tried(settings, "", s.ObjectLockErr))
	d.has = append(d.has, versioningCheck(s))
	if s.LifecycleErr != nil {
		d.has = append(d.has, tried(spared, "", unknown(s.LifecycleErr)))
	} else {
		rules, err := d.rules(ctx, s.Lifecycle, concurrency)
		if err != nil {
			return err
		}
		d.has = append(d.has, rules)
	}
	d.has = append(d.has, d.lockCheck(s))
	if s.SoftDelete > 0 {
		d.has = append(d.has, doctorCheck{"keeps what is removed for good for a while (soft delete)", answerYes, "", fmt.Sprintf("for %.4g days; what is restored is a new version, and commits name the old one", s.SoftDelete.Hours()/24)})
	}
	d.has = append(d.has, doctorCheck{Check: "denies the deletion of what is under .provcat/, by a policy", Answer: answerUntried,
		Detail: "policies are not read: see docs/permissions.md, \"Protecting the log\", for the one to have"})
	return nil
}

func versioningCheck(s bucket.Settings) doctorCheck {
	c := doctorCheck{Check: "keeps every version (versioning is on)", Answer: answerNo}
	switch {
	case s.VersioningErr != nil:
		return tried(c.Check, "", unknown(s.VersioningErr))
	case s.Versioning == bucket.VersioningEnabled:
		c.Answer = answerYes
	case s.Versioning == bucket.VersioningUnknown:
		c.Answer, c.Detail = answerUnknown, "the store did not say"
	default:
		c.Detail = "it is " + string(s.Versioning) + ": what is written over is gone, and no commit can be made"
	}
	return c
}

// lockCheck looks at what can keep versions from being deleted by anybody, in the
// cloud's own words.
func (d *doctor) lockCheck(s bucket.Settings) doctorCheck {
	by, none := "object lock, holds", "it has no object lock"
	if d.onGCS() {
		by, none = "retention, holds", "it has no retention policy and takes no holds"
	}
	c := doctorCheck{Check: "can keep versions from being deleted (" + by + ")", Answer: answerYes}
	switch l := s.ObjectLock; {
	case s.ObjectLockErr != nil:
		return tried(c.Check, "", unknown(s.ObjectLockErr))
	case l.Mode != "" && d.onGCS():
		c.Detail = fmt.Sprintf("the retention policy keeps each version for %d days (%s)", l.Days, safe.Text(l.Mode))
	case l.Mode != "":
		c.Detail = fmt.Sprintf("new versions are kept for %d years and %d days (%s)", l.Years, l.Days, safe.Text(l.Mode))
	case (l.Enabled || l.CanHold) && d.onGCS():
		c.Detail = "no retention policy: only objects with a retention of their own or a hold are kept; provcat-tui protect puts a hold on what a commit names"
	case l.Enabled || l.CanHold:
		c.Detail = "no default retention: only versions that are put under a hold are kept; provcat-tui protect does that for a commit"
	default:
		c.Answer, c.Detail = answerNo, none+": whoever may delete versions can break commits"
	}
	return c
}

// unknown makes a refusal of what was asked into "could not be found out": that the
// credentials lack it was told before.
func unknown(err error) error {
	if errors.Is(err, bucket.ErrDenied) {
		return errors.New("could not be read, see above")
	}
	return err
}

const spared = "keeps lifecycle rules away from .provcat/"

// rules tells of lifecycle rules that take what lies under .provcat/, as the audit does.
func (d *doctor) rules(ctx context.Context, rules []bucket.Rule, concurrency int) (doctorCheck, error) {
	c := doctorCheck{Check: spared, Answer: answerYes}
	if len(rules) == 0 {
		c.Detail = "it has no rules"
		return c, nil
	}
	r, err := audit.Run(ctx, d.b, audit.Options{Folder: d.folder, Depth: audit.DepthLog, Concurrency: concurrency})
	if err != nil {
		return c, err
	}
	for _, f := range r.Findings {
		switch f.ID {
		case "lifecycle-covers-log", "evidence-erased":
			c.Answer = answerNo
			c.Detail = strings.TrimPrefix(c.Detail+"; "+f.Title, "; ")
		case "access-denied", "check-incomplete":
			if c.Answer == answerYes {
				c.Answer, c.Detail = answerUnknown, "the log could not be read whole: "+f.Title
			}
		}
	}
	if c.Answer == answerYes {
		c.Detail = fmt.Sprintf("%d rules, none of which takes a log entry that is there", len(rules))
	}
	return c, nil
}
