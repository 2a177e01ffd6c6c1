package redis

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"plinth/internal/experiment"
	"plinth/internal/host"
)

// dialLimit is how long a connection is waited for.
const dialLimit = 5 * time.Second

// unixOptions are how a server of plinth's own is reached.
func unixOptions(socket, password string) *goredis.Options {
	return plainOptions(&goredis.Options{Network: "unix", Addr: socket, Password: password})
}

// addressOptions are how a server is reached that was there.
func addressOptions(a experiment.RedisAddress) (*goredis.Options, error) {
	o := plainOptions(&goredis.Options{Network: a.Network, Addr: a.Address, Username: a.User, Password: a.Password, DB: a.DB})
	if !a.TLS {
		return o, nil
	}
	name, _, err := net.SplitHostPort(a.Address)
	if err != nil {
		return nil, fmt.Errorf("cannot use the address %s: %w", a.Address, err)
	}
	o.TLSConfig = &tls.Config{ServerName: name, MinVersion: tls.VersionTLS12}
	if a.CACert == "" {
		return o, nil
	}
	pem, err := os.ReadFile(a.CACert)
	if err != nil {
		return nil, fmt.Errorf("cannot read cacert: %w", err)
	}
	o.TLSConfig.RootCAs = x509.NewCertPool()
	if !o.TLSConfig.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("cannot use cacert: %s has no certificate in PEM", a.CACert)
	}
	return o, nil
}

// plainOptions turn off what a client of an application wants and a measurement
// does not: trying again behind one's back, telling the server about libraries, and
// giving up on a command that takes long (a large FLUSHALL may take a minute).
func plainOptions(o *goredis.Options) *goredis.Options {
	o.Protocol = 2
	o.MaxRetries, o.DialerRetries, o.DialTimeout = -1, 1, dialLimit
	o.ReadTimeout, o.WriteTimeout, o.ContextTimeoutEnabled = -1, -1, true
	o.PoolSize = loaders + 1
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return o
}

// quiet keeps the client library from printing what it returns as errors, too.
var quiet = sync.OnceFunc(logging.Disable)

func newClient(o *goredis.Options) *goredis.Client {
	quiet()
	return goredis.NewClient(o)
}

// use lets work use the client. When ctx is done it is broken off, whatever the
// server does; the library itself heeds deadlines only. The error is in few words.
func (d *database) use(ctx context.Context, work func(*goredis.Client) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d.client == nil {
		d.client = newClient(d.options)
	}
	client := d.client
	stop := context.AfterFunc(ctx, func() { _ = client.Close() })
	err := work(client)
	if !stop() { // it is closed
		d.client = nil
		if err != nil {
			return ctx.Err()
		}
	}
	return plain(err)
}

// close closes the connections.
func (d *database) close() {
	if d.client != nil {
		_ = d.client.Close() // nothing waits on it
		d.client = nil
	}
}

// plain says an error of a connection in few words: the server's own, or those of
// the network. Neither holds a password.
func plain(err error) error {
	var network *net.OpError
	var name *net.DNSError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &name):
		return name
	case errors.As(err, &network):
		return network.Err // whose address is known to the reader
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the server closed the connection")
	}
	return err
}

// says tells whether an error is the server's and begins with a word: LOADING.
func says(err error, word string) bool {
	var server goredis.Error
	return errors.As(err, &server) && strings.HasPrefix(server.Error(), word)
}

// poll calls done, at growing intervals, until it is true, the time is over or ctx
// is done.
func poll(ctx context.Context, limit time.Duration, done func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for wait := time.Millisecond; ; wait = min(wait*2, 50*time.Millisecond) {
		if done() {
			return nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func ended(process host.Process) bool {
	select {
	case <-process.Done():
		return true
	default:
		return false
	}
}
