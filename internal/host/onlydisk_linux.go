package host

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// OnlyDisk returns the disk that stores a directory, a file, or what is on a block device of this
// machine. It returns false if that disk is not visible from here, or if there are several.
func OnlyDisk(path string) (Disk, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return Disk{}, false
	}
	root := os.DirFS("/")
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && info.Mode().Type() == fs.ModeDevice {
		name, err := deviceByNumber(root, fmt.Sprintf("%d:%d", unix.Major(stat.Rdev), unix.Minor(stat.Rdev)))
		if err != nil {
			return Disk{}, false
		}
		return onlyDisk(root, placeOfDevice(root, FilesystemOf, name))
	}
	f, err := FilesystemOf(path)
	if err != nil {
		return Disk{}, false
	}
	return onlyDisk(root, placeOn(root, FilesystemOf, f))
}

// onlyDisk describes the disk of a place if it is on exactly one.
func onlyDisk(root fs.FS, place Place) (Disk, bool) {
	if len(place.Disks) != 1 || len(place.Gaps) > 0 {
		return Disk{}, false
	}
	return readDisk(root, place.Disks[0]), true
}

// placeOfDevice follows a block device down to the disks.
func placeOfDevice(root fs.FS, filesystemOf func(string) (Filesystem, error), name string) Place {
	place := Place{Disks: []string{}}
	s := stack{root: root, filesystemOf: filesystemOf, place: &place, seen: map[string]bool{}}
	s.device(name)
	return place
}
