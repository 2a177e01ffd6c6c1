package profile

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/hint"
)

// Mistake is one thing that is wrong with a profile.
type Mistake struct {
	Place string // "mine.yaml:12:5", or empty
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

// Error is everything that is wrong with a profile, in the order of the file.
type Error struct{ Mistakes []Mistake }

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
		errs[i] = hint.Wrap(m, m.Hint)
		if m.Hint == "" {
			errs[i] = m
		}
	}
	return errs
}

// mostTold is how many mistakes of a file are told; nobody reads more.
const mostTold = 100

// notes gathers the mistakes of one file.
type notes struct {
	file  string
	found []noted
}

type noted struct {
	Mistake
	line, column int
}

// add notes a mistake at a node; nil stands for the file as a whole.
func (s *notes) add(n *yaml.Node, hint, format string, args ...any) {
	if n == nil {
		s.addAt(0, 0, hint, format, args...)
		return
	}
	s.addAt(n.Line, n.Column, hint, format, args...)
}

// addAt notes a mistake at a line and a column, from 1; 0 for none.
func (s *notes) addAt(line, column int, hint, format string, args ...any) {
	place := s.file
	if line > 0 {
		place = fmt.Sprintf("%s:%d:%d", s.file, line, max(column, 1))
	}
	m := noted{Mistake{place, fmt.Sprintf(format, args...), hint}, line, column}
	if len(s.found) < mostTold {
		s.found = append(s.found, m)
	}
}

// err is all mistakes in the order of the file, or nil.
func (s *notes) err() error {
	if len(s.found) == 0 {
		return nil
	}
	slices.SortStableFunc(s.found, func(a, b noted) int {
		if a.line != b.line {
			return a.line - b.line
		}
		return a.column - b.column
	})
	e := &Error{}
	for _, m := range s.found {
		e.Mistakes = append(e.Mistakes, m.Mistake)
	}
	return e
}
