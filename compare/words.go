package compare

import (
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// A Span is a stretch of bytes of a text, from one to before another.
type Span struct{ From, To int }

// maxWords is the length in bytes up to which two lines are compared word by word;
// of longer ones what is between their equal ends counts as changed.
const maxWords = 4 << 10

// Words finds what differs between two versions of a line: the stretches of each that
// are not in the other, at the borders of words. Lines with little in common (under a
// third of the longer one) are not compared: then both are nil, as they are where the
// lines are equal.
func Words(a, b string) (inA, inB []Span) {
	if a == b {
		return nil, nil
	}
	if len(a) > maxWords || len(b) > maxWords {
		inA, inB = ends(a, b)
	} else {
		inA, inB = words(a, b)
	}
	if 3*(len(a)-total(inA)) < max(len(a), len(b)) {
		return nil, nil
	}
	return inA, inB
}

func total(s []Span) (n int) {
	for _, x := range s {
		n += x.To - x.From
	}
	return n
}

// ends marks what is between the equal starts and the equal ends.
func ends(a, b string) (inA, inB []Span) {
	from := 0
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	for from > 0 && (from < len(a) && !utf8.RuneStart(a[from]) || from < len(b) && !utf8.RuneStart(b[from])) {
		from--
	}
	n := 0
	for n < len(a)-from && n < len(b)-from && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(a[len(a)-n]) {
		n--
	}
	return span(from, len(a)-n), span(from, len(b)-n)
}

func span(from, to int) []Span {
	if from >= to {
		return nil
	}
	return []Span{{from, to}}
}

func words(a, b string) (inA, inB []Span) {
	ids := map[string]int32{}
	wa, pa := split(a, ids)
	wb, pb := split(b, ids)
	for _, d := range lcs.DiffRunes(wa, wb) {
		inA = join(inA, pa[d.Start], pa[d.End])
		inB = join(inB, pb[d.ReplStart], pb[d.ReplEnd])
	}
	return inA, inB
}

// join adds a stretch; one that touches the last makes it longer.
func join(s []Span, from, to int) []Span {
	if from >= to {
		return s
	}
	if n := len(s); n > 0 && s[n-1].To == from {
		s[n-1].To = to
		return s
	}
	return append(s, Span{from, to})
}

// split gives the numbers of a text's words, and where each begins, and the end.
func split(s string, ids map[string]int32) (words []int32, at []int) {
	for i := 0; i < len(s); {
		to := i
		for to < len(s) {
			r, n := utf8.DecodeRuneInString(s[to:])
			if to > i && !(inWord(r) && inWord(first(s[i:]))) && !(r == ' ' && s[i] == ' ') {
				break
			}
			to += n
		}
		id, ok := ids[s[i:to]]
		if !ok {
			id = int32(len(ids))
			ids[s[i:to]] = id
		}
		words, at = append(words, id), append(at, i)
		i = to
	}
	return words, append(at, len(s))
}

func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
