package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestProgramsOfTheImage: the image of plinth's pods has every program that a load generator is, and no other.
func TestProgramsOfTheImage(t *testing.T) {
	list, err := os.ReadFile("../image/programs")
	if err != nil {
		t.Fatal(err)
	}
	install := regexp.MustCompile(`launch\.Install\("([^"]+)"\)`) // each finds its program, or says how to install it
	var found []string
	for _, root := range []string{"../../internal/driver", "../../internal/engine/postgres/install/pgbench.go"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range install.FindAllStringSubmatch(string(text), -1) {
				found = append(found, m[1])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(found)
	if want := strings.Fields(string(list)); !slices.Equal(found, want) {
		t.Errorf("load generators: %q, and in the image: %q", found, want)
	}
}
