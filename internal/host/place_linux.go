package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"plinth/internal/hint"
)

// PlaceOf follows a directory or file of this machine down to its disks. What is not visible,
// as in a container, is a gap of the place. It returns an error if the path does not exist or
// is not accessible.
func PlaceOf(role, path string) (Place, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Place{}, fmt.Errorf("cannot inspect the location of %s: %w", role, err)
	}
	f, err := FilesystemOf(path)
	if errors.Is(err, fs.ErrPermission) {
		err = hint.Wrap(err, "run plinth as root, or as the owner of the directory")
	}
	if err != nil {
		return Place{}, fmt.Errorf("cannot inspect the location of %s: %w", role, err)
	}
	place := placeOn(os.DirFS("/"), filesystemBelow, f)
	place.Role, place.Path = role, path
	place.addRoundTrips(connections)
	if place.Size, err = TotalSpace(path); err != nil {
		place.gap("size_bytes", err)
	}
	if place.Free, err = FreeSpace(path); err != nil {
		place.gap("free_bytes", err)
	}
	return place, nil
}

// placeOn follows a filesystem down to the disks of the machine whose files are below root;
// filesystemOf returns the filesystem of a path on that machine.
func placeOn(root fs.FS, filesystemOf func(string) (Filesystem, error), f Filesystem) Place {
	place := Place{Filesystem: f.Type, Options: f.Options, Source: f.Source, Disks: []string{}}
	s := stack{root: root, filesystemOf: filesystemOf, place: &place, seen: map[string]bool{}}
	s.filesystem(f)
	return place
}

func (p *Place) gap(what string, err error) {
	p.Gaps = append(p.Gaps, Gap{What: what, Why: why(err)})
}
