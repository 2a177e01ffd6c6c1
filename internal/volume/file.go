package volume

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"plinth/internal/hint"
	"plinth/internal/unit"
)

// file is what the journal knows of a file that holds a volume's data.
type file struct {
	Path string `json:"path"` // absolute
	// ID tells the file from another one with its name: its inode and when that was
	// made. Nothing can be written into the file itself, all of it is the disk's.
	ID         string `json:"id"`
	MountPoint string `json:"mount_point,omitempty"` // as of directory
}

// makeFile makes a file of size bytes, for a loop device or an emulator. It has no
// name until the journal knows it: the kernel drops a file without a name however
// plinth ends. Its space is taken at once, so that a disk that is too full is
// found now and not in the middle of a run, and that no run pays for it.
func (v *Volume) makeFile(path string, size int64) error {
	f, id, err := newFile(filepath.Dir(path), size)
	if err != nil {
		return fmt.Errorf("cannot make a file of %s for %s: %w", unit.Size(size), path, whyNoFile(err))
	}
	defer f.Close()
	if err := v.note(fileKind, file{Path: path, ID: id, MountPoint: mountPoint(filepath.Dir(path))}); err != nil {
		return err
	}
	err = giveName(f, path)
	if errors.Is(err, fs.ErrExist) {
		return hint.Errorf("move it away, or choose another place", "%s is there already, and is not ours", path)
	}
	return err
}

func whyNoFile(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return hint.Wrap(err, "free some space, choose a smaller size, or a directory on another disk")
	case errors.Is(err, syscall.EFBIG):
		return hint.Wrap(err, "choose a smaller size, or a directory on another filesystem")
	case errors.Is(err, syscall.EOPNOTSUPP):
		return hint.Wrap(err, "choose a directory on ext4, XFS, btrfs or tmpfs")
	}
	return notWritable(err)
}

// undoFile removes the file, when it is still the one that was made.
func undoFile(_ context.Context, args json.RawMessage) error {
	var f file
	if err := json.Unmarshal(args, &f); err != nil {
		return err
	}
	if !filepath.IsAbs(f.Path) || f.ID == "" {
		return fmt.Errorf("cannot remove %q: the journal does not say enough", f.Path)
	}
	id, err := identify(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return directory{Path: f.Path, MountPoint: f.MountPoint}.checkMounted()
	case err != nil:
		return fmt.Errorf("cannot remove %s: %w", f.Path, err)
	case id != f.ID:
		return nil // ours was removed, or never got its name: this is somebody else's
	}
	return os.Remove(f.Path)
}
