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

	"plinth/internal/hint"
	"plinth/internal/host"
)

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

// checkOurs says whether the directory may be removed: its marker has the id. A
// crash may have come before the marker was whole, when nothing else was in the
// directory yet.
func (d directory) checkOurs(dir *os.Root) error {
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

// emptyMarkerLast keeps the directory recognisable as ours if a crash comes in
// the middle.
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
