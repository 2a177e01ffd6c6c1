package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"plinth/internal/experiment"
	"plinth/internal/experiment/builtin"
	"plinth/internal/experiment/encode"
	"plinth/internal/experiment/experimenttest"
	"plinth/internal/experiment/field"
)

func readSchema(t testing.TB) map[string]any {
	t.Helper()
	text, err := JSON()
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

func fromYAML(t testing.TB, text []byte) any {
	t.Helper()
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// The schema accepts the files that plinth contains or writes.
func TestSchemaAcceptsGoodFiles(t *testing.T) {
	schema := readSchema(t)
	files := map[string][]byte{}
	for _, name := range builtin.Names() {
		files[name], _ = os.ReadFile("../builtin/" + name + ".yaml")
	}
	for _, name := range []string{"full.yaml", "full.canonical.yaml", "redis.yaml", "redis.canonical.yaml", "minimal.canonical.yaml",
		"steps.yaml", "steps.canonical.yaml", "ablation.yaml", "ablation.canonical.yaml", "kubernetes.yaml", "kubernetes.canonical.yaml"} {
		files[name], _ = os.ReadFile("../decode/testdata/" + name)
	}
	for name, text := range files {
		for _, problem := range validate(schema, fromYAML(t, text), "") {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

func TestSchemaAcceptsWhatIsWrittenOut(t *testing.T) {
	schema := readSchema(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := encode.YAML(experimenttest.Any().Draw(rt, "experiment"))
		// Settings can contain values that YAML reads as dates; the library turns them into a type
		// that JSON does not have.
		plain := regexp.MustCompile(`2001-01-01`).ReplaceAll(text, []byte("date"))
		if problems := validate(schema, fromYAML(t, plain), ""); len(problems) > 0 {
			rt.Fatalf("%v\n%s", problems, text)
		}
	})
}

func TestSchemaRefusesMistakes(t *testing.T) {
	schema := readSchema(t)
	for _, name := range []string{"unknown-keys", "misspelt-sections", "misspelt-values", "no-unit", "negative-and-zero", "wrong-types", "empty-lists", "nothing-to-do", "a-list",
		"volume-kinds", "volume-words", "volume-arrays", "limits", "fault-word", "durability-word", "events", "pressure"} {
		text, err := os.ReadFile("../decode/testdata/mistakes/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		if len(validate(schema, fromYAML(t, text), "")) == 0 {
			t.Errorf("%s.yaml is accepted", name)
		}
	}
}

// The schema contains every key of the decoder, with a description.
func TestSchemaHasEveryKey(t *testing.T) {
	var check func(schema map[string]any, typ reflect.Type, where string)
	check = func(schema map[string]any, typ reflect.Type, where string) {
		properties := schema["properties"].(map[string]any)
		fields := field.Of(typ)
		weights := 0 // of a mix
		if typ == reflect.TypeFor[field.WorkloadForm]() {
			weights = len(experiment.ScriptsOf(experiment.EngineRedis))
		}
		if len(properties) != len(fields)+weights || schema["additionalProperties"] != false {
			t.Errorf("%s: %d properties for %d keys", where, len(properties), len(fields))
		}
		for _, f := range fields {
			property, ok := properties[f.Name].(map[string]any)
			if !ok || property["description"] != f.About() || f.Doc == "" {
				t.Errorf("%s.%s: %v", where, f.Name, property)
			}
			if section := field.Section(f.Type); section != nil {
				check(sectionIn(property), section, where+"."+f.Name)
			}
		}
	}
	check(readSchema(t), reflect.TypeFor[experiment.Experiment](), "experiment")
}

// sectionIn finds the schema of a struct inside that of a list, a choice or a
// mapping by name.
func sectionIn(schema map[string]any) map[string]any {
	if _, ok := schema["properties"]; ok {
		return schema
	}
	if named, ok := schema["additionalProperties"].(map[string]any); ok {
		return sectionIn(named)
	}
	choices, _ := schema["anyOf"].([]any)
	for _, choice := range choices {
		if section := sectionIn(choice.(map[string]any)); section != nil {
			return section
		}
	}
	return nil
}

// validate implements the part of JSON schema that plinth's schema uses. An unknown keyword is an error,
// so that none is silently ignored.
func validate(schema map[string]any, value any, where string) []string {
	var problems []string
	note := func(format string, args ...any) {
		problems = append(problems, where+": "+fmt.Sprintf(format, args...))
	}
	for key, rule := range schema {
		switch key {
		case "description", "default", "title", "$schema":
		case "type":
			if !slices.ContainsFunc(asList(rule), func(name any) bool { return hasType(value, name.(string)) }) {
				note("%v is no %v", value, rule)
			}
		case "enum":
			if n, ok := number(value); !slices.Contains(asList(rule), value) && !(ok && slices.Contains(asList(rule), any(n))) {
				note("%v is none of %v", value, rule)
			}
		case "anyOf":
			if !slices.ContainsFunc(asList(rule), func(s any) bool { return len(validate(s.(map[string]any), value, where)) == 0 }) {
				note("%v fits nothing", value)
			}
		case "minimum", "maximum":
			if n, ok := number(value); ok && (key == "minimum" && n < rule.(float64) || key == "maximum" && n > rule.(float64)) {
				note("%v is beyond the %s of %v", value, key, rule)
			}
		case "pattern", "minLength":
			if s, ok := value.(string); ok && (key == "minLength" && s == "" || key == "pattern" && !regexp.MustCompile(rule.(string)).MatchString(s)) {
				note("%q does not match %v", s, rule)
			}
		case "items", "minItems", "maxItems":
			problems = append(problems, validateList(key, rule, value, where)...)
		case "properties", "additionalProperties", "required", "propertyNames", "minProperties":
			problems = append(problems, validateObject(schema, key, value, where)...)
		default:
			note("the test knows no %s", key)
		}
	}
	return problems
}

func validateList(key string, rule, value any, where string) []string {
	list, _ := value.([]any)
	var problems []string
	if n, isCount := rule.(float64); isCount && (key == "minItems" && len(list) < int(n) || key == "maxItems" && len(list) > int(n)) {
		problems = append(problems, fmt.Sprintf("%s: %d items", where, len(list)))
	}
	if items, ok := rule.(map[string]any); ok {
		for _, item := range list {
			problems = append(problems, validate(items, item, where)...)
		}
	}
	return problems
}

func validateObject(schema map[string]any, key string, value any, where string) []string {
	object, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	properties, _ := schema["properties"].(map[string]any)
	var problems []string
	if required, isRequired := schema[key].([]any); isRequired {
		for _, name := range required {
			if _, there := object[name.(string)]; !there {
				problems = append(problems, where+": no "+name.(string))
			}
		}
	}
	if key == "minProperties" && len(object) == 0 {
		problems = append(problems, where+": empty")
	}
	for name, child := range object {
		rule, known := properties[name].(map[string]any)
		other, open := schema["additionalProperties"].(map[string]any)
		switch {
		case key == "properties" && known:
			problems = append(problems, validate(rule, child, where+"."+name)...)
		case key == "additionalProperties" && !known && open:
			problems = append(problems, validate(other, child, where+"."+name)...)
		case key == "additionalProperties" && !known:
			problems = append(problems, where+": unknown "+name)
		case key == "propertyNames":
			problems = append(problems, validate(schema[key].(map[string]any), name, where+"."+name)...)
		}
	}
	return problems
}

func asList(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case uint64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

func hasType(v any, name string) bool {
	n, isNumber := number(v)
	switch name {
	case "number":
		return isNumber
	case "integer":
		return isNumber && n == math.Trunc(n)
	case "null":
		return v == nil
	}
	kind := map[string]string{"string": "string", "bool": "boolean", "[]interface {}": "array", "map[string]interface {}": "object"}
	return v != nil && kind[strings.TrimSpace(reflect.TypeOf(v).String())] == name
}
