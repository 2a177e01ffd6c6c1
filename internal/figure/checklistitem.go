package figure

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// grades are the keys of bounds, in the order in which they are tried.
var grades = []Grade{Good, Warning, Critical}

// check reads one item, to its end whatever is wrong with it.
func (r *reader) check(n *yaml.Node) (c check) {
	values := r.section(n, "an item", "title", "figure", "unit", "good", "warning?", "critical?", "unless?")
	if values == nil {
		return c
	}
	c.title, c.figure = r.text(values["title"], "title"), r.text(values["figure"], "figure")
	c.unit = r.measure(c.figure, r.text(values["unit"], "unit"), values)
	for _, grade := range grades {
		at := values[string(grade)]
		if at == nil {
			continue
		}
		if b, ok := r.bound(at, grade, c.unit); ok {
			r.overlap(at, grade, b, c.bounds)
			c.bounds = append(c.bounds, graded{grade, b})
		}
	}
	for _, n := range strictyaml.Items(values["unless"]) {
		if text := r.text(n, "unless"); text != "" {
			c.unless = append(c.unless, r.condition(n, text))
		}
	}
	return c
}

// measure finds the unit of the thresholds, which must be one of the figure's. Where
// there is none, bounds can still be read.
func (r *reader) measure(figure, unit string, values map[string]*yaml.Node) measure {
	none := measure{name: "1", size: 1}
	if figure == "" {
		return none
	}
	all, err := measuresOf(figure)
	if err != nil {
		r.Add(values["figure"], hint.Of(err), "figure: %v", err)
		return none
	}
	var names []string
	for _, m := range all {
		if names = append(names, m.name); m.name == unit {
			return m
		}
	}
	if unit != "" {
		r.Add(values["unit"], "it can be "+strings.Join(names, ", "), "unit: %s is not measured in %q", figure, unit)
	}
	return none
}

const boundsHint = "write a bound such as below 10, 10 to 30, above 30, at least 99 or at most 5"

func (r *reader) bound(n *yaml.Node, grade Grade, unit measure) (b bound, ok bool) {
	text := r.text(n, string(grade))
	b, ok = parseBound(text, unit)
	if !ok && text != "" {
		r.Add(n, boundsHint, "%s: %q is not a bound", grade, n.Value)
	}
	if b.none != "" {
		if _, err := unitOf(b.none); err != nil {
			r.Add(n, hint.Of(err), "%s: %v", grade, err)
		}
	}
	return b, ok
}

// overlap refuses bounds that give a value two grades. Two bounds may meet; the better grade counts
// there.
func (r *reader) overlap(n *yaml.Node, grade Grade, b bound, before []graded) {
	for _, other := range before {
		if b.overlaps(other.bound) {
			r.Add(n, "bounds may meet but not overlap", "%s: %s overlaps %s: %s", grade, b.written, other.grade, other.written)
			return
		}
	}
}

// condition reads "FIGURE BOUNDS (why)". It has no unit of its own, so the figure must
// be one that is measured in one only: a share, a rate or a count.
func (r *reader) condition(n *yaml.Node, text string) condition {
	name, rest, _ := strings.Cut(text, " ")
	all, err := measuresOf(name)
	switch {
	case err != nil:
		r.Add(n, hint.Of(err), "unless: %v", err)
		return condition{}
	case len(all) != 1:
		r.Add(n, "use a share, a rate or a count", "unless: %s can be measured in several units", name)
		return condition{}
	}
	b, ok := parseBound(rest, all[0])
	if !ok || b.none != "" {
		r.Add(n, boundsHint, "unless: %q is not a bound", rest)
	}
	if b.written == b.text {
		b.text = name + " is " + b.text
	}
	return condition{name, b}
}
