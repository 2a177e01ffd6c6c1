package hosttest

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// Dir is Machine as two directories with real links, for code that reads a root
// directory. They go when the test ends.
func Dir(t testing.TB, name string) (first, later string) {
	t.Helper()
	a, b := Machine(t, name)
	first, later = t.TempDir(), t.TempDir()
	for dir, files := range map[string]fstest.MapFS{first: a, later: b} {
		if err := unpack(dir, files); err != nil {
			t.Fatalf("cannot unpack the machine %q: %v", name, err)
		}
	}
	return first, later
}

// unpack writes through a root: a link among the files leads nowhere outside.
func unpack(dir string, files fstest.MapFS) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for name, file := range files {
		if err := write(root, filepath.FromSlash(name), file); err != nil {
			return err
		}
	}
	return nil
}

func write(root *os.Root, name string, file *fstest.MapFile) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	switch file.Mode.Type() {
	case fs.ModeDir:
		return root.MkdirAll(name, 0o755)
	case fs.ModeSymlink:
		return root.Symlink(string(file.Data), name)
	default:
		return root.WriteFile(name, file.Data, 0o644)
	}
}
