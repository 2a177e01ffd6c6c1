package emulator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
	"plinth/internal/host"
)

// An emulator is identified by a path, its place: the mount point of its filesystem or, for NBD,
// which mounts nothing, its control socket.

// Abort ends the connection of the emulator at place, whatever its state: all I/O to it fails at
// once and nothing waits for it any longer. Its filesystem stays mounted, so that everything on
// it can be removed first; End comes last. Without an emulator at place, Abort does nothing.
func Abort(place string) error {
	if isSocket(place) {
		return kill(place, false)
	}
	m, err := mountedOn(place)
	if err != nil || m.Type != filesystemType {
		return err
	}
	return abort(place)
}

// End ends the emulator at place and unmounts its filesystem, whether it is alive, dead, stopped
// or hung. All I/O to it then fails. If nothing is at place, End does nothing; if something else
// is, it returns an error. It never blocks longer than ctx.
func End(ctx context.Context, place string) error {
	done := make(chan error, 1)
	go func() {
		if isSocket(place) {
			done <- kill(place, true)
		} else {
			done <- unmount(place)
		}
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("cannot end the emulator at %s: %w", place, ctx.Err())
	}
}

// Ping sends a request to the emulator at place that only the emulator can answer; an error
// counts as an answer. If the emulator is stopped or hung, Ping blocks forever with FUSE and
// until a timeout with NBD.
func Ping(place string) error {
	if isSocket(place) {
		_, err := ask(context.Background(), place, order{Do: doRead})
		return err
	}
	var s unix.Statfs_t // not cached by the kernel
	return unix.Statfs(place, &s)
}

// isSocket reports whether path is a control socket. It does not stat a mounted filesystem: that
// would query the emulator, which may hang.
func isSocket(path string) bool {
	if m, err := mountedOn(path); err != nil || m.Type != "" {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && info.Mode().Type() == fs.ModeSocket
}

// kill kills the emulator that listens at socket, and waits for its exit if wait is true. The
// kernel then removes its device: the thread that holds it exits even while other threads of the
// process hang.
func kill(socket string, wait bool) error {
	pid, err := listener(socket)
	if err != nil || pid == 0 {
		return err
	}
	pidfd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot end the emulator (process %d): %w", pid, err)
	}
	defer unix.Close(pidfd)
	if name := readLine(fmt.Sprintf("/proc/%d/comm", pid)); name != processName {
		return fmt.Errorf("cannot end process %d at %s: it is %q, not an emulator", pid, socket, name)
	}
	if err := unix.PidfdSendSignal(pidfd, unix.SIGKILL, nil, 0); err != nil && !errors.Is(err, syscall.ESRCH) {
		return hint.Wrap(fmt.Errorf("cannot end the emulator (process %d): %w", pid, err), "run plinth as root")
	}
	for wait {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, -1)
		if n > 0 || err != nil && !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
	return nil
}

// listener returns the PID of the process that listens at socket, or 0 if none does. The kernel
// answers, so the process may hang.
func listener(socket string) (pid int, err error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	err = unix.Connect(fd, &unix.SockaddrUnix{Name: socket})
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("cannot reach the emulator at %s: %w", socket, err)
	}
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, fmt.Errorf("cannot determine which process listens at %s: %w", socket, err)
	}
	return int(peer.Pid), nil
}

// connections is the directory in which the kernel lists FUSE connections; each has a file that
// aborts it (Documentation/filesystems/fuse.rst).
const connections = "/sys/fs/fuse/connections"

// unmount unmounts an emulator's filesystem from mount. It first aborts the connection, after
// which all I/O fails at once, and then detaches the filesystem.
func unmount(mount string) error {
	for {
		m, err := mountedOn(mount)
		if err != nil || m.Type == "" {
			return err
		}
		if m.Type != filesystemType {
			return fmt.Errorf("cannot unmount %s: its filesystem is %s, not an emulator's", mount, m.Type)
		}
		if err := abort(mount); err != nil {
			return fmt.Errorf("cannot unmount %s: %w", mount, err)
		}
		if err := detach(mount); err != nil {
			return hint.Wrap(fmt.Errorf("cannot unmount %s: %w", mount, err), "run plinth as root")
		}
	}
}

// detach detaches an emulator's filesystem from mount. It may be in use. An emulator does so itself when it
// ends, so that another process may find it mounted and yet have nothing to detach.
func detach(mount string) error {
	err := unix.Unmount(mount, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
	if errors.Is(err, unix.EINVAL) {
		if m, failed := mountedOn(mount); failed == nil && m.Type == "" {
			return nil
		}
	}
	return err
}

// mountedOn returns the filesystem visible at mount, or the zero value if none is mounted.
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

// abort aborts the FUSE connection of the emulator mounted on mount, if any. It identifies the
// connection by the device number in mountinfo: stat would query the emulator itself, and hang.
// The filesystem is held open meanwhile, since the kernel reuses the number of a removed
// filesystem, possibly for another plinth's.
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
		return fmt.Errorf("cannot read its device number %q", m.ID)
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
			return err // it has already ended
		}
		// Another plinth had mounted the list and has just unmounted it.
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

// withConnections mounts the list of connections while do runs. It is needed in containers and on
// machines without systemd, where the list is not mounted.
func withConnections(do func() error) error {
	if err := unix.Mount("fusectl", connections, "fusectl", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("cannot mount %s: %v", connections, err) //nolint:errorlint // a missing directory is not a missing connection
	}
	defer func() { _ = unix.Unmount(connections, unix.MNT_DETACH) }()
	return do()
}
