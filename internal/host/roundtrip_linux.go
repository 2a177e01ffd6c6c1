package host

import (
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// appendPeer adds an address and a port as files and options spell them, unless one is missing or
// malformed.
func appendPeer(peers []netip.AddrPort, address, port string) []netip.AddrPort {
	ip, err := netip.ParseAddr(address)
	n, err2 := strconv.ParseUint(port, 10, 16)
	if err != nil || err2 != nil || n == 0 {
		return peers
	}
	return append(peers, netip.AddrPortFrom(ip.Unmap(), uint16(n)))
}

// A connection is a TCP connection of this machine, the kernel's own included.
type connection struct {
	peer      netip.AddrPort
	roundTrip time.Duration // tcpi_rtt
	least     time.Duration // tcpi_min_rtt
}

// connections lists the TCP connections in plinth's network namespace, by sock_diag(7). It sends
// nothing to the network.
func connections() ([]connection, error) {
	var all []connection
	for _, family := range []uint8{unix.AF_INET, unix.AF_INET6} {
		found, err := netlink.SocketDiagTCPInfo(family)
		if err != nil {
			return nil, err
		}
		for _, s := range found {
			if s.InetDiagMsg == nil || s.TCPInfo == nil || s.TCPInfo.Rtt == 0 {
				continue
			}
			ip, ok := netip.AddrFromSlice(s.InetDiagMsg.ID.Destination)
			if ok {
				all = append(all, connection{netip.AddrPortFrom(ip.Unmap(), s.InetDiagMsg.ID.DestinationPort),
					time.Duration(s.TCPInfo.Rtt) * time.Microsecond, time.Duration(s.TCPInfo.Min_rtt) * time.Microsecond})
			}
		}
	}
	return all, nil
}

// addRoundTrips adds the round trips of the connections over which a place is reached.
func (p *Place) addRoundTrips(list func() ([]connection, error)) {
	if !slices.ContainsFunc(p.Remote, func(r Remote) bool { return len(r.peers) > 0 || r.Product == ceph }) {
		return
	}
	all, err := list()
	if err != nil {
		p.gap("remote", err)
		return
	}
	for i := range p.Remote {
		p.Remote[i].RoundTrip = float64(roundTrip(p.Remote[i], all))
	}
}

// The ports of Ceph's storage daemons, of which only the monitors' addresses are known
// (ms_bind_port_min and ms_bind_port_max).
const (
	firstCeph = 6800
	lastCeph  = 7568
)

// roundTrip returns the median of the connections to a remote's machines; 0 if there are none.
func roundTrip(r Remote, all []connection) time.Duration {
	var times []time.Duration
	for _, c := range all {
		daemon := r.Product == ceph && c.peer.Port() >= firstCeph && c.peer.Port() <= lastCeph
		if daemon || slices.Contains(r.peers, c.peer) {
			times = append(times, c.roundTrip)
		}
	}
	return median(times)
}

// median returns the upper median; 0 of nothing.
func median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[len(times)/2]
}
