package fakegcs

import "strconv"

// The preconditions of a request: parameters in the JSON API, with "if" or
// "ifSource" in front, and headers x-goog-if-… in the XML API.
//
// The discovery document: a generation condition is about the object's current
// generation, so about its live one, whatever generation the request names; 0
// matches when there is none, and "not match" fails when there is none. That a
// metageneration condition is about the generation that the request names is not
// said; it is so in Google's storage-testbench.

// met checks all conditions; live and named may be nil.
func (x *exchange) met(prefix string, live, named *generation) *answer {
	var liveNumber, metagen int64
	if live != nil {
		liveNumber = live.number
	}
	if named != nil {
		metagen = named.metagen
	}
	for _, c := range []struct {
		name, header string
		have         int64
		not          bool
	}{
		{"GenerationMatch", "X-Goog-If-Generation-Match", liveNumber, false},
		{"MetagenerationMatch", "X-Goog-If-Metageneration-Match", metagen, false},
		{"GenerationNotMatch", "X-Goog-If-Generation-Not-Match", liveNumber, true},
		{"MetagenerationNotMatch", "X-Goog-If-Metageneration-Not-Match", metagen, true},
	} {
		text := x.query.Get(prefix + c.name)
		if x.xml {
			text = x.R.Header.Get(c.header)
		}
		if text == "" {
			continue
		}
		want, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err != nil || want < 0:
			return x.parameter(prefix+c.name, text)
		case !c.not && want != c.have:
			return x.conditionNotMet()
		case c.not && (want == c.have || c.have == 0):
			return x.notModified()
		}
	}
	return nil
}

// mayWrite checks the conditions of a write that makes a new live generation.
func (x *exchange) mayWrite(b *bucket, key string) *answer {
	if x.unconditional {
		return nil
	}
	live := b.live(key)
	return x.met("if", live, live)
}
