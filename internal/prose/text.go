package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Length returns the number of columns of text.
func Length(text string) int { return utf8.RuneCountInString(text) }

// Shortened returns text on one line, and cut to at most so many columns, with dots at its end.
func Shortened(text string, longest int) string {
	text = Clean(text)
	if Length(text) <= longest {
		return text
	}
	return string([]rune(text)[:longest-3]) + "..."
}

// Wrap breaks text between words into lines of at most width; a longer word gets a separate
// line.
func Wrap(text string, width int) []string {
	var lines []string
	for _, word := range words(text) {
		last := len(lines) - 1
		if last >= 0 && Length(lines[last])+1+Length(word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// words returns the parts between which a line may be broken: a per cent sign stays with
// its number.
func words(text string) []string {
	var all []string
	for _, word := range strings.Fields(text) {
		if last := len(all) - 1; last >= 0 && strings.HasPrefix(word, "%") && !strings.Contains(all[last], " ") {
			all[last] += " " + word
		} else {
			all = append(all, word)
		}
	}
	return all
}

// Hanging returns text next to a first column, with its further lines indented.
func Hanging(column, text string, width int) string {
	before := strings.Repeat(" ", Length(column))
	return column + strings.Join(Wrap(Clean(text), width-Length(column)), "\n"+before) + "\n"
}

// Cut shortens text to at most n characters, with dots for the removed part.
func Cut(text string, n int) string {
	runes := []rune(Clean(text))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:max(n-3, 0)]) + "..."
}

// Clean makes text from a record safe for a terminal: one line, in which control characters are
// visible and inert (a question could contain escape sequences that move the cursor or set the
// window's title), as are characters that change the direction of writing.
func Clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch r {
		case '\n', '\t', '\r', '\u2028', '\u2029':
			return ' '
		}
		return inert(r)
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// Inert makes text safe for a terminal like Clean, but keeps its lines and spaces.
func Inert(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return inert(r)
	}, text)
}

// inert returns the character to show for r: its picture for a control character (Unicode, Control
// Pictures), U+FFFD for one without a picture and for bidirectional controls, and nothing for other
// invisible characters.
func inert(r rune) rune {
	switch {
	case r < ' ':
		return '\u2400' + r
	case r == 0x7f:
		return '\u2421'
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
		return unicode.ReplacementChar
	case unicode.Is(unicode.Cf, r):
		return -1
	}
	return r
}
