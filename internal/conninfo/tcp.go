package conninfo

import (
	"net"
	"net/url"
	"strings"
)

// TCP returns the host and port of a server that is reached over a network; false for a socket, for
// several hosts, and for text that cannot be parsed.
func (c Conninfo) TCP() (hostPort string, over bool) {
	if c.Engine() == "redis" {
		u, err := url.Parse(string(c))
		if err != nil || u.Hostname() == "" {
			return "", false
		}
		return net.JoinHostPort(u.Hostname(), orElse(u.Port(), "6379")), true
	}
	p, err := c.Parameters()
	if err != nil {
		return "", false
	}
	host, port := orElse(p.Get("hostaddr"), p.Get("host")), orElse(p.Get("port"), "5432")
	if host == "" || strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@") || strings.Contains(host+port, ",") {
		return "", false
	}
	return net.JoinHostPort(host, port), true
}
