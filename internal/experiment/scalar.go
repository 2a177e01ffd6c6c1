package experiment

import (
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/hint"
)

// scalar fills a word, a number or a truth value.
func (d *decoder) scalar(n *yaml.Node, v reflect.Value, f field, where string) bool {
	if n.Kind != yaml.ScalarNode || isNull(n) {
		hint := ""
		if isNull(n) {
			hint = "give it a value, or leave the key out"
		}
		d.add(n, hint, "%s: expected %s, found %s", where, expected(v.Type()), describe(n))
		return false
	}
	switch v.Kind() {
	case reflect.String:
		return d.word(n, v, f, where)
	case reflect.Bool:
		v.SetBool(n.Value == "true")
		if n.Tag == "!!bool" && (n.Value == "true" || n.Value == "false") {
			return true
		}
		d.add(n, "", "%s: expected true or false, found %s", where, describe(n))
		return false
	}
	return d.number(n, v, f, where)
}

// expected says what a value of a type looks like.
func expected(t reflect.Type) string {
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

func (d *decoder) word(n *yaml.Node, v reflect.Value, f field, where string) bool {
	v.SetString(n.Value)
	switch {
	case n.Value == "":
		d.add(n, "give it a value, or leave the key out", "%s: the text is empty", where)
		return false
	case f.enum != nil && !slices.Contains(f.enum, n.Value):
		d.add(n, hint.DidYouMean(n.Value, f.enum, "it can be "+choice(f.enum)), "%s: unknown value %s", where, quote(n.Value))
		return false
	}
	return true
}

// number fills a number that must be written in plain decimal digits: forms such
// as 0x10, 1_000 or 010 do not mean the same in every version of YAML.
func (d *decoder) number(n *yaml.Node, v reflect.Value, f field, where string) bool {
	err := setNumber(v, n.Value)
	if quoted := n.Tag == "!!str"; quoted && err == nil {
		d.add(n, "write it without quotes", "%s: expected %s, found %s", where, expected(v.Type()), describe(n))
		return false
	}
	if errors.Is(err, strconv.ErrRange) {
		d.add(n, "", "%s: %s is out of range", where, quoteless(n.Value))
		return false
	}
	if err != nil {
		d.add(n, "", "%s: expected %s, found %s", where, expected(v.Type()), describe(n))
		return false
	}
	number, _ := strconv.ParseFloat(n.Value, 64)
	for _, limit := range []struct {
		text, word string
		sign       float64
	}{{f.min, "at least", 1}, {f.max, "at most", -1}} {
		bound, err := strconv.ParseFloat(limit.text, 64)
		if err == nil && limit.sign*(number-bound) < 0 {
			d.add(n, "", "%s: must be %s %s, not %s", where, limit.word, limit.text, n.Value)
			return false
		}
	}
	return true
}

var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

func setNumber(v reflect.Value, text string) error {
	if !decimal.MatchString(text) {
		return strconv.ErrSyntax
	}
	switch v.Kind() {
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		v.SetFloat(f)
		return err
	case reflect.Uint64:
		// A negative number is a number too, and below the minimum.
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

func listing(words []string) string { return strings.Join(words, ", ") }

// choice is "a, b or c".
func choice(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return listing(words)
	}
	return listing(words[:last]) + " or " + words[last]
}
