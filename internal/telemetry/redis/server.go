package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"plinth/internal/telemetry"
)

const (
	// patience is the timeout of one answer, and of connecting.
	patience = 1800 * time.Millisecond

	// rest is the delay after a failed attempt: ten samples a second must not become ten
	// connections a second.
	rest = 900 * time.Millisecond
)

// server is the single connection of a lane, and what is known of the server.
type server struct {
	options *goredis.Options
	client  *goredis.Client
	log     *telemetry.Log

	next time.Time // when to retry after a failure
	lost error     // why there was no answer

	settings settings
	asked    float64 // how often plinth has asked for INFO
	cost     cost
}

func newServer(o Options) *server {
	options := *o.Client
	options.ClientName = "plinth"
	options.Protocol = 2 // that of Redis 5: HELLO may be forbidden
	options.PoolSize, options.MinIdleConns, options.MaxIdleConns = 1, 0, 1
	options.MaxRetries, options.DialerRetries = -1, 1
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout, options.PoolTimeout = patience, patience, patience, patience
	options.ContextTimeoutEnabled = true
	options.ConnMaxIdleTime, options.ConnMaxLifetime = -1, -1
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return &server{options: &options, client: goredis.NewClient(&options), log: o.Log}
}

// settings are the server's settings that determine what it reports.
type settings struct {
	known     bool
	hidden    bool // they may not be read
	monitored bool // the latency monitor keeps events
	logged    bool // its log shows starts and ends
}

// The reasons for missing latency events.
var (
	errDisabled = errors.New("latency-monitor-threshold is 0: the server does not record latency events")
	errHidden   = errors.New("CONFIG GET latency-monitor-threshold is not allowed: whether the server records latency events is not known")
)

// learn reads the settings, until the server answers; where that is forbidden, it assumes the defaults: no
// latency monitor, and log level notice.
func (s *server) learn(ctx context.Context) {
	if s.settings.known {
		return
	}
	level, _ := s.setting(ctx, "loglevel")
	threshold, err := s.setting(ctx, "latency-monitor-threshold")
	refused := errors.As(err, new(goredis.Error)) // otherwise the server did not answer
	s.settings = settings{
		known:     err == nil || refused,
		hidden:    refused,
		monitored: threshold != "" && threshold != "0",
		logged:    s.log != nil && level != "warning" && level != "nothing",
	}
}

func (s *server) setting(ctx context.Context, name string) (string, error) {
	all, err := s.client.ConfigGet(ctx, name).Result()
	return all[name], err
}

// do sends all commands of ask in one pipeline, and returns when the answer was current.
func (s *server) do(ctx context.Context, ask func(goredis.Pipeliner)) (at time.Time, err error) {
	if time.Now().Before(s.next) {
		return at, s.lost
	}
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	began := time.Now()
	p := s.client.Pipeline()
	ask(p)
	_, err = p.Exec(within)
	ended := time.Now()
	if err != nil {
		s.fail(ended, err)
		return at, s.lost
	}
	return began.Add(ended.Sub(began) / 2), nil
}

// fail records why there was no answer. A forbidden command affects only its own query.
// After any other error the client is replaced: one that failed to connect would keep
// returning that error for a while without trying.
func (s *server) fail(at time.Time, err error) {
	s.lost = s.plain(err)
	if forbidden(err) {
		return
	}
	s.next = at.Add(rest)
	s.close()
	s.client = goredis.NewClient(s.options)
}

// close closes the connection; it may be called again.
func (s *server) close() { _ = s.client.Close() }

// plain shortens an error to the server's message or the network error. Neither holds a
// password.
func (s *server) plain(err error) error {
	var told goredis.Error
	var network *net.OpError
	switch {
	case err == nil:
		return nil
	case forbidden(err):
		return fmt.Errorf("%s: to allow it, run ACL SETUSER %s +info +latency +config|get", telemetry.Tidy(err.Error()), cmp.Or(s.options.Username, "default"))
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

// forbidden reports whether the user's ACL forbids the command.
func forbidden(err error) bool {
	var told goredis.Error
	return errors.As(err, &told) && strings.HasPrefix(told.Error(), "NOPERM")
}
