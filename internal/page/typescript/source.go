package typescript

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// module holds what the import paths of our packages begin with.
const module = "plinth/"

// source reads the Go files of packages, each once.
type source struct {
	dir   string
	files map[string]*parsed // by import path
}

type parsed struct{ types map[string]described }

// described holds what only the source knows of a type.
type described struct {
	doc       string
	fields    map[string]string // comments, by the name of the field
	constants []string          // as Go writes them, quoted
}

// of holds what the source says of a type.
func (s *source) of(t reflect.Type) (described, error) {
	path := t.PkgPath()
	if s.files[path] == nil {
		dir, ours := strings.CutPrefix(path, module)
		if !ours {
			return described{}, fmt.Errorf("%s is no package of ours", path)
		}
		p, err := parse(filepath.Join(s.dir, dir))
		if err != nil {
			return described{}, err
		}
		s.files[path] = p
	}
	found, ok := s.files[path].types[t.Name()]
	if !ok {
		return found, fmt.Errorf("%s does not declare it", path)
	}
	return found, nil
}

// parse reads the Go files in dir but for tests.
func parse(dir string) (*parsed, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	p := &parsed{map[string]described{}}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, entry.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.add(file)
	}
	return p, nil
}

func (p *parsed) add(file *ast.File) {
	for _, declaration := range file.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				p.addType(group, spec)
			case *ast.ValueSpec:
				p.addConstants(group, spec)
			}
		}
	}
}

func (p *parsed) addType(group *ast.GenDecl, spec *ast.TypeSpec) {
	d := p.types[spec.Name.Name] // its constants may stand before it
	d.doc = text(spec.Doc, group.Doc)
	d.fields = map[string]string{}
	if structure, ok := spec.Type.(*ast.StructType); ok {
		for _, field := range structure.Fields.List {
			for _, name := range field.Names {
				d.fields[name.Name] = text(field.Doc, field.Comment)
			}
		}
	}
	p.types[spec.Name.Name] = d
}

// addConstants adds the string constants that say of which type they are.
func (p *parsed) addConstants(group *ast.GenDecl, spec *ast.ValueSpec) {
	name, ok := spec.Type.(*ast.Ident)
	if !ok || group.Tok != token.CONST {
		return
	}
	d := p.types[name.Name]
	for _, value := range spec.Values {
		if literal, ok := value.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			d.constants = append(d.constants, literal.Value)
		}
	}
	p.types[name.Name] = d
}

// text is the first comment there is.
func text(comments ...*ast.CommentGroup) string {
	for _, c := range comments {
		if c != nil {
			return c.Text()
		}
	}
	return ""
}
