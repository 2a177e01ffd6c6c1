package main

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// archive returns a tree in the format that package hosttest reads. A file that is
// not in both snapshots is left out.
func archive(t tree, first, later contents) (*txtar.Archive, error) {
	a := &txtar.Archive{}
	put := func(name string, data []byte) {
		a.Files = append(a.Files, txtar.File{Name: strings.TrimPrefix(name, "/"), Data: data})
	}
	for _, link := range slices.Sorted(maps.Keys(t.links)) {
		put(link, []byte("-> "+t.links[link]+"\n"))
	}
	for _, dir := range t.dirs {
		put(dir+"/", nil)
	}
	for _, name := range t.files {
		one, ok := first[name]
		two, still := later[name]
		if !ok || !still {
			continue
		}
		if err := storable(name, one, two); err != nil {
			return nil, err
		}
		put(name, one)
		if !bytes.Equal(one, two) {
			put("later"+name, two)
		}
	}
	return a, nil
}

// storable refuses contents that an archive would change: a last line without a
// newline, and a line that looks like the beginning of an entry, or like a link.
func storable(name string, versions ...[]byte) error {
	for _, data := range versions {
		ended := len(data) == 0 || bytes.HasSuffix(data, []byte("\n"))
		if !ended || marker.Match(data) || bytes.HasPrefix(data, []byte("-> ")) {
			return fmt.Errorf("cannot keep %s unchanged: %.60q", name, data)
		}
	}
	return nil
}

var marker = regexp.MustCompile(`(?m)^-- .*--\r?$`)
