package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	goredis "github.com/redis/go-redis/v9"

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

// Own is a server of plinth's own, made by the installed program in a directory of
// its own and reached by a private socket. Where its environment has a replica it
// listens on the loopback address as well, since Redis replicates over TCP only, and
// wants a password of everybody, which is new for each server and kept in memory.
type Own struct {
	database
	program Program
	log     *serverLog
	process life.Process

	password string // "" for none
	port     int    // on loopback; 0 for none

	primary *Own // the server that it follows; nil for none
}

var (
	_ engine.Server      = (*Own)(nil)
	_ engine.Doer        = (*Own)(nil)
	_ engine.Crasher     = (*Own)(nil)
	_ engine.Replicator  = (*Own)(nil)
	_ engine.LogFollower = (*Own)(nil)
)

// NewOwn checks the configuration; nothing is made before Start.
func NewOwn(config engine.Config, program Program) (*Own, error) {
	socket := filepath.Join(config.SocketDir, socketName)
	if err := life.CheckSocket(socket); err != nil {
		return nil, err
	}
	o := &Own{program: program, log: newServerLog()}
	o.Config = config
	o.process = life.Process{Title: program.Title(), Dir: o.dir(), Mark: madeFile}
	secrets, tools := []string(nil), []string{client.SocketVariable + "=" + socket}
	if config.Environment.Replica.There() {
		o.password = rand.Text() + rand.Text() // 256 bits: no table of digests finds it
		secrets = []string{client.PasswordVariable + "=" + o.password}
		tools = append(tools, client.CliPassword+"="+o.password)
	}
	o.Options = client.UnixOptions(socket, o.password)
	o.target = engine.Target{Conninfo: "unix://" + socket + "?db=0", Env: client.Variables(secrets...), Tools: client.Variables(append(tools, secrets...)...)}
	return o, nil
}

func (o *Own) dir() string { return o.Dir(experiment.RoleData) }

// How long a start is waited for: a server of the settings' check has nothing to
// read, another one may have many gigabytes.
const (
	startingLimit = 10 * time.Second
	startLimit    = 30 * time.Minute
)

// portTries is how many ports are tried: whoever is given a free one may find that
// somebody else was faster.
const portTries = 5

// Start makes the server when it is not there yet, starts it and waits until it can
// be used. One that was a replica follows its primary again.
func (o *Own) Start(ctx context.Context) error {
	if o.process.Running() {
		return o.awaitReady(ctx)
	}
	o.Close()
	o.process.Process = nil
	if err := o.make(ctx); err != nil {
		return err
	}
	if err := o.startListening(ctx); err != nil {
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

// startListening starts the server, on another port where the first was taken. A port
// that it once had it keeps: its replica knows no other.
func (o *Own) startListening(ctx context.Context) error {
	if o.password == "" || o.port != 0 {
		return o.launch(ctx)
	}
	var err error
	for range portTries {
		if o.port, err = freePort(); err != nil {
			return err
		}
		if err = o.launch(ctx); err == nil || !strings.Contains(o.log.String(), "Address already in use") {
			return err
		}
	}
	return err
}

// freePort is a port on loopback that nobody listens to.
func freePort() (int, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := listener.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // of a tcp listener
	return port, listener.Close()
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
		// When plinth goes away its data do, too: no need to save them.
		Stop: syscall.SIGKILL,
	})
	if err != nil {
		return err
	}
	return o.awaitReady(ctx)
}

// awaitReady waits until the server answers, has ended or time is up.
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

// dumpFile is the name of an RDB file unless dbfilename says another, which is
// plinth's to say.
const dumpFile = "dump.rdb"

// forgetDump removes the file that Stop has had written, once it was read, where the
// server writes none of its own: it keeps as little as it would have without plinth.
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

// because is why err happened: why the server has ended, or err itself.
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

// stopLimit is how long a clean end is waited for, in which all keys are saved.
const stopLimit = 15 * time.Minute

