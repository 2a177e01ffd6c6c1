package host

import (
	"errors"
	"net/netip"
)

// An End is one end of a TCP connection, as the process that has it says: with its own ID, which is
// another one outside of its container, and both addresses, which a forwarding router or a proxy may
// have changed on the way to it.
type End struct {
	PID           int
	Local, Remote netip.AddrPort
}

// ErrNoProcess says that no process that this machine shows is the wanted one.
var ErrNoProcess = errors.New("no process that this machine shows has the other end of plinth's connection")
