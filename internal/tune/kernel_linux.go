package tune

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"

	"plinth/internal/host"
)

// mountFlags holds the mount options that are flags of mount(2). All others are options of the
// filesystem, passed to it as text.
var mountFlags = map[string]uintptr{
	"rw": 0, "ro": unix.MS_RDONLY, "nosuid": unix.MS_NOSUID, "nodev": unix.MS_NODEV,
	"noexec": unix.MS_NOEXEC, "sync": unix.MS_SYNCHRONOUS, "dirsync": unix.MS_DIRSYNC,
	"noatime": unix.MS_NOATIME, "nodiratime": unix.MS_NODIRATIME, "relatime": unix.MS_RELATIME,
	"strictatime": unix.MS_STRICTATIME, "lazytime": unix.MS_LAZYTIME, "mand": unix.MS_MANDLOCK,
	"nosymfollow": unix.MS_NOSYMFOLLOW,
}

// Remount changes the options of a mount with mount(2): it clears flags that are not named, and
// keeps options of the filesystem that are not named.
func (k Kernel) Remount(mountPoint string, mount, filesystem []string) error {
	flags := uintptr(unix.MS_REMOUNT)
	for _, option := range mount {
		flag, known := mountFlags[option]
		if !known {
			return fmt.Errorf("cannot remount %s: %q is not an option of a mount", mountPoint, option)
		}
		flags |= flag
	}
	own, err := k.mountedOnceMore(mountPoint)
	if err != nil {
		return err
	}
	if err := unix.Mount("none", mountPoint, "", flags, strings.Join(filesystem, ",")); err != nil {
		return fmt.Errorf("cannot remount %s with %s: %w", mountPoint,
			strings.Join(append(append([]string{}, mount...), filesystem...), ","), err)
	}
	for _, at := range own {
		if err := unix.Mount("none", at, "", flags|unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("cannot remount %s: %w", at, err)
		}
	}
	return nil
}

// mountedOnceMore returns where plinth has mounted directories of a mount once more, for its volumes:
// these mounts have flags of their own. A mount of the same filesystem with other flags comes from
// another mount of it, such as one of another btrfs subvolume.
func (k Kernel) mountedOnceMore(mountPoint string) (own []string, err error) {
	of, there, err := mountAt(k, mountPoint)
	if err != nil || !there {
		return nil, err
	}
	mounts, err := k.Mounts()
	for _, m := range mounts {
		if m.ID == of.ID && m.Options == of.Options && strings.HasPrefix(m.MountPoint, host.RunDir+"/") {
			own = append(own, m.MountPoint)
		}
	}
	return own, err
}
