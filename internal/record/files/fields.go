package files

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Fields decodes those fields of the JSON object in data that are in into, and skips the
// others without parsing them: json.Unmarshal would read every byte of them, twice. It decodes as
// many fields as it can and returns the first error.
func Fields(data []byte, into map[string]any) error {
	var first error
	s := scanner{data: data}
	err := s.object(func(name string, value []byte) {
		target, wanted := into[name]
		if !wanted {
			return
		}
		if err := json.Unmarshal(value, target); err != nil && first == nil {
			first = err
		}
	})
	if first != nil {
		return first
	}
	return err
}

var (
	errCutShort = errors.New("unexpected end of JSON input")
	errNotJSON  = errors.New("not valid JSON")
)

// scanner finds the bounds of JSON values.
type scanner struct {
	data []byte
	at   int
}

// object calls found for each field of the object, which must span all of the data.
func (s *scanner) object(found func(name string, value []byte)) error {
	if err := s.take('{'); err != nil {
		return err
	}
	for s.next() != '}' {
		name, err := s.value()
		if err == nil {
			err = s.take(':')
		}
		if err != nil {
			return err
		}
		value, err := s.value()
		if err != nil {
			return err
		}
		found(string(bytes.Trim(name, `"`)), value)
		if s.next() != ',' {
			break
		}
		s.at++
	}
	if err := s.take('}'); err != nil {
		return err
	}
	if s.next(); s.at < len(s.data) {
		return errors.New("unexpected data after the end")
	}
	return nil
}

// next skips white space and returns the following byte, or 0 at the end.
func (s *scanner) next() byte {
	for ; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) take(c byte) error {
	if s.next() == c {
		s.at++
		return nil
	}
	if s.at == len(s.data) {
		return errCutShort
	}
	return errNotJSON
}

// value skips a value and returns it.
func (s *scanner) value() ([]byte, error) {
	first, begin := s.next(), s.at
	whole := true
	switch first {
	case '"':
		whole = s.text()
	case '{', '[':
		whole = s.nested()
	default: // a number, true, false or null
		if end := bytes.IndexAny(s.data[s.at:], ",:]} \t\r\n"); end >= 0 {
			s.at += end
		} else {
			s.at = len(s.data)
		}
	}
	switch {
	case !whole || begin == len(s.data):
		return nil, errCutShort
	case begin == s.at:
		return nil, errNotJSON
	}
	return s.data[begin:s.at], nil
}

// text skips a string and reports whether it is terminated.
func (s *scanner) text() bool {
	for s.at++; ; {
		quote := bytes.IndexByte(s.data[s.at:], '"')
		if quote < 0 {
			return false
		}
		s.at += quote + 1
		before := bytes.TrimRight(s.data[:s.at-1], `\`)
		if (s.at-1-len(before))%2 == 0 { // otherwise the quote is escaped
			return true
		}
	}
}

// structural marks the bytes that nested examines; it skips all others.
var structural = [256]bool{'{': true, '[': true, '}': true, ']': true, '"': true}

// nested skips an object or a list and reports whether it is terminated. It counts brackets of
// either kind.
func (s *scanner) nested() bool {
	for depth := 0; s.at < len(s.data); s.at++ {
		c := s.data[s.at]
		if !structural[c] {
			continue
		}
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			if !s.text() {
				return false
			}
			s.at--
		}
		if depth == 0 {
			s.at++
			return true
		}
	}
	return false
}
