package prose

import (
	"strings"
	"unicode"
)

// Clean makes text from a record fit for a terminal: one line, without control
// characters (a question could hold escape sequences that move the cursor or
// set the window's title) and without those that turn the direction of writing.
func Clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r' || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
