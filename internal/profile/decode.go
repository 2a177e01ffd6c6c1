package profile

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/knob"
	"plinth/internal/strictyaml"
)

// decoder fills a profile from a YAML tree, strictly, and continues after a mistake. It
// records the positions of values for the later checks.
type decoder struct {
	*strictyaml.Notes
	includes []*yaml.Node
	requires []places
	settings []places
}

// places holds the nodes of the values of a setting or a requirement, by key.
type places map[string]*yaml.Node

// key is a key of a mapping, with the function that reads its value.
type key struct {
	name string
	read func(value *yaml.Node)
}

func (d *decoder) profile(n *yaml.Node) *Profile {
	p := &Profile{}
	d.section(n, "the profile", []key{
		{"name", d.word(&p.Name, "name")},
		{"about", d.word(&p.About, "about")},
		{"source", func(n *yaml.Node) { d.source(n, &p.Source) }},
		{"includes", func(n *yaml.Node) { d.list(n, "includes", func(n *yaml.Node) { d.include(n, p) }) }},
		{"requires", func(n *yaml.Node) { d.list(n, "requires", func(n *yaml.Node) { d.requirement(n, p) }) }},
		{"unsafe", func(n *yaml.Node) { d.truth(n, &p.Unsafe) }},
		{"settings", func(n *yaml.Node) { d.all(n, p) }},
	})
	return p
}

func (d *decoder) source(n *yaml.Node, into *knob.Source) {
	d.section(n, "source", []key{
		{"author", d.word(&into.Author, "source.author")},
		{"title", d.word(&into.Title, "source.title")},
		{"section", d.word(&into.Section, "source.section")},
		{"url", d.word(&into.URL, "source.url")},
	})
}

func (d *decoder) include(n *yaml.Node, p *Profile) {
	name := ""
	d.word(&name, "includes")(n)
	if name != "" {
		p.Includes, d.includes = append(p.Includes, name), append(d.includes, n)
	}
}

func (d *decoder) requirement(n *yaml.Node, p *Profile) {
	var r Requirement
	layer := ""
	at := d.section(n, "requires", []key{
		{"layer", d.word(&layer, "requires.layer")},
		{"holds", d.word(&r.Holds, "requires.holds")},
		{"text", d.word(&r.Text, "requires.text")},
		{"hint", d.word(&r.Hint, "requires.hint")},
	})
	if at == nil {
		return
	}
	r.Layer = knob.Layer(layer)
	p.Requires, d.requires = append(p.Requires, r), append(d.requires, at)
}

// all reads settings: a list, or a mapping of keys to values.
func (d *decoder) all(n *yaml.Node, p *Profile) {
	if n.Kind != yaml.MappingNode || !d.plain(n) {
		d.list(n, "settings", func(n *yaml.Node) { d.setting(n, p) })
		return
	}
	d.entries(n, "settings", func(name, value *yaml.Node) {
		s := Setting{Key: knob.ParseKey(name.Value)}
		d.word(&s.Value, "settings")(value)
		p.Settings = append(p.Settings, s)
		d.settings = append(d.settings, places{"": name, "knob": name, "value": value})
	})
}

func (d *decoder) setting(n *yaml.Node, p *Profile) {
	var s Setting
	name := ""
	at := d.section(n, "settings", []key{
		{"knob", d.word(&name, "settings.knob")},
		{"value", d.word(&s.Value, "settings.value")},
		{"group", d.word(&s.Group, "settings.group")},
		{"when", d.word(&s.When, "settings.when")},
		{"unless", d.word(&s.Unless, "settings.unless")},
		{"reason", d.word(&s.Reason, "settings.reason")},
	})
	if at == nil {
		return
	}
	s.Key = knob.ParseKey(name)
	p.Settings, d.settings = append(p.Settings, s), append(d.settings, at)
}

// section reads a mapping with known keys, and returns the nodes of their values; nil if it
// is not a mapping.
func (d *decoder) section(n *yaml.Node, where string, keys []key) places {
	switch {
	case !d.plain(n):
		d.Add(n, "write the value out", noAnchors)
		return nil
	case n.Kind != yaml.MappingNode:
		d.Add(n, "", "expected keys and values in %s, found %s", where, strictyaml.Describe(n))
		return nil
	}
	at := places{"": n}
	d.entries(n, where, func(name, value *yaml.Node) {
		for _, k := range keys {
			if k.name == name.Value {
				at[k.name] = value
				k.read(value)
				return
			}
		}
		known := make([]string, len(keys))
		for i, k := range keys {
			known[i] = k.name
		}
		advice, text := strictyaml.Unknown(name, known, where)
		d.Add(name, advice, "%s", text)
	})
	return at
}

// entries calls each for the keys and values of a mapping; a duplicate key is a mistake.
func (d *decoder) entries(n *yaml.Node, where string, each func(key, value *yaml.Node)) {
	for e := range strictyaml.Entries(n) {
		switch name := e.Key; {
		case name.Tag == "!!merge" || !d.plain(name):
			d.Add(name, "write the value out", noAnchors)
		case name.Kind != yaml.ScalarNode || name.Value == "":
			d.Add(name, "", "expected a key in %s, found %s", where, strictyaml.Describe(name))
		case e.First != nil:
			d.Add(name, "", "%s is given twice in %s (first on line %d)", name.Value, where, e.First.Line)
		default:
			each(name, e.Value)
		}
	}
}

// list reads each item of a list. A single value is a list of one.
func (d *decoder) list(n *yaml.Node, where string, each func(*yaml.Node)) {
	switch {
	case !d.plain(n):
		d.Add(n, "write the value out", noAnchors)
	case n.Kind != yaml.SequenceNode && strictyaml.Describe(n) == "nothing":
		d.Add(n, "give it a value, or leave the key out", "%s: expected a list, found nothing", where)
	default:
		for _, item := range strictyaml.Items(n) {
			each(item)
		}
	}
}

// noAnchors rejects anchors, so that each value of a profile is visible where it is used.
const noAnchors = "anchors, aliases and merge keys are not allowed in a profile"

// mostText is the maximum length of a text in a profile, in bytes.
const mostText = 2000

// word reads a text literally: 010 and on do not become 8 and true.
func (d *decoder) word(into *string, where string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		switch {
		case !d.plain(n):
			d.Add(n, "write the value out", noAnchors)
		case n.Kind != yaml.ScalarNode:
			d.Add(n, "", "%s: expected one word or number, found %s", where, strictyaml.Describe(n))
		case n.Tag == "!!null" || strings.TrimSpace(n.Value) == "" && where != "settings.value" && where != "settings":
			d.Add(n, "give it a value, or leave the key out", "%s: expected a value, found nothing", where)
		case len(n.Value) > mostText:
			d.Add(n, "", "%s: the text is longer than %d bytes", where, mostText)
		default:
			*into = strings.TrimSpace(n.Value)
		}
	}
}

func (d *decoder) truth(n *yaml.Node, into *bool) {
	if n.Kind != yaml.ScalarNode || n.Value != "true" && n.Value != "false" {
		d.Add(n, "", "expected true or false, found %s", strictyaml.Describe(n))
		return
	}
	*into = n.Value == "true"
}

// plain reports whether a node is neither an alias nor anchored.
func (d *decoder) plain(n *yaml.Node) bool { return n.Kind != yaml.AliasNode && n.Anchor == "" }
