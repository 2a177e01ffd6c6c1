// Package schema writes the JSON schema of an experiment file, for editors.
package schema

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"plinth/internal/conninfo"
	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/experiment/field"
	"plinth/internal/unit"
)

type object = map[string]any

// JSON returns the JSON schema (draft 2020-12) of an experiment file. It is derived from the same
// structs and tags as the decoder. Rules that a schema cannot express, such as that the baseline must
// be one of the environments, are checked only by decode.Parse.
func JSON() ([]byte, error) {
	schema := sectionSchema(reflect.TypeFor[experiment.Experiment]())
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "plinth experiment"
	schema["type"] = "object"
	schema["required"] = []string{"environments", "workloads"}
	text, err := json.MarshalIndent(schema, "", "  ")
	return append(text, '\n'), err
}

// sectionSchema returns the schema of a struct. A section may be empty.
func sectionSchema(t reflect.Type) object {
	properties := object{}
	for _, f := range field.Of(t) {
		property := valueSchema(f, f.Type)
		property["description"] = f.About()
		if f.Default != "" {
			property["default"] = defaultOf(f)
		}
		properties[f.Name] = property
	}
	return object{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false}
}

func valueSchema(f field.Key, t reflect.Type) object {
	if pattern, is := quantities[t]; is {
		return object{"type": "string", "pattern": "^" + pattern + "$"}
	}
	if storage := storageSchema(t); storage != nil {
		return storage
	}
	switch t {
	case reflect.TypeFor[map[string]string]():
		return object{"type": []string{"object", "null"}, "additionalProperties": object{"type": []string{"string", "number", "boolean"}}}
	case reflect.TypeFor[[]experiment.Environment]():
		return object{
			"type": "object", "minProperties": 1, "propertyNames": object{"pattern": experiment.ValidName.String()},
			"additionalProperties": sectionSchema(reflect.TypeFor[experiment.Environment]()),
		}
	case reflect.TypeFor[experiment.Workload]():
		form := sectionSchema(reflect.TypeFor[field.WorkloadForm]())
		form["type"] = "object"
		for _, test := range experiment.ScriptsOf(experiment.EngineRedis) {
			form["properties"].(object)[test] = object{"type": "integer", "minimum": 1, "description": "Weight of this test in a mix. Redis only."}
		}
		return object{"anyOf": []object{{"enum": slices.Concat(experiment.ScriptsOf(experiment.EnginePostgres), experiment.ScriptsOf(experiment.EngineRedis))}, form}}
	case reflect.TypeFor[experiment.Durability]():
		fault, _ := field.Named(field.Of(t), "fault")
		return object{"anyOf": []object{enumSchema(fault.Enum), sectionSchema(t)}}
	case reflect.TypeFor[experiment.Init]():
		return object{"anyOf": []object{{"type": "string"}, sectionSchema(t)}}
	case reflect.TypeFor[conninfo.Conninfo]():
		return object{"type": "string"} // empty in an optional environment
	case reflect.TypeFor[experiment.Tuning]():
		// Package profile checks the content.
		return object{"anyOf": []object{{"type": "string", "minLength": 1}, {"type": "object", "minProperties": 1}}}
	}
	switch t.Kind() {
	case reflect.Struct:
		return sectionSchema(t)
	case reflect.Slice:
		item := valueSchema(f, t.Elem())
		if f.Enum == nil && t.Elem().Kind() == reflect.String {
			item = object{"type": []string{"string", "number"}, "minLength": 1} // [-I, 512]
		}
		return object{"anyOf": []object{item, {"type": "array", "minItems": 1, "maxItems": field.MaxList, "items": item}}}
	}
	return scalarSchema(f, t)
}

// enumSchema returns the schema of allowed values. One that is a whole number may be written as one.
func enumSchema(words []string) object {
	var choices []any
	for _, word := range words {
		choices = append(choices, word)
		if n, err := strconv.Atoi(word); err == nil {
			choices = append(choices, n)
		}
	}
	return object{"enum": choices}
}

func scalarSchema(f field.Key, t reflect.Type) object {
	switch t.Kind() {
	case reflect.String:
		if f.Enum != nil {
			return enumSchema(f.Enum)
		}
		return object{"type": "string", "minLength": 1}
	case reflect.Bool:
		return object{"type": "boolean"}
	}
	number := object{"type": "integer"}
	if t.Kind() == reflect.Float64 {
		number["type"] = "number"
	}
	for key, text := range map[string]string{"minimum": f.Min, "maximum": f.Max} {
		if limit, err := strconv.ParseFloat(text, 64); err == nil {
			number[key] = limit
		}
	}
	return number
}

// defaultOf returns the default of a key as a JSON value.
func defaultOf(f field.Key) any {
	v := reflect.New(f.Type).Elem()
	field.SetDefault(v, f.Default)
	if v.Kind() == reflect.Slice {
		v = v.Index(0)
	}
	if share, ok := v.Interface().(unit.Share); ok {
		return share.String()
	}
	return v.Interface()
}

// Patterns of the quantities that package unit parses.
const (
	amountPattern = `([0-9]+(\.[0-9]*)?|\.[0-9]+)`
	spanPattern   = amountPattern + `(ns|us|µs|μs|ms|s|m|h)`
	sizePattern   = amountPattern + ` *([KMGT]iB|[kMGT]?B)`
)

var quantities = map[reflect.Type]string{
	reflect.TypeFor[unit.Duration](): spanPattern + `(` + spanPattern + `)*`,
	reflect.TypeFor[unit.Share]():    `[0-9]+(\.[0-9]+)? *%`,
	reflect.TypeFor[unit.Size]():     sizePattern,
	reflect.TypeFor[unit.Rate]():     sizePattern + `/s`,
}

// storageSchema returns the schema of a type that is part of storage, of CPU credits or of a machine,
// or nil for other types. Package device checks the content of a model.
func storageSchema(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[*device.Device]():
		return object{"type": "object"}
	case reflect.TypeFor[experiment.Volume](), reflect.TypeFor[experiment.Disk](), reflect.TypeFor[experiment.Emulation](),
		reflect.TypeFor[experiment.CPUCredits](), reflect.TypeFor[experiment.At]():
		return shortSchema(t)
	case reflect.TypeFor[[]experiment.Tablespace]():
		return object{
			"type": []string{"object", "null"}, "propertyNames": object{"pattern": experiment.ValidTablespace.String()},
			"additionalProperties": shortSchema(reflect.TypeFor[experiment.Volume]()),
		}
	}
	return nil
}

// shortSchema returns the schema of a struct that has a short form.
func shortSchema(t reflect.Type) object {
	keys := sectionSchema(t)
	keys["type"] = "object"
	return object{"anyOf": []object{{"type": "string", "minLength": 1}, keys}}
}
