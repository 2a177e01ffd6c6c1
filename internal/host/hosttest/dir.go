package hosttest

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// Dir writes Machine to two directories with real links, for code that reads a root directory.
// The test removes them.
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

// unpack creates all directories, then files, then links, so that nothing is written through a
// link and out of dir.
func unpack(dir string, files fstest.MapFS) error {
	made := map[string]bool{}
	for name, file := range files {
		parent := filepath.Join(dir, filepath.Dir(name))
		if file.Mode.IsDir() {
			parent = filepath.Join(dir, name)
		}
		if made[parent] {
			continue
		}
		if err := os.MkdirAll(parent, 0o755); err != nil {
			return err
		}
		made[parent] = true
	}
	for name, file := range files {
		if !file.Mode.IsRegular() {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), file.Data, 0o644); err != nil {
			return err
		}
	}
	for name, file := range files {
		if file.Mode.Type() != fs.ModeSymlink {
			continue
		}
		if err := os.Symlink(string(file.Data), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}
