package imported

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/prose"
)

// maxFiles is the most files that one import reads: a directory with more is not one of captures.
const maxFiles = 20_000

// source is one file to be read.
type source struct {
	path        string // "" for standard input
	name        string // as it is shown
	directory   string // in which it is; files of one run are in one directory
	environment string
	alone       bool  // it was given, not a directory
	size        int64 // bytes; 0 for standard input
}

// usualEnvironment is the environment of files that are in no directory.
const usualEnvironment = "elsewhere"

// list returns the files of the given paths, directories in lexical order. Hidden files and directories,
// and records of plinth, are left out.
func list(o Options) ([]source, error) {
	if len(o.Paths) == 0 {
		return nil, hint.Errorf("give files or directories, or - for standard input", "nothing to import")
	}
	var all []source
	for i, path := range o.Paths {
		found, err := listed(path, o)
		if err == nil {
			err = distinct(o, i, found, all)
		}
		if err != nil {
			return nil, err
		}
		if all = append(all, found...); len(all) > maxFiles {
			return nil, tooMany(path)
		}
	}
	if len(all) == 0 {
		return nil, hint.Errorf("give a directory with the output of a tool", "cannot import %s: there are no files", strings.Join(o.Paths, ", "))
	}
	return all, nil
}

// distinct refuses a second directory with the name of an earlier one: their runs would be taken for those
// of one environment.
func distinct(o Options, at int, found, earlier []source) error {
	if o.Environment != "" || len(found) == 0 || found[0].directory == "" || found[0].alone {
		return nil
	}
	for _, s := range earlier {
		if s.environment == found[0].environment && !s.alone {
			return hint.Errorf("rename one of them, import the directory above them, or name one environment for all with --environment",
				"cannot import %s: another directory would also be the environment %s", o.Paths[at], s.environment)
		}
	}
	return nil
}

func tooMany(path string) error {
	return hint.Errorf("give the directory that has the output of the tools", "cannot import %s: there are more than %d files", path, maxFiles)
}

func listed(path string, o Options) ([]source, error) {
	if path == "-" {
		return []source{{name: "standard input", environment: environmentOf(o, ""), alone: true}}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("cannot import %s: %w", path, bare(err))
	}
	if !info.IsDir() {
		s := newSource(path, prose.Clean(path), environmentOf(o, ""), info.Size())
		s.alone = true
		return []source{s}, nil
	}
	if isRecord(path) {
		return nil, hint.Errorf("plinth show "+path, "cannot import %s: it is a record of plinth already", path)
	}
	return below(path, o)
}

// isRecord reports whether a directory is a record of plinth.
func isRecord(path string) bool {
	_, err := os.Stat(filepath.Join(path, "record.json"))
	return err == nil
}

func newSource(path, name, environment string, size int64) source {
	return source{path: path, name: name, directory: filepath.Dir(path), environment: environment, size: size}
}

// below returns the files of a directory.
func below(root string, o Options) ([]source, error) {
	var all []source
	shown := root
	if target, err := filepath.EvalSymlinks(root); err == nil { // WalkDir does not follow its root
		root = target
	}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(entry.Name(), ".") && path != root
		switch {
		case entry.IsDir() && (hidden || isRecord(path)):
			return fs.SkipDir
		case hidden, entry.IsDir():
			return nil
		case len(all) == maxFiles:
			return tooMany(shown)
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		var size int64
		if info, err := entry.Info(); err == nil {
			size = info.Size()
		}
		name := relative
		if len(o.Paths) > 1 {
			name = filepath.Join(filepath.Base(shown), relative)
		}
		all = append(all, newSource(path, prose.Clean(name), environmentOf(o, directoryOf(shown, relative, len(o.Paths) > 1)), size))
		return nil
	})
	if err != nil && hint.Of(err) == "" {
		return nil, fmt.Errorf("cannot import %s: %w", shown, bare(err))
	}
	return all, err
}

// directoryOf returns the directory that names the environment of a file: that which was given or, if
// it is the only one that was given, the one below it in which the file is.
func directoryOf(root, relative string, several bool) string {
	if first, _, nested := strings.Cut(filepath.ToSlash(relative), "/"); nested && !several {
		return first
	}
	if absolute, err := filepath.Abs(root); err == nil {
		root = absolute
	}
	return filepath.Base(root)
}

// environmentOf returns the name of an environment.
func environmentOf(o Options, directory string) string {
	if o.Environment != "" {
		return o.Environment
	}
	if name := experiment.AsName(directory); name != "" {
		return name
	}
	return usualEnvironment
}

// nameOf returns the name of the experiment: that of what was given first.
func nameOf(o Options) string {
	path, err := filepath.Abs(o.Paths[0])
	if err != nil || o.Paths[0] == "-" {
		return usualEnvironment
	}
	base := filepath.Base(path)
	if name := experiment.AsName(strings.TrimSuffix(base, filepath.Ext(base))); name != "" {
		return name
	}
	return usualEnvironment
}

func sizeOf(sources []source) (total int64) {
	for _, s := range sources {
		total += s.size
	}
	return total
}

// bare returns the system's error without the path, which the message has already.
func bare(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
