package experiment

import (
	"errors"
	"strings"
)

// pair is one key=value of a connection string.
type pair struct{ key, value string }

var errConninfo = errors.New(`is neither a URI such as postgresql://user@host/database nor key=value pairs`)

const blanks = " \t\n\r\f\v"

// conninfoPairs reads key=value pairs as libpq's conninfo_parse does: blanks
// around the equals sign are allowed, a value may stand in single quotes, and a
// backslash takes the next character as it is.
func conninfoPairs(text string) ([]pair, error) {
	var pairs []pair
	for text = strings.TrimLeft(text, blanks); text != ""; text = strings.TrimLeft(text, blanks) {
		key, rest, found := strings.Cut(text, "=")
		key = strings.TrimRight(key, blanks)
		if !found || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") != "" || key == "" {
			return nil, errConninfo
		}
		value, rest, closed := conninfoValue(strings.TrimLeft(rest, blanks))
		if !closed {
			return nil, errors.New("has a quote that is never closed")
		}
		pairs = append(pairs, pair{key, value})
		text = rest
	}
	if pairs == nil {
		return nil, errConninfo
	}
	return pairs, nil
}

// conninfoValue reads one value and returns what follows it.
func conninfoValue(text string) (value, rest string, closed bool) {
	quoted := strings.HasPrefix(text, "'")
	text = strings.TrimPrefix(text, "'")
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case quoted && c == '\'':
			return b.String(), text[i+1:], true
		case !quoted && strings.IndexByte(blanks, c) >= 0:
			return b.String(), text[i:], true
		case c != '\\':
			b.WriteByte(c)
		}
	}
	return b.String(), "", !quoted
}

// publicPairs writes the pairs that are no secret. Where none is left it is the
// URI that leaves everything to libpq's defaults, because an empty string would
// not be a connection any more.
func publicPairs(pairs []pair) string {
	var words []string
	for _, p := range pairs {
		if !isSecret(p.key, p.value) {
			words = append(words, p.key+"="+quoteConninfo(p.value))
		}
	}
	if words == nil {
		return "postgresql://"
	}
	return strings.Join(words, " ")
}

func quoteConninfo(value string) string {
	if value != "" && !strings.ContainsAny(value, blanks+`'\`) {
		return value
	}
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
}
