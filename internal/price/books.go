package price

import (
	"embed"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"plinth/internal/hint"
)

//go:embed books
var files embed.FS

// books reads the books of the program once. A test checks that they are valid.
var books = sync.OnceValues(func() (map[string]*Book, error) {
	all := map[string]*Book{}
	err := fs.WalkDir(files, "books", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		b, err := Parse(path, text)
		if err == nil {
			all[b.Name] = b
		}
		return err
	})
	return all, err
})

// Today is the name of the book with the latest list prices.
const Today = "aws"

// Names returns the names of the books of the program, today's first.
func Names() []string {
	all, _ := books()
	names := slices.Sorted(maps.Keys(all))
	at := slices.Index(names, Today)
	if at > 0 {
		names = append([]string{Today}, slices.Delete(names, at, at+1)...)
	}
	return names
}

// Find returns a book of the program.
func Find(name string) (*Book, error) {
	all, err := books()
	if err != nil {
		return nil, err
	}
	if b, found := all[name]; found {
		return b, nil
	}
	return nil, hint.Errorf(hint.DidYouMean(name, Names(), "there are "+strings.Join(Names(), ", ")), "there is no price book %q", name)
}

// Text returns the file of a book of the program, to begin one of one's own.
func Text(name string) ([]byte, error) {
	if _, err := Find(name); err != nil {
		return nil, err
	}
	return files.ReadFile("books/" + name + ".yaml")
}
