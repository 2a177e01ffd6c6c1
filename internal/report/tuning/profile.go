package tuning

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"plinth/internal/knob"
	"plinth/internal/profile"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// ProfileFacts is the presentation of a profile, including the profiles it includes.
type ProfileFacts struct {
	Name     string                `json:"name"`
	About    string                `json:"about"`
	Source   knob.Source           `json:"source,omitzero"`
	Includes []string              `json:"includes,omitempty"`
	Requires []ProfileRequirement  `json:"requires,omitempty"`
	Unsafe   bool                  `json:"unsafe,omitempty"`
	Settings []ProfileSettingFacts `json:"settings"`
}

// ProfileRequirement is a condition for a profile to achieve its purpose.
type ProfileRequirement struct {
	Layer knob.Layer `json:"layer"`
	Holds string     `json:"holds"`
	Text  string     `json:"text"`
	Hint  string     `json:"hint,omitempty"`
}

// ProfileSettingFacts is a value of a profile as written there.
type ProfileSettingFacts struct {
	Knob   string     `json:"knob"`
	Layer  knob.Layer `json:"layer"`
	Value  string     `json:"value"`
	Group  string     `json:"group,omitempty"`
	When   string     `json:"when,omitempty"`
	Unless string     `json:"unless,omitempty"`
	Reason string     `json:"reason,omitempty"`
}

// ProfileOf returns the facts of a profile with all that it includes. It returns an error if
// the profile includes itself or one that does not exist.
func ProfileOf(p *profile.Profile) (ProfileFacts, error) {
	f := ProfileFacts{Name: p.Name, About: p.About, Source: p.Source, Includes: p.Includes, Unsafe: p.Unsafe, Settings: []ProfileSettingFacts{}}
	for _, r := range p.Requires {
		f.Requires = append(f.Requires, ProfileRequirement{r.Layer, r.Holds, r.Text, r.Hint})
	}
	settings, err := p.Flat()
	for _, s := range settings {
		f.Settings = append(f.Settings, ProfileSettingFacts{s.Key.String(), s.Layer(""), s.Value, s.Group, s.When, s.Unless, s.Reason})
	}
	return f, err
}

// WriteProfiles lists the profiles.
func WriteProfiles(w io.Writer, all []ProfileFacts, o Options) error {
	t := prose.Table{Columns: []prose.Column{{Title: "profile"}, {Title: "values", Right: true}, {Title: "layers"}, {Title: "what it is for"}}}
	for _, p := range all {
		var layers []string // layers with values, from the bottom up
		for _, layer := range knob.Layers() {
			if slices.ContainsFunc(p.Settings, func(s ProfileSettingFacts) bool { return s.Layer == layer }) {
				layers = append(layers, string(layer))
			}
		}
		t.Rows = append(t.Rows, []string{p.Name, fmt.Sprint(len(p.Settings)), strings.Join(layers, ", "), p.About})
	}
	var d prose.Document
	d.Add(prose.WordTable(t))
	return o.write(w, d, all)
}

// WriteProfile writes a profile: its source, and its values by layer with their reasons.
func WriteProfile(w io.Writer, p ProfileFacts, o Options) error {
	var d prose.Document
	d.Add(prose.Heading(p.Name), prose.Paragraph(p.About))
	if source := p.Source.String(); source != "" {
		d.Add(prose.Paragraph("Source: " + phrase.Join(": ", source, p.Source.URL)))
	}
	if p.Includes != nil {
		d.Add(prose.Paragraph("It includes " + phrase.And(p.Includes) + "; its own values override theirs."))
	}
	if p.Unsafe {
		d.Add(prose.Paragraph("It has values that weaken durability."))
	}
	for _, layer := range knob.Layers() {
		if settings := p.of(layer); settings != nil {
			d.Add(prose.Heading(layerTitle(layer)), settings)
		}
	}
	var requires prose.List
	for _, r := range p.Requires {
		requires = append(requires, phrase.Join(": ", string(r.Layer), r.Text))
	}
	if requires != nil {
		d.Add(prose.Heading("What it needs"), requires)
	}
	return o.write(w, d, p)
}

// of returns the values of a layer, each with its reason.
func (p ProfileFacts) of(layer knob.Layer) prose.FactSheet {
	var sheet prose.FactSheet
	for _, s := range p.Settings {
		if s.Layer != layer {
			continue
		}
		sheet = append(sheet, prose.Fact{Name: s.Knob, Text: s.Value})
		if s.Reason != "" {
			sheet = append(sheet, prose.Fact{Name: "", Text: s.Reason})
		}
		if s.When != "" {
			sheet = append(sheet, prose.Fact{Name: "", Text: phrase.Join(": ", "only where "+s.When, s.Unless)})
		}
	}
	return sheet
}
