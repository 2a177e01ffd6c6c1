package experiment

import (
	"fmt"
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

// Fixed is what an experiment settled when it was first loaded, as --set values:
// loading its file again with them gives the same experiment, unless it was edited.
func (e *Experiment) Fixed() []string {
	fixed := []string{fmt.Sprintf("seed=%d", e.Seed)}
	if e.Dataset.Fit {
		fixed = append(fixed, fmt.Sprintf("dataset.scale=%d", e.Dataset.Scale))
	}
	return fixed
}
