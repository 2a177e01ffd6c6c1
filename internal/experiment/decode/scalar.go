package decode

import (
	"errors"
	"reflect"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment/field"
	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// scalar fills a string, a number or a Boolean.
func (d *decoder) scalar(n *yaml.Node, v reflect.Value, f field.Key, where string) bool {
	if n.Kind != yaml.ScalarNode || strictyaml.IsNull(n) {
		hint := ""
		if strictyaml.IsNull(n) {
			hint = "give it a value, or leave the key out"
		}
		d.Add(n, hint, "%s: expected %s, found %s", where, strictyaml.Expected(v.Type()), describe(n))
		return false
	}
	err := strictyaml.Set(v, n)
	switch {
	case v.Kind() == reflect.String:
		return d.word(n, f, where)
	case v.Kind() != reflect.Bool:
		return d.number(n, v.Type(), err, f, where)
	case err != nil:
		d.Add(n, "", "%s: expected true or false, found %s", where, describe(n))
	}
	return err == nil
}

func (d *decoder) word(n *yaml.Node, f field.Key, where string) bool {
	switch {
	case n.Value == "":
		d.Add(n, "give it a value, or leave the key out", "%s: the value is empty", where)
		return false
	case f.Enum != nil && !slices.Contains(f.Enum, n.Value):
		d.Add(n, hint.DidYouMean(n.Value, f.Enum, "it can be "+hint.Choice(f.Enum)), "%s: unknown value %s", where, strictyaml.Quote(n.Value))
		return false
	}
	return true
}

// number checks a number; err is the error from setting it, or nil.
func (d *decoder) number(n *yaml.Node, t reflect.Type, err error, f field.Key, where string) bool {
	if quoted := n.Tag == "!!str"; quoted && err == nil {
		d.Add(n, "write it without quotes", "%s: expected %s, found %s", where, strictyaml.Expected(t), describe(n))
		return false
	}
	if errors.Is(err, strconv.ErrRange) {
		d.Add(n, "", "%s: %s is out of range", where, strictyaml.Bare(n.Value))
		return false
	}
	if err != nil {
		d.Add(n, "", "%s: expected %s, found %s", where, strictyaml.Expected(t), describe(n))
		return false
	}
	number, _ := strconv.ParseFloat(n.Value, 64)
	for _, limit := range []struct {
		text, word string
		sign       float64
	}{{f.Min, "at least", 1}, {f.Max, "at most", -1}} {
		bound, err := strconv.ParseFloat(limit.text, 64)
		if err == nil && limit.sign*(number-bound) < 0 {
			d.Add(n, "", "%s: must be %s %s, not %s", where, limit.word, limit.text, n.Value)
			return false
		}
	}
	return true
}
