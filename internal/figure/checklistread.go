package figure

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/hint"
	"plinth/internal/metric"
	"plinth/internal/strictyaml"
)

// largest is the bytes of a checklist that are read.
const largest = 1 << 20

// LoadChecklist reads a checklist from a YAML file, or one that comes with plinth by its name (Shipped).
// An empty path returns an empty list. What is wrong with it are mistakes with their lines and columns
// (*strictyaml.Error).
func LoadChecklist(path string) (Checklist, error) {
	if path == "" {
		return Checklist{}, nil
	}
	if text, known := shipped[path]; known {
		return parseChecklist(path+".yaml", text)
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

var kind = strictyaml.Kind{Name: "checklist", File: "checklist", Limit: largest, Begin: "begin with source: and items:"}

func parseChecklist(path string, data []byte) (Checklist, error) {
	r := &reader{strictyaml.Notes{File: path, In: "the checklist"}}
	root, err := r.Document(data, kind)
	if err != nil {
		r.Add(nil, "", "not valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	var list Checklist
	if root != nil {
		list = r.checklist(root)
	}
	if err := r.Err(); err != nil {
		return Checklist{}, err
	}
	return list, nil
}

// reader reads a checklist, and goes on after a mistake.
type reader struct{ strictyaml.Notes }

func (r *reader) checklist(root *yaml.Node) (list Checklist) {
	values := r.section(root, "the checklist", "source", "servers?", "items")
	list.Source = r.text(values["source"], "source")
	list.Servers = r.servers(values["servers"])
	items := values["items"]
	if items == nil {
		return list
	}
	if items.Kind != yaml.SequenceNode || len(items.Content) == 0 {
		r.Add(items, "", "items: expected a list")
		return list
	}
	for _, item := range items.Content {
		list.checks = append(list.checks, r.check(item))
	}
	r.titles(items.Content, list.checks)
	return list
}

// servers are those that a list is about: one, or a list of them.
func (r *reader) servers(n *yaml.Node) (all []string) {
	for _, n := range strictyaml.Items(n) {
		name := r.text(n, "servers")
		if !slices.Contains(metric.Servers(), name) && name != "" {
			r.Add(n, hint.DidYouMean(name, metric.Servers(), "known here: "+strings.Join(metric.Servers(), ", ")), "servers: there is no server %q", name)
		}
		all = append(all, name)
	}
	return all
}

// titles refuses a title that occurs twice: readers could not tell the two apart.
func (r *reader) titles(items []*yaml.Node, checks []check) {
	seen := map[string]bool{}
	for i, c := range checks {
		if seen[c.title] {
			r.Add(items[i], "", "title: two items are called %q", c.title)
		}
		seen[c.title] = c.title != ""
	}
}

// section is the values of a mapping that has these keys and no others; those with a
// question mark may be left out. It is nil where there is no mapping.
func (r *reader) section(n *yaml.Node, what string, keys ...string) map[string]*yaml.Node {
	if n.Kind != yaml.MappingNode {
		r.Add(n, "", "expected the keys and values of %s", what)
		return nil
	}
	var known []string
	for _, key := range keys {
		known = append(known, strings.TrimSuffix(key, "?"))
	}
	values := map[string]*yaml.Node{}
	for e := range strictyaml.Entries(n) {
		switch key := e.Key; {
		case !slices.Contains(known, key.Value):
			advice, text := strictyaml.Unknown(key, known, what)
			r.Add(key, advice, "%s", text)
		case e.First != nil:
			r.Add(key, "", "duplicate key %q in %s", key.Value, what)
		default:
			values[key.Value] = e.Value
		}
	}
	for i, key := range keys {
		if key == known[i] && values[key] == nil {
			r.Add(n, "", "%s has no %s", what, key)
		}
	}
	return values
}

// text is a text that is not empty; "" means a mistake that is reported here, or a key already
// reported as missing.
func (r *reader) text(n *yaml.Node, key string) string {
	if n == nil {
		return ""
	}
	text := strings.TrimSpace(n.Value)
	if n.Kind != yaml.ScalarNode || text == "" {
		r.Add(n, "", "%s: expected text", key)
		return ""
	}
	return text
}
