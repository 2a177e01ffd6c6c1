// Package derive makes an experiment from another one: one of its environments and workloads, as they are and changed.
package derive

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment/decode"
)

// AsItWas is the name of the environment without a change.
const AsItWas = "as-it-was"

// ErrUnchanged is the error for a change that changes nothing.
var ErrUnchanged = errors.New("nothing would change")

// Experiment describes an experiment that is made from another one.
type Experiment struct {
	Name     string
	Question string

	Environment string // of the other experiment
	Workload    string
	Clients     []int
	Threads     int
	Rate        float64 // 0 for as fast as possible
	Repeats     int

	// Changed names the environment that has the changes as well, in the keys of an experiment file; null takes a key away.
	// Without changes, there is none.
	Changed string
	Changes map[string]any
}

// File returns the experiment file, from that of the other experiment.
func File(other []byte, e Experiment) ([]byte, error) {
	var file yaml.Node
	if err := yaml.Unmarshal(other, &file); err != nil {
		return nil, fmt.Errorf("cannot read the experiment of the record: %w", err)
	}
	if len(file.Content) != 1 {
		return nil, errors.New("the experiment of the record is empty")
	}
	top := file.Content[0]
	was := get(get(top, "environments"), e.Environment)
	if was == nil {
		return nil, fmt.Errorf("the experiment of the record has no environment %s", e.Environment)
	}
	environments := []*yaml.Node{scalar(AsItWas), was}
	if len(e.Changes) > 0 {
		then, err := merged(was, e.Changes)
		if err != nil {
			return nil, err
		}
		if same(was, then) {
			return nil, ErrUnchanged
		}
		environments = append(environments, scalar(e.Changed), then)
	}
	for _, key := range []string{"steps", "ablate", "compare", "seed"} {
		remove(top, key)
	}
	if len(environments) == 1 {
		remove(top, "stop") // there is no verdict that could end it
	}
	set(top, "name", scalar(e.Name))
	set(top, "question", scalar(e.Question))
	set(top, "repeats", number(e.Repeats))
	set(top, "clients", numbers(e.Clients))
	set(top, "threads", number(e.Threads))
	if e.Rate > 0 {
		set(top, "rate", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: strconv.FormatFloat(e.Rate, 'g', -1, 64)})
	}
	keep(get(top, "workloads"), e.Workload)
	set(top, "environments", &yaml.Node{Kind: yaml.MappingNode, Content: environments})
	set(top, "baseline", scalar(AsItWas))
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(&file); err != nil {
		return nil, err
	}
	if _, _, err := decode.Parse("the experiment", b.Bytes(), "", nil); err != nil {
		return nil, fmt.Errorf("cannot change the environment %s in this way: %w", e.Environment, err)
	}
	return b.Bytes(), nil
}

// get returns the value of a key; nil if there is none.
func get(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// set sets the value of a key.
func set(n *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content[i+1] = value
			return
		}
	}
	n.Content = append(n.Content, scalar(key), value)
}

// remove removes a key.
func remove(n *yaml.Node, key string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content = slices.Delete(n.Content, i, i+2)
			return
		}
	}
}

// keep removes all workloads but one from a list of names and of mappings with a name.
func keep(list *yaml.Node, name string) {
	if list == nil || list.Kind != yaml.SequenceNode {
		return
	}
	list.Content = slices.DeleteFunc(list.Content, func(n *yaml.Node) bool {
		return n.Value != name && (get(n, "name") == nil || get(n, "name").Value != name)
	})
}

func scalar(value string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(value)
	return n
}

// numbers returns a number, or a list of several.
func numbers(all []int) *yaml.Node {
	if len(all) == 1 {
		return number(all[0])
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, n := range all {
		list.Content = append(list.Content, number(n))
	}
	return list
}

func number(n int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(n)}
}

// merged returns an environment with a change merged into it, key by key; null takes a key away.
func merged(environment *yaml.Node, change map[string]any) (*yaml.Node, error) {
	content, isMap := contentOf(environment).(map[string]any)
	if !isMap {
		content = map[string]any{}
	}
	merge(content, change)
	n := &yaml.Node{}
	return n, n.Encode(content)
}

// contentOf returns the maps and lists of a node. Their scalars stay as they are written: as a Go value, 0640 would
// become 416, and 1.30 would become 1.3.
func contentOf(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		content := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			content[n.Content[i].Value] = contentOf(n.Content[i+1])
		}
		return content
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			list = append(list, contentOf(item))
		}
		return list
	}
	return n
}

func merge(into, change map[string]any) {
	for key, value := range change {
		deeper, isMap := value.(map[string]any)
		existing, isToo := into[key].(map[string]any)
		switch {
		case value == nil:
			delete(into, key)
		case isMap && isToo:
			merge(existing, deeper)
			if len(existing) == 0 {
				delete(into, key)
			}
		case isMap && onlyRemoves(deeper):
		case isMap: // what it takes away is not there
			fresh := map[string]any{}
			merge(fresh, deeper)
			into[key] = fresh
		case key == "tuning": // the environment's own stays, and the change overrides it
			own, isList := into[key].([]any)
			if !isList && into[key] != nil {
				own = []any{into[key]}
			}
			more, _ := value.([]any)
			into[key] = slices.Concat(own, more)
		default:
			into[key] = value
		}
	}
}

// onlyRemoves reports whether a change has nothing but keys to take away.
func onlyRemoves(change map[string]any) bool {
	for _, value := range change {
		if deeper, isMap := value.(map[string]any); value != nil && (!isMap || !onlyRemoves(deeper)) {
			return false
		}
	}
	return true
}

// same reports whether two nodes have the same content.
func same(a, b *yaml.Node) bool {
	x, err := yaml.Marshal(a)
	y, err2 := yaml.Marshal(b)
	var u, v any
	if err != nil || err2 != nil || yaml.Unmarshal(x, &u) != nil || yaml.Unmarshal(y, &v) != nil {
		return false
	}
	return fmt.Sprint(u) == fmt.Sprint(v)
}
