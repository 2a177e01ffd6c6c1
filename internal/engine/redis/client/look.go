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
	const usual = "is the server up, and may this machine reach it?"
	cause, advice := err, usual
	for _, r := range refusals {
		if Says(err, r.word) {
			advice = r.advice
		}
	}
	var name *net.DNSError
	switch {
	case errors.As(err, &name):
		advice = "is that the host's name?"
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded):
		cause = fmt.Errorf("it did not answer within %s", lookLimit)
	case o.Network == "unix" && advice == usual:
		advice = "is there a server with that socket (unixsocket), and may you use it (unixsocketperm)?"
	}
	return hint.Wrap(fmt.Errorf("cannot ask the server at %s: %w", o.Addr, cause), advice)
}

// refusals is the advice for errors of the server, by their first word.
var refusals = []struct{ word, advice string }{
	{"NOAUTH", "give the password by " + CliPassword + ", or the user in the URI: redis://user@host"},
	{"WRONGPASS", "give the right password by " + CliPassword + ", and its user in the URI: redis://user@host"},
	{"ERR AUTH", "the server wants no password: take it away"},
	{"NOPERM", "the user needs +info (ACL SETUSER)"},
	{"ERR unknown command", "INFO is renamed there; nothing can be said of the server without it"},
	{"DENIED", "it is in protected mode: ask from its own machine, or give it a password (requirepass)"},
	{"LOADING", "wait until it has loaded its dataset"},
}

// RefusedBecause returns why a part could not be read, in the server's words, without the command
// that it repeats.
func RefusedBecause(err error) string {
	text, _, _ := strings.Cut(engine.Plain(err).Error(), ", with args beginning with")
	return text
}
