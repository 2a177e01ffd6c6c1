package redis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/conninfo"
	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/engine/redis/client"
	"plinth/internal/engine/redis/conf"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/record"
)

const (
	socketName = "redis.sock"
	configName = "redis.conf"
)

// Own is plinth's own server, created with the installed program in its own directory and reached
// through a private socket. It also listens on one address if load generators on other machines
// use it (engine.Access), or if its environment has a replica, since Redis replicates over TCP
// only. It then requires a password from every client, which is new for each server and kept in
// memory.
type Own struct {
	database
	program Program
	log     *serverLog
	process life.Process

	password string     // "" for none
	port     *life.Port // on which it listens; nil for none

	primary *Own // the server that it follows; nil for none
}

var (
	_ engine.Server      = (*Own)(nil)
	_ engine.Doer        = (*Own)(nil)
	_ engine.Crasher     = (*Own)(nil)
	_ engine.Replicator  = (*Own)(nil)
	_ engine.LogFollower = (*Own)(nil)
	_ engine.Volatile    = (*Own)(nil)
)

// NewOwn checks the configuration; it creates nothing before Start.
func NewOwn(config engine.Config, program Program) (*Own, error) {
	socket := filepath.Join(config.SocketDir, socketName)
	if err := life.CheckSocket(socket); err != nil {
		return nil, err
	}
	o := &Own{program: program, log: newServerLog()}
	o.Config = config
	o.process = life.Process{Title: program.Title(), Dir: o.dir(), Mark: madeFile}
	secrets, tools := []string(nil), []string{client.SocketVariable + "=" + socket}
	if config.Access != nil || config.Environment.Replica.There() {
		o.password = life.NewPassword()
		secrets = []string{client.PasswordVariable + "=" + o.password}
		tools = append(tools, client.CliPassword+"="+o.password)
	}
	o.Options = client.UnixOptions(socket, o.password)
	o.target = engine.Target{Conninfo: "unix://" + socket + "?db=0", Env: client.Variables(secrets...), Tools: client.Variables(append(tools, secrets...)...)}
	return o, nil
}

// address returns the address on which the server listens if it has a port.
func (o *Own) address() netip.Addr {
	if o.Access != nil {
		return o.Access.Address
	}
	return netip.AddrFrom4([4]byte{127, 0, 0, 1})
}

// Target returns how a driver reaches the keys: by TCP if load generators on other machines do, else
// through the socket.
func (o *Own) Target() engine.Target {
	if o.Access == nil || o.port == nil {
		return o.target
	}
	target, address := o.target, conninfo.RedisAddress{Network: "tcp", Address: o.port.String()}
	target.Conninfo = address.String()
	return target
}

func (o *Own) dir() string { return o.Dir(experiment.RoleData) }

// Time limits of a start: a server that only checks settings has nothing to read, another one may
// have many gigabytes.
const (
	startingLimit = 10 * time.Second
	startLimit    = 30 * time.Minute
)

// Start creates the server if it does not exist yet, starts it and waits until it can be used. A
// server that was a replica follows its primary again.
func (o *Own) Start(ctx context.Context) error {
	if o.process.Running() {
		life.Continue(members(o.process.PID(), o.process.Place))
		return o.awaitReady(ctx)
	}
	o.Close()
	o.process.Process = nil
	if err := o.make(ctx); err != nil {
		return err
	}
	err := o.reservePort()
	if err == nil {
		err = o.launch(ctx)
	}
	if err != nil {
		return advise(fmt.Errorf("cannot start %s: %w", o.program.Title(), err))
	}
	if err := o.mustBeInForce(ctx); err != nil {
		return err
	}
	if err := o.forgetDump(ctx); err != nil {
		return fmt.Errorf("cannot start %s: %w", o.program.Title(), err)
	}
	if o.primary != nil {
		return o.follow(ctx, o.primary)
	}
	return nil
}

// reservePort reserves the port on which the server listens, if it does. The port stays the same until
// Remove, because its replica uses it, too.
func (o *Own) reservePort() (err error) {
	if o.password != "" && o.port == nil {
		o.port, err = life.ReservePort(o.address())
	}
	return err
}

