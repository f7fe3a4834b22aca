package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"provcat-tui/bucket"
)

// A doctorWork is a kind of work that writes, and what it needs beside reading: as
// docs/permissions.md has it.
type doctorWork struct {
	name, where string
	s3, gcs     []string
}

var doctorWorks = []doctorWork{
	{"commit", "what is under .provcat/", []string{"s3:PutObject"}, []string{"storage.objects.create"}},
	{"restore", "the folder's keys", []string{"s3:PutObject"}, []string{"storage.objects.create", "storage.objects.delete"}},
	{"protect", "the folder's keys and what is under .provcat/", []string{"s3:PutObjectLegalHold"}, []string{"storage.objects.update"}},
	{"repair", "what is under .provcat/", []string{"s3:PutObject", "s3:DeleteObject", "s3:DeleteObjectVersion"}, []string{"storage.objects.create", "storage.objects.delete"}},
}

// enough tells for which kinds of work the credentials are enough, as far as reading can
// tell.
func (d *doctor) enough(ctx context.Context) {
	d.work = append(d.work, d.reading())
	var has []string
	asked := false
	if ask := bucket.Permitted(d.b); ask != nil {
		var all []string
		for _, w := range doctorWorks {
			all = append(all, w.gcs...)
		}
		slices.Sort(all)
		var err error
		has, err = ask(ctx, slices.Compact(all))
		if errors.Is(err, bucket.ErrNotFound) {
			err = bucket.ErrUnsupported // a server for tests, whose bucket was read before
		}
		asked = err == nil
		d.may = append(d.may, tried("ask which permissions they have", "", err))
	}
	for _, w := range doctorWorks {
		d.work = append(d.work, d.writing(w, asked, has))
	}
}

// reading sums up what was tried: all of it is what the commands need that only read.
func (d *doctor) reading() doctorCheck {
	c := doctorCheck{Check: "read: ls, log, show, diff, pin, cat, get, audit", Answer: answerYes}
	var missing []string
	for _, m := range d.may {
		switch {
		case m.Answer == answerNo:
			c.Answer = answerNo
			missing = append(missing, m.Permission)
		case m.Answer == answerUnknown && c.Answer == answerYes:
			c.Answer, c.Detail = answerUnknown, "not everything could be found out, see above"
		}
	}
	if c.Answer == answerNo {
		slices.Sort(missing)
		missing = slices.DeleteFunc(slices.Compact(missing), func(s string) bool { return s == "" })
		if c.Detail = "not all of it, see above"; len(missing) > 0 {
			c.Detail = "not all of it: without " + strings.Join(missing, ", ")
		}
	}
	return c
}

// writing tells of one kind of work. has are the permissions on the whole bucket, if the
// store was asked.
func (d *doctor) writing(w doctorWork, asked bool, has []string) doctorCheck {
	c := doctorCheck{Check: w.name, Answer: answerUntried}
	switch {
	case d.onS3():
		c.Permission = w.s3[0]
		c.Detail = "only a write shows it. It needs " + strings.Join(w.s3, ", ") + " on " + w.where
	case !d.onGCS():
		c.Detail = "only a write shows it. It needs to write the bucket's file"
	case !asked:
		c.Permission = w.gcs[0]
		c.Detail = "only a write shows it. It needs " + strings.Join(w.gcs, ", ") + " on " + w.where
	default:
		lacks := slices.DeleteFunc(slices.Clone(w.gcs), func(p string) bool { return slices.Contains(has, p) })
		if len(lacks) == 0 {
			c.Answer = answerYes
			break
		}
		c.Answer, c.Permission = answerUnknown, lacks[0]
		c.Detail = "not on the whole bucket, without " + strings.Join(lacks, ", ") + "; whether a role with a condition gives it on " + w.where + ", only a write shows"
	}
	if w.name == "commit" && c.Answer != answerYes {
		c.Detail += ", and nothing that deletes"
	}
	return c
}
