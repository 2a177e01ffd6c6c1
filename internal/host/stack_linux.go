package host

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// stack walks from a filesystem down to the disks, and writes what it meets into
// a place.
type stack struct {
	root         fs.FS
	filesystemOf func(path string) (Filesystem, error)
	place        *Place
	seen         map[string]bool // devices by name, and overlays by id: nothing is walked twice
}

// filesystem walks down from f and returns the devices right below it.
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

// devicesOf is the devices that hold a filesystem. Those that have one device
// carry its number as their id; the others have an id without a device ("0:50").
func (s *stack) devicesOf(f Filesystem) ([]string, error) {
	switch {
	case f.InMemory:
		s.place.InMemory = true
		return nil, nil
	case slices.Contains(networks, f.Type):
		s.place.Network = true
		return nil, nil
	case f.Type == "overlay":
		return s.below(f)
	case f.Type == "btrfs":
		return btrfsDevices(s.root, f.Source)
	case f.Type == "bcachefs":
		return devicesBySource(s.root, strings.Split(f.Source, ":")...)
	case f.Type == "zfs":
		return nil, fmt.Errorf("the disks of ZFS pools are not told by /sys: zpool status %s shows them", strings.Split(f.Source, "/")[0])
	case strings.HasPrefix(f.ID, "0:"):
		return nil, fmt.Errorf("%s tells of no block device", f.Type)
	}
	name, err := deviceByNumber(s.root, f.ID)
	if err != nil {
		return nil, err
	}
	extra, err := devicesBySource(s.root, externalDevices(f.Options)...)
	return append([]string{name}, extra...), err
}

// networks are filesystems whose disks belong to another machine; to the host of
// this virtual one for 9p and virtiofs.
var networks = []string{
	"nfs", "nfs4", "cifs", "smb3", "smbfs", "ceph", "fuse.ceph", "glusterfs", "fuse.glusterfs", "lustre",
	"beegfs", "gpfs", "afs", "9p", "virtiofs", "fuse.sshfs", "fuse.s3fs", "fuse.juicefs", "fuse.gcsfuse",
}

// externalDevices are those that XFS has beside the main one, for its log or for
// files that want it.
func externalDevices(options string) (devices []string) {
	for option := range strings.SplitSeq(options, ",") {
		name, device, _ := strings.Cut(option, "=")
		if name == "logdev" || name == "rtdev" {
			devices = append(devices, device)
		}
	}
	return devices
}

// below is the devices of the filesystem that an overlay writes to. The path is
// that of who mounted it; in a container it is seldom there.
func (s *stack) below(overlay Filesystem) ([]string, error) {
	if overlay.Upper == "" {
		return nil, errors.New("the overlay is read only: nothing is written to any disk")
	}
	if s.seen[overlay.ID] {
		return nil, fmt.Errorf("the overlay hides its own upper directory, %s", overlay.Upper)
	}
	s.seen[overlay.ID] = true
	if !strings.HasPrefix(overlay.Upper, "/") {
		return nil, fmt.Errorf("the upper directory of the overlay, %s, is relative to a place that is not told", overlay.Upper)
	}
	upper, err := s.filesystemOf(overlay.Upper)
	if err != nil {
		return nil, fmt.Errorf("the upper directory of the overlay, %s, cannot be seen from here: %w", overlay.Upper, rootCause(err))
	}
	return s.devicesOf(upper)
}

// rootCause is the innermost error.
func rootCause(err error) error {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err
}
