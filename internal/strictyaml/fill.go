package strictyaml

import (
	"encoding"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Fill fills a value from a node: structs by their yaml tags, maps with text keys, slices, pointers,
// and scalars, among them those that read their own text. It notes unknown and duplicate keys and
// values of the wrong kind, and goes on behind them. where names the place in messages: "the price
// book". A key whose value is nothing (null) is a mistake: leave it out instead.
func (s *Notes) Fill(n *yaml.Node, into any, where string) {
	s.fill(n, reflect.ValueOf(into).Elem(), where)
}

func (s *Notes) fill(n *yaml.Node, v reflect.Value, where string) {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if text, is := v.Addr().Interface().(encoding.TextUnmarshaler); is && n.Kind == yaml.ScalarNode && !IsNull(n) {
		if err := text.UnmarshalText([]byte(n.Value)); err != nil {
			s.Add(n, "", "%s: %v", where, err)
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		s.fillStruct(n, v, where)
	case reflect.Map:
		s.fillMap(n, v, where)
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			s.Add(n, "", "%s: expected a list, found %s", where, Describe(n))
			return
		}
		for _, item := range n.Content {
			one := reflect.New(v.Type().Elem()).Elem()
			s.fill(item, one, where)
			v.Set(reflect.Append(v, one))
		}
	default:
		if n.Kind != yaml.ScalarNode || IsNull(n) || Set(v, n) != nil {
			s.Add(n, "", "%s: expected %s, found %s", where, Expected(v.Type()), Describe(n))
		}
	}
}

func (s *Notes) fillStruct(n *yaml.Node, v reflect.Value, where string) {
	var keys []string
	fields := map[string]int{}
	for i := range v.NumField() {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		if key != "" && key != "-" {
			keys, fields[key] = append(keys, key), i
		}
	}
	s.eachKey(n, where, func(key, value *yaml.Node) {
		at, known := fields[key.Value]
		if !known {
			slices.Sort(keys)
			advice, text := Unknown(key, keys, where)
			s.Add(key, advice, "%s", text)
			return
		}
		s.fill(value, v.Field(at), where+", "+key.Value)
	})
}

func (s *Notes) fillMap(n *yaml.Node, v reflect.Value, where string) {
	v.Set(reflect.MakeMap(v.Type()))
	s.eachKey(n, where, func(key, value *yaml.Node) {
		one := reflect.New(v.Type().Elem()).Elem()
		s.fill(value, one, where+", "+Bare(key.Value))
		v.SetMapIndex(reflect.ValueOf(key.Value), one)
	})
}

// eachKey calls do for each key of a mapping that is not a duplicate.
func (s *Notes) eachKey(n *yaml.Node, where string, do func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		s.Add(n, "", "%s: expected keys and values, found %s", where, Describe(n))
		return
	}
	for e := range Entries(n) {
		if e.First != nil {
			s.Add(e.Key, "", "duplicate key %s in %s (first on line %d)", Quote(e.Key.Value), where, e.First.Line)
			continue
		}
		do(e.Key, e.Value)
	}
}
