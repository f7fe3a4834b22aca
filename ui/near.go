package ui

// Near is the word of some that is most like another one, if one is like it at all:
// at most a third of its letters, and one more, are others. Empty: none is.
func Near(word string, words []string) string {
	best, least := "", len([]rune(word))/3+2
	for _, w := range words {
		if d := distance([]rune(word), []rune(w)); d < least {
			best, least = w, d
		}
	}
	return best
}

// distance is how many letters must be put in, taken out, changed or swapped with
// their neighbour to make b of a.
func distance(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0:
				rows[i][j] = j
			case j == 0:
				rows[i][j] = i
			default:
				cost := 1
				if a[i-1] == b[j-1] {
					cost = 0
				}
				rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
				}
			}
		}
	}
	return rows[len(a)][len(b)]
}
