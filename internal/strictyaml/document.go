// Package strictyaml reads plinth's YAML files: experiments, profiles, devices and checklists. A file
// contains one document of limited size. Unknown and duplicate keys are mistakes, and each mistake has
// a line and column.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Errors of a file as a whole, other than invalid YAML.
var (
	ErrLarge = errors.New("too large")
	ErrText  = errors.New("not UTF-8 text")
	ErrEmpty = errors.New("contains nothing")
)

// SecondError reports a second document in a file.
type SecondError struct{ At *yaml.Node }

func (e *SecondError) Error() string { return "a second document begins here" }

// Document returns the value of the document in a file. It returns the first document together with a
// SecondError if there are two, and nil with any other error: ErrLarge if data has more than limit
// bytes, ErrText, ErrEmpty, or an error of the parser.
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

// Kind describes a kind of file, for mistakes.
type Kind struct {
	Name  string // its content: "experiment"
	File  string // "experiment file"
	Limit int    // bytes
	Begin string // how to begin one: the hint for an empty file
}

func (k Kind) limit() string {
	if k.Limit < 1<<20 {
		return fmt.Sprintf("%d KiB", k.Limit>>10)
	}
	return fmt.Sprintf("%d MiB", k.Limit>>20)
}

// Document returns the value of the document in a file. If it returns nil, it has noted a mistake, or
// err is the parser's error for a file that is not YAML.
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

// Decode fills a Go value from a file that is part of the program. An unknown key is an error; an empty
// file is not.
func Decode(data []byte, into any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
