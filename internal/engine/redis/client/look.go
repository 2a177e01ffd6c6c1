package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"plinth/internal/conninfo"
	"plinth/internal/engine"
	"plinth/internal/hint"

	goredis "github.com/redis/go-redis/v9"
)

// OptionsOf returns how to reach a server that is only read. Errors quote nothing of the
// connection string. The options hold the password.
func OptionsOf(conninfo conninfo.Conninfo) (*goredis.Options, error) {
	address, err := conninfo.Redis()
	if err != nil {
		text, advice, found := strings.Cut(err.Error(), "; ")
		err = fmt.Errorf("the connection string %s", text)
		if found {
			err = hint.Wrap(err, advice)
		}
		return nil, err
	}
	o, err := Reach(address)
	if err != nil {
		return nil, err
	}
	o.ReadTimeout, o.WriteTimeout, o.DialTimeout, o.PoolSize = lookLimit, lookLimit, lookLimit, 1
	return o, nil
}

// lookLimit is how long one answer may take. A server that is blocked by a command, or by
// loading, is given up after it.
const lookLimit = 3 * time.Second

// Unreachable says which server could not be reached, why, and what to do. It holds no password.
func Unreachable(o *goredis.Options, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	const usual = "check that the server is running and that this machine may connect to it"
	cause, advice := err, usual
	for _, r := range refusals {
		if Says(err, r.word) {
			advice = r.advice
		}
	}
	var name *net.DNSError
	switch {
	case errors.As(err, &name):
		advice = "check the host name"
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded):
		cause = fmt.Errorf("it did not answer within %s", lookLimit)
	case o.Network == "unix" && advice == usual:
		advice = "check that a server uses that socket (unixsocket), and that you may access it (unixsocketperm)"
	}
	return hint.Wrap(fmt.Errorf("cannot query the server at %s: %w", o.Addr, cause), advice)
}

// refusals is the advice for errors of the server, by their first word.
var refusals = []struct{ word, advice string }{
	{"NOAUTH", "give the password in " + CliPassword + ", or the user in the URI: redis://user@host"},
	{"WRONGPASS", "give the right password in " + CliPassword + ", and its user in the URI: redis://user@host"},
	{"ERR AUTH", "remove the password: the server does not require one"},
	{"NOPERM", "grant the user +info (ACL SETUSER)"},
	{"ERR unknown command", "enable INFO, which plinth needs: it is renamed on the server"},
	{"DENIED", "connect from the server's own machine, or set a password on the server (requirepass): the server is in protected mode"},
	{"LOADING", "wait until the server has loaded its dataset"},
}

// RefusedBecause returns why a part could not be read, in the server's words, without the command
// that it repeats.
func RefusedBecause(err error) string {
	text, _, _ := strings.Cut(engine.Plain(err).Error(), ", with args beginning with")
	return text
}
