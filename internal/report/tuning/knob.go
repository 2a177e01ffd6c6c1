package tuning

import (
	"io"
	"strconv"
	"strings"

	"plinth/internal/knob"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// KnobFacts is the presentation of a knob.
type KnobFacts struct {
	Name     string      `json:"name"`
	Layer    knob.Layer  `json:"layer"`
	Scope    knob.Scope  `json:"scope"`
	File     string      `json:"file,omitempty"`
	Kind     knob.Kind   `json:"kind"`
	Unit     string      `json:"unit,omitempty"`
	Min      *float64    `json:"min,omitempty"`
	Max      *float64    `json:"max,omitempty"`
	Words    []string    `json:"words,omitempty"`
	Default  string      `json:"default,omitempty"`
	Needs    knob.Needs  `json:"needs,omitempty"`
	Root     bool        `json:"root"`
	Unsafe   []string    `json:"unsafe,omitempty"`
	Versions string      `json:"versions,omitempty"`
	Risk     string      `json:"risk,omitempty"`
	Doc      string      `json:"doc"`
	Coupled  []string    `json:"coupled,omitempty"`
	Excludes string      `json:"excludes,omitempty"`
	Source   knob.Source `json:"source,omitzero"`
}

// KnobOf returns the facts of a knob of the catalog.
func KnobOf(k knob.Knob) KnobFacts {
	return KnobFacts{k.Name, k.Layer, k.Scope, k.File, k.Kind, k.Unit, k.Min, k.Max, k.Words, k.Default, k.Needs,
		k.Root, k.Unsafe, k.Versions, k.Risk, k.Doc, k.Coupled, k.Excludes, k.Source}
}

// WriteKnobs lists the knobs by layer.
func WriteKnobs(w io.Writer, all []KnobFacts, o Options) error {
	var d prose.Document
	for _, layer := range knob.Layers() {
		t := prose.Table{Columns: []prose.Column{{Title: "knob"}, {Title: "default"}, {Title: "what it does"}}}
		for _, k := range all {
			if k.Layer == layer {
				t.Rows = append(t.Rows, []string{k.Name, k.Default, k.Doc})
			}
		}
		if t.Rows != nil {
			d.Add(prose.Heading(layerTitle(layer)), prose.WordTable(t))
		}
	}
	d.Add(prose.Heading(layerTitle(knob.Server)), prose.Paragraph("Every parameter of PostgreSQL 13 to 18 and every setting of Redis, by its own name."))
	return o.write(w, d, all)
}

// WriteKnob writes all facts of a knob.
func WriteKnob(w io.Writer, k KnobFacts, o Options) error {
	sheet := prose.FactSheet{{Name: "layer", Text: string(k.Layer)}, {Name: "belongs to", Text: scopeWords(k)}, {Name: "value", Text: k.valueWords()}}
	for _, f := range []prose.Fact{
		{Name: "default", Text: k.Default}, {Name: "file", Text: k.File}, {Name: "needs", Text: needsTexts[k.Needs]}, {Name: "root", Text: phrase.When(k.Root, "only root may set it")},
		{Name: "goes with", Text: strings.Join(k.Coupled, ", ")}, {Name: "excludes", Text: phrase.When(k.Excludes != "", "%s, which is zero while this knob is not zero", k.Excludes)},
		{Name: "weakens durability", Text: strings.Join(k.Unsafe, ", ")}, {Name: "versions", Text: k.Versions}, {Name: "risk", Text: k.Risk}, {Name: "source", Text: phrase.Join(": ", k.Source.String(), k.Source.URL)},
	} {
		if f.Text != "" {
			sheet = append(sheet, f)
		}
	}
	var d prose.Document
	d.Add(prose.Heading(k.Name), prose.Paragraph(k.Doc), sheet)
	return o.write(w, d, k)
}

// scopeWords describes the object that a knob belongs to, and how it is named.
func scopeWords(k KnobFacts) string {
	words := map[knob.Scope]string{
		knob.OfHost: "the machine", knob.OfServer: "the server",
		knob.OfNode: "a NUMA node: " + k.Name + "@node0", knob.OfCPU: "CPUs: " + k.Name + " of all, " + k.Name + "@2-3 of some",
		knob.OfIRQ:    "an interrupt, or those of a disk: " + k.Name + "@24",
		knob.OfDevice: "a disk, by its name or its role: " + k.Name + "@nvme0n1, " + k.Name + "@data",
		knob.OfMount:  "a filesystem, by its mount point or its role: " + k.Name + "@/mnt/data, " + k.Name + "@data",
		knob.OfDomain: "a domain of libvirt: " + k.Name + "@vm1",
	}
	return words[k.Scope]
}

// valueWords describes the allowed values.
func (k KnobFacts) valueWords() string {
	number := func(f *float64) string { return strconv.FormatFloat(*f, 'f', -1, 64) }
	switch {
	case len(k.Words) > 0:
		return "one of " + strings.Join(k.Words, ", ")
	case k.Min != nil && k.Max != nil:
		return phrase.Join(" ", number(k.Min)+" to "+number(k.Max), k.Unit)
	case k.Min != nil:
		return phrase.Join(" ", number(k.Min)+" or more", k.Unit)
	}
	return phrase.Join(", ", string(k.Kind), phrase.When(k.Unit != "", "in %s", k.Unit))
}
