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

// An emulator is found by a path, its place: where its filesystem is mounted, or of the
// form NBD, which mounts nothing, its control socket.

// Abort ends the connection of the emulator at place, however it fares: all I/O to it
// fails at once and nothing waits for it any more. What it has mounted stays mounted, so
// that what stands on it can be taken down first, and End comes last. Nobody there is no
// error.
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

// End ends the emulator at place and takes away what it has mounted, however it fares:
// alive, dead, stopped or hung. All I/O to it fails then. Nobody there is no error; what
// is there and is not an emulator's is refused. It never waits for longer than ctx.
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

// Ping asks the emulator at place what only it can answer; an error is an answer, too.
// One that is stopped or hung never does: of the form FUSE the question does not end.
func Ping(place string) error {
	if isSocket(place) {
		_, err := ask(context.Background(), place, order{Do: doRead})
		return err
	}
	var s unix.Statfs_t // of which the kernel keeps no copy
	return unix.Statfs(place, &s)
}

// isSocket says whether path is a control socket. What is mounted there is not looked at:
// that would ask the emulator, which may hang.
func isSocket(path string) bool {
	if m, err := mountedOn(path); err != nil || m.Type != "" {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && info.Mode().Type() == fs.ModeSocket
}

// kill kills the emulator that listens at socket, and waits for its end if wait says so.
// The kernel then takes its device away: the thread that holds it goes, even while others
// of the process hang.
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

// listener is the process that listens at socket; 0 where none does any more. It need not
// answer for that: the kernel knows.
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
		return 0, fmt.Errorf("cannot tell who listens at %s: %w", socket, err)
	}
	return int(peer.Pid), nil
}

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

// withConnections mounts the list of connections while do runs, where it is not mounted
// already: in containers, on machines without systemd.
func withConnections(do func() error) error {
	if err := unix.Mount("fusectl", connections, "fusectl", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("cannot mount %s: %v", connections, err) //nolint:errorlint // a missing directory is not a missing connection
	}
	defer func() { _ = unix.Unmount(connections, unix.MNT_DETACH) }()
	return do()
}
