package prose

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func wordList(t *testing.T) []Word {
	t.Helper()
	list, err := os.Open("words.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	words, err := Words(list)
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// TestRepository checks every document, and the comments and strings of every Go file.
func TestRepository(t *testing.T) {
	words, root, files := wordList(t), filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && slices.Contains([]string{".git", ".cache", "node_modules", "testdata", "results", "dist", "prose"}, name) {
			return filepath.SkipDir
		}
		isTest := strings.HasSuffix(name, "_test.go")
		if entry.IsDir() || isTest || filepath.Ext(name) != ".go" && filepath.Ext(name) != ".md" {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		texts := Markdown(string(source))
		if filepath.Ext(name) == ".go" {
			if texts, err = Go(string(source)); err != nil {
				return err
			}
		}
		for _, line := range Find(strings.TrimPrefix(path, root+string(filepath.Separator)), texts, words) {
			t.Error(line)
		}
		return nil
	})
	if err != nil || files < 500 {
		t.Errorf("%d files, %v", files, err)
	}
}

func TestFind(t *testing.T) {
	words, err := Words(strings.NewReader("# a list\n\ntold\treported\nis what\tsay what it does\n"))
	if err != nil {
		t.Fatal(err)
	}
	const source = "// Package p tells.\npackage p\n\n// x is\n// what nobody knows; `told` and \"told\" are code.\nvar x = \"it was told so\"\n\nvar told = \"told\"\n"
	texts, err := Go(source)
	if err != nil {
		t.Fatal(err)
	}
	got := Find("p.go", texts, words)
	want := []string{`p.go:4: "is\n// what": write say what it does`, `p.go:6: "told": write reported`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	got = Find("p.md", Markdown("It was\n`told`.\n```\ntold\n```\nTold.\n"), words)
	if want := []string{`p.md:6: "Told": write reported`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWords(t *testing.T) {
	for _, list := range []string{"told\n", "told\t\n", "to(ld\treported\n"} {
		if words, err := Words(strings.NewReader(list)); err == nil {
			t.Errorf("%q: %d words and no error", list, len(words))
		}
	}
}
