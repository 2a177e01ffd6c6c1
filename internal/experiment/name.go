package experiment

import (
	"regexp"
	"strings"
)

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,62}$`)

// validTablespace is the names that PostgreSQL takes without quotes.
var validTablespace = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

var notInNames = regexp.MustCompile(`[^a-z0-9.]+`)

// asName makes a name of any text, or "" where nothing of it can stay.
func asName(text string) string {
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(text), "-"), ".-")
	return strings.TrimRight(name[:min(len(name), 63)], ".-")
}
