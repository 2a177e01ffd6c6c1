package hosttest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"strings"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
)

// noName matches a line at which txtar.Parse panics.
var noName = regexp.MustCompile(`(?m)^-- --\r?$`)

// parse reads an archive. It refuses names and links that leave the machine.
func parse(text []byte) (first, later fstest.MapFS, err error) {
	if noName.Match(text) {
		return nil, nil, errors.New("an entry without a name")
	}
	first, changed := fstest.MapFS{}, fstest.MapFS{}
	for _, entry := range txtar.Parse(text).Files {
		into := first
		name, second := strings.CutPrefix(entry.Name, "later/")
		if second {
			into = changed
		}
		if err := put(into, name, entry.Data); err != nil {
			return nil, nil, err
		}
	}
	later = maps.Clone(first)
	for name, file := range changed {
		if first[name] == nil {
			return nil, nil, fmt.Errorf("later/%s is not in the first snapshot", name)
		}
		later[name] = file
	}
	return first, later, nil
}

func put(files fstest.MapFS, entry string, data []byte) error {
	name, isDir := strings.CutSuffix(entry, "/")
	switch {
	case !fs.ValidPath(name) || name == ".":
		return fmt.Errorf("not a path below the root: %q", entry)
	case files[name] != nil:
		return fmt.Errorf("twice in the archive: %q", entry)
	}
	file := &fstest.MapFile{Data: data, Mode: 0o444}
	target, isLink := bytes.CutPrefix(data, []byte("-> "))
	switch {
	case isDir:
		file = &fstest.MapFile{Mode: fs.ModeDir | 0o555}
	case isLink:
		to := strings.TrimSuffix(string(target), "\n")
		if path.IsAbs(to) || !fs.ValidPath(path.Join(path.Dir(name), to)) {
			return fmt.Errorf("link out of the root: %q -> %q", name, to)
		}
		file = &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink | 0o777}
	}
	files[name] = file
	return nil
}
