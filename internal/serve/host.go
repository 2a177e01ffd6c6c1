package serve

import (
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// hosts are the names under which the server may be asked. A page of another site
// can have its own name point to 127.0.0.1 (DNS rebinding) and then read what is
// served there; but its requests carry that name.
type hosts struct {
	loopback bool
	any      bool   // every address of the machine is listened on
	address  string // HOST:PORT to be shown
	port     string
	names    map[string]bool
}

// hostsOf is for a server that was told to listen on host, and does so at address.
func hostsOf(host string, address *net.TCPAddr) hosts {
	h := hosts{
		loopback: address.IP.IsLoopback(), any: address.IP.IsUnspecified(),
		port: strconv.Itoa(address.Port), names: map[string]bool{},
	}
	shown := strings.ToLower(host)
	if machine, err := os.Hostname(); err == nil && h.any {
		shown = strings.ToLower(machine)
	}
	if shown == "" {
		shown = address.IP.String()
	}
	h.names[shown] = true // also where it is loopback: Debian calls 127.0.1.1 by the machine's name
	h.address = net.JoinHostPort(shown, h.port)
	return h
}

// know says whether a request's Host is one of ours. Where all addresses are
// listened on any address will do, since only names can be rebound.
func (h hosts) know(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), "80" // as browsers write it
	}
	if port != h.port {
		return false
	}
	name = strings.ToLower(name)
	if h.names[name] {
		return true
	}
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.Unmap().IsLoopback() && h.reachableByLoopback() || h.any
	}
	return name == "localhost" && h.reachableByLoopback()
}

func (h hosts) reachableByLoopback() bool { return h.loopback || h.any }
