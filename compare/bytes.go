package compare

// Bytes gives the stretches in which two pieces of bytes differ, place by place: a
// byte that was put in makes all after it differ. What one has more is a difference.
func Bytes(a, b []byte) (inA, inB []Span) {
	n := min(len(a), len(b))
	from := -1
	for i := range n {
		switch {
		case a[i] != b[i] && from < 0:
			from = i
		case a[i] == b[i] && from >= 0:
			inA, from = append(inA, Span{from, i}), -1
		}
	}
	if from >= 0 {
		inA = append(inA, Span{from, n})
	}
	inB = append(inB, inA...)
	return join(inA, n, len(a)), join(inB, n, len(b))
}
