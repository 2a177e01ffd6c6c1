package launch

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// administrators lists directories of administrators' programs, which an ordinary user's PATH
// often lacks.
var administrators = []string{"/usr/local/sbin", "/usr/sbin", "/sbin"}

// FindProgram finds a program by its name: in dirs, then in PATH, then in the directories of
// administrators. A name with a slash is a path. The error is fs.ErrNotExist.
func FindProgram(name string, dirs ...string) (string, error) {
	if filepath.Base(name) != name {
		if !executable(name) {
			return "", fmt.Errorf("there is no program %s: %w", name, fs.ErrNotExist)
		}
		return filepath.Abs(name)
	}
	for _, dir := range slices.Concat(dirs, filepath.SplitList(os.Getenv("PATH")), administrators) {
		if path := filepath.Join(dir, name); filepath.IsAbs(dir) && executable(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no program %s: %w", name, fs.ErrNotExist)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
