package redis

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/host"
)

const (
	socketName = "redis.sock"
	configName = "redis.conf"

	// longestSocket is the longest path of a Unix socket, unix(7).
	longestSocket = 107
)

// Own is a server of plinth's own, made by the installed program in a directory of
// its own and reached by a private socket. Where its environment has a replica it
// listens on the loopback address as well, since Redis replicates over TCP only, and
// wants a password of everybody, which is new for each server and kept in memory.
type Own struct {
	database
	program Program
	log     *serverLog
	process host.Process // nil when it is not started
	place   string       // the data directory without symbolic links

	password string // "" for none
	port     int    // on loopback; 0 for none

	primary *Own // whom it follows; nil for nobody
}

var (
	_ engine.Server     = (*Own)(nil)
	_ engine.Doer       = (*Own)(nil)
	_ engine.Crasher    = (*Own)(nil)
	_ engine.Replicator = (*Own)(nil)
)

// NewOwn checks the configuration; nothing is made before Start.
func NewOwn(config engine.Config, program Program) (*Own, error) {
	socket := filepath.Join(config.SocketDir, socketName)
	if len(socket) > longestSocket {
		return nil, fmt.Errorf("cannot use %s for a socket: %d bytes, and %d is the most", socket, len(socket), longestSocket)
	}
	o := &Own{program: program, log: newServerLog()}
	o.Config = config
	secrets, tools := []string(nil), []string{socketVariable + "=" + socket}
	if config.Environment.Replica.There() {
		o.password = rand.Text() + rand.Text() // 256 bits: no table of digests finds it
		secrets = []string{passwordVariable + "=" + o.password}
		tools = append(tools, cliPassword+"="+o.password)
	}
	o.options = unixOptions(socket, o.password)
	o.target = engine.Target{Conninfo: "unix://" + socket + "?db=0", Env: environ(secrets...), Tools: environ(append(tools, secrets...)...)}
	return o, nil
}

func (o *Own) dir() string { return o.Dir(experiment.RoleData) }

func (o *Own) running() bool { return o.process != nil && !ended(o.process) }

// FollowLog passes each whole line of the server's log on as it comes, until it is
// called again; with nil to nobody.
func (o *Own) FollowLog(each func(at time.Time, line string)) { o.log.follow(each) }

// Activity reads what the server has done by itself since it started.
func (o *Own) Activity(ctx context.Context) (engine.Activity, error) {
	if !o.running() {
		return engine.Activity{}, fmt.Errorf("cannot read the activity of the server: it is not running")
	}
	a, err := o.activity(ctx, o.log)
	if err == nil {
		a.PID = o.process.PID()
	}
	return a, err
}

// Load loads the dataset into an empty server, and the keys that the load reads. An
// append-only file is then written anew: it holds the keys, and not how they came.
func (o *Own) Load(ctx context.Context, progress func(engine.Progress)) error {
	empty := func() error {
		return o.use(ctx, func(client *goredis.Client) error {
			if o.program.Name == Redis && o.program.Version < 60200 {
				return client.FlushAll(ctx).Err() // before there was a choice
			}
			return client.Do(ctx, "FLUSHALL", "SYNC").Err() // its memory is free when it is done
		})
	}
	err := o.loading(ctx, progress, empty, func() error { return o.rewrite(ctx) })
	if err != nil {
		return err
	}
	return o.use(ctx, func(client *goredis.Client) (err error) {
		o.dataset.Rows, err = client.DBSize(ctx).Result() // less where some were evicted
		return err
	})
}

// Reset sets the dataset back before a run.
func (o *Own) Reset(ctx context.Context, how string) error {
	return o.reset(ctx, how, o.rewrite, func(ctx context.Context) error { return o.Load(ctx, nil) })
}

// Remove ends the server and all its children.
func (o *Own) Remove(ctx context.Context) error {
	return o.Kill(context.WithoutCancel(ctx))
}
