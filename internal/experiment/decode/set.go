package decode

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/experiment/field"
	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// set applies one --set KEY=VALUE to the tree before it is decoded, so that it passes the same checks
// as the file. KEY= removes the key. Mistakes show the flag's key as their position, never the value,
// which may contain a password.
func (s *source) set(flag string) {
	path, text, found := strings.Cut(flag, "=")
	if !found || path == "" {
		n := &yaml.Node{}
		s.Elsewhere[n] = "--set"
		s.Add(n, "write --set duration=2s or --set dataset.scale=5", "expected KEY=VALUE, found %s", strictyaml.Quote(flag))
		return
	}
	value, ok := s.setValue(path, text)
	if !ok {
		return
	}
	at, typ, whole := s.root, reflect.TypeFor[experiment.Experiment](), path
	for {
		key, rest, more := step(at, typ, path)
		if !more && strings.TrimSpace(text) == "" {
			s.takeOut(at, key, typ, value)
			s.removed = append(s.removed, removal{at, key, typ, value, whole})
			return
		}
		if !more {
			s.put(at, key, value, flag)
			return
		}
		if at = s.into(at, key, rest, flag); at == nil {
			return
		}
		typ, path = typeOf(typ, key), rest
	}
}

// setValue parses the value as YAML.
func (s *source) setValue(path, text string) (*yaml.Node, bool) {
	var document yaml.Node
	value := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		s.flag(value, path)
		_, hint := strictyaml.Explain(err, "")
		s.Add(value, hint, "the value is not valid YAML")
		return nil, false
	}
	if len(document.Content) > 0 {
		s.flag(document.Content[0], path)
		value = s.Expand(document.Content[0])
	}
	s.flag(value, path)
	return value, true
}

// flag marks a tree as coming from --set.
func (s *source) flag(n *yaml.Node, path string) {
	s.Elsewhere[n] = s.origin + strictyaml.Bare(path)
	for _, child := range n.Content {
		s.flag(child, path)
	}
}

// step splits the first key off a path. Names of settings and environments can contain dots:
// everything after "settings." is one name, and environments in the file are matched by their full
// name.
func step(at *yaml.Node, typ reflect.Type, path string) (key, rest string, more bool) {
	if typ == reflect.TypeFor[map[string]string]() {
		return path, "", false
	}
	if typ == reflect.TypeFor[[]experiment.Environment]() {
		for i := 0; i+1 < len(at.Content); i += 2 {
			name := at.Content[i].Value
			if strings.HasPrefix(path+".", name+".") && len(name) > len(key) {
				key = name
			}
		}
		if key != "" {
			return key, strings.TrimPrefix(path[len(key):], "."), len(path) > len(key)
		}
	}
	return strings.Cut(path, ".")
}

// typeOf returns the type of a key's value, or nil for an unknown key, which the decoder reports.
func typeOf(typ reflect.Type, key string) reflect.Type {
	switch {
	case typ == nil:
		return nil
	case typ == reflect.TypeFor[[]experiment.Environment]():
		return reflect.TypeFor[experiment.Environment]()
	case typ.Kind() != reflect.Struct:
		return nil
	}
	f, _ := field.Named(field.Of(typ), key)
	return f.Type
}

// into returns the mapping at a key and creates it if it is missing. It returns nil, and notes a
// mistake, if the value is not a mapping. rest is the path after the key, for the hint.
func (s *source) into(at *yaml.Node, key, rest, flag string) *yaml.Node {
	child := strictyaml.Lookup(at, key)
	path, _, _ := strings.Cut(flag, "=")
	switch {
	case child == nil || strictyaml.IsNull(child):
		child = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		s.put(at, key, child, flag)
	case child.Kind != yaml.MappingNode:
		n := &yaml.Node{}
		s.flag(n, path)
		s.Add(n, "set the whole value: --set "+strictyaml.Bare(whole(path, rest, child)), "%s has no keys: it is %s", strictyaml.Bare(key), describe(child))
		return nil
	}
	return child
}

// whole returns the flag that sets the whole value of a key. If the present value is a scalar, a short
// form such as the directory of a volume, the rest of the path goes into the value.
func whole(path, rest string, found *yaml.Node) string {
	value := "VALUE"
	if found.Kind == yaml.ScalarNode {
		keys := strings.Split(rest, ".")
		for _, key := range slices.Backward(keys) {
			value = "{" + key + ": " + value + "}"
		}
		value = "'" + value + "'" // for the shell
	}
	return strings.TrimSuffix(path, "."+rest) + "=" + value
}

// put sets the value of a key of a mapping.
func (s *source) put(at *yaml.Node, key string, value *yaml.Node, flag string) {
	path, _, _ := strings.Cut(flag, "=")
	s.flag(value, path)
	for i := 0; i+1 < len(at.Content); i += 2 {
		if at.Content[i].Value == key {
			at.Content[i+1] = value
			return
		}
	}
	k := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}
	s.flag(k, path)
	at.Content = append(at.Content, k, value)
}

// removal is a key that --set KEY= removed.
type removal struct {
	at    *yaml.Node
	key   string
	typ   reflect.Type // of the struct that has the key; nil if unknown
	value *yaml.Node   // for the position of a mistake
	path  string
}

// checkRemovals refuses to replace a value by a default: "duration=" looks like no limit, but would
// mean 60 s. A duration can be replaced by a number of transactions.
func (s *source) checkRemovals() {
	for _, r := range s.removed {
		if r.typ == nil || r.typ.Kind() != reflect.Struct || strictyaml.Lookup(r.at, r.key) != nil ||
			r.key == "duration" && strictyaml.Lookup(r.at, "transactions") != nil {
			continue
		}
		if f, known := field.Named(field.Of(r.typ), r.key); known && f.Default != "" {
			advice := "write --set " + r.path + "=" + f.Default + " to use the default"
			if r.key == "duration" {
				advice += ", or add --set transactions=1000"
			}
			s.Add(r.value, advice, "%s has no value: the default, %s, would be used", strictyaml.Bare(r.key), f.Default)
		}
	}
}

// takeOut removes a key. It ignores a known key that the file does not have.
func (s *source) takeOut(at *yaml.Node, key string, typ reflect.Type, value *yaml.Node) {
	for i := 0; i+1 < len(at.Content); i += 2 {
		if at.Content[i].Value == key {
			at.Content = slices.Delete(at.Content, i, i+2)
			return
		}
	}
	var known []string
	if typ != nil && typ.Kind() == reflect.Struct {
		known = field.Names(field.Of(typ))
	}
	if slices.Contains(known, key) {
		return
	}
	for i := 0; i+1 < len(at.Content); i += 2 {
		known = append(known, at.Content[i].Value)
	}
	s.Add(value, hint.DidYouMean(key, known, ""), "there is no %s to remove", strictyaml.Bare(key))
}
