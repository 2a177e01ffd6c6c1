package host

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// connected returns both ends of a connection of this process with itself.
func connected(t *testing.T, network, address string) (client, server net.Conn) {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil && network == "tcp6" {
		t.Skip(err) // no IPv6
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	accepted := make(chan net.Conn, 1)
	go func() {
		conn, _ := listener.Accept()
		accepted <- conn
	}()
	client, err = net.Dial(network, listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server = <-accepted
	t.Cleanup(func() { _, _ = client.Close(), server.Close() })
	return client, server
}

func addressOf(a net.Addr) netip.AddrPort {
	at := netip.MustParseAddrPort(a.String())
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

// TestEndProcess checks that a connection has its process, and that none is found if the process ID, an
// address or the direction differs, or once the connection is closed.
func TestEndProcess(t *testing.T) {
	for network, address := range map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0", "tcp": ":0"} {
		t.Run(network, func(t *testing.T) {
			client, server := connected(t, network, address)
			end := End{PID: os.Getpid(), Local: addressOf(server.LocalAddr()), Remote: addressOf(server.RemoteAddr())}
			if pid, err := end.Process(); err != nil || pid != os.Getpid() {
				t.Errorf("%+v is of process %d, %v", end, pid, err)
			}
			other := end
			other.PID = 1
			unknown := end
			unknown.Remote = netip.AddrPortFrom(end.Remote.Addr(), end.Local.Port())
			_, _ = client.Close(), server.Close()
			for _, e := range []End{other, unknown, end} {
				if pid, err := e.Process(); !errors.Is(err, ErrNoProcess) {
					t.Errorf("%+v is of process %d, %v", e, pid, err)
				}
			}
		})
	}
}

func TestListener(t *testing.T) {
	client, _ := connected(t, "unix", filepath.Join(t.TempDir(), "s"))
	if pid, err := Listener(client); err != nil || pid != os.Getpid() {
		t.Errorf("process %d listens, %v", pid, err)
	}
	over, _ := connected(t, "tcp4", "127.0.0.1:0")
	if pid, err := Listener(over); err == nil && pid != 0 {
		t.Errorf("process %d listens at an address", pid)
	}
}

func TestPIDHere(t *testing.T) {
	own := PIDNamespace()
	if pid := PIDHere(own, os.Getpid()); pid != os.Getpid() {
		t.Errorf("this process is %d", pid)
	}
	for _, namespace := range []string{"", "another boot pid:[4026531836]", BootID() + " pid:[1]"} {
		if pid := PIDHere(namespace, os.Getpid()); pid != 0 {
			t.Errorf("in %q it is %d", namespace, pid)
		}
	}
}

// TestProcessTimeBeside checks that only children of the server count.
func TestProcessTimeBeside(t *testing.T) {
	parent, self := os.Getppid(), os.Getpid()
	if took, known := ProcessTimeBeside(parent)(self); !known || took <= 0 || took > time.Hour {
		t.Errorf("this process used %v, known: %t", took, known)
	}
	if _, known := ProcessTimeBeside(self)(self); known {
		t.Error("this process is a child of its own")
	}
}
