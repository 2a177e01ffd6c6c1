package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/hint"
)

// Mistake is one thing that is wrong with a file, or with a value given beside it.
type Mistake struct {
	Place string // "lab.yaml:12:5", "--set dataset.scale", or empty
	Text  string
	Hint  string // what to do about it, or empty
}

// Error is the mistake on one line, without its hint.
func (m Mistake) Error() string {
	if m.Place == "" {
		return m.Text
	}
	return m.Place + ": " + m.Text
}

// Error is everything that is wrong with a file, in the order of the file: the input
// was bad, not the machine.
type Error struct {
	Mistakes []Mistake
	In       string // where they are, if not in an experiment: "the checklist"
}

// Error is one line for each mistake.
func (e *Error) Error() string {
	lines := make([]string, len(e.Mistakes))
	for i, m := range e.Mistakes {
		lines[i] = m.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap is the mistakes, each with its hint.
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

// mostFound is how many mistakes of a file are reported.
const mostFound = 100

// Notes gathers the mistakes of one file.
type Notes struct {
	File string // as places name it
	In   string // see Error

	// Elsewhere has the nodes that do not stand in the file, with the place that is
	// named for them.
	Elsewhere map[*yaml.Node]string
	// Shared has the nodes that the reader sees several times: at the place of each, one
	// mistake is enough.
	Shared map[*yaml.Node]bool

	found []noted
}

type noted struct {
	Mistake
	line, column int
}

// Add notes a mistake at a node; nil stands for the file as a whole.
func (s *Notes) Add(n *yaml.Node, hint, format string, args ...any) {
	m := noted{Mistake: Mistake{Place: s.File, Text: fmt.Sprintf(format, args...), Hint: hint}}
	if place, ok := s.Elsewhere[n]; ok {
		m.Place, m.line = place, 1<<30
	} else if n != nil && n.Line > 0 {
		m.line, m.column = n.Line, n.Column
		m.Place = fmt.Sprintf("%s:%d:%d", s.File, n.Line, n.Column)
	}
	told := slices.Contains(s.found, m) // as it is when seen through another alias
	if s.Shared[n] {
		told = slices.ContainsFunc(s.found, func(other noted) bool { return other.Place == m.Place })
	}
	if !told && len(s.found) < mostFound {
		s.found = append(s.found, m)
	}
}

// Err is all mistakes in the order of the file, of type *Error, or nil.
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
