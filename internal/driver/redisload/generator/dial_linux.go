package generator

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
)

// patience is the timeout for a server to accept a connection, or to answer the greeting.
const patience = 30 * time.Second

// dialer creates connections to one server, for one thread.
type dialer struct {
	family  int
	address unix.Sockaddr // a name has been resolved
	tls     *tls.Config   // nil without TLS
	each    bool          // each request has its own connection
}

// newDialer resolves the server's address.
func newDialer(c *Config) (*dialer, error) {
	if c.Network == "unix" {
		return &dialer{family: unix.AF_UNIX, address: &unix.SockaddrUnix{Name: c.Address}}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	// A test connection finds out which of a name's addresses answers.
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", c.Address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	to := conn.RemoteAddr().(*net.TCPAddr) // always so for TCP
	d := &dialer{each: c.ConnectEach}
	if four := to.IP.To4(); four != nil {
		d.family, d.address = unix.AF_INET, &unix.SockaddrInet4{Port: to.Port, Addr: [4]byte(four)}
	} else {
		six := &unix.SockaddrInet6{Port: to.Port, Addr: [16]byte(to.IP.To16())}
		if zone, err := net.InterfaceByName(to.Zone); err == nil {
			six.ZoneId = uint32(zone.Index)
		}
		d.family, d.address = unix.AF_INET6, six
	}
	if c.TLS {
		d.tls, err = tlsConfig(c)
	}
	return d, err
}

func tlsConfig(c *Config) (*tls.Config, error) {
	host, _, err := net.SplitHostPort(c.Address)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	if c.CACert == "" {
		return config, nil
	}
	text, err := os.ReadFile(c.CACert)
	if err != nil {
		return nil, fmt.Errorf("cannot read the certificates: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(text) {
		return nil, hint.Errorf("set cacert to a file of PEM certificates", "no certificate in %s", c.CACert)
	}
	return config, nil
}

// own returns a dialer for another thread: each use of an address writes to it.
func (d *dialer) own() *dialer {
	o := *d
	switch a := d.address.(type) {
	case *unix.SockaddrUnix:
		o.address = &unix.SockaddrUnix{Name: a.Name}
	case *unix.SockaddrInet4:
		o.address = &unix.SockaddrInet4{Port: a.Port, Addr: a.Addr}
	case *unix.SockaddrInet6:
		o.address = &unix.SockaddrInet6{Port: a.Port, ZoneId: a.ZoneId, Addr: a.Addr}
	}
	return &o
}

// open starts a connection; done means that it is already established.
func (d *dialer) open() (fd int, done bool, err error) {
	fd, err = unix.Socket(d.family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		if errors.Is(err, unix.EMFILE) {
			err = hint.Wrap(err, "raise the limit of open files (ulimit -n), or use fewer clients")
		}
		return -1, false, err
	}
	if d.family != unix.AF_UNIX {
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
		if d.each { // avoids TIME_WAIT, which keeps a port for a minute: ports would run out
			_ = unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
		}
	}
	err = unix.Connect(fd, d.address)
	switch {
	case err == nil:
		return fd, true, nil
	case errors.Is(err, unix.EINPROGRESS), errors.Is(err, unix.EINTR):
		return fd, false, nil
	}
	_ = unix.Close(fd)
	return -1, false, err
}

// opened returns the result of a connection attempt.
func opened(fd int) error {
	code, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && code != 0 {
		err = unix.Errno(code)
	}
	return err
}
