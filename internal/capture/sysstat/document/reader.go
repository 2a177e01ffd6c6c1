// Package document reads the JSON of sysstat: of iostat -o JSON, mpstat -o JSON and sadf -j, from
// version 11.5 to 12.7 (json_stats.c, and write_json_ext_stat and its neighbours in iostat.c and
// mpstat.c). The JSON that other programs make of their text, such as jc's, has another form.
package document

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"plinth/internal/capture"
)

// Kinds returns the format that this package reads.
func Kinds() []capture.Kind {
	return []capture.Kind{{
		Name: "sysstat-json", Title: "JSON of iostat, mpstat or sadf",
		Begins: func(lines []string) bool { return beginning.MatchString(strings.Join(lines, "\n")) },
		New:    func() capture.Reader { return &reader{} },
	}}
}

var beginning = regexp.MustCompile(`^\s*\{\s*"sysstat"\s*:\s*\{`)

// reader reads a document: {"sysstat": {"hosts": [{..., "statistics": [{...}, ...]}]}}. It keeps
// one element of statistics at a time.
type reader struct {
	scanner  scanner
	begun    bool
	readings readings
	err      error // why no more can be used
}

const (
	depthElement = 6       // brackets that are open within an element of statistics
	maxElement   = 8 << 20 // bytes
	maxHeader    = 256 << 10
)

// Line takes the next line.
func (r *reader) Line(line []byte) bool {
	trimmed := bytes.TrimSpace(line)
	switch {
	case r.begun && r.scanner.depth == 0, len(trimmed) == 0:
		return false
	case r.begun && beginning.Match(trimmed):
		return false // another document: this one has no end
	case !r.scanner.text && bytes.IndexByte([]byte(`{}[]",-0123456789tfn`), trimmed[0]) < 0:
		return false
	}
	r.begun = true
	if r.err == nil {
		r.err = r.scanner.scan(line, r.readings.element)
	}
	return true
}

// End ends the document.
func (r *reader) End() (capture.Found, error) {
	found := r.readings.found(r.scanner.depth > 0)
	switch {
	case r.err != nil:
		return capture.Found{}, r.err
	case len(found.Series) > 0 || len(found.Facts) > 0:
		return found, nil
	case r.scanner.depth > 0:
		return capture.Found{}, errors.New("it ends before the end of its first report")
	}
	return capture.Found{}, errors.New("it has no reports of disks or CPUs")
}

// scanner finds the elements of statistics.
type scanner struct {
	depth   int
	text    bool // inside a string
	escaped bool
	header  []byte // what is outside of elements
	element []byte
}

// scan scans a line, and calls element for each element that is complete.
func (s *scanner) scan(line []byte, element func(header, element []byte) error) error {
	for _, c := range line {
		inside := s.depth >= depthElement
		closed := s.step(c)
		switch {
		case inside || s.depth >= depthElement:
			s.element = append(s.element, c)
		case s.depth < depthElement-1: // not between two elements
			s.header = append(s.header, c)
		}
		if closed && s.depth == depthElement-1 {
			if err := element(s.header, s.element); err != nil {
				return err
			}
			s.element = s.element[:0]
		}
		if closed && s.depth < 0 {
			return errors.New("it has a closing bracket too many")
		}
	}
	if len(s.header) > maxHeader || len(s.element) > maxElement {
		return fmt.Errorf("a report is longer than %d MiB, or the text around the reports is longer than %d KiB", maxElement>>20, maxHeader>>10)
	}
	return nil
}

// step takes the next character, and reports whether it is a closing bracket.
func (s *scanner) step(c byte) bool {
	switch {
	case s.escaped:
		s.escaped = false
	case s.text:
		s.escaped = c == '\\'
		s.text = c != '"'
	case c == '"':
		s.text = true
	case c == '{' || c == '[':
		s.depth++
	case c == '}' || c == ']':
		s.depth--
		return true
	}
	return false
}
