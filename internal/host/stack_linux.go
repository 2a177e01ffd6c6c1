package host

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// A stack walks from a filesystem down to the disks and records what it finds in a place.
type stack struct {
	root         fs.FS
	filesystemOf func(path string) (Filesystem, error)
	place        *Place
	seen         map[string]bool // devices by name, and overlays by id: each is visited once
}

// filesystem walks down from f and returns the devices directly below it.
func (s *stack) filesystem(f Filesystem) []string {
	devices, err := s.devicesOf(f)
	if err != nil {
		s.place.gap("disks", err)
	}
	for _, name := range devices {
		s.device(name)
	}
	return devices
}

// devicesOf returns the devices that hold a filesystem. If it has one device, its id is that
// device's number; otherwise the id belongs to no device ("0:50").
func (s *stack) devicesOf(f Filesystem) ([]string, error) {
	switch {
	case f.InMemory:
		s.place.InMemory = true
		return nil, nil
	case slices.Contains(networks, f.Type):
		s.place.Network = true
		s.place.Remote = append(s.place.Remote, remoteFilesystem(f))
		return nil, nil
	case f.Type == "overlay":
		return s.below(f)
	case f.Type == "btrfs":
		return btrfsDevices(s.root, f.Source)
	case f.Type == "bcachefs":
		return devicesBySource(s.root, strings.Split(f.Source, ":")...)
	case f.Type == "zfs":
		return nil, fmt.Errorf("/sys does not show the disks of ZFS pools: run zpool status %s", strings.Split(f.Source, "/")[0])
	case strings.HasPrefix(f.ID, "0:"):
		return nil, fmt.Errorf("%s has no visible block device", f.Type)
	}
	name, err := deviceByNumber(s.root, f.ID)
	if err != nil {
		return nil, err
	}
	extra, err := devicesBySource(s.root, externalDevices(f.Options)...)
	return append([]string{name}, extra...), err
}

// networks lists filesystems whose disks belong to another machine (for 9p and virtiofs, to
// the host of this virtual machine).
var networks = []string{
	"nfs", "nfs4", "cifs", "smb3", "smbfs", "ceph", "fuse.ceph", "glusterfs", "fuse.glusterfs", "lustre",
	"beegfs", "gpfs", "afs", "9p", "virtiofs", "fuse.sshfs", "fuse.s3fs", "fuse.juicefs", "fuse.gcsfuse",
}

// externalDevices returns the devices that XFS uses beside the main one, for its log or its
// realtime section.
func externalDevices(options string) (devices []string) {
	for option := range strings.SplitSeq(options, ",") {
		name, device, _ := strings.Cut(option, "=")
		if name == "logdev" || name == "rtdev" {
			devices = append(devices, device)
		}
	}
	return devices
}

// below returns the devices of the filesystem that an overlay writes to. The path is as seen
// when it was mounted; in a container it rarely exists.
func (s *stack) below(overlay Filesystem) ([]string, error) {
	if overlay.Upper == "" {
		return nil, errors.New("the overlay is read-only: it writes to no disk")
	}
	if s.seen[overlay.ID] {
		return nil, fmt.Errorf("the overlay hides its own upper directory, %s", overlay.Upper)
	}
	s.seen[overlay.ID] = true
	if !strings.HasPrefix(overlay.Upper, "/") {
		return nil, fmt.Errorf("the upper directory of the overlay, %s, is relative to an unknown directory", overlay.Upper)
	}
	upper, err := s.filesystemOf(overlay.Upper)
	if err != nil {
		return nil, fmt.Errorf("the upper directory of the overlay, %s, is not visible from here: %w", overlay.Upper, rootCause(err))
	}
	return s.devicesOf(upper)
}

// rootCause returns the innermost error.
func rootCause(err error) error {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err
}
