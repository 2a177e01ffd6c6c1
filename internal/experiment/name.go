package experiment

import (
	"regexp"
	"strings"
)

// ValidName is the names that become parts of paths.
var ValidName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,62}$`)

// ValidTablespace is the names that PostgreSQL takes without quotes.
var ValidTablespace = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

var notInNames = regexp.MustCompile(`[^a-z0-9.]+`)

// AsName makes a name of any text, or "" where nothing of it can stay.
func AsName(text string) string {
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(text), "-"), ".-")
	return strings.TrimRight(name[:min(len(name), 63)], ".-")
}
