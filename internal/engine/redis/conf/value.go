package conf

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/unit"
)

// Same reports whether a value in force equals the declared one, however the server spells it.
// For a setting in groups the server reports all groups, and undeclared ones keep their own
// values.
func Same(name, declared, inForce string) bool {
	want, err := valueWords(declared)
	have, other := valueWords(inForce)
	if err != nil || other != nil {
		return declared == inForce
	}
	wanted, had := groupsOf(name, spelled(want)), groupsOf(name, spelled(have))
	if len(wanted) < len(had) && name == "save" { // a list: it has only the declared groups
		return false
	}
	for _, group := range wanted {
		if !slices.ContainsFunc(had, func(one []string) bool { return slices.Equal(one, group) }) {
			return false
		}
	}
	return true
}

// spelled normalises words: sizes in bytes, lower case, and new names for old ones.
func spelled(words []string) []string {
	all := make([]string, len(words))
	for i, word := range words {
		word = strings.ToLower(word)
		if bytes, err := Memory(word); err == nil {
			word = strconv.FormatInt(bytes, 10)
		}
		if newer := renamed[word]; newer != "" {
			word = newer
		}
		all[i] = word
	}
	return all
}

// renamed maps words to their newer spelling.
var renamed = map[string]string{"slave": "replica"}

var errMemory = errors.New("is not a size")

// memoryUnits are those of redis.conf: 1k is 1000 bytes, 1kb is 1024.
var memoryUnits = map[string]int64{
	"": 1, "b": 1, "k": 1000, "kb": int64(unit.KiB), "m": 1e6, "mb": int64(unit.MiB), "g": 1e9, "gb": int64(unit.GiB),
}

// Memory parses a size as in redis.conf, and returns bytes.
func Memory(text string) (int64, error) {
	digits := text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
	factor, known := memoryUnits[strings.ToLower(text[len(digits):])]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !known || n > (1<<62)/factor {
		return 0, errMemory
	}
	return n * factor, nil
}

// NotInForce lists the declared settings that a server does not have.
func NotInForce(declared, inForce map[string]string) []string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		value, found := inForce[strings.ToLower(name)]
		switch {
		case !found:
			words = append(words, fmt.Sprintf("%s: the server has no setting of this name", name))
		case !Same(strings.ToLower(name), declared[name], value):
			if value == "" {
				value = `""`
			}
			words = append(words, fmt.Sprintf("%s: %s, not %s", name, value, declared[name]))
		}
	}
	return words
}

// Hidden matches the settings that are or lead to secrets.
var Hidden = regexp.MustCompile(`(?i)pass$|auth$|user$|secret|token|^aclfile$`)
