package conninfo

import (
	"regexp"
	"strings"
)

// A connection string can stand anywhere in a --set value, so what looks like a
// secret goes, whatever surrounds it.
var (
	uriPassword   = regexp.MustCompile(`((?:postgres(?:ql)?|rediss?|unix)://[^:@/\s]*):\S*@`)
	namedPassword = regexp.MustCompile(`(?i)(` + strings.Join(secretParameters, "|") + `)(\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&,}'"]*)`)
)

// Redact drops the passwords from a text that may hold a connection string, such
// as a --set value on its way into a record.
func Redact(text string) string {
	text = uriPassword.ReplaceAllString(text, "$1@")
	return namedPassword.ReplaceAllString(text, "$1$2")
}

// embeddedPassword matches a password inside a connection string.
var embeddedPassword = regexp.MustCompile(`(?i)password\s*=|://[^/@\s]*:[^/@\s]*@`)

// HoldsPassword says whether a text holds a password, as a connection string has it.
func HoldsPassword(text string) bool { return embeddedPassword.MatchString(text) }
