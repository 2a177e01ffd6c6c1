package postgres

import "strings"

// unquoted takes out what a message quotes: values of the load, names of roles. What
// is quoted without an end goes to the end.
func unquoted(message string) string {
	var kept strings.Builder
	for {
		before, rest, quoted := strings.Cut(message, `"`)
		kept.WriteString(before)
		if !quoted {
			return kept.String()
		}
		kept.WriteString(`"…"`)
		_, message, quoted = strings.Cut(rest, `"`)
		if !quoted {
			return kept.String()
		}
	}
}
