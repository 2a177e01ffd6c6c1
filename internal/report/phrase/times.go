package phrase

import "plinth/internal/verdict"

// Times prints a ratio, a large one in groups of digits as every number of a table.
func Times(f float64) string {
	if f >= 1000 {
		return Count(f)
	}
	return verdict.Times(f)
}
