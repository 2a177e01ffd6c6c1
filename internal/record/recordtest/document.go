// Package recordtest helps to test what reads or documents records: it compares docs/record.md with the
// Go structs, and makes histogram logs.
package recordtest

import (
	"encoding"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

// CheckDocument compares the field tables of a Markdown file with Go structs: a heading "###
// NAME" begins the table of the struct that types has under NAME. Fields must be listed by their
// JSON names, in order, with their types; nested objects are referred to by their headings.
func CheckDocument(t *testing.T, path string, types map[string]reflect.Type) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	documented := tables(string(text))
	names := map[reflect.Type]string{}
	for name, goType := range types {
		names[goType] = name
	}
	for name, goType := range types {
		want := fields(goType, names)
		got := documented[name]
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s has under %s:\n  %s\nbut the struct has:\n  %s",
				path, name, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		}
	}
}

// tables returns the fields under each heading, as "name type".
func tables(text string) map[string][]string {
	found := map[string][]string{}
	heading := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "### "); ok {
			heading = title
		} else if strings.HasPrefix(line, "## ") {
			heading = ""
		}
		cells := strings.Split(line, "|")
		if heading != "" && len(cells) >= 5 && strings.HasPrefix(cells[1], " `") {
			found[heading] = append(found[heading], strings.Trim(cells[1], " `")+" "+strings.TrimSpace(cells[2]))
		}
	}
	return found
}

func fields(goType reflect.Type, names map[reflect.Type]string) []string {
	if goType.Kind() == reflect.Pointer { // an embedded struct
		goType = goType.Elem()
	}
	var found []string
	for i := range goType.NumField() {
		field := goType.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			found = append(found, fields(field.Type, names)...)
		case field.IsExported() && name != "-":
			found = append(found, name+" "+typeName(field.Type, names))
		}
	}
	return found
}

// typeName returns a type's name as readers of JSON know it.
func typeName(goType reflect.Type, names map[reflect.Type]string) string {
	if goType == reflect.TypeFor[time.Time]() {
		return "time"
	}
	if name, ok := names[goType]; ok {
		return name
	}
	if goType.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return "text" // a duration or a size with its unit
	}
	switch goType.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "number"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "integer"
	case reflect.Slice:
		return "list of " + typeName(goType.Elem(), names)
	case reflect.Map:
		return "map of " + typeName(goType.Elem(), names)
	case reflect.Pointer:
		return typeName(goType.Elem(), names)
	}
	return "undocumented " + goType.String()
}
