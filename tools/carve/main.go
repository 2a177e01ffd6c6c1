// Carve moves files of Go packages to other packages, and rewrites every reference: it
// exports the objects that are then used from outside, qualifies names, and corrects imports.
// To prepare that, it also moves declarations between the files of one package.
//
//	cd tools/carve && go build -o ../../.cache/carve . && cd ../..
//	.cache/carve [-n] PLAN
//	.cache/carve -decl DIR < LINES
//
// Lines of a plan, with paths from the root of the module:
//
//	move internal/report/run*.go internal/report/runpage          files, to a directory
//	move internal/report/runcost.go internal/report/runpage/cost.go
//	rename internal/report.RunPage Page                            or internal/report.RunPage.field
//	inline internal/report.heading internal/prose.Heading          an alias, by its target
//
// Lines of -decl are "NAME... FILE.go": functions, types, Type.method, variables.
//
// With -n it only prints what it would export, and the problems: names that collide or are
// shadowed, methods that are separated from their type, import cycles, test files that others
// need. It considers one build only, that of this machine, with the tag measure.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	dry := flag.Bool("n", false, "only print what would be exported, and the problems")
	decl := flag.String("decl", "", "move declarations between files of `DIR`, as given on standard input")
	flag.Parse()
	err := func() error {
		if *decl != "" {
			return moveDeclarations(*decl, os.Stdin)
		}
		p, err := readPlan(flag.Arg(0))
		if err != nil {
			return err
		}
		return p.carve(*dry)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "carve:", err)
		os.Exit(1)
	}
}

// target is the destination of a file: a directory from the root of the module, and a name.
type target struct{ dir, file string }

// plan holds the changes to make.
type plan struct {
	root    string            // the module, absolute
	module  string            // its path
	moves   map[string]target // by absolute file
	renames map[string]string // "DIR.Name" or "DIR.Type.member" to a new name
	inlines map[string]string // "DIR.Name" to "DIR.Name"
}

func readPlan(name string) (*plan, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		return nil, err
	}
	p := &plan{root: root, module: strings.Fields(string(mod))[1], moves: map[string]target{}, renames: map[string]string{}, inlines: map[string]string{}}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		switch {
		case len(words) == 0:
		case len(words) > 2 && words[0] == "move":
			if err := p.move(words[1:len(words)-1], words[len(words)-1]); err != nil {
				return nil, err
			}
		case len(words) == 3 && words[0] == "rename":
			p.renames[words[1]] = words[2]
		case len(words) == 3 && words[0] == "inline":
			p.inlines[words[1]] = words[2]
		default:
			return nil, fmt.Errorf("cannot read the line %q", text)
		}
	}
	return p, nil
}

func (p *plan) move(patterns []string, to string) error {
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(p.root, pattern))
		if err != nil || len(files) == 0 {
			return fmt.Errorf("no such file: %s", pattern)
		}
		for _, file := range files {
			if strings.HasSuffix(to, ".go") {
				p.moves[file] = target{filepath.Dir(to), filepath.Base(to)}
			} else {
				p.moves[file] = target{to, filepath.Base(file)}
			}
		}
	}
	return nil
}

// dirOf returns the directory that a file will be in, from the root.
func (p *plan) dirOf(file string) string {
	if t, moves := p.moves[file]; moves {
		return t.dir
	}
	dir, err := filepath.Rel(p.root, filepath.Dir(file))
	if err != nil {
		return ""
	}
	return dir
}

// isTest reports whether a file will be a test file.
func (p *plan) isTest(file string) bool {
	if t, moves := p.moves[file]; moves {
		file = t.file
	}
	return strings.HasSuffix(file, "_test.go")
}

// packageName returns the name by which other packages refer to a package.
func packageName(dir string) string { return filepath.Base(dir) }
