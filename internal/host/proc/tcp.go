package proc

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"strconv"
	"strings"
)

// TCPSocket is a line of /proc/PID/net/tcp or tcp6 (proc_pid_net(5)): an end of a connection, as the
// network namespace of the process has it.
type TCPSocket struct {
	Local, Remote netip.AddrPort // those of IPv4 in IPv6 are plain IPv4
	State         string         // in hexadecimal: TCPEstablished
	Inode         string         // as /proc/PID/fd names it: "socket:[INODE]"; "0" if no process has it
}

// TCPEstablished is the state of an open connection (include/net/tcp_states.h).
const TCPEstablished = "01"

// TCPSockets parses the lines that are sockets.
func TCPSockets(text string) (all []TCPSocket) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 10 {
			continue
		}
		local, okLocal := tcpAddress(fields[1])
		remote, okRemote := tcpAddress(fields[2])
		if okLocal && okRemote {
			all = append(all, TCPSocket{local, remote, fields[3], fields[9]})
		}
	}
	return all
}

// tcpAddress parses "0100007F:1538". The kernel prints each 32 bits of an address as a number, in the
// order of bytes of the processor.
func tcpAddress(text string) (netip.AddrPort, bool) {
	address, port, _ := strings.Cut(text, ":")
	bytes, err := hex.DecodeString(address)
	n, errPort := strconv.ParseUint(port, 16, 16)
	if err != nil || errPort != nil {
		return netip.AddrPort{}, false
	}
	for word := bytes; len(word) >= 4; word = word[4:] {
		binary.NativeEndian.PutUint32(word, binary.BigEndian.Uint32(word))
	}
	ip, ok := netip.AddrFromSlice(bytes)
	return netip.AddrPortFrom(ip.Unmap(), uint16(n)), ok
}
