// Package mistake collects the mistakes in an experiment file, and records the position of each
// value in the file.
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

// Notes collects the mistakes of one file. It records which values are broken, so that later checks do
// not report the consequences of a mistake as further mistakes.
type Notes struct {
	strictyaml.Notes
	Places map[any]*yaml.Node // position of a value, by the pointer to it
	Broken map[any]bool       // values with a mistake, by the pointer to them
}

// Setting identifies an entry of a map, in place of a pointer to it, which Go does not have.
type Setting struct {
	Of   *map[string]string
	Name string
}

// New returns Notes for a file, without mistakes.
func New(file string) *Notes {
	return &Notes{
		Notes:  strictyaml.Notes{File: file, Elsewhere: map[*yaml.Node]string{}, Shared: map[*yaml.Node]bool{}},
		Places: map[any]*yaml.Node{}, Broken: map[any]bool{},
	}
}

// Whole returns an error about the input as a whole, without a position.
func Whole(hint, format string, args ...any) error {
	return &strictyaml.Error{Mistakes: []strictyaml.Mistake{{Text: fmt.Sprintf(format, args...), Hint: hint}}}
}

// Add notes a mistake at a node; nil means the file as a whole. It drops a hint that contains a
// password.
func (s *Notes) Add(n *yaml.Node, hint, format string, args ...any) {
	if conninfo.HoldsPassword(hint) {
		hint = ""
	}
	s.Notes.Add(n, hint, format, args...)
}

// Sound reports whether none of the values has a mistake.
func (s *Notes) Sound(pointers ...any) bool {
	return !slices.ContainsFunc(pointers, func(p any) bool { return s.Broken[p] })
}

// Refused notes the errors of the profile reader, with before as a prefix: those in an inline profile
// at their own position, others at n.
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

// inHere matches a mistake in a file without a name, which is an inline profile.
var inHere = regexp.MustCompile(`(?s)^:(\d+):(\d+): (.*)$`)

// nodeAt returns a node for a line and column within n; n itself if it comes from --set, whose lines
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

// Word returns a scalar node with the position of another node.
func (s *Notes) Word(text string, at *yaml.Node) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Line: at.Line, Column: at.Column}
	if flag, is := s.Elsewhere[at]; is {
		s.Elsewhere[n] = flag
	}
	return n
}

// Mapping returns a mapping node with the position of another node.
func Mapping(at *yaml.Node, content []*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: slices.Clone(content), Line: at.Line, Column: at.Column}
}
