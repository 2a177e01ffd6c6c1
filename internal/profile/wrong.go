package profile

import (
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// innermost returns the cause of an error in an expression, without the library's code
// excerpt.
func innermost(err error) error {
	var unknown unknownFact
	if errors.As(err, &unknown) {
		return unknown
	}
	var at *file.Error
	if errors.As(err, &at) {
		if at.Prev != nil {
			return innermost(at.Prev)
		}
		return errors.New(at.Message)
	}
	return err
}

var (
	unknownName  = regexp.MustCompile(`^unknown name (\S+)$`)
	unknownField = regexp.MustCompile(`^type \S+ has no field (\S+)$`)
)

// explained returns the mistake in an expression, a hint, and its offset in characters.
func explained(err error) (text, advice string, column int) {
	var at *file.Error
	if !errors.As(err, &at) {
		return err.Error(), "", 0
	}
	for _, known := range []struct {
		pattern *regexp.Regexp
		names   []string
	}{{unknownName, topNames()}, {unknownField, fieldNames()}} {
		if m := known.pattern.FindStringSubmatch(at.Message); m != nil {
			return "unknown name " + strictyaml.Quote(m[1]), hint.DidYouMean(m[1], known.names, "see docs/profiles.md for the names"), at.Column
		}
	}
	return at.Message, "", at.Column
}

// givesWord returns an error if a program cannot give a value, a number or a word.
func givesWord(p *vm.Program) error {
	switch t := p.Node().Type(); {
	case t == nil:
		return nil
	case t.Kind() == reflect.Bool:
		return errors.New("the result is true or false, not a number or a word; write CONDITION ? 'on' : 'off'")
	case t.Kind() == reflect.Struct, t.Kind() == reflect.Slice, t.Kind() == reflect.Map, t.Kind() == reflect.Func:
		return errors.New("the result is neither a number nor a word")
	}
	return nil
}

// topNames returns the names that can start an expression.
func topNames() []string {
	return slices.Concat(tagsOf(reflect.TypeFor[Facts]()), tagsOf(reflect.TypeFor[language]()), builtins)
}

// fieldNames returns the names that can follow a dot.
func fieldNames() []string {
	return slices.Concat(tagsOf(reflect.TypeFor[Disk]()), tagsOf(reflect.TypeFor[Node]()))
}

// tagsOf returns the names of a struct's fields in expressions, without the internal ones.
func tagsOf(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("expr"); name != "" && !strings.HasSuffix(name, "__") {
			names = append(names, name)
		}
	}
	return names
}
