package fakegcs

import "time"

// Soft delete: the page "Soft delete", and the methods objects.get, objects.list
// and objects.restore with their parameters softDeleted.

// softDeleted is the soft-deleted generation that a request names.
func (x *exchange) softDeleted(b *bucket) (*object, *generation, *answer) {
	number, a := x.number("generation")
	switch {
	case a != nil:
		return nil, nil, a
	case b.set.SoftDeletePolicy == nil:
		return nil, nil, x.noPolicy()
	case number == 0:
		return nil, nil, x.fail(400, "required", "A generation is required to access a soft-deleted object.", "locationType", "parameter", "location", "generation")
	}
	o := b.object(x.Req.Key)
	if o == nil {
		return nil, nil, x.absent(b)
	}
	if i := find(o.soft, number); i >= 0 && x.s.now().Before(o.soft[i].hard) {
		return o, o.soft[i], nil
	}
	if find(o.gens, number) >= 0 {
		// Google's storage-testbench has this answer; no page tells it.
		return nil, nil, x.fail(412, "objectNotSoftDeleted", "The object is not soft-deleted.")
	}
	return nil, nil, x.absent(b)
}

// noPolicy is the answer to questions about soft-deleted objects in a bucket
// without a policy; what it is exactly no page tells.
func (x *exchange) noPolicy() *answer {
	return x.fail(400, "invalid", "The bucket has no soft delete policy.")
}

// restoreObject makes a new live generation out of a soft-deleted one
// (objects.restore): "a new copy of that object is created". That the soft-deleted
// one stays until its time is up follows from that; no page tells it outright.
func (x *exchange) restoreObject(b *bucket) *answer {
	if a := x.needs(b, "storage.objects.create"); a != nil {
		return a
	}
	o, from, a := x.softDeleted(b)
	if a != nil {
		return a
	}
	live := o.live()
	if a := x.met("if", live, live); a != nil {
		return a
	}
	if live != nil {
		if a := x.needs(b, "storage.objects.delete"); a != nil {
			return a
		}
		if a := x.mayEnd(b, o.name, live); a != nil {
			return a
		}
	}
	return x.reply(200, x.resource(b, o.name, x.s.restore(b, o, from)))
}

func (s *Server) restore(b *bucket, o *object, from *generation) *generation {
	g := *from
	g.deleted, g.soft, g.hard = time.Time{}, time.Time{}, time.Time{}
	s.add(b, o.name, &g)
	return &g
}
