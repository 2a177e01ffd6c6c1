package life

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"syscall"

	"plinth/internal/hint"
)

// Port is a TCP port of one address, reserved for a server: it is bound to a socket that does not
// listen. Servers set SO_REUSEADDR, as the reservation does, so they can listen on the port. The
// kernel gives it to no other program, not even while the server is stopped, so that a server keeps
// its port across restarts. The reservation ends with plinth at the latest.
type Port struct {
	netip.AddrPort
	socket int
}

// ReservePort reserves a port that the kernel chooses.
func ReservePort(address netip.Addr) (*Port, error) {
	address = address.Unmap()
	if !address.IsValid() || address.IsUnspecified() {
		return nil, fmt.Errorf("cannot listen on %q: it is not the address of one machine", address)
	}
	p := &Port{}
	err := p.reserve(address)
	if err == nil {
		return p, nil
	}
	err = fmt.Errorf("cannot listen on %s: %w", address, err)
	if errors.Is(err, syscall.EADDRNOTAVAIL) {
		err = hint.Wrap(err, "give an address of the machine on which the server runs")
	}
	return nil, err
}

func (p *Port) reserve(address netip.Addr) error {
	family, at := syscall.AF_INET6, syscall.Sockaddr(&syscall.SockaddrInet6{Addr: address.As16()})
	if address.Is4() {
		family, at = syscall.AF_INET, &syscall.SockaddrInet4{Addr: address.As4()}
	}
	syscall.ForkLock.RLock() // no program may inherit the socket
	socket, err := syscall.Socket(family, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(socket)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	p.socket = socket
	err = syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	if err == nil {
		err = syscall.Bind(socket, at)
	}
	if err == nil {
		at, err = syscall.Getsockname(socket)
	}
	if err != nil {
		_ = p.Release()
		return err
	}
	switch at := at.(type) {
	case *syscall.SockaddrInet4:
		p.AddrPort = netip.AddrPortFrom(address, uint16(at.Port))
	case *syscall.SockaddrInet6:
		p.AddrPort = netip.AddrPortFrom(address, uint16(at.Port))
	}
	return nil
}

// Release ends the reservation.
func (p *Port) Release() error { return syscall.Close(p.socket) }

// NewPassword returns a random password of more than 256 bits, made of letters and digits: no table
// of digests finds it.
func NewPassword() string { return rand.Text() + rand.Text() }
