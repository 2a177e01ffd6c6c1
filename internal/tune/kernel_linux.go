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
	if err := unix.Mount("none", mountPoint, "", flags, strings.Join(filesystem, ",")); err != nil {
		return fmt.Errorf("cannot remount %s with %s: %w", mountPoint,
			strings.Join(append(append([]string{}, mount...), filesystem...), ","), err)
	}
	return k.remountOwn(mountPoint, flags)
}

// remountOwn changes the flags where plinth has mounted directories of the filesystem once more, for
// its volumes: each mount has its own.
func (k Kernel) remountOwn(mountPoint string, flags uintptr) error {
	changed, there, err := mountAt(k, mountPoint)
	if err != nil || !there {
		return err
	}
	mounts, err := k.Mounts()
	if err != nil {
		return err
	}
	for _, m := range mounts {
		if m.ID != changed.ID || !strings.HasPrefix(m.MountPoint, host.RunDir+"/") {
			continue
		}
		if err := unix.Mount("none", m.MountPoint, "", flags|unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("cannot remount %s: %w", m.MountPoint, err)
		}
	}
	return nil
}
