package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"plinth/internal/hint"
)

// MostFile is the most bytes that are read of a profile: more than any has.
const MostFile = 64 << 10

// Read reads a profile from a file. What it includes from other files, each named
// relative to the one that includes it, becomes part of it, so that it stands alone. A
// profile that has no name is called like its file.
// Mistakes in it are of type *Error, with file, line and column.
func Read(path string) (*Profile, error) {
	return readFile(path, nil)
}

// Parse reads a profile from data, which filename is named as in mistakes (*Error). It
// opens no files, so that data may come from a stranger: only profiles that plinth has
// can be included.
func Parse(filename string, data []byte) (*Profile, error) {
	return parse(filename, data, Find)
}

// FromNode reads a profile that stands in another YAML file, as Parse does.
func FromNode(filename string, n *yaml.Node) (*Profile, error) {
	return fromNode(&notes{file: filename}, n, Find)
}

// finder finds an included profile.
type finder func(name string) (*Profile, error)

// readFile reads one file; stack are those that led to it.
func readFile(path string, stack []string) (*Profile, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("cannot tell where %s is: %w", path, err)
	}
	for i, above := range stack {
		if above == absolute {
			return nil, circle(append(names(stack[i:]), filepath.Base(path)))
		}
	}
	data, err := readAtMost(path)
	if err != nil {
		return nil, hint.Errorf("plinth tune profiles shows those that plinth has", "cannot read the profile %s: %w", path, err)
	}
	fromFile := false
	stack = append(stack[:len(stack):len(stack)], absolute)
	find := func(name string) (*Profile, error) {
		if !isFile(name) {
			return Find(name)
		}
		fromFile = true
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(path), name)
		}
		return readFile(name, stack)
	}
	p, err := parse(path, data, find)
	if err != nil {
		return nil, err
	}
	if p.Name == "" {
		p.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	if !fromFile {
		return p, nil
	}
	return p.alone(find)
}

// names are the last parts of paths.
func names(paths []string) []string {
	all := make([]string, len(paths))
	for i, path := range paths {
		all[i] = filepath.Base(path)
	}
	return all
}

// isFile says whether what is included is a file and not a name.
func isFile(name string) bool {
	return strings.ContainsRune(name, '/') || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// readAtMost is the content of a regular file of at most MostFile bytes. Anything else,
// a pipe above all, could keep plinth waiting for ever.
func readAtMost(path string) ([]byte, error) {
	info, err := os.Stat(path)
	var inner *os.PathError
	switch {
	case errors.As(err, &inner):
		return nil, inner.Err
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > MostFile:
		return nil, fmt.Errorf("it has more than %d KiB", MostFile>>10)
	}
	return os.ReadFile(path)
}

func parse(filename string, data []byte, find finder) (*Profile, error) {
	s := &notes{file: filename}
	root := s.root(data)
	if err := s.err(); err != nil {
		return nil, err
	}
	return fromNode(s, root, find)
}

func fromNode(s *notes, n *yaml.Node, find finder) (*Profile, error) {
	d := &decoder{notes: s}
	p := d.profile(n)
	if err := s.err(); err != nil {
		return nil, err
	}
	c := checker{d, find}
	c.all(p)
	if err := s.err(); err != nil {
		return nil, err
	}
	return p, nil
}

// root is the one mapping that a file is; nil where it is none, which is noted.
func (s *notes) root(data []byte) *yaml.Node {
	switch {
	case len(data) > MostFile:
		s.add(nil, "", "larger than %d KiB, which is no profile", MostFile>>10)
		return nil
	case !utf8.Valid(data):
		s.add(nil, "", "not UTF-8 text")
		return nil
	}
	var first, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	err := decoder.Decode(&first)
	if err == nil {
		err = decoder.Decode(&second)
		if err == nil {
			s.add(&second, "one file holds one profile", "a second document begins here")
			return nil
		}
	}
	switch {
	case !errors.Is(err, io.EOF):
		s.syntax(err)
		return nil
	case len(first.Content) == 0:
		s.add(nil, "plinth tune profiles NAME prints one to begin with", "holds no profile")
		return nil
	}
	return first.Content[0]
}

var atLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)

// syntax notes that a file is not YAML, in the library's words, at its line.
func (s *notes) syntax(err error) {
	message, _, _ := strings.Cut(err.Error(), "\n")
	parts := atLine.FindStringSubmatch(message)
	line, text := 1, message
	if parts != nil {
		text = parts[2]
		if n, err := strconv.Atoi(parts[1]); err == nil {
			line = n
		}
	}
	s.addAt(line, 1, "indent with spaces; put a text that holds a colon in quotes", "not YAML: %s", text)
}
