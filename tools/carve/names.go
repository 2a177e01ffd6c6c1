package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// naming holds the future names of objects, and the problems.
type naming struct {
	*source
	names    map[string]string // by key; only those that change
	exported []string          // objects that must be exported
	problems map[string]bool
}

func (s *source) naming() *naming {
	n := &naming{source: s, names: map[string]string{}, problems: map[string]bool{}}
	crossing := map[string]types.Object{}
	for _, u := range s.uses {
		declared := s.fileOf(u.object.Pos())
		if name, renamed := s.renames[s.fullName(u.object)]; renamed {
			n.names[s.key(u.object)] = name
		}
		if s.packageOf(u.file) == s.packageOf(declared) {
			continue
		}
		if s.isTest(declared) && s.dirOf(declared) != s.dirOf(u.file) {
			n.problem("%s needs %s of the test file %s", u.file, u.object.Name(), declared)
		}
		if embedded(u.object) == nil && !u.object.Exported() {
			crossing[s.key(u.object)] = u.object
		}
	}
	for key, object := range crossing {
		if n.names[key] == "" {
			letters := []rune(object.Name())
			letters[0] = unicode.ToUpper(letters[0])
			n.names[key] = string(letters)
		}
		n.exported = append(n.exported, s.fullName(object)+" -> "+n.names[key])
	}
	slices.Sort(n.exported)
	n.collisions()
	n.strayMethods()
	n.circles()
	return n
}

func (n *naming) problem(format string, args ...any) {
	n.problems[fmt.Sprintf(format, args...)] = true
}

// nameOf returns the future name of an object; an embedded field is named like its type.
func (n *naming) nameOf(o types.Object) string {
	of := o
	if t := embedded(o); t != nil {
		of = t
	}
	if name := n.names[n.key(of)]; name != "" {
		return name
	}
	return o.Name()
}

// collisions finds objects with the same name in one package.
func (n *naming) collisions() {
	taken, seen := map[string]string{}, map[string]bool{}
	for _, u := range n.uses {
		name, key := n.nameOf(u.object), n.key(u.object)
		if !isTop(u.object) || seen[key] || name == "_" || name == "init" {
			continue
		}
		seen[key] = true
		file := n.fileOf(u.object.Pos())
		full := n.packageOf(file) + "." + name
		if other, there := taken[full]; there {
			n.problem("%s is in %s and in %s", full, other, file)
		}
		taken[full] = file
	}
}

// strayMethods finds methods that are separated from their type.
func (n *naming) strayMethods() {
	for _, u := range n.uses {
		method, is := u.object.(*types.Func)
		if !is || !u.defines || method.Signature().Recv() == nil {
			continue
		}
		of := method.Signature().Recv().Type()
		if pointer, is := of.(*types.Pointer); is {
			of = pointer.Elem()
		}
		if named, is := of.(*types.Named); is && n.packageOf(n.fileOf(named.Obj().Pos())) != n.packageOf(u.file) {
			n.problem("the method %s.%s is separated from its type", named.Obj().Name(), method.Name())
		}
	}
}

// circles finds packages that would import each other, without their tests.
func (n *naming) circles() {
	imports := map[string]map[string][]string{}
	for _, u := range n.uses {
		from, to := n.packageOf(u.file), n.packageOf(n.fileOf(u.object.Pos()))
		if u.name == nil || !isTop(u.object) || from == to || n.isTest(u.file) {
			continue
		}
		if imports[from] == nil {
			imports[from] = map[string][]string{}
		}
		imports[from][to] = append(imports[from][to], u.object.Name())
	}
	var path []string
	done := map[string]bool{}
	var visit func(string)
	visit = func(at string) {
		if i := slices.Index(path, at); i >= 0 {
			text := "import cycle:"
			for j, from := range path[i:] {
				to := append(path[i:], at)[j+1]
				names := slices.Compact(slices.Sorted(slices.Values(imports[from][to])))
				text += fmt.Sprintf("\n  %s needs from %s: %s", from, to, strings.Join(names, " "))
			}
			n.problem("%s", text)
			return
		}
		if done[at] {
			return
		}
		path = append(path, at)
		for _, to := range slices.Sorted(maps.Keys(imports[at])) {
			visit(to)
		}
		path, done[at] = path[:len(path)-1], true
	}
	for _, from := range slices.Sorted(maps.Keys(imports)) {
		visit(from)
	}
}

// shadowed finds local names that hide the package that a reference will need.
func (n *naming) shadowed(u use, qualifier string) {
	scope := u.in.Types.Scope().Innermost(u.name.Pos())
	if scope == nil {
		return
	}
	_, hides := scope.LookupParent(qualifier, u.name.Pos())
	if hides == nil || hides.Parent() == types.Universe || n.names[n.key(hides)] != "" {
		return
	}
	if _, is := hides.(*types.PkgName); is || isTop(hides) && n.dirOf(n.fileOf(hides.Pos())) != n.dirOf(u.file) {
		return
	}
	n.problem("%s: the package %s is hidden by %s", n.fset.Position(u.name.Pos()), qualifier, n.fset.Position(hides.Pos()))
}

// documented calls do for each declaration whose doc comment begins with its name.
func (n *naming) documented(file *ast.File, do func(*ast.Ident, *ast.Comment)) {
	of := func(name *ast.Ident, doc *ast.CommentGroup) {
		if doc != nil && strings.HasPrefix(doc.List[0].Text, "// "+name.Name+" ") {
			do(name, doc.List[0])
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			of(d.Name, d.Doc)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					of(spec.Name, d.Doc)
					of(spec.Name, spec.Doc)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						of(name, d.Doc)
						of(name, spec.Doc)
					}
				}
			}
		}
	}
}
