package enginetest

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"plinth/internal/host"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
)

// Container is a program with namespaces of its own: its mounts, with a root directory that has this
// machine's files and empty directories below /srv, its network, and its process IDs, of which it is 1.
type Container struct {
	PID     int // of the program, on this machine
	Process launch.Process
}

// enclose makes the container's root directory in $1, mounts the directories $4... at /srv/1, /srv/2 and so
// on, and becomes the command $3 of user $2.
//
// First it gives up its copies of other tests' mounts, which would keep their devices in use.
const enclose = `root=$1; user=$2; command=$3; shift 3
grep -o ' /run/plinth/[^ ]*' /proc/self/mounts | sort -r | while read -r mounted; do umount -l "$mounted" || true; done
mount --rbind / "$root"
mount -t tmpfs tmpfs "$root/srv"
mount -t proc proc "$root/proc"
ip link set lo up
n=0
for dir; do
	n=$((n + 1))
	mkdir "$root/srv/$n"
	mount --bind "$dir" "$root/srv/$n"
done
exec chroot --userspec="$user" "$root" sh -c "exec $command"
`

// StartContainer starts a shell command in a container, which has these directories at /srv/1, /srv/2 and
// so on. It ends with the test.
func StartContainer(t testing.TB, user *launch.User, command string, directories ...string) *Container {
	t.Helper()
	hosttest.NeedRoot(t)
	unshare, err := launch.FindProgram("unshare")
	if err != nil {
		t.Fatal(err)
	}
	said, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = said.Close() })
	p, err := launch.NewLocal().Start(launch.Command{
		Path: unshare, Dir: "/", Stop: syscall.SIGKILL, Stdout: said, Stderr: said,
		Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"},
		Args: append([]string{"--mount", "--net", "--pid", "--fork", "--kill-child", "sh", "-ec", enclose, "sh",
			hosttest.OpenDir(t), fmt.Sprintf("%d:%d", user.UID, user.GID), command}, directories...),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.Stop()
		if t.Failed() {
			text, _ := os.ReadFile(said.Name())
			t.Logf("the container printed: %s", text)
		}
	})
	c := &Container{Process: p}
	hosttest.WaitFor(t, "the container's program", func() bool {
		c.PID = childOf(p.PID())
		return c.PID != 0
	})
	return c
}

// childOf returns a child of a process; 0 if it has none.
func childOf(parent int) int {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		var pid int
		if _, err := fmt.Sscan(e.Name(), &pid); err != nil {
			continue
		}
		if p, err := host.ReadProcess(pid); err == nil && p.Parent == parent {
			return pid
		}
	}
	return 0
}

// ports counts the connections into containers that ask for no port. Each has a port of its own, below those that the kernel
// gives: containers have the same addresses, and connections of two that have the same ports look the same.
var ports atomic.Int32

const firstPort, lastPort = 10000, 32767

// Forward listens on loopback, and forwards connections to an address in the container's network, from this
// port there; 0 for one that no other container has. It returns the address that it listens on.
func (c *Container) Forward(t testing.TB, to string, from int) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				from := from
				if from == 0 {
					from = firstPort + int(ports.Add(1))%(lastPort-firstPort)
				}
				inside, err := c.dial(to, from)
				if err != nil {
					return
				}
				defer func() { _ = inside.Close() }()
				go func() {
					_, _ = io.Copy(inside, conn)
					_ = inside.Close()
				}()
				_, _ = io.Copy(conn, inside)
			}()
		}
	}()
	return listener.Addr().String()
}

// dial connects within the container's network.
func (c *Container) dial(to string, from int) (net.Conn, error) {
	var conn net.Conn
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // the thread ends with this function: it stays in the container's network
		var network int
		if network, err = unix.Open(fmt.Sprintf("/proc/%d/ns/net", c.PID), unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
			return
		}
		defer func() { _ = unix.Close(network) }()
		if err = unix.Setns(network, unix.CLONE_NEWNET); err != nil {
			return
		}
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: from}}
		conn, err = dialer.Dial("tcp", to)
	}()
	<-done
	return conn, err
}
