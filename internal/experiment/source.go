package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	maxFile  = 1 << 20 // bytes of an experiment file, and of a script
	maxNodes = 100_000 // values in a file after its aliases are written out
	maxList  = 1000    // entries of a list
	maxFound = 100     // mistakes that are told; nobody reads more
)

// source is a YAML file as a tree, and what was found wrong with it.
type source struct {
	file  string
	root  *yaml.Node
	flags map[*yaml.Node]string // nodes that come from --set, with its key
	found []located

	inherited map[*yaml.Node]bool // nodes that stand in several environments
}

type located struct {
	Mistake
	line, column int
}

// add notes a mistake at a node; nil stands for the file as a whole. A hint that
// repeats a connection string is left out.
func (s *source) add(n *yaml.Node, hint, format string, args ...any) {
	if len(s.found) >= maxFound {
		return
	}
	if embeddedPassword.MatchString(hint) {
		hint = ""
	}
	m := located{Mistake: Mistake{Place: s.file, Text: fmt.Sprintf(format, args...), Hint: hint}}
	if flag, ok := s.flags[n]; ok {
		m.Place, m.line = "--set "+flag, 1<<30
	} else if n != nil {
		m.line, m.column = n.Line, n.Column
		m.Place = fmt.Sprintf("%s:%d:%d", s.file, n.Line, n.Column)
	}
	told := slices.Contains(s.found, m) // as it is when seen through another alias
	if s.inherited[n] {
		told = slices.ContainsFunc(s.found, func(other located) bool { return other.Place == m.Place })
	}
	if !told {
		s.found = append(s.found, m)
	}
}

// err is all mistakes in the order of the file, or nil.
func (s *source) err() error {
	if len(s.found) == 0 {
		return nil
	}
	sort.SliceStable(s.found, func(i, j int) bool {
		a, b := s.found[i], s.found[j]
		return a.line < b.line || a.line == b.line && a.column < b.column
	})
	e := &Error{}
	for _, m := range s.found {
		e.Mistakes = append(e.Mistakes, m.Mistake)
	}
	return e
}

// read parses the one document of a file into s.root, a mapping.
func (s *source) read(data []byte) {
	s.root = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1, Column: 1}
	switch {
	case len(data) > maxFile:
		s.add(nil, "", "larger than 1 MiB, which is no experiment file")
		return
	case !utf8.Valid(data):
		s.add(nil, "", "not UTF-8 text")
		return
	}
	var first, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	err := decoder.Decode(&first)
	if err == nil {
		err = decoder.Decode(&second)
	}
	switch {
	case err == nil:
		s.add(&second, "one file holds one experiment", "a second document begins here")
	case !errors.Is(err, io.EOF):
		s.syntax(data, err)
		return
	}
	s.setRoot(&first)
}

func (s *source) setRoot(document *yaml.Node) {
	if len(document.Content) == 0 || isNull(document.Content[0]) {
		s.add(nil, "plinth list shows the built-in experiments", "holds no experiment")
		return
	}
	root := s.expand(document.Content[0])
	if root.Kind != yaml.MappingNode {
		s.add(root, "begin with name: or workloads:", "expected an experiment's keys and values, found %s", describe(root))
		return
	}
	s.root = root
}

// lookup is the value of a mapping's key, or nil.
func lookup(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }
