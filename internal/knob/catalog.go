package knob

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"plinth/internal/strictyaml"
)

//go:embed *.yaml *.csv
var data embed.FS

// document is one file of the catalog: a layer's knobs, and the documents that describe
// them, by the short names that sources use.
type document struct {
	Documents map[string]reference `yaml:"documents"`
	Knobs     []entry              `yaml:"knobs"`
}

// reference is an upstream document. If it has anchors, the anchor of a section is its
// name in lower case with hyphens.
type reference struct {
	Source  `yaml:",inline"`
	Anchors bool `yaml:"anchors"`
}

// entry is a knob in a file of the catalog, with its source by a short name.
type entry struct {
	Knob   `yaml:",inline"`
	Source cited `yaml:"source"`
}

// cited is a section of a reference.
type cited struct {
	Document string `yaml:"document"`
	Section  string `yaml:"section"`
}

// All returns the knobs of the catalog, by layer from the bottom up, then in the order of
// the files. It omits knobs of the layer Server: see Parameter.
func All() []Knob {
	all, _ := catalog() // a test checks that the files are valid
	return slices.Clone(all)
}

// Find returns a knob of the catalog by its exact name.
func Find(name string) (Knob, bool) {
	all, _ := catalog()
	i := slices.IndexFunc(all, func(k Knob) bool { return k.Name == name })
	if i < 0 {
		return Knob{}, false
	}
	return all[i], true
}

// catalog returns the knobs of all layers but Server. It reads them once.
var catalog = sync.OnceValues(func() ([]Knob, error) {
	var all []Knob
	for _, layer := range Layers() {
		if layer == Server {
			continue
		}
		var d document
		if err := decode(string(layer)+".yaml", &d); err != nil {
			return nil, err
		}
		for _, e := range d.Knobs {
			k := e.Knob
			source, err := e.Source.in(d.Documents)
			if err != nil {
				return nil, fmt.Errorf("cannot read the catalog: %s: %w", k.Name, err)
			}
			k.Layer, k.Source = layer, source
			all = append(all, k)
		}
	}
	return all, nil
})

// in returns the source of a cited section.
func (c cited) in(documents map[string]reference) (Source, error) {
	r, known := documents[c.Document]
	if !known {
		return Source{}, fmt.Errorf("no document %q", c.Document)
	}
	source := r.Source
	source.Section = c.Section
	if r.Anchors && c.Section != "" {
		source.URL += "#" + strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(c.Section))
	}
	return source, nil
}

// decode reads a file of the catalog strictly: an unknown key is an error.
func decode(name string, into any) error {
	content, err := data.ReadFile(name)
	if err != nil {
		return fmt.Errorf("cannot read the catalog: %w", err)
	}
	if err := strictyaml.Decode(content, into); err != nil {
		return fmt.Errorf("cannot read the catalog: %s: %w", name, err)
	}
	return nil
}
