package experiment

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// describe says what stands where something else was expected.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.Tag {
	case "!!null":
		return "nothing"
	case "!!int", "!!float", "!!bool":
		return quoteless(n.Value)
	}
	return "the text " + quote(n.Value)
}

// looksSecret matches what may hold a password, wherever somebody put it.
var looksSecret = regexp.MustCompile(`(?i)(password|secret|_key)\s*=|://`)

// quote prints what a user wrote: in quotes, on one line, not all of a long text,
// and nothing that may hold a password.
func quote(text string) string {
	if looksSecret.MatchString(text) {
		return `"…" (not shown: it may hold a password)`
	}
	return fmt.Sprintf("%q", shorten(text))
}

// quoteless is quote without the quotes, as a part of a longer name.
func quoteless(text string) string {
	if looksSecret.MatchString(text) {
		return "…"
	}
	return strings.Trim(fmt.Sprintf("%q", shorten(text)), `"`)
}

func shorten(text string) string {
	if letters := []rune(text); len(letters) > 80 {
		return string(letters[:77]) + "..."
	}
	return text
}
