package unit

import "fmt"

// Count returns a count with its noun, which takes an s in the plural: "1 run", "3 runs".
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
