package volume

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/launch"
)

// directory is the journal entry of a directory that plinth created.
type directory struct {
	Path string `json:"path"` // absolute, without symlinks
	ID   string `json:"id"`   // the content of its marker
	// MountPoint is where the directory's filesystem was mounted; "" if that filesystem does not
	// outlive its mount.
	MountPoint string `json:"mount_point,omitempty"`
}

const markerName = "plinth-volume"

// makeDirectory creates path, which must not exist, with its marker, and returns it open. Other
// users may enter it, because its owner has to, but only plinth may modify it. A user who may
// write in the parent can replace it at any time, so all operations use the open handle instead
// of the path.
func (v *Volume) makeDirectory(ctx context.Context, path, id string, typed ...Command) (*os.Root, error) {
	above, name := filepath.Dir(path), filepath.Base(path)
	var parent, dir *os.Root
	defer func() {
		if parent != nil {
			_ = parent.Close()
		}
	}()
	err := v.take(ctx, step{
		change: func() (_ change, err error) {
			if parent, err = os.OpenRoot(above + "/"); err != nil { // opening a FIFO would hang
				return nil, notWritable(err)
			}
			if _, err := parent.Lstat(name); err == nil {
				return nil, hint.Errorf("move it away, or choose another directory", "%s already exists and was not created by plinth", path)
			}
			return directory{Path: path, ID: id, MountPoint: mountPoint(above)}, nil
		},
		do: func(context.Context) (err error) {
			if err := parent.Mkdir(name, 0o755); err != nil {
				return notWritable(err)
			}
			if dir, err = openItself(parent, name); err != nil {
				return err
			}
			if err := furnish(dir, id); err != nil {
				return errors.Join(fmt.Errorf("cannot use %s: %w", path, err), dir.Close())
			}
			return nil
		},
		typed: typed,
	})
	if err != nil {
		return nil, err
	}
	return dir, nil
}

// openItself opens the directory name in parent without following a symlink, which OpenRoot would
// do within parent.
func openItself(parent *os.Root, name string) (*os.Root, error) {
	dir, err := parent.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := dir.Stat(".")
	named, nameErr := parent.Lstat(name)
	if err = errors.Join(err, nameErr); err == nil && !os.SameFile(opened, named) {
		err = notOurs(fmt.Errorf("%s is not a directory, or was replaced", name))
	}
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// furnish sets the mode of a new directory and writes its marker, after checking that the
// directory is plinth's: it must not change another user's directory, nor trust one in which
// another user can write.
func furnish(dir *os.Root, id string) error {
	info, err := dir.Stat(".")
	if err != nil {
		return err
	}
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() || len(entries) > 0 {
		return hint.Errorf("choose a directory that no other user can write to", "it is not the directory that plinth created")
	}
	if err := dir.Chmod(".", 0o755); err != nil { // independent of the umask
		return err
	}
	return writeMarker(dir, id)
}

func notWritable(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return hint.Wrap(err, "choose a directory that plinth can write to, or start plinth as the directory's owner")
	case errors.Is(err, syscall.EROFS):
		return hint.Wrap(err, "mount the filesystem for writing, or choose another directory")
	}
	return err
}

// writeMarker writes the marker and syncs it: after a power cut, a directory without a marker
// could not be recognised as plinth's.
func writeMarker(dir *os.Root, id string) error {
	f, err := dir.OpenFile(markerName, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(id + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// dataName is the name of the server's directory.
const dataName = "data"

// makePrivate creates the owner's directory in dir, with mode 0700.
func makePrivate(dir *os.Root, owner *launch.User) error {
	if err := dir.Mkdir(dataName, 0o700); err != nil {
		return err
	}
	if owner == nil {
		return nil
	}
	return dir.Lchown(dataName, owner.UID, owner.GID)
}

// mountPoint returns where the filesystem of dir is mounted, or "" for a filesystem in memory,
// whose contents are lost once it is unmounted.
func mountPoint(dir string) string {
	filesystem, err := host.FilesystemOf(dir)
	if err != nil || filesystem.InMemory {
		return ""
	}
	return filesystem.MountPoint
}

// undo removes a directory that plinth created, with its contents. It does not follow symlinks,
// and fails if something is mounted in it.
func (d directory) undo(_ context.Context) error {
	if !filepath.IsAbs(d.Path) || d.ID == "" {
		return fmt.Errorf("cannot remove %q: the journal entry is incomplete", d.Path)
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
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d.checkMounted()
	case err != nil:
		return err
	case !info.IsDir():
		return notOurs(errors.New("it is not a directory"))
	}
	dir, err := openItself(root, name)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := d.checkOurs(dir); err != nil {
		return err
	}
	mounts, err := host.MountsBelow(d.Path)
	if err != nil {
		return err
	}
	if len(mounts) > 0 {
		return hint.Errorf("unmount it", "something is mounted in it: %s", strings.Join(mounts, ", "))
	}
	if err := emptyMarkerLast(dir); err != nil {
		return err
	}
	return root.Remove(name)
}

// checkOurs returns nil if the directory may be removed: its marker has the ID. After a crash the
// marker may be missing or incomplete; then the directory must not contain anything else.
func (d directory) checkOurs(dir *os.Root) error {
	file, err := dir.OpenFile(markerName, host.OpenPlain, 0)
	marker, err := host.ReadPlain(file, err, longestMarker)
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
	return notOurs(errors.New("its marker is missing or not plinth's"))
}

// longestMarker is more than an ID has.
const longestMarker = 64

func notOurs(err error) error {
	return hint.Wrap(err, "inspect it, remove it by hand if it is not needed, then run plinth clean")
}

// emptyMarkerLast removes the contents, marker last, so that the directory stays recognisable if
// a crash interrupts it.
func emptyMarkerLast(dir *os.Root) error {
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == markerName {
			continue
		}
		if err := dir.RemoveAll(e.Name()); err != nil {
			return err
		}
	}
	return dir.RemoveAll(markerName)
}

// checkMounted returns an error if the directory may be missing only because its disk is not
// mounted.
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
		return hint.Errorf("mount it, or, if it is permanently gone, create an empty directory "+d.Path+"; then run plinth clean",
			"the disk at %s is not mounted", d.MountPoint)
	}
	return nil
}