func (o *Own) launch(ctx context.Context) error {
	config, err := o.configure()
	if err != nil {
		return err
	}
	o.log.Forget()
	o.launched = time.Now()
	err = o.process.Launch(o.Launcher, launch.Command{
		Path: o.program.Path, Args: []string{config}, Env: client.Environ(),
		User: o.User, Groups: o.Groups, Stdout: o.log, Stderr: o.log,
		// If plinth dies, its data is discarded: no need to save it.
		Stop: syscall.SIGKILL,
	})
	if err != nil {
		return err
	}
	return o.awaitReady(ctx)
}

// awaitReady waits until the server answers, has ended or the time is up.
func (o *Own) awaitReady(ctx context.Context) error {
	return o.process.AwaitReady(ctx, startLimit, func(ctx context.Context) (bool, error) {
		f, err := o.Info(ctx)
		switch {
		case err == nil && f.Number("loading") == 0:
			o.meet(f)
			return true, nil
		case err != nil && client.Says(err, "") && !client.Says(err, "LOADING"):
			return false, err
		}
		return false, nil
	}, func(context.Context) error {
		status, err := o.process.Wait()
		o.process.Process = nil
		if err != nil {
			return err
		}
		return endError(o.log, status)
	})
}

// dumpFile is the default name of an RDB file; only plinth may set dbfilename.
const dumpFile = "dump.rdb"

// forgetDump removes the file that Stop had the server write, once it was read, if the server
// writes no RDB file by its own settings: it persists no more than it would without plinth.
func (o *Own) forgetDump(ctx context.Context) error {
	var save map[string]string
	err := o.Use(ctx, func(rdb *goredis.Client) (err error) {
		save, err = rdb.ConfigGet(ctx, "save").Result()
		return err
	})
	if err != nil || save["save"] != "" {
		return err
	}
	return life.RemoveFiles(filepath.Join(o.dir(), dumpFile))
}

// because returns the cause of err: why the server has ended, or err itself.
func (o *Own) because(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || !o.process.Started() || o.process.Running() {
		return err
	}
	status, failed := o.process.Wait()
	if failed != nil {
		return failed
	}
	return fmt.Errorf("the server has ended: %w", endError(o.log, status))
}

// stopLimit is how long a clean stop may take, which saves all keys.
const stopLimit = 15 * time.Minute

// Stop stops the server cleanly and keeps its keys: in its append-only file if it has one, else
// in an RDB file, whatever its save points are. If that fails, the server is killed.
func (o *Own) Stop(ctx context.Context) error {
	if !o.process.Running() {
		o.Close()
		return nil
	}
	life.Continue(members(o.process.PID(), o.process.Place))
	f, err := o.Info(ctx)
	if err == nil {
		how := "SAVE"
		if f["aof_enabled"] == "1" {
			how = "NOSAVE"
		}
		err = o.shutdown(ctx, how)
	}
	o.Close()
	if err == nil {
		o.process.Process = nil
		return nil
	}
	words := o.because(ctx, err)
	if killed := o.Kill(context.WithoutCancel(ctx)); killed != nil {
		return killed
	}
	return advise(fmt.Errorf("cannot stop %s cleanly, so it was killed: %w", o.program.Title(), words))
}

// shutdown makes the server exit. The server answers only if it does not.
func (o *Own) shutdown(ctx context.Context, how string) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	err := o.Use(ctx, func(rdb *goredis.Client) error { return rdb.Do(ctx, "SHUTDOWN", how).Err() })
	if client.Says(err, "") {
		if words := o.log.Said().warning; words != "" {
			err = errors.Join(err, errors.New(words))
		}
		return err
	}
	return o.process.AwaitEnd(ctx, stopLimit)
}

// Kill ends the server and its children at once.
func (o *Own) Kill(ctx context.Context) error {
	o.Close()
	if !o.process.Started() {
		return nil
	}
	_, err := o.process.Kill(ctx, func() []int { return members(o.process.PID(), o.process.Place) },
		func() error { return life.RemoveFiles(o.Options.Addr) })
	return err
}

// members returns the processes of a server that works in place and whose first process is
// leader: the server and the children that save or rewrite. Each program that a launcher starts
// has its own process group, so a reused PID in another group does not match.
func members(leader int, place string) []int {
	return life.ProcessesAt(place, func(pid int) bool {
		group, err := syscall.Getpgid(pid)
		return err == nil && group == leader
	})
}

