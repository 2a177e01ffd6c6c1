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

// document is one file of the catalog: a layer's knobs, and the documents that they are
// described in, by the short names that sources use.
type document struct {
	Documents map[string]reference `yaml:"documents"`
	Knobs     []entry              `yaml:"knobs"`
}

// reference is a document of upstream. Where it has anchors, a section's is its name in
// lower case with hyphens.
type reference struct {
	Source  `yaml:",inline"`
	Anchors bool `yaml:"anchors"`
}

// entry is a knob as its file has it: its source by a short name.
type entry struct {
	Knob   `yaml:",inline"`
	Source cited `yaml:"source"`
}

// cited is a section of a reference.
type cited struct {
	Document string `yaml:"document"`
	Section  string `yaml:"section"`
}

// All is the catalog, by layer from the bottom up, then as the files have it. Knobs of
// the layer Server are not in it: see Parameter.
func All() []Knob {
	all, _ := catalog() // a test holds that the files are sound
	return slices.Clone(all)
}

// Find is a knob of the catalog by its exact name.
func Find(name string) (Knob, bool) {
	all, _ := catalog()
	i := slices.IndexFunc(all, func(k Knob) bool { return k.Name == name })
	if i < 0 {
		return Knob{}, false
	}
	return all[i], true
}

// catalog is read once.
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

// in is a cited section as the source that it is of.
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

// decode reads a file of the catalog strictly: a key that there is none of is an error.
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
