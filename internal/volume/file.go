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
func (v *Volume) makeFile(ctx context.Context, path string, size unit.Size) error {
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
	return v.take(ctx, step{
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
			return err
		},
		typed: []Command{typed("fallocate", "--length", length, path)},
	})
}

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
	id, err := identify(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return directory{Path: f.Path, MountPoint: f.MountPoint}.checkMounted()
	case err != nil:
		return fmt.Errorf("cannot remove %s: %w", f.Path, err)
	case id != f.ID:
		return nil // ours was removed, or never got its name: this is another file
	}
	return os.Remove(f.Path)
}
