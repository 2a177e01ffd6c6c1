// Package proof writes the experiment that would prove a diagnosis: the run's own, with its environment once
// as it was, and once with the change that a finding suggests.
package proof

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"plinth/internal/diagnosis"
	"plinth/internal/experiment/decode"
	"plinth/internal/hint"
	"plinth/internal/record"
)

// repeats is the number of blocks of the experiment: the fewest that can show a difference between two
// environments at the usual level.
const repeats = 6

// Environments of the experiment.
const (
	as      = "as-it-was"
	changed = "changed"
)

// File returns the experiment file for a finding of a run: of the first change that it suggests and that can be made. An
// error says why no experiment can prove it.
func File(rec *record.Record, run *record.Run, f diagnosis.Finding) (text []byte, err error) {
	err = fmt.Errorf("no change of the environment proves %s (%s)", f.Title, f.Cause)
	for _, try := range f.Try {
		if try.Change == nil {
			continue
		}
		text, failed := experimentFor(rec, run, f, try)
		if failed == nil {
			return text, nil
		}
		err = failed
	}
	return nil, err
}

// experimentFor returns the experiment file for one change.
func experimentFor(rec *record.Record, run *record.Run, f diagnosis.Finding, try diagnosis.Try) ([]byte, error) {
	if rec.Environments[run.Environment].Kind == "connected" {
		return nil, hint.Errorf("change it by hand, and compare two records: plinth compare A B", "plinth does not change the existing server of %s", run.Environment)
	}
	change := onward(rec.Environments[run.Environment].Settings, try.Change)
	if len(change) == 0 {
		return nil, fmt.Errorf("the environment %s has more already: %s", run.Environment, try.Text)
	}
	var file yaml.Node
	if err := yaml.Unmarshal(rec.ExperimentYAML, &file); err != nil || len(file.Content) != 1 {
		return nil, fmt.Errorf("cannot read the experiment of the record: %w", err)
	}
	top := file.Content[0]
	was := get(get(top, "environments"), run.Environment)
	if was == nil {
		return nil, fmt.Errorf("the experiment of the record has no environment %s", run.Environment)
	}
	then, err := merged(was, change)
	if err != nil {
		return nil, err
	}
	if same(was, then) {
		return nil, fmt.Errorf("the environment %s has nothing that could be changed: %s", run.Environment, try.Text)
	}
	for _, key := range []string{"steps", "ablate", "compare", "seed"} {
		remove(top, key)
	}
	set(top, "name", scalar("prove-"+f.Cause))
	set(top, "question", scalar("Does it help against "+f.Title+"? "+try.Text))
	set(top, "repeats", number(repeats))
	set(top, "clients", number(run.Clients))
	set(top, "threads", number(run.Threads))
	if run.Rate > 0 {
		set(top, "rate", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: strconv.FormatFloat(run.Rate, 'g', -1, 64)})
	}
	keep(get(top, "workloads"), run.Workload)
	set(top, "environments", &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{scalar(as), was, scalar(changed), then}})
	set(top, "baseline", scalar(as))
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(&file); err != nil {
		return nil, err
	}
	if _, _, err := decode.Parse("the experiment", b.Bytes(), "", nil); err != nil {
		return nil, fmt.Errorf("the environment %s cannot be changed so: %w", run.Environment, err)
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

func number(n int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(n)}
}

// merged returns an environment with a change merged into it, key by key; null takes a key away.
func merged(environment *yaml.Node, change map[string]any) (*yaml.Node, error) {
	var content map[string]any
	if err := environment.Decode(&content); err != nil {
		return nil, fmt.Errorf("cannot read the environment: %w", err)
	}
	if content == nil {
		content = map[string]any{}
	}
	merge(content, change)
	n := &yaml.Node{}
	return n, n.Encode(content)
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
