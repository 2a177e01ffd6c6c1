package strictyaml

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Set sets a string, a Boolean or a number from a scalar. Errors are those of SetNumber.
func Set(v reflect.Value, n *yaml.Node) error {
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.Value)
		return nil
	case reflect.Bool:
		v.SetBool(n.Value == "true")
		if n.Tag == "!!bool" && (n.Value == "true" || n.Value == "false") {
			return nil
		}
		return strconv.ErrSyntax
	}
	return SetNumber(v, n.Value)
}

// Expected describes the scalar that a type expects.
func Expected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

// decimal matches plain decimal numbers. The meaning of forms such as 0x10, 1_000 or 010 depends on the
// version of YAML.
var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// SetNumber sets a number from plain decimal digits. The error is, or wraps, strconv.ErrSyntax if text
// is not a number of v's type, and strconv.ErrRange if the number is too large.
func SetNumber(v reflect.Value, text string) error {
	if !decimal.MatchString(text) {
		return strconv.ErrSyntax
	}
	switch v.Kind() {
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		v.SetFloat(f)
		return err
	case reflect.Uint64:
		// A negative number is valid here; the caller's check of the minimum refuses it.
		u, err := strconv.ParseUint(strings.TrimPrefix(text, "-"), 10, 64)
		v.SetUint(u)
		return err
	case reflect.Int64:
		i, err := strconv.ParseInt(text, 10, 64)
		v.SetInt(i)
		return err
	}
	i, err := strconv.ParseInt(text, 10, 32)
	v.SetInt(i)
	return err
}
