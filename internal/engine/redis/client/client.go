// Package client is how a server of Redis or Valkey is reached and asked: addresses and
// variables, sessions, what INFO says, and what to do where it cannot be reached.
package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"plinth/internal/conninfo"
	"plinth/internal/engine"
	"plinth/internal/host/launch"
)

// Loaders is how many connections write a dataset at once.
const Loaders = 4

// DialLimit is how long a connection is waited for.
const DialLimit = 5 * time.Second

// UnixOptions are how a server of plinth's own is reached.
func UnixOptions(socket, password string) *goredis.Options {
	return plainOptions(&goredis.Options{Network: "unix", Addr: socket, Password: password})
}

// AddressOptions are how a server is reached that was there.
func AddressOptions(a conninfo.RedisAddress) (*goredis.Options, error) {
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
	o.MaxRetries, o.DialerRetries, o.DialTimeout = -1, 1, DialLimit
	o.ReadTimeout, o.WriteTimeout, o.ContextTimeoutEnabled = -1, -1, true
	o.PoolSize = Loaders + 1
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return o
}

// quiet keeps the client library from printing what it returns as errors, too.
var quiet = sync.OnceFunc(logging.Disable)

// New makes a client that prints nothing.
func New(o *goredis.Options) *goredis.Client {
	quiet()
	return goredis.NewClient(o)
}

// Session is how one server is reached, by connections of its own.
type Session struct {
	Options *goredis.Options // holds the password
	client  *goredis.Client  // nil until it is used
}

// Use lets work use the client. When ctx is done it is broken off, whatever the
// server does; the library itself heeds deadlines only. The error is in few words.
func (s *Session) Use(ctx context.Context, work func(*goredis.Client) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.client == nil {
		s.client = New(s.Options)
	}
	client := s.client
	stop := context.AfterFunc(ctx, func() { _ = client.Close() })
	err := work(client)
	if !stop() { // it is closed
		s.client = nil
		if err != nil {
			return ctx.Err()
		}
	}
	return engine.Plain(err)
}

// Close closes the connections.
func (s *Session) Close() {
	if s.client != nil {
		_ = s.client.Close() // nothing waits on it
		s.client = nil
	}
}

// Says tells whether an error is the server's and begins with a word: LOADING.
func Says(err error, word string) bool {
	var server goredis.Error
	return errors.As(err, &server) && strings.HasPrefix(server.Error(), word)
}

// The variables in which programs that plinth starts find a server. redis-cli knows
// REDISCLI_AUTH alone, and none for where a server is: an event's command has to
// name it, as in [sh, -c, 'redis-cli -s "$PLINTH_REDIS_SOCKET" INFO'].
const (
	PasswordVariable = "PLINTH_REDIS_PASSWORD" // for plinth's load generator
	CliPassword      = "REDISCLI_AUTH"         // for redis-cli
	SocketVariable   = "PLINTH_REDIS_SOCKET"   // the path of a Unix socket
	HostVariable     = "PLINTH_REDIS_HOST"
	PortVariable     = "PLINTH_REDIS_PORT"
	UserVariable     = "PLINTH_REDIS_USER"
	DatabaseVariable = "PLINTH_REDIS_DB"
)

// Environ is plinth's own environment without what leads to servers.
func Environ() []string { return Variables().Environ() }

// Variables are those of a program that finds servers by them alone.
func Variables(set ...string) launch.Variables {
	return launch.Variables{Without: []string{"REDISCLI_", "VALKEYCLI_", "PLINTH_REDIS_"}, Set: set}
}

// Transport says how connections reach the server, and where that is.
func Transport(o *goredis.Options) (kind, address string) {
	switch {
	case o.Network == "unix":
		return "socket", filepath.Dir(o.Addr)
	case o.TLSConfig != (*tls.Config)(nil):
		return "tls", o.Addr
	}
	return "tcp", o.Addr
}

// Reach is AddressOptions, with the password of the environment where the
// address has none.
func Reach(address conninfo.RedisAddress) (*goredis.Options, error) {
	if address.Password == "" {
		address.Password = os.Getenv(CliPassword)
	}
	return AddressOptions(address)
}
