//go:build linux

package life

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"

	"plinth/internal/hint"
)

// TestReservedPort checks that a server can listen on a reserved port, again and again, and that no
// other program is given it meanwhile.
func TestReservedPort(t *testing.T) {
	address := netip.MustParseAddr("127.0.0.2")
	port, err := ReservePort(netip.AddrFrom16(address.As16()))
	if err != nil {
		t.Fatal(err)
	}
	if port.Addr() != address || port.Port() == 0 {
		t.Errorf("reserved %s", port)
	}
	for range 2 {
		listener, err := net.Listen("tcp", port.String()) // with SO_REUSEADDR, as servers do
		if err != nil {
			t.Fatal(err)
		}
		_ = listener.Close()
		if err := bindAlone(t, port.AddrPort); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("another program binds the port: %v", err)
		}
	}
	if flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(port.socket), syscall.F_GETFD, 0); errno != 0 || flags&syscall.FD_CLOEXEC == 0 {
		t.Errorf("programs inherit the socket: flags %x, %v", flags, errno)
	}
	if err := port.Release(); err != nil {
		t.Error(err)
	}
	if err := bindAlone(t, port.AddrPort); err != nil {
		t.Errorf("the port is not released: %v", err)
	}
}

// bindAlone binds an address without SO_REUSEADDR, as a program does that connects from it.
func bindAlone(t *testing.T, to netip.AddrPort) error {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(socket) }()
	return syscall.Bind(socket, &syscall.SockaddrInet4{Addr: to.Addr().As4(), Port: int(to.Port())})
}

func TestReservePortRefuses(t *testing.T) {
	for _, test := range []struct {
		address netip.Addr
		words   string
		advice  string
	}{
		{netip.Addr{}, "it is not the address of one machine", ""},
		{netip.IPv4Unspecified(), `cannot listen on "0.0.0.0": it is not the address of one machine`, ""},
		{netip.IPv6Unspecified(), `cannot listen on "::": it is not the address of one machine`, ""},
		{netip.MustParseAddr("192.0.2.1"), "cannot listen on 192.0.2.1: cannot assign requested address", "an address of the machine"},
	} {
		_, err := ReservePort(test.address)
		if err == nil || !strings.Contains(err.Error(), test.words) || !strings.Contains(hint.Of(err), test.advice) {
			t.Errorf("%s: %v (hint: %s)", test.address, err, hint.Of(err))
		}
	}
}
