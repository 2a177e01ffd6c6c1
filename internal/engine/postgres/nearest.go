package postgres

// nearest is the candidate that is written most like name: at most a third of
// its letters differ. "" when none is near.
func nearest(name string, candidates []string) string {
	best, found := len(name)/3+1, ""
	for _, candidate := range candidates {
		if d := distance(name, candidate); d < best {
			best, found = d, candidate
		}
	}
	return found
}

// distance is how many letters must be added, dropped or changed to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
