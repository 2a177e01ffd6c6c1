package device

import (
	"fmt"
	"regexp"
	"strings"

	"plinth/internal/hint"
)

var raidWord = regexp.MustCompile(`(?i)^raid[-_ ]?(0|10?)$`)

// meant is what somebody may have meant who asked for a device that is not there.
func meant(name string, names []string) string {
	const otherwise = "plinth devices lists them; a device file has a slash in its name, or ends in .yaml"
	if level := raidWord.FindStringSubmatch(name); level != nil {
		return fmt.Sprintf("an array is emulate: {raid: %s, of: gp3, members: 8}; plinth devices lists what its members can be", level[1])
	}
	if near := alike(name, names); len(near) > 0 {
		return "did you mean " + orOf(near) + "? plinth devices lists them"
	}
	return otherwise
}

// alike are all names that have the word in them, or else all that are nearest to it:
// nobody can tell which of gp2 and gp3 a gp4 was to be.
func alike(word string, names []string) []string {
	near := hint.AllNearest(word, names)
	if len(word) < 3 || len(near) > 0 && strings.EqualFold(near[0], word) {
		return near
	}
	var within []string
	for _, name := range names {
		if strings.Contains(name, strings.ToLower(word)) {
			within = append(within, name)
		}
	}
	if len(within) > 0 {
		return within
	}
	return near
}

// orOf is "gp2, gp3 or io2".
func orOf(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
