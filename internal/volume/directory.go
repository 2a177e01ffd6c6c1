package volume

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"plinth/internal/hint"
	"plinth/internal/host"
)

// directory is what the journal knows of a directory that plinth made.
type directory struct {
	Path string `json:"path"` // absolute, without links
	ID   string `json:"id"`   // the content of its marker
	// MountPoint is where the filesystem was mounted that it is on; "" where that
	// filesystem does not outlive its mount.
	MountPoint string `json:"mount_point,omitempty"`
}

const markerName = "plinth-volume"

// makeDirectory makes dir, which must not be there, with its marker. Others may
// enter it, because its owner has to, but only plinth may change what is in it.
func (v *Volume) makeDirectory(dir, id string) error {
	if _, err := os.Lstat(dir); err == nil {
		return hint.Errorf("move it away, or choose another directory", "%s is there already, and is not ours", dir)
	}
	d := directory{Path: dir, ID: id, MountPoint: mountPoint(filepath.Dir(dir))}
	if err := v.note(directoryKind, d); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return notWritable(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // whatever the umask
		return err
	}
	return writeMarker(dir, id)
}

func notWritable(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return hint.Wrap(err, "choose a directory that plinth may write in, or start plinth as its owner")
	case errors.Is(err, syscall.EROFS):
		return hint.Wrap(err, "mount the filesystem for writing, or choose another directory")
	}
	return err
}

// writeMarker writes the marker and syncs it: after a power cut a directory
// without it could not be told from somebody else's.
func writeMarker(dir, id string) error {
	f, err := os.OpenFile(filepath.Join(dir, markerName), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(id + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// makePrivate makes a directory that only its owner may enter.
func makePrivate(dir string, owner *host.User) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if owner == nil {
		return nil
	}
	return os.Lchown(dir, owner.UID, owner.GID)
}

// mountPoint is where the filesystem of dir is mounted. Memory is gone after it
// was unmounted: there is nothing to come back to.
func mountPoint(dir string) string {
	filesystem, err := host.FilesystemOf(dir)
	if err != nil || filesystem.Type == "tmpfs" || filesystem.Type == "ramfs" {
		return ""
	}
	return filesystem.MountPoint
}