// Recover starts a killed server and waits until it answers, with the contents of its files. An
// append-only file that ends in the middle of a command is truncated there (aof-load-truncated);
// the server reports any other damage.
func (o *Own) Recover(ctx context.Context) (took time.Duration, err error) {
	return o.process.Recover(ctx, o.Start)
}

// Remove ends the server and all its children.
func (o *Own) Remove(ctx context.Context) error {
	if err := o.Kill(context.WithoutCancel(ctx)); err != nil || o.port == nil {
		return err
	}
	port := o.port
	o.port = nil
	return port.Release()
}

// Load loads the dataset into an empty server, and the keys that the load reads. It then has the
// append-only file rewritten, so that it holds the keys without their history.
func (o *Own) Load(ctx context.Context, progress func(engine.Progress)) error {
	empty := func() error {
		return o.Use(ctx, func(rdb *goredis.Client) error {
			if o.program.Name == client.Redis && o.program.Version < 60200 {
				return rdb.FlushAll(ctx).Err() // before there was a choice
			}
			return rdb.Do(ctx, "FLUSHALL", "SYNC").Err() // its memory is freed when this returns
		})
	}
	err := o.loading(ctx, progress, empty, func() error { return o.rewrite(ctx) })
	if err != nil {
		return err
	}
	return o.Use(ctx, func(rdb *goredis.Client) (err error) {
		o.dataset.Rows, err = rdb.DBSize(ctx).Result() // fewer if some were evicted
		return err
	})
}

// Lost reports whether keys of the dataset are gone, which happens when a server that had not saved them goes down. A server that
// may evict keys has lost them only if none is left.
func (o *Own) Lost(ctx context.Context) (lost bool, err error) {
	if !o.loaded || o.dataset.Rows == 0 {
		return false, nil
	}
	f, err := o.Info(ctx)
	if err != nil {
		return false, err
	}
	fewest := o.dataset.Rows
	if f.Number("maxmemory") > 0 && f["maxmemory_policy"] != "noeviction" {
		fewest = 1
	}
	err = o.Use(ctx, func(rdb *goredis.Client) error {
		keys, err := rdb.DBSize(ctx).Result()
		lost = keys < fewest
		return err
	})
	return lost, err
}

// Reset restores the dataset before a run.
func (o *Own) Reset(ctx context.Context, how string) error {
	return o.reset(ctx, how, o.rewrite, func(ctx context.Context) error { return o.Load(ctx, nil) })
}

// Describe reads the actual state of the system under test.
func (o *Own) Describe(ctx context.Context) (record.Environment, error) {
	e, _, err := o.describe(ctx, "own")
	if err != nil {
		return e, err
	}
	e.Checkpoint = true
	if o.Access != nil { // as load generators reach it
		e.Transport, e.Address = "tcp", o.port.String()
	}
	facts, err := host.ReadFacts()
	e.Dataset.Memory = facts.Memory
	return e, err
}

// mustBeInForce returns an error if a declared setting of a server that has just started is not
// in force: something else would be measured.
func (o *Own) mustBeInForce(ctx context.Context) error {
	declared, inForce := o.Experiment.SettingsOf(o.Environment), map[string]string{}
	err := o.Use(ctx, func(rdb *goredis.Client) error {
		for name := range declared { // one by one: * omits some
			values, err := rdb.ConfigGet(ctx, strings.ToLower(name)).Result()
			if err != nil {
				return err
			}
			maps.Copy(inForce, values)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("cannot read the server's settings: %w", err)
	}
	if differing := conf.NotInForce(declared, inForce); len(differing) > 0 {
		return hint.Errorf("write the value as CONFIG GET prints it",
			"%s started with settings other than those declared: %s", o.program.Title(), strings.Join(differing, ", "))
	}
	return nil
}

// FollowLog calls each with every whole line of the server's log as it arrives, until the next
// call; nil stops it.
func (o *Own) FollowLog(each func(at time.Time, line string)) { o.log.Follow(each) }

// Activity reads what the server has done on its own since it started.
func (o *Own) Activity(ctx context.Context) (engine.Activity, error) {
	if !o.process.Running() {
		return engine.Activity{}, fmt.Errorf("cannot read the activity of the server: it is not running")
	}
	a, err := o.activity(ctx, o.log)
	if err == nil {
		a.PID = o.process.PID()
	}
	return a, err
}
