package figure

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/hint"
)

//go:embed checklist.yaml
var published []byte

// largest is the bytes of a checklist that are read.
const largest = 1 << 20

// LoadChecklist reads a checklist from a YAML file; "" is the published one. What is
// wrong with it are mistakes with their lines and columns (*experiment.Error).
func LoadChecklist(path string) (Checklist, error) {
	if path == "" {
		return parseChecklist("checklist.yaml", published)
	}
	file, err := os.Open(path)
	if err != nil {
		return Checklist{}, fmt.Errorf("cannot read the checklist: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, largest+1))
	if err != nil {
		return Checklist{}, fmt.Errorf("cannot read the checklist: %w", err)
	}
	return parseChecklist(path, data)
}

func parseChecklist(path string, data []byte) (Checklist, error) {
	r := &reader{path: path}
	list := r.checklist(data)
	if len(r.mistakes) > 0 {
		return Checklist{}, &experiment.Error{Mistakes: r.mistakes}
	}
	return list, nil
}

// reader reads a checklist, and goes on after a mistake.
type reader struct {
	path     string
	mistakes []experiment.Mistake
}

func (r *reader) add(n *yaml.Node, hint, format string, args ...any) {
	place := r.path
	if n != nil {
		place = fmt.Sprintf("%s:%d:%d", r.path, n.Line, n.Column)
	}
	r.mistakes = append(r.mistakes, experiment.Mistake{Place: place, Text: fmt.Sprintf(format, args...), Hint: hint})
}

func (r *reader) checklist(data []byte) (list Checklist) {
	var document yaml.Node
	if len(data) > largest {
		r.add(nil, "", "larger than 1 MiB, which is no checklist")
		return list
	}
	if err := yaml.Unmarshal(data, &document); err != nil {
		r.add(nil, "", "this can't be read as YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		return list
	}
	if len(document.Content) == 0 {
		r.add(nil, "begin with source: and items:", "holds no checklist")
		return list
	}
	values := r.section(document.Content[0], "the checklist", "source", "items")
	list.Source = r.text(values["source"])
	items := values["items"]
	if items == nil {
		return list
	}
	if items.Kind != yaml.SequenceNode || len(items.Content) == 0 {
		r.add(items, "", "items: expected a list")
		return list
	}
	for _, item := range items.Content {
		list.checks = append(list.checks, r.check(item))
	}
	return list
}

// grades are the keys of bounds, in the order in which they are tried.
var grades = []Grade{Good, Warning, Critical}

func (r *reader) check(n *yaml.Node) (c check) {
	values := r.section(n, "an item", "title", "figure", "unit", "good", "warning?", "critical?")
	if values == nil {
		return c
	}
	c.title, c.figure = r.text(values["title"]), r.text(values["figure"])
	unit := r.text(values["unit"])
	if c.title == "" || c.figure == "" || unit == "" {
		return c
	}
	if !r.measure(&c, values, unit) {
		return c
	}
	for _, grade := range grades {
		if at := values[string(grade)]; at != nil {
			c.bounds = append(c.bounds, graded{grade, r.bound(at, c.unit)})
		}
	}
	return c
}

// measure finds the unit of the thresholds, which must be one of the figure's.
func (r *reader) measure(c *check, values map[string]*yaml.Node, unit string) bool {
	of, err := unitOf(c.figure)
	if err != nil {
		r.add(values["figure"], hint.Of(err), "figure: %v", err)
		return false
	}
	var names []string
	for _, m := range measures {
		if m.of != of {
			continue
		}
		if names = append(names, m.name); m.name == unit {
			c.unit = m
			return true
		}
	}
	r.add(values["unit"], "it can be "+strings.Join(names, ", "), "unit: %s is not measured in %q", c.figure, unit)
	return false
}

func (r *reader) bound(n *yaml.Node, unit measure) bound {
	text := r.text(n)
	b, ok := parseBound(text, unit)
	if !ok && text != "" {
		r.add(n, "write it like: below 10, 10 to 30, above 30, at least 99, at most 5", "%q are no bounds", n.Value)
	}
	if b.none != "" {
		if _, err := unitOf(b.none); err != nil {
			r.add(n, hint.Of(err), "%v", err)
		}
	}
	return b
}

// section is the values of a mapping that has these keys and no others; those with a
// question mark may be left out. It is nil where there is no mapping.
func (r *reader) section(n *yaml.Node, what string, keys ...string) map[string]*yaml.Node {
	if n.Kind != yaml.MappingNode {
		r.add(n, "", "expected the keys and values of %s", what)
		return nil
	}
	var known []string
	for _, key := range keys {
		known = append(known, strings.TrimSuffix(key, "?"))
	}
	values := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case !slices.Contains(known, key.Value):
			r.add(key, hint.DidYouMean(key.Value, known, "known here: "+strings.Join(known, ", ")), "unknown key %q in %s", key.Value, what)
		case values[key.Value] != nil:
			r.add(key, "", "duplicate key %q in %s", key.Value, what)
		default:
			values[key.Value] = n.Content[i+1]
		}
	}
	for i, key := range keys {
		if key == known[i] && values[key] == nil {
			r.add(n, "", "%s has no %s", what, key)
		}
	}
	return values
}

// text is a text that is not empty; "" is a mistake that is told, or a key that was
// missed before.
func (r *reader) text(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode || n.Value == "" {
		r.add(n, "", "expected a text")
		return ""
	}
	return strings.TrimSpace(n.Value)
}
