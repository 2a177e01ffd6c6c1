package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Identity returns what identifies a file or directory among all processes of one kernel, by whatever
// path they reach it. It need not exist: then it is the nearest directory that does, with the rest of
// the path.
func Identity(path string) (string, error) {
	at, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rest := ""
	for {
		info, err := os.Stat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist) && at != "/":
			at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest)
			continue
		case err != nil:
			return "", err
		}
		s, known := info.Sys().(*syscall.Stat_t)
		if !known {
			return "", fmt.Errorf("cannot identify %s", path)
		}
		return fmt.Sprintf("%d/%d/%s", s.Dev, s.Ino, rest), nil
	}
}
