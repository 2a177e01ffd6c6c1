package telemetry

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestText is how many bytes the text of a mark has at most.
const longestText = 200

// Tidy makes text of a server fit for a terminal and a record: what would move the
// cursor, turn the direction of writing or is no character at all is left out. It is
// 200 bytes at most.
func Tidy(text string) string {
	if len(text) > 2*longestText {
		text = text[:2*longestText]
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError:
			return '?'
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
	text = strings.TrimSpace(text)
	if len(text) <= longestText {
		return text
	}
	end := longestText - len("…")
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
