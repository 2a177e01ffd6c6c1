// Package conf parses and formats redis.conf: quoted words, directives and sizes. It also knows
// when two values of a setting are equal, and which settings are secrets.
package conf

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/experiment/check"
)

// Directive is one line of redis.conf: a name and its words.
type Directive []string

// String returns the line, with quotes where words need them.
func (d Directive) String() string {
	words := make([]string, len(d))
	for i, word := range d {
		words[i] = QuoteWord(word)
	}
	return strings.Join(words, " ")
}

// grouped maps settings to the number of words per group: up to Redis 6 each group needs its own
// line; later versions accept all groups in one line, too.
var grouped = map[string]int{"save": 2, "client-output-buffer-limit": 4}

// Directives returns the lines of redis.conf for settings, sorted by name.
func Directives(settings map[string]string) ([]Directive, error) {
	var all []Directive
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if err := check.Setting(experiment.EngineRedis, name, settings[name]); err != nil {
			return nil, err
		}
		words, err := valueWords(settings[name])
		if err != nil {
			return nil, fmt.Errorf("the value of %s %w", name, err)
		}
		for _, group := range groupsOf(strings.ToLower(name), words) {
			all = append(all, append(Directive{strings.ToLower(name)}, group...))
		}
	}
	return all, nil
}

// valueWords returns the words of a value; for an empty value, one empty word.
func valueWords(value string) ([]string, error) {
	words, err := SplitWords(value)
	for _, word := range words {
		if strings.HasPrefix(word, "--") { // the server would take it for another setting's name
			return nil, fmt.Errorf("has %s, which begins with --", word)
		}
	}
	if len(words) == 0 {
		words = []string{""}
	}
	return words, err
}

func groupsOf(name string, words []string) [][]string {
	each := grouped[name]
	if each == 0 || len(words)%each != 0 {
		return [][]string{words}
	}
	return slices.Collect(slices.Chunk(words, each))
}
