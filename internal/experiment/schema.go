package experiment

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"plinth/internal/device"
	"plinth/internal/unit"
)

type object = map[string]any

// Schema is the JSON schema (draft 2020-12) of an experiment file, for editors.
// It is made from the same structs and tags as the decoder. What a schema can't
// say, such as that the baseline must be one of the environments, only Parse
// checks.
func Schema() ([]byte, error) {
	schema := sectionSchema(reflect.TypeFor[Experiment]())
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "plinth experiment"
	schema["type"] = "object"
	schema["required"] = []string{"environments", "workloads"}
	text, err := json.MarshalIndent(schema, "", "  ")
	return append(text, '\n'), err
}

// sectionSchema is a struct. A section may be there with nothing in it.
func sectionSchema(t reflect.Type) object {
	properties := object{}
	for _, f := range fieldsOf(t) {
		property := valueSchema(f, f.typ)
		property["description"] = f.about()
		if f.fallback != "" {
			property["default"] = defaultOf(f)
		}
		properties[f.key] = property
	}
	return object{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false}
}

func valueSchema(f field, t reflect.Type) object {
	if pattern, is := quantities[t]; is {
		return object{"type": "string", "pattern": "^" + pattern + "$"}
	}
	if storage := storageSchema(t); storage != nil {
		return storage
	}
	switch t {
	case reflect.TypeFor[map[string]string]():
		return object{"type": []string{"object", "null"}, "additionalProperties": object{"type": []string{"string", "number", "boolean"}}}
	case reflect.TypeFor[[]Environment]():
		return object{
			"type": "object", "minProperties": 1, "propertyNames": object{"pattern": validName.String()},
			"additionalProperties": sectionSchema(reflect.TypeFor[Environment]()),
		}
	case reflect.TypeFor[Workload]():
		form := sectionSchema(reflect.TypeFor[workloadForm]())
		form["type"] = "object"
		for _, test := range ScriptsOf(EngineRedis) {
			form["properties"].(object)[test] = object{"type": "integer", "minimum": 1, "description": "Weight of this test in a mix. Redis only."}
		}
		return object{"anyOf": []object{{"enum": slices.Concat(ScriptsOf(EnginePostgres), ScriptsOf(EngineRedis))}, form}}
	case reflect.TypeFor[Durability]():
		fault, _ := fieldNamed(fieldsOf(t), "fault")
		return object{"anyOf": []object{enumSchema(fault.enum), sectionSchema(t)}}
	case reflect.TypeFor[Init]():
		return object{"anyOf": []object{{"type": "string"}, sectionSchema(t)}}
	case reflect.TypeFor[Tuning]():
		// What a profile and what knobs may be is for their own readers to check.
		return object{"anyOf": []object{{"type": "string", "minLength": 1}, {"type": "object", "minProperties": 1}}}
	}
	switch t.Kind() {
	case reflect.Struct:
		return sectionSchema(t)
	case reflect.Slice:
		item := valueSchema(f, t.Elem())
		if f.enum == nil && t.Elem().Kind() == reflect.String {
			item = object{"type": []string{"string", "number"}, "minLength": 1} // [-I, 512]
		}
		return object{"anyOf": []object{item, {"type": "array", "minItems": 1, "maxItems": maxList, "items": item}}}
	}
	return scalarSchema(f, t)
}

// enumSchema is words to choose from. One that is a number may be written as one.
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

func scalarSchema(f field, t reflect.Type) object {
	switch t.Kind() {
	case reflect.String:
		if f.enum != nil {
			return enumSchema(f.enum)
		}
		return object{"type": "string", "minLength": 1}
	case reflect.Bool:
		return object{"type": "boolean"}
	}
	number := object{"type": "integer"}
	if t.Kind() == reflect.Float64 {
		number["type"] = "number"
	}
	for key, text := range map[string]string{"minimum": f.min, "maximum": f.max} {
		if limit, err := strconv.ParseFloat(text, 64); err == nil {
			number[key] = limit
		}
	}
	return number
}

// defaultOf is a default as JSON has it.
func defaultOf(f field) any {
	v := reflect.New(f.typ).Elem()
	setDefault(v, f.fallback)
	if v.Kind() == reflect.Slice {
		v = v.Index(0)
	}
	if share, ok := v.Interface().(unit.Share); ok {
		return share.String()
	}
	return v.Interface()
}

// Quantities as package unit reads them.
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

// storageSchema is what storage is made of, or nil for other types. What a model
// holds is for the reader of device files to check.
func storageSchema(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[*device.Device]():
		return object{"type": "object"}
	case reflect.TypeFor[Volume](), reflect.TypeFor[Disk](), reflect.TypeFor[Emulation]():
		return shortSchema(t)
	case reflect.TypeFor[[]Tablespace]():
		return object{
			"type": []string{"object", "null"}, "propertyNames": object{"pattern": validTablespace.String()},
			"additionalProperties": shortSchema(reflect.TypeFor[Volume]()),
		}
	}
	return nil
}

// shortSchema is a struct for which one word may stand.
func shortSchema(t reflect.Type) object {
	keys := sectionSchema(t)
	keys["type"] = "object"
	return object{"anyOf": []object{{"type": "string", "minLength": 1}, keys}}
}
