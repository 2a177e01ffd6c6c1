package strictyaml

import (
	"fmt"
	"iter"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/hint"
)

// Entry is a key of a mapping and its value.
type Entry struct {
	Key, Value *yaml.Node
	First      *yaml.Node // the first occurrence of a duplicate key, otherwise nil
}

// Entries yields the entries of a mapping in order.
func Entries(mapping *yaml.Node) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		seen := map[string]*yaml.Node{}
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			e := Entry{Key: mapping.Content[i], Value: mapping.Content[i+1]}
			if e.Key.Kind == yaml.ScalarNode {
				if e.First = seen[e.Key.Value]; e.First == nil {
					seen[e.Key.Value] = e.Key
				}
			}
			if !yield(e) {
				return
			}
		}
	}
}

// Lookup returns the value of a mapping's key, or nil.
func Lookup(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// Items returns the entries of a list; none for nil. A single value counts as a list of one.
func Items(n *yaml.Node) []*yaml.Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.SequenceNode:
		return n.Content
	}
	return []*yaml.Node{n}
}

// IsNull reports whether a value is missing or null.
func IsNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// Unknown returns a hint and a message about an unknown key in a section.
func Unknown(key *yaml.Node, known []string, where string) (advice, text string) {
	return hint.DidYouMean(key.Value, known, "known here: "+strings.Join(known, ", ")),
		fmt.Sprintf("unknown key %s in %s", Quote(key.Value), where)
}

// Describe returns a description of a node that is not what was expected.
func Describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "keys and values"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "an alias"
	case n.Tag == "!!null" || n.Value == "":
		return "nothing"
	}
	return Quote(n.Value)
}
