package audit

import (
	"context"
	"errors"
	"io"
	"slices"
)

// confirmLost looks at lost refs once more, each key freshly; at a row of many by
// one more walk. What is no longer so is dropped: the bucket changed while the
// audit ran.
func (a *auditor) confirmLost(ctx context.Context, r *refs, j *joined, list []lost, again func(*joined) []lost) ([]lost, error) {
	defer a.budget.secondLook()()
	const single = 64
	const reason = "a second look at what seemed damaged failed"
	if len(list) > single {
		places := make([]int32, len(list))
		for k, l := range list {
			places[k] = l.ref
		}
		only := r.only(places)
		second, err := a.join(ctx, only, false)
		if err != nil {
			return nil, err
		}
		j.skip(reason, only.count(0, only.len())-second.checked)
		var out []lost
		for _, l := range again(second) {
			l.ref = list[l.ref].ref
			out = append(out, l)
		}
		return out, nil
	}
	fresh := make([]*joined, len(list))
	err := a.each(ctx, len(list), func(i int) {
		x := r.at(list[i].ref)
		vs, err := a.versionsOf(ctx, x.key)
		if err != nil {
			a.t.add("versions that commits name", x.key, nil, err)
			return
		}
		fresh[i] = &joined{}
		fresh[i].judge(r, list[i].ref, vs)
	})
	if err != nil {
		return nil, err
	}
	var out []lost
	failed := int64(0)
	for _, second := range fresh {
		if second == nil {
			failed++
			continue
		}
		out = append(out, again(second)...)
	}
	j.skip(reason, failed)
	return out, nil
}

// readable reads one byte of each named version. One that is archived was answered
// for: it is told as version-archived, by its class or by this answer.
func (a *auditor) readable(ctx context.Context, r *refs, j *joined) ([]lost, error) {
	list := slices.Collect(j.found.all())
	errs := make([]error, len(list))
	var done counter
	err := a.each(ctx, len(list), func(k int) {
		errs[k] = a.readByte(ctx, r.at(list[k]))
		a.step("reading", done.add(), int64(len(list)))
	})
	if err != nil {
		return nil, err
	}
	var bad []lost
	unread, unasked := int64(0), error(nil)
	left := int64(0)
	defer a.budget.secondLook()()
	for k, err := range errs {
		i := list[k]
		if err == nil || k > 0 && r.same(i, list[k-1]) {
			continue
		}
		x := r.at(i)
		if archived(err) {
			if _, told := slices.BinarySearch(j.cold, i); !told {
				j.watch.forecast.tiered(i)
			}
			continue
		}
		if gone(err) || keyDisabled(err) {
			// Once more, with what the listing says now.
			vs, listErr := a.versionsOf(ctx, x.key)
			second := a.readByte(ctx, x)
			there := false
			for _, v := range vs {
				there = there || v.ID == x.version
			}
			if listErr == nil && !there && a.inventory != nil {
				j.since = append(j.since, lost{ref: i, now: vs}) // the report is older than this audit
				continue
			}
			if listErr == nil && (!there || second == nil) {
				continue // it changed while the audit ran
			}
			if listErr == nil && (gone(second) || keyDisabled(second)) {
				bad = append(bad, lost{ref: i, now: vs, err: second})
				continue
			}
			err = errors.Join(listErr, second)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if _, ok := chosen(err); ok {
			unasked = err
			left++
			continue
		}
		unread++
		a.t.add("named versions (a one-byte read)", x.key, nil, err)
	}
	j.skip("a one-byte read failed", unread)
	if left > 0 {
		j.checked -= left
		j.skipped = append(j.skipped, skipOf(unasked, "", left))
	}
	return bad, nil
}

// readByte reads the first byte of a version.
func (a *auditor) readByte(ctx context.Context, x ref) error {
	body, _, err := a.b.Open(ctx, x.key, x.version, 1)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }() // only read from
	var b [1]byte
	_, err = io.ReadFull(body, b[:])
	if errors.Is(err, io.EOF) && x.size <= 0 {
		return nil // an empty file
	}
	return err
}

// keyDisabled says that the store cannot decrypt a version: its key is disabled,
// deleted or in a state in which it cannot be used. What the key service fails with
// besides (throttling, a fault of its own) passes, and says nothing of the version.
//
// AWS KMS API reference, "Decrypt", Errors; S3 puts "KMS." before them.
func keyDisabled(err error) bool {
	switch errorCode(err) {
	case "KMS.DisabledException", "KMS.NotFoundException", "KMS.KMSInvalidStateException", "KMS.InvalidStateException":
		return true
	}
	return false
}

// archived says that a version has to be restored before it can be read: it lies in
// an archive class, or in an archive tier of INTELLIGENT_TIERING.
//
// S3 API reference, GetObject, "Errors": InvalidObjectState.
func archived(err error) bool { return errorCode(err) == "InvalidObjectState" }

// errorCode is the store's word for an error; empty: it gave none.
func errorCode(err error) string {
	var coded interface{ ErrorCode() string }
	if errors.As(err, &coded) {
		return coded.ErrorCode()
	}
	return ""
}
