package field

import (
	"fmt"
	"reflect"

	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

// SetDefaults sets every field of a struct to the default of its key. Lists of structs, maps, and keys
// of other engines have no defaults.
func SetDefaults(v reflect.Value, engine string) {
	for _, f := range Of(v.Type()) {
		if !f.In(engine) {
			continue
		}
		into := v.FieldByIndex(f.Index)
		switch {
		case f.Type.Kind() == reflect.Struct:
			SetDefaults(into, engine)
		case f.Default != "":
			SetDefault(into, f.Default)
		}
	}
}

// SetDefault sets one value to its default. A test checks that all defaults are valid.
func SetDefault(into reflect.Value, text string) {
	switch into.Kind() {
	case reflect.Slice:
		into.Set(reflect.MakeSlice(into.Type(), 1, 1))
		SetDefault(into.Index(0), text)
	case reflect.String:
		into.SetString(text)
	case reflect.Bool:
		into.SetBool(text == "true")
	default:
		if !setQuantity(into.Addr().Interface(), text) {
			_ = strictyaml.SetNumber(into, text)
		}
	}
}

// setQuantity sets a quantity to its default; known reports whether it is a quantity.
func setQuantity(into any, text string) (known bool) {
	switch quantity := into.(type) {
	case *unit.Duration:
		*quantity, _ = unit.ParseDuration(text)
	case *unit.Share:
		*quantity, _ = unit.ParseShare(text)
	case *unit.Size:
		*quantity, _ = unit.ParseSize(text)
	case *unit.Rate:
		*quantity, _ = unit.ParseRate(text)
	default:
		return false
	}
	return true
}

// Exact formats a quantity, or another value with a String method, so that it reads back as the same
// value; known reports whether the value is one.
func Exact(value any) (text string, known bool) {
	switch quantity := value.(type) {
	case unit.Size:
		return quantity.Exact(), true
	case unit.Rate:
		return unit.Size(quantity).Exact() + "/s", true
	case fmt.Stringer: // durations, shares and connections
		return quantity.String(), true
	}
	return "", false
}

// Absent reports whether only an absent key can have this value.
func Absent(v reflect.Value, f Key) bool {
	return v.IsZero() && (f.Default == "" || f.Min != "" && f.Min != "0" || v.Kind() == reflect.String)
}
