package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/host"
)

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
	if o.running() {
		return o.awaitReady(ctx)
	}
	o.close()
	o.process = nil
	if err := o.make(ctx); err != nil {
		return err
	}
	var err error
	if o.place, err = filepath.EvalSymlinks(o.dir()); err != nil {
		return fmt.Errorf("cannot start %s: %w", o.program.Title(), err)
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
	o.log.forget()
	o.launched = time.Now()
	o.process, err = o.Launcher.Start(host.Command{
		Path: o.program.Path, Args: []string{config}, Env: environ(), Dir: o.dir(),
		User: o.User, Groups: o.Groups, Stdout: o.log, Stderr: o.log,
		// When plinth goes away its data do, too: no need to save them.
		Stop: syscall.SIGKILL,
	})
	if err != nil {
		o.process = nil
		return err
	}
	return o.awaitReady(ctx)
}

// awaitReady waits until the server answers, has ended or time is up.
func (o *Own) awaitReady(ctx context.Context) error {
	var failed error
	err := poll(ctx, startLimit, func() bool {
		if ended(o.process) {
			failed = o.startError()
			return true
		}
		f, err := o.info(ctx)
		switch {
		case err == nil && f.number("loading") == 0:
			o.meet(f)
			return true
		case err != nil && says(err, "") && !says(err, "LOADING"):
			failed = err
			return true
		}
		return false
	})
	if err != nil {
		return fmt.Errorf("it is not ready: %w", err)
	}
	return failed
}

// startError is why the server ended, in its own words.
func (o *Own) startError() error {
	status, err := o.process.Wait()
	o.process = nil
	if err != nil {
		return err
	}
	return endError(o.log, status)
}

// because is why err happened: why the server has ended, or err itself.
func (o *Own) because(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || o.process == nil || !ended(o.process) {
		return err
	}
	status, failed := o.process.Wait()
	if failed != nil {
		return failed
	}
	return fmt.Errorf("the server has ended: %w", endError(o.log, status))
}

// dumpFile is the name of an RDB file unless dbfilename says another, which is
// plinth's to say.
const dumpFile = "dump.rdb"

// forgetDump removes the file that Stop has had written, once it was read, where the
// server writes none of its own: it keeps as little as it would have without plinth.
func (o *Own) forgetDump(ctx context.Context) error {
	var save map[string]string
	err := o.use(ctx, func(client *goredis.Client) (err error) {
		save, err = client.ConfigGet(ctx, "save").Result()
		return err
	})
	if err != nil || save["save"] != "" {
		return err
	}
	err = syscall.Unlink(filepath.Join(o.dir(), dumpFile))
	if errors.Is(err, syscall.ENOENT) {
		return nil
	}
	return err
}
