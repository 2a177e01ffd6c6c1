package field

import (
	"fmt"
	"reflect"

	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

// SetDefaults gives every field of a struct the value that its absent key has.
// Lists of structs and maps have no defaults, nor have keys of another engine.
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

// SetDefault gives one value its default, which a test has read.
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
			_ = strictyaml.SetNumber(into, text) // a test reads every default
		}
	}
}

// setQuantity is the default of a quantity; known says whether it is one. A test
// reads every default.
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

// Exact is a quantity, or what else prints itself, so that it reads back to the
// same value; known says whether it is one.
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

// Absent says whether a value is one that only an absent key has.
func Absent(v reflect.Value, f Key) bool {
	return v.IsZero() && (f.Default == "" || f.Min != "" && f.Min != "0" || v.Kind() == reflect.String)
}
