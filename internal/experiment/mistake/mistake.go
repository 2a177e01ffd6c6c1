// Package mistake gathers what is wrong with an experiment file, and knows where in the
// file each value stands.
package mistake

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"plinth/internal/conninfo"
	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// Notes gathers what is wrong with one file. It remembers which values are not to be
// trusted, so that later checks do not report the consequences of a mistake as
// mistakes of their own.
type Notes struct {
	strictyaml.Notes
	Places map[any]*yaml.Node // where a value stands, by the pointer to it
	Broken map[any]bool       // values with a mistake in them, by the pointer to it
}

// Setting stands for the pointer to a map's entry, which Go does not have.
type Setting struct {
	Of   *map[string]string
	Name string
}

// New is for a file without mistakes so far.
func New(file string) *Notes {
	return &Notes{
		Notes:  strictyaml.Notes{File: file, Elsewhere: map[*yaml.Node]string{}, Shared: map[*yaml.Node]bool{}},
		Places: map[any]*yaml.Node{}, Broken: map[any]bool{},
	}
}

// Whole is an error about the input as a whole, which has no place.
func Whole(hint, format string, args ...any) error {
	return &strictyaml.Error{Mistakes: []strictyaml.Mistake{{Text: fmt.Sprintf(format, args...), Hint: hint}}}
}

// Add notes a mistake at a node; nil stands for the file as a whole. A hint that
// repeats a connection string is left out.
func (s *Notes) Add(n *yaml.Node, hint, format string, args ...any) {
	if conninfo.HoldsPassword(hint) {
		hint = ""
	}
	s.Notes.Add(n, hint, format, args...)
}

// Sound says whether values may be looked at.
func (s *Notes) Sound(pointers ...any) bool {
	return !slices.ContainsFunc(pointers, func(p any) bool { return s.Broken[p] })
}

// Refused notes what the reader of profiles found: in the file itself at its place, in
// another one where that is named.
func (s *Notes) Refused(n *yaml.Node, err error, before string) {
	all := []error{err}
	var several *strictyaml.Error
	if errors.As(err, &several) {
		all = several.Unwrap()
	}
	for _, mistake := range all {
		at, text := n, mistake.Error()
		if place := inHere.FindStringSubmatch(text); place != nil {
			at, text = s.nodeAt(place[1], place[2], n), place[3]
		}
		if strictyaml.LooksSecret(text) {
			text = "an invalid value (not shown: it may hold a password)"
		}
		s.Add(at, hint.Of(mistake), "%s%s", before, text)
	}
}

// inHere is a mistake in a file without a name.
var inHere = regexp.MustCompile(`(?s)^:(\d+):(\d+): (.*)$`)

// nodeAt stands for what is at a line and a column of the tree below n. Lines of --set
// are not those of the file.
func (s *Notes) nodeAt(line, column string, n *yaml.Node) *yaml.Node {
	if _, set := s.Elsewhere[n]; set {
		return n
	}
	at := &yaml.Node{}
	at.Line, _ = strconv.Atoi(line) // digits
	at.Column, _ = strconv.Atoi(column)
	if s.Shared[n] {
		s.Shared[at] = true
	}
	return at
}

// Word is a word that stands for something at the place of another node.
func (s *Notes) Word(text string, at *yaml.Node) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Line: at.Line, Column: at.Column}
	if flag, is := s.Elsewhere[at]; is {
		s.Elsewhere[n] = flag
	}
	return n
}

// Mapping is a mapping of keys and values at the place of another node.
func Mapping(at *yaml.Node, content []*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: slices.Clone(content), Line: at.Line, Column: at.Column}
}
