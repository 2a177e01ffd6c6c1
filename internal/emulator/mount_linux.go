package emulator

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// mount mounts the filesystem. The program fusermount is not needed: loop devices
// need root as well.
func mount(c Config, free *requests) (*fuseFront, error) {
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot open /dev/fuse: %w", err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0,max_read=%d", fd, largest)
	if err := unix.Mount("plinth", c.Mount, filesystemType, unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, options); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("cannot mount a FUSE filesystem on %s: %w", c.Mount, err)
	}
	return &fuseFront{fd: fd, mount: c.Mount, size: c.Size, requests: free}, nil
}

// stop detaches the filesystem: it may still be in use.
func (f *fuseFront) stop() error {
	err := unix.Unmount(f.mount, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
	if errors.Is(err, unix.EINVAL) {
		return nil // somebody else has done it
	}
	return err
}
