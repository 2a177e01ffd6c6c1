package volume

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// mountBind mounts the open directory, whatever its path refers to now.
func mountBind(dir *os.Root, target string) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Mount(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), target, "", unix.MS_BIND, "")
}

func unmount(target string) error { return unix.Unmount(target, unix.UMOUNT_NOFOLLOW) }

func detach(target string) error {
	return unix.Unmount(target, unix.UMOUNT_NOFOLLOW|unix.MNT_DETACH)
}

func isBusy(err error) bool { return errors.Is(err, unix.EBUSY) }

// exclusive claims a block device: opening it fails while anything in the kernel uses it
// (open(2), O_EXCL without O_CREAT).
const exclusive = syscall.O_EXCL
