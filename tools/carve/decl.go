package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/imports"
)

// piece is a declaration with its comment: a part of a file's text.
type piece struct {
	names    []string
	from, to int
}

// moveDeclarations moves the declarations listed in in to other files of the package in dir.
// It creates missing target files, and removes files that are left without declarations.
func moveDeclarations(dir string, in io.Reader) error {
	want := map[string]string{}
	var order []string
	for lines := bufio.NewScanner(in); lines.Scan(); {
		words := strings.Fields(lines.Text())
		for _, name := range words[:max(0, len(words)-1)] {
			want[name] = filepath.Join(dir, words[len(words)-1])
			order = append(order, name)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	texts, taken := map[string]string{}, map[string]string{}
	clause := ""
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.PackageClauseOnly)
		if err != nil {
			return err
		}
		if !strings.HasSuffix(file, "_test.go") {
			clause = "package " + parsed.Name.Name + "\n"
		}
		if texts[file], err = cut(file, string(text), want, taken); err != nil {
			return err
		}
	}
	changed := map[string]bool{}
	for _, name := range order {
		text, found := taken[name]
		if !found {
			return fmt.Errorf("no declaration of %s", name)
		}
		to := want[name]
		if texts[to] == "" {
			texts[to] = clause
		}
		if text != "" { // otherwise it moved with another name, or is already in place
			texts[to] = strings.TrimRight(texts[to], "\n") + "\n\n" + text + "\n"
		}
		changed[to] = true
	}
	for _, file := range files {
		before, _ := os.ReadFile(file)
		changed[file] = changed[file] || texts[file] != string(before)
	}
	for file := range changed {
		if err := writeOrRemove(file, texts[file]); err != nil {
			return err
		}
	}
	return nil
}

// cut removes declarations from the text of a file, and adds them to taken.
func cut(file, text string, want, taken map[string]string) (string, error) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, text, parser.ParseComments)
	if err != nil {
		return "", err
	}
	for _, d := range slices.Backward(parsed.Decls) {
		p := pieceOf(fset, d, text)
		at := slices.IndexFunc(p.names, func(name string) bool {
			return want[name] != "" && strings.HasSuffix(want[name], "_test.go") == strings.HasSuffix(file, "_test.go")
		})
		if at < 0 {
			continue
		}
		for _, name := range p.names {
			taken[name] = ""
		}
		if want[p.names[at]] != file {
			taken[p.names[at]] = text[p.from:p.to]
			text = strings.TrimRight(text[:p.from], "\n") + "\n\n" + strings.TrimLeft(text[p.to:], "\n")
		}
	}
	return text, nil
}

func pieceOf(fset *token.FileSet, d ast.Decl, text string) piece {
	p := piece{from: fset.Position(d.Pos()).Offset, to: fset.Position(d.End()).Offset}
	var doc *ast.CommentGroup
	switch d := d.(type) {
	case *ast.FuncDecl:
		p.names, doc = []string{functionName(d)}, d.Doc
	case *ast.GenDecl:
		doc = d.Doc
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				p.names = append(p.names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					p.names = append(p.names, name.Name)
				}
			}
		}
	}
	if doc != nil {
		p.from = fset.Position(doc.Pos()).Offset
	}
	if end := strings.IndexByte(text[p.to:], '\n'); end >= 0 {
		p.to += end // with a comment on the same line
	}
	return p
}

// functionName returns "name", or "Type.name" for a method.
func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	of := d.Recv.List[0].Type
	if pointer, is := of.(*ast.StarExpr); is {
		of = pointer.X
	}
	if generic, is := of.(*ast.IndexExpr); is {
		of = generic.X
	}
	return fmt.Sprint(of) + "." + d.Name.Name
}

func writeOrRemove(file, text string) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
	if err != nil {
		return err
	}
	declares := func(d ast.Decl) bool {
		g, is := d.(*ast.GenDecl)
		return !is || g.Tok != token.IMPORT
	}
	if !slices.ContainsFunc(parsed.Decls, declares) && parsed.Doc == nil && len(parsed.Decls) > 0 {
		fmt.Println("removed:", file)
		_ = exec.Command("git", "rm", "-qf", "--cached", file).Run() // it may be new
		return os.Remove(file)
	}
	out, err := imports.Process(file, []byte(text), &imports.Options{Comments: true, TabIndent: true, TabWidth: 8})
	if err != nil {
		return err
	}
	return os.WriteFile(file, out, 0o644)
}
