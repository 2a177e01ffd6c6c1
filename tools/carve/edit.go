package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// edit replaces bytes of a file.
type edit struct {
	from, to int
	text     string
}

// edits holds the edits of all files, and their future imports.
type edits struct {
	*naming
	of      map[string][]edit
	imports map[string]map[string]bool // directories by file
}

// carve carries out the plan, or only prints what it would do.
func (p *plan) carve(dry bool) error {
	s, err := p.load()
	if err != nil {
		return err
	}
	e := &edits{naming: s.naming(), of: map[string][]edit{}, imports: map[string]map[string]bool{}}
	e.all()
	for _, line := range e.exported {
		fmt.Println("export", line)
	}
	for problem := range e.problems {
		fmt.Println("PROBLEM", problem)
	}
	if dry {
		return nil
	}
	if len(e.problems) > 0 {
		return errors.New("nothing was changed")
	}
	return e.write()
}

func (e *edits) all() {
	keyed := map[string]bool{}
	for _, u := range e.uses {
		switch {
		case u.name == nil:
			at := e.fset.Position(u.element.Pos())
			if !keyed[at.String()] && e.packageOf(u.file) != e.packageOf(e.fileOf(u.object.Pos())) {
				keyed[at.String()] = true
				e.add(u.file, at.Offset, at.Offset, e.nameOf(u.object)+": ")
			}
		default:
			e.use(u)
		}
	}
	seen := map[string]bool{}
	for _, pkg := range e.packages {
		for _, file := range pkg.Syntax {
			name := e.fileOf(file.Pos())
			if !e.inModule(name) || seen[name] {
				continue
			}
			seen[name] = true
			e.mentions(name)
		}
	}
}

func (e *edits) add(file string, from, to int, text string) {
	e.of[file] = append(e.of[file], edit{from, to, text})
}

func (e *edits) importing(file, dir string) {
	if e.imports[file] == nil {
		e.imports[file] = map[string]bool{}
	}
	e.imports[file][dir] = true
}

// use rewrites one reference to an object.
func (e *edits) use(u use) {
	from := e.fset.Position(u.name.Pos()).Offset
	to := from + len(u.name.Name)
	name := e.nameOf(u.object)
	if !isTop(u.object) {
		if name != u.name.Name && !(u.defines && embedded(u.object) != nil) {
			e.add(u.file, from, to, name)
		}
		return
	}
	before := u.name.Name
	if u.qualified != nil {
		from = e.fset.Position(u.qualified.Pos()).Offset
		before = fmt.Sprint(u.qualified.X) + "." + before
	}
	declared := e.fileOf(u.object.Pos())
	dir := e.dirOf(declared)
	after := name
	switch inline := e.inlines[e.fullName(u.object)]; {
	case inline != "" && !u.defines:
		at := strings.LastIndex(inline, ".")
		dir, name = inline[:at], inline[at+1:]
		after = packageName(dir) + "." + name
		e.importing(u.file, dir)
	case e.packageOf(u.file) == e.packageOf(declared):
	case u.qualified != nil && dir == filepath.Dir(strings.TrimPrefix(declared, e.root+"/")):
		after = fmt.Sprint(u.qualified.X) + "." + name // the package stays, and so does its name in the file
	default:
		after = packageName(dir) + "." + name
		e.importing(u.file, dir)
		e.shadowed(u, packageName(dir))
	}
	if after != before {
		e.add(u.file, from, to, after)
	}
}

// mentions renames the first word of doc comments.
func (e *edits) mentions(file string) {
	for _, pkg := range e.packages {
		for _, syntax := range pkg.Syntax {
			if e.fileOf(syntax.Pos()) != file {
				continue
			}
			e.documented(syntax, func(id *ast.Ident, comment *ast.Comment) {
				object := pkg.TypesInfo.Defs[id]
				if object == nil || e.names[e.key(object)] == "" {
					return
				}
				at := e.fset.Position(comment.Pos()).Offset + len("// ")
				e.add(file, at, at+len(id.Name), e.names[e.key(object)])
			})
			return
		}
	}
}

// write rewrites all files, and moves files with git.
func (e *edits) write() error {
	texts := map[string][]byte{}
	for file := range e.of {
		texts[file] = nil
	}
	for file := range e.moves {
		texts[file] = nil
	}
	var err error
	for file := range texts {
		if texts[file], err = e.rewritten(file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	if out, err := exec.Command("git", "add", "-A").CombinedOutput(); err != nil {
		return fmt.Errorf("git add: %s", out)
	}
	for file, text := range texts {
		to := file
		if t, moves := e.moves[file]; moves {
			to = filepath.Join(e.root, t.dir, t.file)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			if out, err := exec.Command("git", "mv", file, to).CombinedOutput(); err != nil {
				return fmt.Errorf("git mv: %s", out)
			}
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return err
		}
	}
	fmt.Println(len(texts), "files written")
	return nil
}

var packageClause = regexp.MustCompile(`(?m)^package \w+`)

func (e *edits) rewritten(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	// From the end to the beginning; an insertion before a word is applied after its edit.
	all := e.of[file]
	slices.SortStableFunc(all, func(a, b edit) int { return cmp.Or(b.from-a.from, b.to-a.to) })
	for _, one := range slices.Compact(all) {
		text = slices.Concat(text[:one.from], []byte(one.text), text[one.to:])
	}
	if t, moves := e.moves[file]; moves {
		name := packageName(t.dir)
		if e.external[file] {
			name += "_test"
		}
		at := packageClause.FindIndex(text)
		text = slices.Concat(text[:at[0]], []byte("package "+name), text[at[1]:])
	}
	return e.mendImports(file, text)
}

// mendImports adds the imports that a file now needs, and removes unused ones.
func (e *edits) mendImports(file string, text []byte) ([]byte, error) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for dir := range e.imports[file] {
		if dir != e.dirOf(file) || e.external[file] {
			astutil.AddImport(fset, parsed, e.module+"/"+dir)
		}
	}
	for _, spec := range slices.Clone(parsed.Imports) {
		path := strings.Trim(spec.Path.Value, `"`)
		own := path == e.module+"/"+e.dirOf(file) && !e.external[file]
		unused := spec.Name == nil && !astutil.UsesImport(parsed, path)
		if strings.HasPrefix(path, e.module+"/") && (own || unused) {
			astutil.DeleteImport(fset, parsed, path)
		}
	}
	var b bytes.Buffer
	err = format.Node(&b, fset, parsed)
	return b.Bytes(), err
}
