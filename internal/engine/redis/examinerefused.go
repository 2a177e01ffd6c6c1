package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/engine"
	"plinth/internal/hint"
)

// unreachable says who could not be reached, why, and what to do. No password is in it.
func unreachable(o *goredis.Options, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	const usual = "is the server up, and may this machine reach it?"
	cause, advice := err, usual
	for _, r := range refusals {
		if says(err, r.word) {
			advice = r.advice
		}
	}
	var name *net.DNSError
	switch {
	case errors.As(err, &name):
		advice = "is that the host's name?"
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded):
		cause = fmt.Errorf("it did not answer within %s", examineLimit)
	case o.Network == "unix" && advice == usual:
		advice = "is there a server with that socket (unixsocket), and may you use it (unixsocketperm)?"
	}
	return hint.Wrap(fmt.Errorf("cannot ask the server at %s: %w", o.Addr, cause), advice)
}

// refusals are what is to be done about errors of the server, by their first word.
var refusals = []struct{ word, advice string }{
	{"NOAUTH", "give the password by " + cliPassword + ", or the user in the URI: redis://user@host"},
	{"WRONGPASS", "give the right password by " + cliPassword + ", and its user in the URI: redis://user@host"},
	{"ERR AUTH", "the server wants no password: take it away"},
	{"NOPERM", "the user needs +info (ACL SETUSER)"},
	{"ERR unknown command", "INFO is renamed there; nothing can be said of the server without it"},
	{"DENIED", "it is in protected mode: ask from its own machine, or give it a password (requirepass)"},
	{"LOADING", "wait until it has loaded its dataset"},
}

// refusedBecause is why a part could not be read, in the server's words, without what
// it repeats of the command.
func refusedBecause(err error) string {
	text, _, _ := strings.Cut(engine.Plain(err).Error(), ", with args beginning with")
	return text
}
