package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// use is one reference to an object.
type use struct {
	file      string
	object    types.Object
	name      *ast.Ident
	qualified *ast.SelectorExpr // package.name; nil if unqualified
	defines   bool
	in        *packages.Package
	element   ast.Expr // of a literal without keys, which has no field names; then name is nil
}

// source is the loaded module, including its tests.
type source struct {
	*plan
	fset     *token.FileSet
	packages []*packages.Package
	uses     []use             // each reference once, even if its package has several variants
	external map[string]bool   // files of a package that will be NAME_test
	owners   map[string]string // the type of a field or method, by key
}

func (p *plan) load() (*source, error) {
	s := &source{plan: p, fset: token.NewFileSet(), external: map[string]bool{}, owners: map[string]string{}}
	var err error
	s.packages, err = packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes |
			packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps | packages.NeedForTest,
		Tests: true, Dir: p.root, Fset: s.fset, BuildFlags: []string{"-tags=measure"},
	}, "./...")
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, pkg := range s.packages {
		for _, err := range pkg.Errors {
			return nil, err
		}
		s.owned(pkg.Types.Scope())
		for _, file := range pkg.Syntax {
			if s.inModule(s.fileOf(file.Pos())) {
				s.collect(pkg, file, seen)
			}
		}
	}
	if len(s.uses) == 0 {
		return nil, errors.New("the module has no packages")
	}
	return s, nil
}

func (s *source) fileOf(at token.Pos) string { return s.fset.Position(at).Filename }

func (s *source) inModule(file string) bool {
	return strings.HasPrefix(file, s.root+string(os.PathSeparator)) && !strings.Contains(file, "/.cache/")
}

// key identifies an object in all variants of its package.
func (s *source) key(o types.Object) string {
	at := s.fset.Position(o.Pos())
	return fmt.Sprintf("%s:%d", at.Filename, at.Offset)
}

// packageOf returns the package that a file will belong to.
func (s *source) packageOf(file string) string {
	if s.external[file] {
		return s.dirOf(file) + "_test"
	}
	return s.dirOf(file)
}

// owned records the types to which fields and methods belong.
func (s *source) owned(scope *types.Scope) {
	for _, name := range scope.Names() {
		typeName, is := scope.Lookup(name).(*types.TypeName)
		if !is {
			continue
		}
		named, is := typeName.Type().(*types.Named)
		if !is {
			continue
		}
		for m := range named.Methods() {
			s.owners[s.key(m)] = name
		}
		switch t := named.Underlying().(type) {
		case *types.Struct:
			for f := range t.Fields() {
				s.owners[s.key(f)] = name
			}
		case *types.Interface:
			for m := range t.ExplicitMethods() {
				s.owners[s.key(m)] = name
			}
		}
	}
}

// fullName returns the name of an object in plans.
func (s *source) fullName(o types.Object) string {
	dir, _ := filepath.Rel(s.root, filepath.Dir(s.fileOf(o.Pos())))
	if isMember(o) {
		return dir + "." + s.owners[s.key(o)] + "." + o.Name()
	}
	return dir + "." + o.Name()
}

func (s *source) collect(pkg *packages.Package, file *ast.File, seen map[string]bool) {
	name := s.fileOf(file.Pos())
	if strings.HasSuffix(file.Name.Name, "_test") && s.isTest(name) {
		s.external[name] = true
	}
	qualified := map[*ast.Ident]*ast.SelectorExpr{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, is := n.X.(*ast.Ident); is {
				if _, is := pkg.TypesInfo.Uses[x].(*types.PkgName); is {
					qualified[n.Sel] = n
				}
			}
		case *ast.CompositeLit:
			s.positional(pkg, name, n)
		case *ast.Ident:
			object, defines := pkg.TypesInfo.Uses[n], false
			if object == nil {
				object, defines = pkg.TypesInfo.Defs[n], true
			}
			if object == nil || !object.Pos().IsValid() || !s.inModule(s.fileOf(object.Pos())) {
				return true
			}
			switch o := object.(type) {
			case *types.Var:
				object = o.Origin()
			case *types.Func:
				object = o.Origin()
			}
			if at := s.fset.Position(n.Pos()).String(); (isTop(object) || isMember(object)) && !seen[at] {
				seen[at] = true
				s.uses = append(s.uses, use{file: name, object: object, name: n, qualified: qualified[n], defines: defines, in: pkg})
			}
		}
		return true
	})
}

// positional records the fields of a literal without keys.
func (s *source) positional(pkg *packages.Package, file string, lit *ast.CompositeLit) {
	if len(lit.Elts) == 0 {
		return
	}
	if _, keyed := lit.Elts[0].(*ast.KeyValueExpr); keyed {
		return
	}
	t, is := pkg.TypesInfo.Types[lit].Type.Underlying().(*types.Struct)
	if !is {
		return
	}
	for i := range t.NumFields() {
		if field := t.Field(i).Origin(); field.Pos().IsValid() && s.inModule(s.fileOf(field.Pos())) {
			s.uses = append(s.uses, use{file: file, object: field, element: lit.Elts[i], in: pkg})
		}
	}
}

// isTop reports whether an object is declared at package level.
func isTop(o types.Object) bool { return o.Pkg() != nil && o.Parent() == o.Pkg().Scope() }

// isMember reports whether an object is a field or a method.
func isMember(o types.Object) bool {
	switch o := o.(type) {
	case *types.Var:
		return o.IsField()
	case *types.Func:
		return o.Signature().Recv() != nil
	}
	return false
}

// embedded returns the type that gives an embedded field its name; nil for other objects.
func embedded(o types.Object) types.Object {
	v, is := o.(*types.Var)
	if !is || !v.Embedded() {
		return nil
	}
	t := v.Type()
	if pointer, is := t.(*types.Pointer); is {
		t = pointer.Elem()
	}
	if named, is := t.(*types.Named); is {
		return named.Origin().Obj()
	}
	return nil
}
