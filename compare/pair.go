package compare

// A Pair puts a line of A beside one of B; -1: it has none beside it. Lines are those
// of a text, the records of a table, the leaves of a JSON value or the rows of a dump.
type Pair struct {
	A, B int32
	Same bool
}

// Pairs takes blocks apart into pairs. Within a difference those lines come to stand
// beside each other, in order, that are most alike: alike gives a number above 0 for
// two lines that may, the higher the more; 0: they may not.
func Pairs(blocks []Block, alike func(a, b int) int) []Pair {
	n := 0
	for _, bl := range blocks {
		n += max(bl.A1-bl.A0, bl.B1-bl.B0)
	}
	out := make([]Pair, 0, n)
	for _, bl := range blocks {
		if !bl.Same {
			out = mate(out, bl, alike)
			continue
		}
		for i := range bl.A1 - bl.A0 {
			out = append(out, Pair{int32(bl.A0 + i), int32(bl.B0 + i), true})
		}
	}
	return out
}

// searched is how many pairs of lines of a difference are looked at; in a larger one
// the lines are put beside each other by their places.
const searched = 2500

// mate appends the pairs of a difference.
func mate(out []Pair, bl Block, alike func(a, b int) int) []Pair {
	n, m := bl.A1-bl.A0, bl.B1-bl.B0
	a, b := 0, 0
	upTo := func(i, j int) {
		for ; a < i; a++ {
			out = append(out, Pair{int32(bl.A0 + a), -1, false})
		}
		for ; b < j; b++ {
			out = append(out, Pair{-1, int32(bl.B0 + b), false})
		}
	}
	together := func(i, j int) {
		upTo(i, j)
		out = append(out, Pair{int32(bl.A0 + i), int32(bl.B0 + j), false})
		a, b = i+1, j+1
	}
	switch {
	case n*m > searched:
		for i := range min(n, m) {
			if alike(bl.A0+i, bl.B0+i) > 0 {
				together(i, i)
			}
		}
	case n > 0 && m > 0:
		// best[i][j] is the most that the lines from i and j on are alike.
		best := make([]int, (n+1)*(m+1))
		score := make([]int, n*m)
		for i := n - 1; i >= 0; i-- {
			for j := m - 1; j >= 0; j-- {
				s := alike(bl.A0+i, bl.B0+j)
				score[i*m+j] = s
				most := max(best[(i+1)*(m+1)+j], best[i*(m+1)+j+1])
				if s > 0 {
					most = max(most, best[(i+1)*(m+1)+j+1]+s)
				}
				best[i*(m+1)+j] = most
			}
		}
		for i, j := 0, 0; i < n && j < m; {
			now := best[i*(m+1)+j]
			switch s := score[i*m+j]; {
			case s > 0 && now == best[(i+1)*(m+1)+j+1]+s:
				together(i, j)
				i, j = i+1, j+1
			case now == best[(i+1)*(m+1)+j]:
				i++
			default:
				j++
			}
		}
	}
	upTo(n, m)
	return out
}

// likeEnds is how many bytes of each end of two lines are compared.
const likeEnds = 1 << 10

// Alike says how much of two texts is the same at their starts and ends, from 1 to
// 1,000, or 0 if that is less than a third of the longer one.
func Alike(a, b string) int {
	longer, most := max(len(a), len(b)), min(len(a), len(b), likeEnds)
	if longer == 0 {
		return 1000
	}
	from := 0
	for from < most && a[from] == b[from] {
		from++
	}
	n := 0
	for n < most && n < min(len(a), len(b))-from && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	if longer > 2*likeEnds {
		longer = 2 * likeEnds
	}
	like := min(1000*(from+n)/longer, 1000)
	if like < 333 {
		return 0
	}
	return max(like, 1)
}
