package profile

import (
	"reflect"
	"slices"
	"strings"
)

// topNames are the names that an expression can begin with.
func topNames() []string {
	return slices.Concat(tagsOf(reflect.TypeFor[Facts]()), tagsOf(reflect.TypeFor[language]()), builtins)
}

// fieldNames are the names that can stand after a dot.
func fieldNames() []string {
	return slices.Concat(tagsOf(reflect.TypeFor[Disk]()), tagsOf(reflect.TypeFor[Node]()))
}

// tagsOf are the names of a struct's fields in expressions, but for those that
// expressions get by themselves.
func tagsOf(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("expr"); name != "" && !strings.HasSuffix(name, "__") {
			names = append(names, name)
		}
	}
	return names
}
