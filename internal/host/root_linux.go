package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// PathOf returns the path by which plinth reaches what a process has at path: path itself if that leads
// to the same file, else a path below /proc/PID/root, the root directory of the process, without symbolic
// links. The process may be in a container, with a root directory and mounts of its own. One that is not,
// and whose root directory plinth may not use, is taken to have plinth's.
func PathOf(pid int, path string) (string, error) {
	seen, err := resolve(fmt.Sprintf("/proc/%d/root", pid), path)
	if errors.Is(err, fs.ErrPermission) {
		if ids, err := innerPIDs(pid); err == nil && len(ids) == 1 {
			return path, nil
		}
	}
	if err != nil {
		return "", err
	}
	there, err := os.Stat(seen)
	if err != nil {
		return "", err
	}
	if here, err := os.Stat(path); err == nil && os.SameFile(here, there) {
		return path, nil
	}
	return seen, nil
}

// mostLinks is how many symbolic links the kernel follows in a path (path_resolution(7)).
const mostLinks = 40

// resolve follows the symbolic links of path as a process with this root directory does. The kernel would
// take those that begin with a slash for paths in plinth's own root directory.
func resolve(root, path string) (string, error) {
	done, left := "/", strings.Split(path, "/")
	for links := 0; len(left) > 0; {
		next := filepath.Join(done, left[0]) // the parent of / is /
		left = left[1:]
		info, err := os.Lstat(root + next)
		if err != nil {
			return "", err
		}
		if info.Mode().Type() != fs.ModeSymlink {
			done = next
			continue
		}
		if links++; links > mostLinks {
			return "", &fs.PathError{Op: "resolve", Path: root + path, Err: syscall.ELOOP}
		}
		to, err := os.Readlink(root + next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(to) {
			done = "/"
		}
		left = append(strings.Split(to, "/"), left...)
	}
	return filepath.Join(root, done), nil
}

// PathInside returns a path that PathOf returned as the process has it.
func PathInside(path string) string {
	_, inside := splitRoot(path)
	return inside
}

// splitRoot returns the process whose root directory a path leads through, "self" for none, and the path
// from there.
func splitRoot(path string) (process, inside string) {
	rest, through := strings.CutPrefix(path, "/proc/")
	process, inside, _ = strings.Cut(rest, "/root")
	if _, err := strconv.Atoi(process); !through || err != nil || inside != "" && inside[0] != '/' {
		return "self", path
	}
	return process, filepath.Clean("/" + inside)
}

// filesystemBelow returns the filesystem of a path that an overlay or a loop device has. Such a path is
// that of the process that set it up, so one that plinth does not see may be one of process 1: from a
// container that shares the machine's process IDs, that is the machine's own.
func filesystemBelow(path string) (Filesystem, error) {
	f, err := FilesystemOf(path)
	if errors.Is(err, fs.ErrNotExist) {
		if machine, err := FilesystemOf("/proc/1/root" + path); err == nil {
			return machine, nil
		}
	}
	return f, err
}
