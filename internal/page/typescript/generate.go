// Package typescript generates TypeScript types from Go types, for the JSON that the page's
// program receives. Fields, embedded structs and optional fields come from reflection, so they
// match encoding/json; comments, and the constants of a string type, come from the source. tygo
// was rejected because it reads only the source: to follow embedding it would need its own tags
// on the record's types, and it does not know constants of other packages.
package typescript

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Generate is the TypeScript of the roots and of all types that they refer to, in
// the order in which they are met. In the source it looks below moduleDir, the
// directory of go.mod. special are types whose JSON is made by themselves, with
// what TypeScript calls it. Two types of one name, and what JSON or this package
// cannot express, are errors.
func Generate(moduleDir string, special map[reflect.Type]string, roots ...reflect.Type) (string, error) {
	g := &generator{source: source{dir: moduleDir, files: map[string]*parsed{}}, special: special, seen: map[string]reflect.Type{}}
	for _, root := range roots {
		g.name(root)
	}
	for len(g.queue) > 0 {
		next := g.queue[0]
		g.queue = g.queue[1:]
		g.declare(next)
	}
	return strings.TrimSpace(g.out.String()) + "\n", g.err
}

type generator struct {
	source  source
	special map[reflect.Type]string
	seen    map[string]reflect.Type
	queue   []reflect.Type
	out     strings.Builder
	err     error // the first one
}

func (g *generator) fail(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
}

// name is that of a declared type, which is declared once.
func (g *generator) name(t reflect.Type) string {
	known, ok := g.seen[t.Name()]
	if !ok {
		g.seen[t.Name()] = t
		g.queue = append(g.queue, t)
	} else if known != t {
		g.fail("two types have the name %s: %v and %v", t.Name(), known, t)
	}
	return t.Name()
}

func (g *generator) declare(t reflect.Type) {
	found, err := g.source.of(t)
	if err != nil {
		g.fail("cannot read the source of %v: %w", t, err)
		return
	}
	g.comment("", found.doc)
	if t.Kind() == reflect.String {
		words := "string" // any, where there are no constants
		if len(found.constants) > 0 {
			words = strings.Join(found.constants, " | ")
		}
		fmt.Fprintf(&g.out, "export type %s = %s;\n\n", t.Name(), words)
		return
	}
	fmt.Fprintf(&g.out, "export interface %s {\n", t.Name())
	g.fields(t, found)
	g.out.WriteString("}\n\n")
}

// fields writes the fields of a struct, those of an embedded one among them. No
// struct of ours has a field that hides another one's.
func (g *generator) fields(t reflect.Type, found described) {
	for i := range t.NumField() {
		field := t.Field(i)
		tag, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && tag == "":
			inner, err := g.source.of(field.Type)
			if err != nil {
				g.fail("cannot read the source of %v: %w", field.Type, err)
			}
			g.fields(field.Type, inner)
		case !field.IsExported() || tag == "-":
		case tag == "":
			g.fail("%v.%s has no name in JSON", t, field.Name)
		default:
			g.field(tag, options, field, found.fields[field.Name])
		}
	}
}

func (g *generator) field(name, options string, field reflect.StructField, doc string) {
	g.comment("  ", doc)
	mark, kind := "", g.kind(field.Type)
	absent := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
	if absent {
		mark = "?"
	} else if field.Type.Kind() == reflect.Pointer {
		kind += " | null"
	}
	if strings.ContainsAny(name, "-. ") { // no identifier
		name = `"` + name + `"`
	}
	fmt.Fprintf(&g.out, "  %s%s: %s;\n", name, mark, kind)
}

// kind holds what TypeScript calls the JSON of t. A list that is not there is the
// maker's mistake, not a null that each reader has to look for.
func (g *generator) kind(t reflect.Type) string {
	if special, ok := g.special[t]; ok {
		return special
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "string"
	case t.Kind() == reflect.Struct, t.Kind() == reflect.String && t.PkgPath() != "":
		return g.name(t)
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64:
		return "number"
	case reflect.Pointer:
		return g.kind(t.Elem())
	case reflect.Slice:
		of := g.kind(t.Elem())
		if strings.Contains(of, " ") {
			of = "(" + of + ")"
		}
		return of + "[]"
	case reflect.Map:
		return "Record<string, " + g.kind(t.Elem()) + ">"
	}
	g.fail("no TypeScript for %v", t)
	return "never"
}

// comment writes a comment as TSDoc. The end of a comment inside it would be one.
func (g *generator) comment(indent, doc string) {
	doc = strings.TrimSpace(strings.ReplaceAll(doc, "*/", "* /"))
	if doc == "" {
		return
	}
	if !strings.Contains(doc, "\n") {
		fmt.Fprintf(&g.out, "%s/** %s */\n", indent, doc)
		return
	}
	g.out.WriteString(indent + "/**\n")
	for _, line := range strings.Split(doc, "\n") {
		g.out.WriteString(strings.TrimRight(indent+" * "+line, " ") + "\n")
	}
	g.out.WriteString(indent + " */\n")
}
