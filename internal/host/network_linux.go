package host

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/prometheus/procfs"
)

// Segments counts TCP segments of this machine since it started, in plinth's network namespace (RFC
// 4022).
type Segments struct {
	Sent          int64 // tcpOutSegs: without those that were sent again
	Retransmitted int64 // tcpRetransSegs
}

// ReadSegments reads /proc/self/net/snmp.
func ReadSegments() (Segments, error) {
	self, err := procfs.Self()
	if err != nil {
		return Segments{}, err
	}
	counters, err := self.Snmp()
	if err != nil {
		return Segments{}, err
	}
	tcp := counters.Tcp
	if tcp.OutSegs == nil || tcp.RetransSegs == nil {
		return Segments{}, errors.New("the kernel does not count TCP segments (/proc/net/snmp)")
	}
	return Segments{int64(*tcp.OutSegs), int64(*tcp.RetransSegs)}, nil
}

// RoundTripTo returns the median round trip of this machine's connections to a server; 0 if there are
// none. Of each connection it is the least of the last minutes (tcpi_min_rtt), such as that of the
// handshake: the kernel's usual estimate (tcpi_rtt) includes the time that a server takes to answer,
// since it acknowledges a request with its answer. Nothing is sent.
func RoundTripTo(server netip.AddrPort) (time.Duration, error) {
	all, err := connections()
	var times []time.Duration
	for _, c := range all {
		if c.peer == server && c.least > 0 {
			times = append(times, c.least)
		}
	}
	return median(times), err
}

// Addresses returns the addresses of this machine under which others can reach it, in plinth's network
// namespace: those of all interfaces, except for loopback and link-local ones.
func Addresses() ([]netip.Addr, error) {
	interfaces, err := net.InterfaceAddrs()
	var all []netip.Addr
	for _, i := range interfaces {
		prefix, bad := netip.ParsePrefix(i.String())
		if a := prefix.Addr().Unmap(); bad == nil && a.IsGlobalUnicast() && !slices.Contains(all, a) {
			all = append(all, a)
		}
	}
	return all, err
}
