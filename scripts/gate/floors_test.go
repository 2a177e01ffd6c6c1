package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// house is the table of floors (package layers) in ARCHITECTURE.md.
type house struct {
	floors map[string]int    // by package path below internal/
	rows   map[string]string // the package's line of the table
}

// forTests matches packages that only tests and generators of documents import. They may import
// any package.
var forTests = regexp.MustCompile(`(test|/typescript|/cmd)$`)

func readHouse(t *testing.T) house {
	t.Helper()
	text, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	h := house{floors: map[string]int{}, rows: map[string]string{}}
	row := regexp.MustCompile(`(?m)^\| (\d) \| ([^|]+) \| .*\|$`)
	name := regexp.MustCompile("`([a-z0-9/]+)`")
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		floor, _ := strconv.Atoi(m[1])
		for _, n := range name.FindAllStringSubmatch(m[2], -1) {
			if _, twice := h.floors[n[1]]; twice {
				t.Errorf("%s is in the table twice", n[1])
			}
			h.floors[n[1]], h.rows[n[1]] = floor, m[0]
		}
	}
	return h
}

// floor returns the floor of a package, or else of its nearest parent; -1 if none has one.
func (h house) floor(name string) int {
	for {
		if floor, known := h.floors[name]; known {
			return floor
		}
		at := strings.LastIndexByte(name, '/')
		if at < 0 {
			return -1
		}
		name = name[:at]
	}
}

// mayImport reports whether a package may import another: one on a lower floor, one of its own
// family, or one that the table declares as known to it or to all packages.
func (h house) mayImport(name, other string) bool {
	from, _, _ := strings.Cut(name, "/")
	to, _, _ := strings.Cut(other, "/")
	knows := strings.Contains(h.rows[name], "`"+to+"`") || strings.Contains(h.rows[other], "(known to all)")
	return h.floor(other) < h.floor(name) || from == to || knows
}

// importsOf returns the packages of plinth that each package imports, except in tests.
func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := filepath.WalkDir("../../internal", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/testdata/") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.Dir(path), "../../internal/")
		all[name] = append(all[name], "")
		for _, spec := range file.Imports {
			if other, is := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), "plinth/internal/"); is {
				all[name] = append(all[name], other)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range all {
		slices.Sort(all[name])
		all[name] = slices.Compact(all[name])[1:] // without the empty one
	}
	return all
}

// TestFloors checks that the table of floors lists exactly the existing packages, and that their
// imports obey it.
func TestFloors(t *testing.T) {
	h, imports := readHouse(t), importsOf(t)
	if len(imports) < 40 {
		t.Fatalf("only %d packages were found", len(imports))
	}
	for name, others := range imports {
		if forTests.MatchString(name) {
			continue
		}
		if h.floor(name) < 0 {
			t.Errorf("%s has no floor in ARCHITECTURE.md", name)
			continue
		}
		for _, other := range others {
			if forTests.MatchString(other) {
				t.Errorf("%s, floor %d, imports %s, which is for tests", name, h.floor(name), other)
			} else if !h.mayImport(name, other) {
				t.Errorf("%s, floor %d, imports %s, floor %d", name, h.floor(name), other, h.floor(other))
			}
		}
	}
	for name := range h.floors {
		if _, exists := imports[name]; !exists && name != "cmd/plinth" {
			t.Errorf("ARCHITECTURE.md lists %s, which does not exist", name)
		}
	}
}
