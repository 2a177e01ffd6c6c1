package host

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"plinth/internal/host/proc"

	"golang.org/x/sys/unix"
)

// Process returns the ID, on this machine, of the process that has an end of a connection: it is in no
// container, or in one whose processes plinth sees.
//
// Nothing that a server's files say tells it from another one: containers of one image have equal paths,
// ports and process IDs, and some start within the same second. A connection has only one process at each
// end. The process found is the only one that has the ID in its own namespace that the server reports, a
// connection with both addresses and ports in its own network namespace, and a descriptor of that socket.
// The port of plinth's end makes that unique: two servers have such a connection at the same time only if
// they are in different networks with equal addresses, and were reached from the same port. If there are
// two, none is taken.
//
// The error is ErrNoProcess if there is none, and fs.ErrPermission if its descriptors may not be read.
func (e End) Process() (pid int, err error) {
	all, err := processes()
	if err != nil {
		return 0, fmt.Errorf("cannot list the processes of this machine: %w", err)
	}
	for _, one := range all {
		inner, err := InnerPID(one)
		if err != nil || inner != e.PID {
			continue // it has ended, or is another one
		}
		has, err := e.isOf(one)
		switch {
		case err != nil:
			return 0, err
		case has && pid != 0:
			return 0, fmt.Errorf("processes %d and %d both have such a connection", pid, one)
		case has:
			pid = one
		}
	}
	if pid == 0 {
		return 0, ErrNoProcess
	}
	return pid, nil
}

// processes returns the IDs of all processes that /proc shows.
func processes() (all []int, err error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			all = append(all, pid)
		}
	}
	return all, err
}

// InnerPID returns the ID that a process has in its own namespace, as in its container.
func InnerPID(pid int) (int, error) {
	ids, err := innerPIDs(pid)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(ids[len(ids)-1])
}

// PIDHere returns the ID, as plinth has it, of the process that has the ID pid in a namespace, which
// PIDNamespace has named there; 0 if plinth does not see it.
func PIDHere(namespace string, pid int) int {
	if namespace == PIDNamespace() {
		return pid
	}
	_, link, _ := strings.Cut(namespace, " ")
	if namespace != BootID()+" "+link {
		return 0 // it is on another machine
	}
	all, err := processes()
	if err != nil {
		return 0
	}
	i := slices.IndexFunc(all, func(one int) bool {
		inner, err := InnerPID(one)
		if err != nil || inner != pid {
			return false
		}
		its, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", one))
		return err == nil && its == link
	})
	if i < 0 {
		return 0
	}
	return all[i]
}

// innerPIDs returns the IDs that a process has in the namespaces that it is in, from that of /proc to its
// own (NSpid in proc_pid_status(5)).
func innerPIDs(pid int) ([]string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return nil, err
	}
	ids := strings.Fields(proc.Field(string(text), "NSpid"))
	if len(ids) == 0 {
		return nil, fmt.Errorf("/proc/%d/status has no NSpid", pid)
	}
	return ids, nil
}

// isOf reports whether a process has this end.
func (e End) isOf(pid int) (bool, error) {
	for _, file := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, file))
		if err != nil {
			continue // it has ended, or its kernel has no IPv6
		}
		for _, s := range proc.TCPSockets(string(text)) {
			if s.State == proc.TCPEstablished && s.Local == e.Local && s.Remote == e.Remote {
				return holds(pid, "socket:["+s.Inode+"]")
			}
		}
	}
	return false, nil
}

// holds reports whether a process has a descriptor of a socket.
func holds(pid int, socket string) (bool, error) {
	dir := fmt.Sprintf("/proc/%d/fd/", pid)
	descriptors, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	for _, d := range descriptors {
		if link, err := os.Readlink(dir + d.Name()); err == nil && link == socket {
			return true, nil
		}
	}
	return false, nil
}

// Listener returns the process that listens on the Unix socket that a connection leads to, which the
// kernel knows (SO_PEERCRED in unix(7)). The error is ErrNoProcess if its ID is not one of plinth's
// namespace.
func Listener(conn net.Conn) (pid int, err error) {
	raw, is := conn.(syscall.Conn)
	if !is {
		return 0, errors.ErrUnsupported
	}
	control, err := raw.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = control.Control(func(fd uintptr) {
		peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		if failed = err; err == nil {
			pid = int(peer.Pid)
		}
	})
	if err = errors.Join(err, failed); err == nil && pid == 0 {
		err = ErrNoProcess
	}
	return pid, err
}
