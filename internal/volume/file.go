package volume

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"plinth/internal/hint"
	"plinth/internal/unit"
)

// file is the journal entry of a file that holds a volume's data.
type file struct {
	Path string `json:"path"` // absolute
	// ID distinguishes the file from another with the same name: its inode number and birth time.
	// The file itself cannot hold a marker, because all of it belongs to the disk.
	ID         string `json:"id"`
	MountPoint string `json:"mount_point,omitempty"` // as in directory
}

// makeFile creates a file of size bytes for a loop device or an emulator. The file has no name
// until it is in the journal: the kernel deletes an unnamed file however plinth ends. Its full
// size is reserved up front, so that a full disk is detected now instead of in the middle of a
// run, and that no run pays for the allocation.
//
// It returns the file open (nil in a sketch), to be closed by the caller: another user may be able
// to replace what the path names.
func (v *Volume) makeFile(ctx context.Context, path string, size unit.Size) (named *os.File, err error) {
	var f *os.File
	defer func() {
		if f != nil {
			_ = f.Close()
		}
	}()
	length := size.Exact()
	if size == 0 {
		length = "SIZE" // in a sketch: what the data need
	}
	err = v.take(ctx, step{
		change: func() (change, error) {
			made, id, err := newFile(filepath.Dir(path), int64(size))
			if err != nil {
				return nil, fmt.Errorf("cannot make a file of %s for %s: %w", size, path, whyNoFile(err))
			}
			f = made
			return file{Path: path, ID: id, MountPoint: mountPoint(filepath.Dir(path))}, nil
		},
		do: func(context.Context) error {
			err := giveName(f, path)
			if errors.Is(err, fs.ErrExist) {
				return hint.Errorf("move it away, or choose another place", "%s already exists and was not created by plinth", path)
			}
			if err == nil {
				named, err = reopen(f, path)
			}
			return err
		},
		typed: []Command{typed("fallocate", "--length", length, path)},
	})
	return named, err
}

// reopen opens f by its name: the kernel shows the name by which a file was opened.
func reopen(f *os.File, path string) (*os.File, error) {
	named, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	made, err := f.Stat()
	opened, openedErr := named.Stat()
	if err = errors.Join(err, openedErr); err == nil && !os.SameFile(made, opened) {
		err = notOurs(fmt.Errorf("%s was replaced", path))
	}
	if err != nil {
		return nil, errors.Join(err, named.Close())
	}
	return named, nil
}

// pathOf returns a path of an open file that does not depend on its name, valid in all processes
// of root while the file is open here.
func pathOf(f *os.File) string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd()) }

func whyNoFile(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return hint.Wrap(err, "free some space, or choose a smaller size or a directory on another disk")
	case errors.Is(err, syscall.EFBIG):
		return hint.Wrap(err, "choose a smaller size, or a directory on another filesystem")
	case errors.Is(err, syscall.EOPNOTSUPP):
		return hint.Wrap(err, "choose a directory on ext4, XFS, btrfs or tmpfs")
	}
	return notWritable(err)
}

// undo removes the file if it is still the one that plinth created.
func (f file) undo(_ context.Context) error {
	if !filepath.IsAbs(f.Path) || f.ID == "" {
		return fmt.Errorf("cannot remove %q: the journal entry is incomplete", f.Path)
	}
	err := f.remove()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return directory{Path: f.Path, MountPoint: f.MountPoint}.checkMounted()
	case err != nil:
		return fmt.Errorf("cannot remove %s: %w", f.Path, err)
	}
	return nil
}

// remove removes the file from one open directory, whatever the path leads to meanwhile.
func (f file) remove() error {
	parent, err := os.OpenRoot(filepath.Dir(f.Path) + "/") // opening a FIFO would hang
	if err != nil {
		return err
	}
	defer parent.Close()
	name := filepath.Base(f.Path)
	if id, err := identify(parent, name); err != nil || id != f.ID {
		return err // if it is another file, ours was removed or never got its name
	}
	return parent.Remove(name)
}
