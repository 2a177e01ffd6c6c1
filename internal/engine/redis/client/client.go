// Package client connects to a Redis or Valkey server and queries it: addresses, environment
// variables for client programs, sessions, the fields of INFO, and hints if the server cannot
// be reached.
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

// DialLimit is how long a connection attempt may take.
const DialLimit = 5 * time.Second

// UnixOptions returns how to reach plinth's own server.
func UnixOptions(socket, password string) *goredis.Options {
	return plainOptions(&goredis.Options{Network: "unix", Addr: socket, Password: password})
}

// AddressOptions returns how to reach a connected server.
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
		return nil, fmt.Errorf("cannot use cacert: %s holds no PEM certificate", a.CACert)
	}
	return o, nil
}

// plainOptions disables what an application's client wants and a measurement does not: silent
// retries, identifying the library to the server, and timeouts of long commands (a large FLUSHALL
// may take a minute).
func plainOptions(o *goredis.Options) *goredis.Options {
	o.Protocol = 2
	o.MaxRetries, o.DialerRetries, o.DialTimeout = -1, 1, DialLimit
	o.ReadTimeout, o.WriteTimeout, o.ContextTimeoutEnabled = -1, -1, true
	o.PoolSize = Loaders + 1
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return o
}

// quiet keeps the client library from also printing the errors that it returns.
var quiet = sync.OnceFunc(logging.Disable)

// New returns a client that prints nothing.
func New(o *goredis.Options) *goredis.Client {
	quiet()
	return goredis.NewClient(o)
}

// Session is access to one server, over its own connections.
type Session struct {
	Options *goredis.Options // holds the password
	client  *goredis.Client  // nil until it is used
}

// Use calls work with the client. When ctx is done it closes the client, whatever the server
// does; the library itself only observes deadlines. The error is short.
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

// Says reports whether an error is the server's and starts with a word: LOADING.
func Says(err error, word string) bool {
	var server goredis.Error
	return errors.As(err, &server) && strings.HasPrefix(server.Error(), word)
}

// The environment variables by which programs that plinth starts find a server. redis-cli
// supports REDISCLI_AUTH alone, and no variable for the address: an event's command has to pass
// it, as in [sh, -c, 'redis-cli -s "$PLINTH_REDIS_SOCKET" INFO'].
const (
	PasswordVariable = "PLINTH_REDIS_PASSWORD" // for plinth's load generator
	CliPassword      = "REDISCLI_AUTH"         // for redis-cli
	SocketVariable   = "PLINTH_REDIS_SOCKET"   // the path of a Unix socket
	HostVariable     = "PLINTH_REDIS_HOST"
	PortVariable     = "PLINTH_REDIS_PORT"
	UserVariable     = "PLINTH_REDIS_USER"
	DatabaseVariable = "PLINTH_REDIS_DB"
)

// Environ returns plinth's own environment without variables that lead to servers.
func Environ() []string { return Variables().Environ() }

// Variables returns the environment of a program that finds servers by set alone.
func Variables(set ...string) launch.Variables {
	return launch.Variables{Without: []string{"REDISCLI_", "VALKEYCLI_", "PLINTH_REDIS_"}, Set: set}
}

// Transport returns how connections reach the server, and the server's address.
func Transport(o *goredis.Options) (kind, address string) {
	switch {
	case o.Network == "unix":
		return "socket", filepath.Dir(o.Addr)
	case o.TLSConfig != (*tls.Config)(nil):
		return "tls", o.Addr
	}
	return "tcp", o.Addr
}

// Reach returns AddressOptions, with the password from the environment if the address has none.
func Reach(address conninfo.RedisAddress) (*goredis.Options, error) {
	if address.Password == "" {
		address.Password = os.Getenv(CliPassword)
	}
	return AddressOptions(address)
}
