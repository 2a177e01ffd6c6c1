package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/hint"
)

// Mistake is one mistake in a file, or in a value given on the command line.
type Mistake struct {
	Place string // "lab.yaml:12:5", "--set dataset.scale", or empty
	Text  string
	Hint  string // what to do about it, or empty
}

// Error returns the mistake on one line, without its hint.
func (m Mistake) Error() string {
	if m.Place == "" {
		return m.Text
	}
	return m.Place + ": " + m.Text
}

// Error holds all mistakes in a file, in the order of the file. It indicates invalid input, not a
// problem of the machine.
type Error struct {
	Mistakes []Mistake
	In       string // where they are, if not in an experiment: "the checklist"
}

// Error returns one line for each mistake.
func (e *Error) Error() string {
	lines := make([]string, len(e.Mistakes))
	for i, m := range e.Mistakes {
		lines[i] = m.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the mistakes, each with its hint.
func (e *Error) Unwrap() []error {
	errs := make([]error, len(e.Mistakes))
	for i, m := range e.Mistakes {
		errs[i] = m
		if m.Hint != "" {
			errs[i] = hint.Wrap(m, m.Hint)
		}
	}
	return errs
}

// mostFound is the maximum number of mistakes that are reported for a file.
const mostFound = 100

// Notes collects the mistakes of one file.
type Notes struct {
	File string // name of the file, for positions
	In   string // see Error

	// Elsewhere maps the nodes that are not from the file to the position shown for them.
	Elsewhere map[*yaml.Node]string
	// Shared holds the nodes that are read several times: for each position, one mistake is noted.
	Shared map[*yaml.Node]bool

	found []noted
}

type noted struct {
	Mistake
	line, column int
}

// Add notes a mistake at a node; nil means the file as a whole.
func (s *Notes) Add(n *yaml.Node, hint, format string, args ...any) {
	m := noted{Mistake: Mistake{Place: s.File, Text: fmt.Sprintf(format, args...), Hint: hint}}
	if place, ok := s.Elsewhere[n]; ok {
		m.Place, m.line = place, 1<<30
	} else if n != nil && n.Line > 0 {
		m.line, m.column = n.Line, n.Column
		m.Place = fmt.Sprintf("%s:%d:%d", s.File, n.Line, n.Column)
	}
	duplicate := slices.Contains(s.found, m) // for example, through another alias
	if s.Shared[n] {
		duplicate = slices.ContainsFunc(s.found, func(other noted) bool { return other.Place == m.Place })
	}
	if !duplicate && len(s.found) < mostFound {
		s.found = append(s.found, m)
	}
}

// Err returns all mistakes in the order of the file, as an *Error, or nil if there are none.
func (s *Notes) Err() error {
	if len(s.found) == 0 {
		return nil
	}
	slices.SortStableFunc(s.found, func(a, b noted) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	e := &Error{In: s.In}
	for _, m := range s.found {
		e.Mistakes = append(e.Mistakes, m.Mistake)
	}
	return e
}
