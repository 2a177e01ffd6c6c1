package profile

import (
	"embed"
	"path"
	"slices"
	"strings"
	"sync"

	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

//go:embed builtin/*.yaml
var files embed.FS

// builtin returns the built-in profiles by name. They can include each other, so all are
// read before any is checked.
var builtin = sync.OnceValues(func() (map[string]*Profile, error) {
	entries, err := files.ReadDir("builtin")
	if err != nil {
		return nil, err
	}
	all := map[string]*Profile{}
	find := func(name string) (*Profile, error) { return lookUp(all, name) }
	var checkers []checker
	var order []*Profile
	for _, entry := range entries {
		data, err := files.ReadFile(path.Join("builtin", entry.Name()))
		if err != nil {
			return nil, err
		}
		s := newNotes(entry.Name())
		d := &decoder{Notes: s}
		root, err := s.Document(data, kind)
		if err != nil {
			return nil, err
		}
		if root != nil {
			p := d.profile(root)
			all[p.Name] = p
			order, checkers = append(order, p), append(checkers, checker{d, find})
		}
		if err := s.Err(); err != nil {
			return nil, err
		}
	}
	for i, c := range checkers {
		c.all(order[i])
		if err := c.Err(); err != nil {
			return nil, err
		}
	}
	return all, nil
})

// All returns the built-in profiles, sorted by name. They are shared and must not be
// changed.
func All() []*Profile {
	known, err := builtin()
	if err != nil {
		return nil // a test checks that there is no error
	}
	all := make([]*Profile, 0, len(known))
	for _, p := range known {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *Profile) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Names returns the names of the built-in profiles.
func Names() []string {
	var names []string
	for _, p := range All() {
		names = append(names, p.Name)
	}
	return names
}

// Find returns the built-in profile of a name; the error suggests the most similar one.
func Find(name string) (*Profile, error) {
	known, err := builtin()
	if err != nil {
		return nil, err
	}
	return lookUp(known, name)
}

func lookUp(known map[string]*Profile, name string) (*Profile, error) {
	if p := known[name]; p != nil {
		return p, nil
	}
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	return nil, hint.Errorf(hint.DidYouMean(name, names, "use one of "+strings.Join(names, ", ")+"; the name of a profile file has a slash or ends in .yaml"),
		"unknown profile %s", strictyaml.Quote(name))
}
