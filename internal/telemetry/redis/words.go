package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/telemetry"
)

// plain says an error in few words: the server's own, or those of the network. Neither
// holds a password.
func (s *server) plain(err error) error {
	var told goredis.Error
	var network *net.OpError
	switch {
	case err == nil:
		return nil
	case forbidden(err):
		return fmt.Errorf("%s: ACL SETUSER %s +info +latency +config|get would allow it", telemetry.Tidy(err.Error()), or(s.options.Username, "default"))
	case errors.As(err, &told):
		return errors.New(telemetry.Tidy(told.Error()))
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("the server did not answer within %v", patience)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return errors.New("the server closed the connection")
	case errors.As(err, &network):
		return fmt.Errorf("cannot reach the server: %w", network.Err)
	}
	return err
}

// forbidden says whether the server's rules for the user forbid what was asked.
func forbidden(err error) bool {
	var told goredis.Error
	return errors.As(err, &told) && strings.HasPrefix(told.Error(), "NOPERM")
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
