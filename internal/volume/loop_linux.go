package volume

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
)

// freeLoop returns the path of an unused loop device; the kernel creates one if needed.
func freeLoop() (string, error) {
	control, err := os.OpenFile(loopControl, os.O_RDWR, 0)
	if err != nil {
		return "", hint.Wrap(err, "load the kernel module loop, or allow this container to use loop devices")
	}
	defer control.Close()
	n, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
	return fmt.Sprintf("/dev/loop%d", n), err
}

// configureLoop attaches file in one step; losetup shows it under name. Direct I/O lets requests run concurrently and avoids
// caching the data twice. A filesystem without direct I/O (tmpfs of old kernels) is rejected,
// because the loop device would behave differently.
func configureLoop(device, file, name string) error {
	backing, err := os.OpenFile(file, os.O_RDWR|unix.O_DIRECT, 0)
	if errors.Is(err, unix.EINVAL) {
		return hint.Wrap(errors.New("its filesystem has no direct I/O"), "choose a directory on another filesystem, such as ext4 or XFS")
	}
	if err != nil {
		return err
	}
	defer backing.Close()
	loop, err := os.OpenFile(device, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		err = hint.Wrap(err, "make the device node (mknod), or allow this container to use loop devices")
	}
	if err != nil {
		return err
	}
	defer loop.Close()
	config := unix.LoopConfig{Fd: uint32(backing.Fd()), Info: unix.LoopInfo64{Flags: unix.LO_FLAGS_DIRECT_IO}}
	copy(config.Info.File_name[:len(config.Info.File_name)-1], name)
	err = unix.IoctlLoopConfigure(int(loop.Fd()), &config)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTTY) || errors.Is(err, unix.ENOSYS) {
		return configureOldLoop(int(loop.Fd()), config.Fd, config.Info.File_name)
	}
	return err
}

// configureOldLoop does what LOOP_CONFIGURE does on kernels before 5.8, which do not know it
// (loop(4)). It detaches the file if it cannot finish.
func configureOldLoop(loop int, file uint32, name [64]uint8) error {
	if err := unix.IoctlSetInt(loop, unix.LOOP_SET_FD, int(file)); err != nil {
		return err
	}
	err := unix.IoctlLoopSetStatus64(loop, &unix.LoopInfo64{File_name: name})
	if err == nil {
		err = unix.IoctlSetInt(loop, unix.LOOP_SET_DIRECT_IO, 1)
	}
	if err != nil {
		return errors.Join(err, unix.IoctlSetInt(loop, unix.LOOP_CLR_FD, 0))
	}
	return nil
}

// loopFileID returns the fileID of a loop device's file; ENXIO for none.
func loopFileID(device string) (string, error) {
	loop, err := os.Open(device)
	if err != nil {
		return "", err
	}
	defer loop.Close()
	status, err := unix.IoctlLoopGetStatus64(int(loop.Fd()))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d-%d", status.Device, status.Inode), nil
}

// fileID returns a file's filesystem number and inode.
func fileID(path string) (string, error) {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d-%d", s.Dev, s.Ino), nil
}

func detachLoop(device string) error {
	loop, err := os.OpenFile(device, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer loop.Close()
	return unix.IoctlSetInt(int(loop.Fd()), unix.LOOP_CLR_FD, 0)
}
