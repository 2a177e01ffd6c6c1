// Package files reads and writes the files of a record. It reads within limits, and no special files,
// because a record may come from an untrusted source; and it writes so that a crash leaves either the
// old content or the new.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// MaxEntries is the largest number of entries of one directory, far above what plinth writes.
const MaxEntries = 100_000

// ErrOdd is the error for a special file, such as a symlink or a FIFO: a record contains none.
var ErrOdd = errors.New("neither a file nor a directory")

// List lists a directory of a record. An entry that is neither a file nor a directory, such as
// a symlink, is an error: plinth writes none.
func List(root *os.Root, name string) ([]fs.DirEntry, error) {
	dir, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, Damaged(name, Bare(err))
	}
	defer dir.Close()
	entries, err := dir.ReadDir(MaxEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, Damaged(name, Bare(err))
	}
	if len(entries) > MaxEntries {
		return nil, Damaged(name, errors.New("too many entries"))
	}
	for _, entry := range entries {
		if !entry.IsDir() && !entry.Type().IsRegular() {
			return nil, Damaged(path.Join(name, entry.Name()), ErrOdd)
		}
	}
	return entries, nil
}

// Read reads a file whose directory List has checked.
func Read(root *os.Root, name string, limit int64) ([]byte, error) {
	// Non-blocking, because opening a FIFO placed there since would hang.
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, Damaged(name, Bare(err))
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, Damaged(name, Bare(err))
	case !info.Mode().IsRegular():
		return nil, Damaged(name, errors.New("not a regular file"))
	case info.Size() > limit:
		return nil, Damaged(name, fmt.Errorf("too large: %d bytes, more than plinth ever writes", info.Size()))
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, Damaged(name, err)
	}
	return data, nil
}

// Damaged adds the name of a file to an error about it; "." is the directory itself, which the caller names.
func Damaged(name string, err error) error {
	if name == "." {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Bare strips operation and path from err: the message names the file itself.
func Bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
