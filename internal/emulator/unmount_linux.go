package emulator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
	"plinth/internal/host"
)

// connections is where the kernel lists FUSE filesystems; each has a file that
// ends it (Documentation/filesystems/fuse.rst).
const connections = "/sys/fs/fuse/connections"

// unmount unmounts what an emulator has mounted on mount. It first ends the connection,
// after which all I/O fails at once, and then detaches the filesystem.
func unmount(mount string) error {
	for {
		m, err := mountedOn(mount)
		if err != nil || m.Type == "" {
			return err
		}
		if m.Type != filesystemType {
			return fmt.Errorf("cannot unmount %s: it is %s, not an emulator's", mount, m.Type)
		}
		if err := abort(mount); err != nil {
			return fmt.Errorf("cannot unmount %s: %w", mount, err)
		}
		if err := unix.Unmount(mount, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW); err != nil {
			return hint.Wrap(fmt.Errorf("cannot unmount %s: %w", mount, err), "run plinth as root")
		}
	}
}

// mountedOn is the filesystem that mount shows; the zero one where none is mounted.
func mountedOn(mount string) (host.Filesystem, error) {
	mounts, err := host.Mounts()
	if err != nil {
		return host.Filesystem{}, err
	}
	for _, m := range slices.Backward(mounts) {
		if m.MountPoint == filepath.Clean(mount) {
			return m, nil
		}
	}
	return host.Filesystem{}, nil
}

// abort makes the kernel forget the emulator that is mounted on mount, if one is. It goes
// by the number of the filesystem in mountinfo: stat would ask the emulator itself, and
// hang. The filesystem is held open meanwhile, since the kernel gives the number of one
// that has gone to the next one, which may belong to another plinth.
func abort(mount string) error {
	held, err := unix.Open(mount, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot open it: %w", err)
	}
	defer unix.Close(held)
	m, err := host.FilesystemOf(fmt.Sprintf("/proc/self/fd/%d", held))
	if err != nil || m.Type != filesystemType {
		return nil //nolint:nilerr // it was unmounted just now, and has ended
	}
	_, minor, found := strings.Cut(m.ID, ":")
	if !found {
		return fmt.Errorf("its device number %q cannot be read", m.ID)
	}
	for {
		list, err := mountedOn(connections)
		if err != nil {
			return err
		}
		own := list.Type == ""
		if own {
			err = withConnections(func() error { return writeAbort(minor) })
		} else {
			err = writeAbort(minor)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if again, err := mountedOn(connections); own || err != nil || again.Type != "" {
			return err // it has ended already
		}
		// Another plinth had mounted the list, and took it away just now.
	}
}

func writeAbort(minor string) error {
	f, err := os.OpenFile(filepath.Join(connections, minor, "abort"), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString("1")
	return err
}

// withConnections mounts the list of connections for the time of do, where nobody
// has: containers, machines without systemd.
func withConnections(do func() error) error {
	if err := unix.Mount("fusectl", connections, "fusectl", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("cannot mount %s: %v", connections, err) //nolint:errorlint // a missing directory is not a missing connection
	}
	defer func() { _ = unix.Unmount(connections, unix.MNT_DETACH) }()
	return do()
}
