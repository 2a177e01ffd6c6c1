package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/record"
)

// How long a server is waited for. A start may have to recover, a clean stop has
// to write out everything.
const (
	startLimit     = 10 * time.Minute
	stopLimit      = 5 * time.Minute
	immediateLimit = 10 * time.Second
)

// ownPort is only a part of the socket's name: nothing listens on a network.
const ownPort = "5432"

// longestSocket is the longest path of a Unix socket, unix(7).
const longestSocket = 107

// Own is a server of plinth's own, made by the installed programs in a directory
// of its own and reached by a private socket.
type Own struct {
	database
	process host.Process // nil when it is not started
	started time.Time    // pg_postmaster_start_time
}

var _ engine.Server = (*Own)(nil)

// NewOwn checks the configuration; nothing is made before Start.
func NewOwn(config Config) (*Own, error) {
	socket := filepath.Join(config.SocketDir, ".s.PGSQL."+ownPort)
	switch {
	case len(socket) > longestSocket:
		return nil, fmt.Errorf("cannot use %s for a socket: %d bytes, and %d is the most", socket, len(socket), longestSocket)
	case strings.Contains(config.SocketDir, ","):
		return nil, fmt.Errorf("cannot use %s for a socket: its name has a comma", config.SocketDir)
	}
	info := conninfo{{"host", config.SocketDir}, {"port", ownPort}, {"dbname", "plinth"}, {"user", "plinth"}}
	session, err := connectConfig(info.with("dbname", "postgres").with("sslmode", "disable"))
	if err != nil {
		return nil, err
	}
	// What the environment says of other servers is not for this one.
	session.Password, session.Fallbacks, session.ValidateConnect = "", nil, nil
	session.RequireAuth, session.ChannelBinding = "", "disable"
	session.RuntimeParams = map[string]string{"application_name": "plinth"}
	o := &Own{}
	o.Config, o.name, o.session.config, o.log = config, "plinth", session, newServerLog()
	o.target = engine.Target{Conninfo: info.String(), Env: []string{
		"PGOPTIONS=", "PGREQUIREAUTH=", "PGCHANNELBINDING=disable", "PGSSLMODE=disable", "PGTARGETSESSIONATTRS=any",
	}}
	o.env = programEnv()
	return o, nil
}

// Start makes the server when it is not there yet, starts it and waits until it
// can be used; a server that went down is recovered. What Check has found
// before is forgotten.
func (o *Own) Start(ctx context.Context) error {
	if o.running() {
		return o.awaitReady(ctx)
	}
	o.close()
	o.process = nil
	if err := o.takeNote(kindServer, madeServer{o.DataDir}); err != nil {
		return err
	}
	if err := clearLeftovers(ctx, o.DataDir); err != nil {
		return err
	}
	if err := o.make(ctx); err != nil {
		return err
	}
	o.log.forget()
	process, err := o.Launcher.Start(host.Command{
		Path: o.Programs.Postgres, Args: []string{"-D", o.DataDir},
		Env: programEnv(), Dir: o.DataDir, User: o.User, Stdout: o.log, Stderr: o.log,
		// When plinth goes away its data do, too: no need to write them out.
		Stop: syscall.SIGQUIT, Grace: immediateLimit,
	})
	if err != nil {
		return fmt.Errorf("cannot start PostgreSQL: %w", err)
	}
	o.process = process
	return o.awaitReady(ctx)
}

func (o *Own) running() bool { return o.process != nil && !ended(o.process) }

func ended(process host.Process) bool {
	select {
	case <-process.Done():
		return true
	default:
		return false
	}
}

