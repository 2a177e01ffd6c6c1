package volume

import (
	"errors"

	"golang.org/x/sys/unix"
)

func mountBind(source, target string) error {
	return unix.Mount(source, target, "", unix.MS_BIND, "")
}

func unmount(target string) error { return unix.Unmount(target, unix.UMOUNT_NOFOLLOW) }

func detach(target string) error {
	return unix.Unmount(target, unix.UMOUNT_NOFOLLOW|unix.MNT_DETACH)
}

func isBusy(err error) bool { return errors.Is(err, unix.EBUSY) }
