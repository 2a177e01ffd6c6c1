package experiment

import (
	"fmt"
	"strings"

	"plinth/internal/hint"
)

// Mistake is one thing that is wrong with an experiment file or a --set value.
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

// Error is everything that is wrong with an experiment, in the order of the
// file. errors.As finds it in the errors of Load, LoadBuiltin and Parse: then
// the input was bad, not the machine.
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

// Warning is something that weakens what the experiment can say.
type Warning struct {
	Rule string // a short, stable name for programs
	Text string
	Hint string
}

// mistake is an error about the input as a whole, which has no place.
func mistake(hint, format string, args ...any) *Error {
	return &Error{Mistakes: []Mistake{{Text: fmt.Sprintf(format, args...), Hint: hint}}}
}
