// Package strictyaml reads the YAML files that people write for plinth: experiments,
// profiles, devices and checklists. A file holds one document of a bounded size; a key
// that is not known, or is there twice, is a mistake, and each mistake has its line and
// column.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// What can be wrong with a file as a whole, besides that it is not YAML.
var (
	ErrLarge = errors.New("too large")
	ErrText  = errors.New("not UTF-8 text")
	ErrEmpty = errors.New("contains nothing")
)

// SecondError says that another document begins in a file after the first.
type SecondError struct{ At *yaml.Node }

func (e *SecondError) Error() string { return "a second document begins here" }

// Document is the value of the one document that a file holds. It is there beside a
// SecondError, and with no other error: ErrLarge, where data has more than limit bytes,
// ErrText, ErrEmpty, or what the parser says.
func Document(data []byte, limit int) (*yaml.Node, error) {
	switch {
	case len(data) > limit:
		return nil, ErrLarge
	case !utf8.Valid(data):
		return nil, ErrText
	}
	var first, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	err := decoder.Decode(&first)
	if err == nil {
		err = decoder.Decode(&second)
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case len(first.Content) == 0:
		return nil, ErrEmpty
	case err == nil:
		return first.Content[0], &SecondError{&second}
	}
	return first.Content[0], nil
}

// Kind is a kind of file, as mistakes call it.
type Kind struct {
	Name  string // of what it holds: "experiment"
	File  string // "experiment file"
	Limit int    // bytes
	Begin string // how to begin one: the hint for a file that holds nothing
}

func (k Kind) limit() string {
	if k.Limit < 1<<20 {
		return fmt.Sprintf("%d KiB", k.Limit>>10)
	}
	return fmt.Sprintf("%d MiB", k.Limit>>20)
}

// Document is the value of the one document of a file, or nil: then a mistake is noted,
// or err is what the parser says of a file that is not YAML.
func (s *Notes) Document(data []byte, k Kind) (root *yaml.Node, err error) {
	root, err = Document(data, k.Limit)
	var second *SecondError
	switch {
	case errors.Is(err, ErrLarge):
		s.Add(nil, "", "larger than %s, the maximum %s size", k.limit(), k.File)
	case errors.Is(err, ErrText):
		s.Add(nil, "", "%v", err)
	case errors.Is(err, ErrEmpty):
		s.Add(nil, k.Begin, "contains no %s", k.Name)
	case errors.As(err, &second):
		s.Add(second.At, "give each "+k.Name+" its own file", "%v", err)
	default:
		return root, err
	}
	return root, nil
}

// Decode fills a Go value from a file that is part of the program: a key that its types
// do not have is an error, and a file that holds nothing is none.
func Decode(data []byte, into any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
