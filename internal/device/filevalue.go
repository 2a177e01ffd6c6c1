package device

import (
	"encoding"
	"reflect"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// value fills one value: a quantity that carries its unit, a section, or a scalar.
func (r reader) value(n *yaml.Node, v reflect.Value, path string) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct {
		return r.section(n, v, path+".")
	}
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return at(n, "%s: expected a value, found %s", path, found(n))
	}
	if quantity, is := v.Addr().Interface().(encoding.TextUnmarshaler); is {
		if err := quantity.UnmarshalText([]byte(n.Value)); err != nil {
			return at(n, "%s: %v", path, err)
		}
		return nil
	}
	return scalar(n, v, path)
}

// decimal is a number as people write it; YAML's other forms do not mean the same
// everywhere.
var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

func scalar(n *yaml.Node, v reflect.Value, path string) error {
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.Value)
		return nil
	case reflect.Bool:
		if n.Tag != "!!bool" || n.Value != "true" && n.Value != "false" {
			return at(n, "%s: expected true or false, found %s", path, found(n))
		}
		v.SetBool(n.Value == "true")
		return nil
	case reflect.Int:
		whole, err := strconv.ParseInt(n.Value, 10, 32)
		if err != nil || !decimal.MatchString(n.Value) {
			return at(n, "%s: expected a whole number, found %s", path, found(n))
		}
		v.SetInt(whole)
		return nil
	}
	number, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || !decimal.MatchString(n.Value) {
		return at(n, "%s: expected a number, found %s", path, found(n))
	}
	v.SetFloat(number)
	return nil
}
