package decode

import (
	"cmp"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment/field"
	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

// quantity fills v if it is a quantity with a unit; known reports whether it is.
func (d *decoder) quantity(n *yaml.Node, v any, f field.Key, where string) (ok, known bool) {
	switch into := v.(type) {
	case *unit.Duration:
		return amount(d, n, into, f, where, "a duration such as 60s", unit.ParseDuration), true
	case *unit.Share:
		return amount(d, n, into, f, where, "a share such as 3%", unit.ParseShare), true
	case *unit.Size:
		return amount(d, n, into, f, where, "a size such as 8GiB", unit.ParseSize), true
	case *unit.Rate:
		return amount(d, n, into, f, where, "a rate such as 125MiB/s", unit.ParseRate), true
	}
	return false, false
}

// amount fills one quantity and checks the limits of its tag.
func amount[T cmp.Ordered](d *decoder, n *yaml.Node, into *T, f field.Key, where, expected string, parse func(string) (T, error)) bool {
	if n.Kind != yaml.ScalarNode || strictyaml.IsNull(n) {
		d.Add(n, "", "%s: expected %s, found %s", where, expected, describe(n))
		return false
	}
	value, err := parse(n.Value)
	if err != nil {
		text := err.Error()
		if strictyaml.LooksSecret(text) { // it may contain a password
			text = "not " + expected
		}
		d.Add(n, "", "%s: %s", where, text)
		return false
	}
	*into = value
	if least, err := parse(f.Min); err == nil && value < least {
		d.Add(n, "", "%s: must be at least %s, not %s", where, f.Min, n.Value)
		return false
	}
	if most, err := parse(f.Max); err == nil && value > most {
		d.Add(n, "", "%s: must be at most %s, not %s", where, f.Max, n.Value)
		return false
	}
	return true
}