// Stop stops the server cleanly and keeps its keys: in its append-only file where it
// has one, else in an RDB file, whatever its save points are. It is only killed when
// that fails.
func (o *Own) Stop(ctx context.Context) error {
	if !o.process.Running() {
		o.Close()
		return nil
	}
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
	return advise(fmt.Errorf("cannot stop %s cleanly, and it was killed: %w", o.program.Title(), words))
}

// shutdown has the server end. It answers only where it does not.
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

// members are the processes of a server that works in place and began as process
// leader, itself and the children that save or rewrite: each program that a launcher
// starts has a process group of its own. A number that belongs to another group by now
// is not taken for it.
func members(leader int, place string) []int {
	return life.ProcessesAt(place, func(pid int) bool {
		group, err := syscall.Getpgid(pid)
		return err == nil && group == leader
	})
}

// Recover starts a killed server and waits until it answers, with what its files
// hold. An append-only file that ends in the middle of a command is cut there
// (aof-load-truncated); what else is wrong with a file the server says itself.
func (o *Own) Recover(ctx context.Context) (took time.Duration, err error) {
	return o.process.Recover(ctx, o.Start)
}

// Remove ends the server and all its children.
func (o *Own) Remove(ctx context.Context) error {
	return o.Kill(context.WithoutCancel(ctx))
}

// Load loads the dataset into an empty server, and the keys that the load reads. An
// append-only file is then written anew: it holds the keys, and not how they came.
func (o *Own) Load(ctx context.Context, progress func(engine.Progress)) error {
	empty := func() error {
		return o.Use(ctx, func(rdb *goredis.Client) error {
			if o.program.Name == client.Redis && o.program.Version < 60200 {
				return rdb.FlushAll(ctx).Err() // before there was a choice
			}
			return rdb.Do(ctx, "FLUSHALL", "SYNC").Err() // its memory is free when it is done
		})
	}
	err := o.loading(ctx, progress, empty, func() error { return o.rewrite(ctx) })
	if err != nil {
		return err
	}
	return o.Use(ctx, func(rdb *goredis.Client) (err error) {
		o.dataset.Rows, err = rdb.DBSize(ctx).Result() // less where some were evicted
		return err
	})
}

// Reset sets the dataset back before a run.
func (o *Own) Reset(ctx context.Context, how string) error {
	return o.reset(ctx, how, o.rewrite, func(ctx context.Context) error { return o.Load(ctx, nil) })
}

// Describe reads what is really under test. A declared setting that is not in force
// is an error: another thing would be measured.
func (o *Own) Describe(ctx context.Context) (record.Environment, error) {
	e, _, err := o.describe(ctx, "own")
	if err != nil {
		return e, err
	}
	e.Checkpoint = true
	facts, err := host.ReadFacts()
	e.Dataset.Memory = facts.Memory
	return e, err
}

// mustBeInForce checks the declared settings of a server that has just started.
func (o *Own) mustBeInForce(ctx context.Context) error {
	declared, inForce := o.Experiment.SettingsOf(o.Environment), map[string]string{}
	err := o.Use(ctx, func(rdb *goredis.Client) error {
		for name := range declared { // one by one: * leaves some out
			values, err := rdb.ConfigGet(ctx, strings.ToLower(name)).Result()
			if err != nil {
				return err
			}
			maps.Copy(inForce, values)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("cannot read its settings: %w", err)
	}
	if differing := conf.NotInForce(declared, inForce); len(differing) > 0 {
		return hint.Errorf("write it as CONFIG GET tells it",
			"%s has started with other settings than those declared: %s", o.program.Title(), strings.Join(differing, ", "))
	}
	return nil
}

// FollowLog passes each whole line of the server's log on as it comes, until it is
// called again; with nil to nobody.
func (o *Own) FollowLog(each func(at time.Time, line string)) { o.log.Follow(each) }

// Activity reads what the server has done by itself since it started.
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
