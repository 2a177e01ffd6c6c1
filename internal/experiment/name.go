package experiment

import (
	"regexp"
	"strings"
)

// ValidName matches names that can be part of a path.
var ValidName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,62}$`)

// ValidTablespace matches names that PostgreSQL accepts without quotes.
var ValidTablespace = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

var notInNames = regexp.MustCompile(`[^a-z0-9.]+`)

// AsName turns any text into a valid name, or "" if no character remains.
func AsName(text string) string {
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(text), "-"), ".-")
	return strings.TrimRight(name[:min(len(name), 63)], ".-")
}