// awaitReady connects until it works, the server has ended or time is up.
func (o *Own) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	var failed error
	err := poll(ctx, startLimit, func() bool {
		if ended(o.process) {
			failed = o.startError(ctx)
			return true
		}
		err := o.use(ctx, "", func(conn *pgx.Conn) error {
			return conn.QueryRow(ctx, "SELECT pg_postmaster_start_time()").Scan(&o.started)
		})
		if err != nil && !notYet(err) {
			failed = fmt.Errorf("cannot start PostgreSQL: %w", err)
		}
		return err == nil || failed != nil
	})
	if err != nil {
		failed = fmt.Errorf("cannot start PostgreSQL: it is not ready: %w", err)
	}
	if failed == nil {
		o.log.forget()
		o.lost = nil
	}
	return failed
}

// notYet says whether an error is one of a server that is still starting.
func notYet(err error) bool {
	switch sqlState(err) {
	case stateNotYet, "57P01", "57P02": // shutting down, and restarting after a crash
		return true
	case "": // the socket is not there, or not listened to
		return !errors.Is(err, os.ErrPermission)
	}
	return false
}

// startError is why the server ended, in its own words.
func (o *Own) startError(ctx context.Context) error {
	status, err := o.process.Wait()
	o.process = nil
	t := o.log.troubles()
	if t.config != "" && strings.Contains(t.fatal, "configuration file") {
		return settingError(o.Launcher, o.Programs, t, err)
	}
	switch {
	case err != nil:
	case t.fatal != "":
		err = errors.New(t.fatal)
	case status.Signal != nil:
		err = fmt.Errorf("it was ended by signal %v", status.Signal)
	default:
		err = fmt.Errorf("it ended with exit code %d: %s", status.Code, lastLine(o.log.String()))
	}
	return startHint(fmt.Errorf("cannot start PostgreSQL: %w", errors.Join(err, ctx.Err())))
}

// Stop stops the server cleanly: it disconnects everybody, writes a checkpoint
// and ends. It is only ended without one when that takes too long.
func (o *Own) Stop(ctx context.Context) error {
	o.close()
	if !o.running() {
		return nil
	}
	if err := o.signal(ctx, syscall.SIGINT, stopLimit); err == nil {
		o.process = nil
		return nil
	}
	if err := o.end(); err != nil {
		return err
	}
	return errors.New("cannot stop PostgreSQL cleanly: it was ended and will have to recover")
}

// end ends the server without writing anything out.
func (o *Own) end() error {
	if !o.running() {
		return nil
	}
	if o.signal(context.Background(), syscall.SIGQUIT, immediateLimit) == nil {
		return nil
	}
	return o.process.Stop()
}

// signal sends a signal and waits for the end.
func (o *Own) signal(ctx context.Context, signal os.Signal, limit time.Duration) error {
	if err := o.process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case <-o.process.Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Remove ends the server and clears what it left outside of its directories.
func (o *Own) Remove(ctx context.Context) error {
	o.close()
	if err := o.end(); err != nil {
		return err
	}
	o.process = nil
	if o.note == nil {
		return nil
	}
	if err := clearLeftovers(ctx, o.DataDir); err != nil {
		return err
	}
	return o.forgetNote()
}

// Describe reads what is really under test.
func (o *Own) Describe(ctx context.Context) (record.Environment, error) {
	e, err := o.describe(ctx, "own")
	if err != nil {
		return e, err
	}
	facts, err := host.ReadFacts()
	e.Dataset.Memory = facts.Memory
	return e, err
}

// LogTail is the end of the server's log.
func (o *Own) LogTail() string { return o.log.String() }

// startHint says what to do about the usual reasons why a server does not start.
func startHint(err error) error {
	for _, known := range []struct{ words, advice string }{
		{"could not map anonymous shared memory", "lower shared_buffers or max_connections, or free memory; with huge_pages=on, raise vm.nr_hugepages"},
		{"could not create semaphores", "raise kernel.sem, or lower max_connections"},
		{"could not access file", "install the package that has it, or take it out of shared_preload_libraries"},
		{"could not open file", "its directory must be readable by the user who runs the server"},
		{"Permission denied", "the user who runs the server must be able to enter the data directory and all above it"},
	} {
		if strings.Contains(err.Error(), known.words) {
			return hint.Wrap(err, known.advice)
		}
	}
	return fullHint(err)
}
