package emulator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
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
