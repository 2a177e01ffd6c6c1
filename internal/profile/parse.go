package profile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// MostFile is the maximum size of a profile file, in bytes.
const MostFile = 64 << 10

// Read reads a profile from a file. Profiles that it includes from other files, by paths
// relative to the including file, become part of it, so that it needs no other file. A
// profile without a name gets the name of its file, with the suffix if a built-in profile,
// which it may include, has the name without it.
// Mistakes in it are of type *strictyaml.Error, with file, line and column.
func Read(path string) (*Profile, error) {
	p, err := readFile(path, nil)
	if err != nil || p.Name != "" {
		return p, err
	}
	p.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if _, err := Find(p.Name); err == nil {
		p.Name = filepath.Base(path)
	}
	return p, nil
}

// Parse reads a profile from data; mistakes (*strictyaml.Error) refer to it as filename. It
// opens no files, so that data may be untrusted: only built-in profiles can be included.
func Parse(filename string, data []byte) (*Profile, error) {
	return parse(filename, data, Find)
}

// FromNode reads a profile embedded in another YAML file, like Parse.
func FromNode(filename string, n *yaml.Node) (*Profile, error) {
	return fromNode(newNotes(filename), n, Find)
}

// finder finds an included profile.
type finder func(name string) (*Profile, error)

// readFile reads one file; stack holds the files that include it.
func readFile(path string, stack []string) (*Profile, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("cannot make %s an absolute path: %w", path, err)
	}
	for i, above := range stack {
		if above == absolute {
			return nil, circle(append(names(stack[i:]), filepath.Base(path)))
		}
	}
	data, err := readAtMost(path)
	if err != nil {
		return nil, hint.Errorf("run plinth tune profiles for the built-in ones", "cannot read the profile %s: %w", path, err)
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
	if err != nil || !fromFile {
		return p, err
	}
	return p.alone(find)
}

// names returns the last elements of paths.
func names(paths []string) []string {
	all := make([]string, len(paths))
	for i, path := range paths {
		all[i] = filepath.Base(path)
	}
	return all
}

// isFile reports whether an include is a file rather than a name.
func isFile(name string) bool {
	return strings.ContainsRune(name, '/') || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// readAtMost returns the content of a regular file of at most MostFile bytes. Reading
// anything else, such as a pipe, could block forever.
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
		return nil, fmt.Errorf("it is larger than %d KiB", MostFile>>10)
	}
	return os.ReadFile(path)
}

var kind = strictyaml.Kind{
	Name: "profile", File: "profile", Limit: MostFile, Begin: "plinth tune profiles NAME prints one to start from",
}

func newNotes(filename string) *strictyaml.Notes {
	return &strictyaml.Notes{File: filename, In: "the profile"}
}

func parse(filename string, data []byte, find finder) (*Profile, error) {
	s := newNotes(filename)
	root, err := s.Document(data, kind)
	if err != nil {
		syntax(s, err)
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	return fromNode(s, root, find)
}

func fromNode(s *strictyaml.Notes, n *yaml.Node, find finder) (*Profile, error) {
	d := &decoder{Notes: s}
	p := d.profile(n)
	if err := s.Err(); err != nil {
		return nil, err
	}
	c := checker{d, find}
	c.all(p)
	if err := s.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

var atLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)

// syntax records that a file is not YAML, with the library's message and line.
func syntax(s *strictyaml.Notes, err error) {
	message, _, _ := strings.Cut(err.Error(), "\n")
	at := &yaml.Node{Line: 1, Column: 1}
	if parts := atLine.FindStringSubmatch(message); parts != nil {
		message = parts[2]
		if n, err := strconv.Atoi(parts[1]); err == nil {
			at.Line = n
		}
	}
	s.Add(at, "indent with spaces; quote text that contains a colon", "not YAML: %s", message)
}
