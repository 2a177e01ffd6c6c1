package conf

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// SplitWords splits a line of redis.conf, or of redis-cli, as Redis does: words between blanks,
// in "double quotes" with \n, \r, \t, \b, \a, \xHH and \ before anything else, or in 'single
// quotes' with \'. A closing quote must be followed by a blank. (sdssplitargs in src/sds.c)
func SplitWords(line string) ([]string, error) {
	words := []string{}
	for {
		line = strings.TrimLeft(line, " \t\r\n\v\f")
		if line == "" {
			return words, nil
		}
		word, rest, err := firstWord(line)
		if err != nil {
			return nil, err
		}
		words, line = append(words, word), rest
	}
}

var (
	errOpenQuote = errors.New("has an unclosed quote")
	errAfter     = errors.New("has a closing quote that is not followed by a space")
)

func firstWord(line string) (word, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\r', '\n', '\v', '\f':
			return b.String(), line[i:], nil
		case '"', '\'':
			length, err := quoted(&b, line[i:])
			if err != nil {
				return "", "", err
			}
			i += length
			if i < len(line) && !strings.ContainsRune(" \t\r\n\v\f", rune(line[i])) {
				return "", "", errAfter
			}
			return b.String(), line[i:], nil
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), "", nil
}

// quoted parses the quoted string at the start of text, and returns its length including the
// quotes.
func quoted(b *strings.Builder, text string) (length int, err error) {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			return i + 1, nil
		case c == '\\' && i+1 < len(text) && (quote == '"' || text[i+1] == '\''):
			i += escaped(b, text[i+1:])
		default:
			b.WriteByte(c)
		}
	}
	return 0, errOpenQuote
}

// escaped parses what follows a backslash and returns its length in bytes.
func escaped(b *strings.Builder, text string) int {
	if text[0] == 'x' && len(text) >= 3 {
		if n, err := strconv.ParseUint(text[1:3], 16, 8); err == nil {
			b.WriteByte(byte(n))
			return 3
		}
	}
	if i := strings.IndexByte("nrtba", text[0]); i >= 0 {
		b.WriteByte("\n\r\t\b\a"[i])
		return 1
	}
	b.WriteByte(text[0])
	return 1
}

// QuoteWord returns a word in a form that SplitWords reads back: unchanged if no character in it
// is special.
func QuoteWord(word string) string {
	plain := word != ""
	for i := range len(word) {
		c := word[i]
		plain = plain && c > ' ' && c < 0x7f && !strings.ContainsRune(`"'\#`, rune(c))
	}
	if plain {
		return word
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(word) {
		switch c := word[i]; {
		case c == '"', c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ', c >= 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
