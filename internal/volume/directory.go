package volume

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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

// undoDirectory removes a directory that plinth made, with all that is in it. It
// follows no links, and refuses when something is mounted in it.
func undoDirectory(_ context.Context, args json.RawMessage) error {
	var d directory
	if err := json.Unmarshal(args, &d); err != nil {
		return err
	}
	if !filepath.IsAbs(d.Path) || d.ID == "" {
		return fmt.Errorf("cannot remove %q: the journal does not say enough", d.Path)
	}
	if err := d.remove(); err != nil {
		return fmt.Errorf("cannot remove %s: %w", d.Path, err)
	}
	leaveRunDir(d.Path)
	return nil
}

func (d directory) remove() error {
	parent, name := filepath.Split(d.Path)
	root, err := os.OpenRoot(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return d.checkMounted()
	}
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return d.checkMounted()
	}
	if err := d.checkOurs(root, name); err != nil {
		return err
	}
	mounts, err := host.MountsBelow(d.Path)
	if err != nil {
		return err
	}
	if len(mounts) > 0 {
		return hint.Errorf("unmount it", "something is mounted in it: %s", strings.Join(mounts, ", "))
	}
	return removeMarkerLast(root, name)
}

// checkOurs says whether the directory may be removed: its marker has the id. A
// crash may have come before the marker was whole, when nothing else was in the
// directory yet.
func (d directory) checkOurs(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return notOurs(errors.New("it is not a directory"))
	}
	dir, err := root.OpenRoot(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	marker, err := dir.ReadFile(markerName)
	if err == nil && string(marker) == d.ID+"\n" {
		return nil
	}
	entries, listErr := fs.ReadDir(dir.FS(), ".")
	switch {
	case listErr != nil:
		return listErr
	case len(entries) == 0:
		return nil
	case len(entries) == 1 && err == nil && strings.HasPrefix(d.ID+"\n", string(marker)):
		return nil
	}
	return notOurs(errors.New("its marker is missing or not ours"))
}

func notOurs(err error) error {
	return hint.Wrap(err, "look at it, remove it by hand if it is not needed, and run plinth clean again")
}

// removeMarkerLast keeps the directory recognisable as ours if a crash comes in
// the middle.
func removeMarkerLast(root *os.Root, name string) error {
	entries, err := fs.ReadDir(root.FS(), name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == markerName {
			continue
		}
		if err := root.RemoveAll(filepath.Join(name, e.Name())); err != nil {
			return err
		}
	}
	return root.RemoveAll(name)
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

// checkMounted is an error when a directory that is not there may just be on a
// disk that is not mounted now.
func (d directory) checkMounted() error {
	if d.MountPoint == "" {
		return nil
	}
	at := filepath.Dir(d.Path)
	for at != "/" {
		if _, err := os.Lstat(at); err == nil {
			break
		}
		at = filepath.Dir(at)
	}
	filesystem, err := host.FilesystemOf(at)
	if err != nil {
		return err
	}
	if filesystem.MountPoint != d.MountPoint {
		return hint.Errorf("mount it and run plinth clean; if the disk is gone for good, make an empty directory there and remove the journal",
			"the disk at %s is not mounted", d.MountPoint)
	}
	return nil
}
