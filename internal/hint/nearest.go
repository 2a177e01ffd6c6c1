package hint

import "strings"

// Nearest returns the name that is closest to a misspelt word, or "" if none is close. It ignores
// case, spaces, hyphens and underscores; a prefix of a name of at least three letters is close.
func Nearest(word string, names []string) string {
	if near := AllNearest(word, names); len(near) > 0 {
		return near[0]
	}
	return ""
}

// AllNearest returns all names that are as close to the word as the closest one.
func AllNearest(word string, names []string) []string {
	var near []string
	least := min(len(word)/3+1, 3)
	for _, name := range names {
		d := Distance(plain(word), plain(name))
		if len(word) > 2 && strings.HasPrefix(plain(name), plain(word)) {
			d = min(d, 1)
		}
		switch {
		case d > least || d >= len(name):
		case d < least:
			near, least = []string{name}, d
		default:
			near = append(near, name)
		}
	}
	return near
}

// DidYouMean returns a hint with the nearest name, or otherwise if there is none.
func DidYouMean(word string, names []string, otherwise string) string {
	if name := Nearest(word, names); name != "" {
		return "did you mean " + name + "?"
	}
	return otherwise
}

// separators removes ignored characters. It is created once, because with hundreds of names creating
// it would dominate the run time.
var separators = strings.NewReplacer("-", "", "_", "", " ", "")

func plain(word string) string { return separators.Replace(strings.ToLower(word)) }

// Distance returns the number of bytes to insert, delete, change, or swap with their neighbour to turn
// a into b (optimal string alignment). For words longer than 64 bytes it returns the sum of the
// lengths.
func Distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return len(a) + len(b)
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// Choice returns "a, b or c".
func Choice(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, ", ")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
