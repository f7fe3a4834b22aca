package cli

import (
	"context"
	"errors"
	"io"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// absentKey is a key that nobody has: under .provcat/ only what the format names is
// written.
const absentKey = ".provcat/nothing-is-here"

// access tries, by reading, what the program does with a bucket.
func (d *doctor) access(ctx context.Context) {
	log := commit.LogPrefix(commit.FolderHash(d.folder))
	var err error
	d.entry, err = d.first(ctx, log)
	d.may = append(d.may, tried("list the versions of the log", "", err))
	d.any, err = d.first(ctx, commit.KeyPrefix(d.folder))
	d.may = append(d.may, tried("list the versions of the files", "", err))
	at := d.entry
	if at == nil {
		at = d.any
	}
	d.may = append(d.may, d.read(ctx, "read what is live", at, false), d.read(ctx, "read a version by its ID", at, true))

	r, _, err := d.b.Open(ctx, absentKey, "", 1)
	switch {
	case err == nil:
		err = errors.Join(errors.New("there is an object "+absentKey), r.Close())
	case errors.Is(err, bucket.ErrNotFound):
		err = nil
	}
	absent := tried("tell a key that isn't there from a forbidden one", "", err)
	if absent.Answer == answerNo && d.onS3() {
		// S3 user guide, "GetObject": without it an absent key is answered with 403.
		absent.Permission, absent.Detail = "s3:ListBucket", "without s3:ListBucket S3 answers 403 for both"
	}
	d.may = append(d.may, absent)

	d.protection(ctx, at)
	err = nil
	for _, err = range d.b.Uploads(ctx, commit.KeyPrefix(d.folder)) {
		break // one is enough
	}
	d.may = append(d.may, tried("list unfinished uploads", "", err))
}

func (d *doctor) onS3() bool { return strings.HasPrefix(d.b.URL(), "s3://") }

func (d *doctor) onGCS() bool { return strings.HasPrefix(d.b.URL(), "gs://") }

// protection tries to read what keeps one version, or lets a rule take it. Google's
// objects have no tags.
func (d *doctor) protection(ctx context.Context, at *bucket.Version) {
	what := "read tags, retention and holds"
	if d.onGCS() {
		what = "read retention and holds"
	}
	if at == nil {
		d.may = append(d.may, doctorCheck{Check: what, Answer: answerUntried, Detail: "the folder has no version to try it on"})
		return
	}
	if !d.onGCS() {
		_, err := d.b.Tags(ctx, at.Key, at.ID)
		d.may = append(d.may, tried("read the tags of a version, which a rule may go by", "", err))
	}
	_, err := d.b.Protection(ctx, at.Key, at.ID)
	d.may = append(d.may, tried("read the retention and the hold of a version", "", err))
}

// first gives a version with content under a prefix; nil: there is none among the
// first thousand.
func (d *doctor) first(ctx context.Context, prefix string) (*bucket.Version, error) {
	n := 0
	for v, err := range d.b.Versions(ctx, bucket.Range{Prefix: prefix}) {
		if err != nil {
			return nil, err
		}
		if v.Latest && !v.DeleteMarker {
			return &v, nil
		}
		if n++; n == 1000 {
			break
		}
	}
	return nil, nil //nolint:nilnil // there is none
}

func (d *doctor) read(ctx context.Context, what string, at *bucket.Version, byID bool) doctorCheck {
	if at == nil {
		return doctorCheck{Check: what, Answer: answerUntried, Detail: "the folder has no live version to try it on"}
	}
	id := ""
	if byID {
		id = at.ID
	}
	r, _, err := d.b.Open(ctx, at.Key, id, 1)
	if err == nil {
		_, err = io.Copy(io.Discard, r)
		err = errors.Join(err, r.Close())
	}
	return tried(what, "", err)
}
