package serve

import (
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// hosts holds the host names that requests may use. A page of another site can make its own
// name resolve to 127.0.0.1 (DNS rebinding) and then read what is served there, but its
// requests carry that name.
type hosts struct {
	loopback bool
	any      bool   // it listens on every address of the machine
	address  string // HOST:PORT to show to users
	port     string
	names    map[string]bool
}

// hostsOf returns the names of a server that was configured to listen on host and listens at
// address.
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
	h.names[shown] = true // even a loopback address: Debian maps the machine's name to 127.0.1.1
	h.address = net.JoinHostPort(shown, h.port)
	return h
}

// know reports whether a request's Host is one of ours. If the server listens on all
// addresses, any IP address is accepted, because only names can be rebound.
func (h hosts) know(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), "80" // browsers omit the default port
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
