package profile

import (
	"errors"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"go.yaml.in/yaml/v3"

	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/strictyaml"
)

// checker looks for mistakes in a profile that was read, without any facts.
type checker struct {
	*decoder
	find finder
}

func (c checker) all(p *Profile) {
	for i := range p.Settings {
		c.setting(p, i)
	}
	for i, r := range p.Requires {
		c.requirement(r, c.requires[i])
	}
	c.included(p)
	if len(p.Settings) == 0 && len(p.Includes) == 0 {
		c.Add(nil, "give it settings, or includes", "the profile sets nothing")
	}
	for _, name := range []string{p.Name, p.About} {
		if strings.ContainsAny(name, "\n\r\t\x1b") {
			c.Add(nil, "", "name and about must be one line each")
		}
	}
}

// setting checks one setting by itself and against those before it.
func (c checker) setting(p *Profile, i int) {
	s, at := &p.Settings[i], c.settings[i]
	if s.Key.Knob == "" || at["knob"] == nil {
		c.Add(at[""], "", "a setting without a knob")
		return
	}
	if at["value"] == nil {
		c.Add(at[""], "", "%s has no value", s.Key)
		return
	}
	k, err := knob.Resolve("", s.Key)
	if err != nil {
		c.Add(at["knob"], hint.Of(err), "%v", err)
		return
	}
	s.Key.Knob = k.Name
	c.value(p, *s, k, at["value"])
	c.condition(s.When, at["when"])
	if s.When == "" && s.Unless != "" {
		c.Add(at["unless"], "add when: with the condition", "%s: unless: requires when:", s.Key)
	}
	for j, before := range p.Settings[:i] {
		c.against(*s, k, before, at["knob"], c.settings[j]["knob"])
	}
}

// value checks a literal value, or that an expression can be compiled.
func (c checker) value(p *Profile, s Setting, k knob.Knob, n *yaml.Node) {
	if text, is := expression(s.Value); is {
		program, err := compile(text, true)
		if err == nil {
			err = givesWord(program)
		}
		c.expression(n, strings.Index(n.Value, text), err)
		return
	}
	if _, err := k.Canonical(s.Value); err != nil {
		c.Add(n, hint.Of(err), "%v", err)
		return
	}
	if k.Weakens(s.Value) && !p.Unsafe {
		c.Add(n, "leave it out, or set unsafe: true in the profile", "%s weakens durability", assignment(s.Key, s.Value))
	}
}

// expression records the mistake in an expression that starts at an offset in a node.
func (c checker) expression(n *yaml.Node, begins int, err error) {
	if err == nil {
		return
	}
	text, advice, column := explained(err)
	line, at := n.Line, n.Column
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		at += max(begins, 0) + column
		if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			at++
		}
	}
	c.Add(&yaml.Node{Line: line, Column: at}, advice, "the expression %s: %s", strictyaml.Quote(n.Value), text)
}

func (c checker) condition(text string, n *yaml.Node) {
	if text == "" || n == nil {
		return
	}
	_, err := compile(text, false, expr.AsBool())
	c.expression(n, 0, err)
}

// against checks that two settings of one profile do not contradict each other.
func (c checker) against(s Setting, k knob.Knob, before Setting, at, first *yaml.Node) {
	switch {
	case before.Key == s.Key:
		c.Add(at, "remove one of them", "%s is set twice: %s, and %s on line %d", s.Key, s.Value, before.Value, first.Line)
	case k.Excludes != "" && before.Key == (knob.Key{Knob: k.Excludes, On: s.Key.On}) && s.Value != "0" && before.Value != "0":
		c.Add(at, "remove one of them", "%s and %s (line %d): setting one makes the kernel zero the other", s.Key, before.Key, first.Line)
	}
}

func (c checker) requirement(r Requirement, at places) {
	layers := make([]string, len(knob.Layers()))
	for i, layer := range knob.Layers() {
		layers[i] = string(layer)
	}
	if r.Holds == "" || r.Text == "" {
		c.Add(at[""], "", "a requirement needs holds: and text:")
	}
	if n := at["layer"]; n != nil && !slices.Contains(layers, string(r.Layer)) {
		c.Add(n, hint.DidYouMean(string(r.Layer), layers, "use one of "+strings.Join(layers, ", ")), "unknown layer %s", strictyaml.Quote(string(r.Layer)))
	}
	c.condition(r.Holds, at["holds"])
}

// included checks that the profiles that a profile includes exist, and do not include it.
func (c checker) included(p *Profile) {
	for i, name := range p.Includes {
		_, err := flatten(&Profile{Name: p.Name, Includes: []string{name}}, c.find, nil)
		var inner *strictyaml.Error
		switch {
		case errors.As(err, &inner):
			for _, m := range inner.Mistakes {
				c.Add(c.includes[i], m.Hint, "%s: %s", name, m.Error())
			}
		case err != nil:
			c.Add(c.includes[i], hint.Of(err), "%v", err)
		}
	}
}

func assignment(k knob.Key, value string) string { return k.String() + " = " + value }
