package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/engine/postgres/leftover"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/record"
)

// Own is plinth's own server, created with the installed programs in its own directory and
// reached through a private socket. Load generators on other machines reach it at the one address
// of engine.Access.
type Own struct {
	database
	access  access
	process life.Process
	started time.Time // pg_postmaster_start_time
	primary *Own      // the server that it follows; nil for none
	owner   *Own      // the server whose data it shares; nil for its own
	shared  bool      // others share its data
}

var (
	_ engine.Server      = (*Own)(nil)
	_ engine.Doer        = (*Own)(nil)
	_ engine.Crasher     = (*Own)(nil)
	_ engine.LogFollower = (*Own)(nil)
)

// NewOwn checks the configuration; it creates nothing before Start.
func NewOwn(config Config) (*Own, error) {
	socket := filepath.Join(config.SocketDir, ".s.PGSQL.65535")
	if err := life.CheckSocket(socket); err != nil {
		return nil, err
	}
	if strings.Contains(config.SocketDir, ",") {
		return nil, fmt.Errorf("cannot use %s for a socket: its name contains a comma", config.SocketDir)
	}
	if err := checkPlaces(config); err != nil {
		return nil, err
	}
	o := &Own{process: life.Process{Title: "PostgreSQL", Dir: config.DataDir, Mark: settingsFile}}
	o.Config, o.name, o.log, o.env = config, "plinth", newServerLog(), install.Alone
	session, err := client.Config(o.socket().With("dbname", "postgres").With("sslmode", "disable"))
	if err != nil {
		return nil, err
	}
	// Variables of the environment are meant for other servers.
	session.Password, session.Fallbacks, session.ValidateConnect = "", nil, nil
	session.RequireAuth, session.ChannelBinding = "", "disable"
	session.RuntimeParams = map[string]string{"application_name": "plinth"}
	o.config = session
	o.aim()
	if config.Shares != nil {
		owner, is := config.Shares.(*Own)
		if !is {
			return nil, errors.New("only a server that plinth creates has data to share")
		}
		o.owner, owner.shared = owner, true
	}
	return o, nil
}

// startLimit is how long a start may take: it may include recovery.
const startLimit = 10 * time.Minute

// Start creates the server if it does not exist yet, starts it and waits until it can be used; a
// server that went down is recovered. Start clears what Check has found before.
func (o *Own) Start(ctx context.Context) error {
	if o.process.Running() {
		life.Continue(leftover.ProcessesAt(o.process.Place))
		return o.awaitReady(ctx)
	}
	o.close()
	o.process.Process = nil
	if err := o.takeNote(kindServer, madeServer{o.DataDir, o.SocketDir}); err != nil {
		return err
	}
	if err := leftover.Clear(ctx, o.DataDir, o.SocketDir); err != nil {
		return err
	}
	if err := o.reservePort(); err != nil {
		return err
	}
	if err := o.make(ctx); err != nil {
		return err
	}
	o.log.Forget()
	err := o.process.Launch(o.Launcher, launch.Command{
		Path: o.Programs.Postgres, Args: []string{"-D", o.DataDir},
		Env: install.Env(), User: o.User, Groups: o.Groups, Stdout: o.log, Stderr: o.log,
		// If plinth dies, its data is discarded: no need to write it out.
		Stop: syscall.SIGQUIT, Grace: immediateLimit,
	})
	if err != nil {
		return fmt.Errorf("cannot start PostgreSQL: %w", err)
	}
	if err := o.awaitReady(ctx); err != nil {
		return err
	}
	if err := o.countBuffers(ctx); err != nil {
		return err
	}
	if err := o.setPassword(ctx); err != nil {
		return err
	}
	return o.makeTablespaces(ctx)
}

// collectorLimit is how long plinth waits until a reset of statistics is seen: up to PostgreSQL 14, they are up to half a second
// old.
const collectorLimit = 5 * time.Second

// countBuffers makes the server count from its start on how many buffers it has allocated, so that it is known how many are
// still free. The counts of the checkpointer begin again, too.
func (o *Own) countBuffers(ctx context.Context) error {
	err := o.exec(ctx, "", "SELECT pg_stat_reset_shared('bgwriter')")
	if err == nil {
		_ = life.Poll(ctx, collectorLimit, func() (seen bool) { // if it is not seen in time, how many are free is not known
			seen, err = o.countsBuffers(ctx)
			return seen || err != nil
		})
	}
	if err != nil {
		return fmt.Errorf("cannot reset the statistics of the background writer: %w", o.because(ctx, err))
	}
	return nil
}

// countsBuffers reports whether the server's statistics of buffers were reset after its start.
func (o *Own) countsBuffers(ctx context.Context) (since bool, err error) {
	err = o.use(ctx, "", func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT coalesce(stats_reset >= pg_postmaster_start_time(), false) FROM pg_stat_bgwriter").Scan(&since)
	})
	return since, err
}

// awaitReady connects until it succeeds, the server has ended or the time is up.
func (o *Own) awaitReady(ctx context.Context) error {
	var ended error
	err := o.process.AwaitReady(ctx, startLimit, func(ctx context.Context) (bool, error) {
		err := o.use(ctx, "", func(conn *pgx.Conn) error {
			return conn.QueryRow(ctx, "SELECT pg_postmaster_start_time()").Scan(&o.started)
		})
		if err != nil && notYet(err) {
			return false, nil
		}
		return err == nil, err
	}, func(ctx context.Context) error {
		ended = o.startError(ctx)
		return ended
	})
	switch {
	case ended != nil:
		return ended
	case err != nil:
		return fmt.Errorf("cannot start PostgreSQL: %w", err)
	}
	o.log.Forget()
	o.lost = nil
	return nil
}

// notYet reports whether an error means that the server is still starting.
func notYet(err error) bool {
	switch client.State(err) {
	case client.StateNotYet, "57P01", "57P02": // shutting down, and restarting after a crash
		return true
	case "": // the socket does not exist, or has no listener
		return !errors.Is(err, os.ErrPermission)
	}
	return false
}

// startError returns why the server ended, in its own words.
func (o *Own) startError(ctx context.Context) error {
	status, err := o.process.Wait()
	o.process.Process = nil
	t := o.log.Said()
	if t.config != "" && strings.Contains(t.fatal, "configuration file") {
		return settingError(o.Launcher, o.Programs, t, err)
	}
	switch {
	case err != nil:
	case t.fatal != "":
		err = errors.New(t.fatal)
	case status.Signal != nil:
		err = fmt.Errorf("it was terminated by a signal (%v)", status.Signal)
	default:
		err = fmt.Errorf("it ended with exit code %d: %s", status.Code, life.LastLine(o.log.String()))
	}
	return startHint(fmt.Errorf("cannot start PostgreSQL: %w", errors.Join(err, ctx.Err())))
}

// startHint adds advice for the usual reasons why a server does not start.
func startHint(err error) error {
	for _, known := range []struct{ words, advice string }{
		{"could not map anonymous shared memory", "lower shared_buffers or max_connections, or free memory; with huge_pages=on, raise vm.nr_hugepages"},
		{"could not create semaphores", "raise kernel.sem, or lower max_connections"},
		{"could not create any TCP/IP sockets", "stop the program that listens on all addresses on the same port, or start the experiment again: the server then has another port"},
		{"could not access file", "install the library's package, or remove the library from shared_preload_libraries"},
		{"could not open file", "make the file's directory readable by the user who runs the server"},
		{"Permission denied", "give the user who runs the server access to the data directory and all directories above it"},
	} {
		if strings.Contains(err.Error(), known.words) {
			return hint.Wrap(err, known.advice)
		}
	}
	return fullHint(err)
}

// Time limits for the end of a server: a clean stop has to write out everything.
const (
	stopLimit      = 5 * time.Minute
	immediateLimit = 10 * time.Second
)

// Stop stops the server cleanly: it disconnects all sessions, writes a checkpoint and exits. If
// that takes too long, the server is ended without a checkpoint.
func (o *Own) Stop(ctx context.Context) error {
	o.close()
	if !o.process.Running() {
		return nil
	}
	life.Continue(leftover.ProcessesAt(o.process.Place))
	if err := o.signal(ctx, syscall.SIGINT, stopLimit); err == nil {
		o.process.Process = nil
		return nil
	}
	if err := o.end(); err != nil {
		return err
	}
	return errors.New("cannot stop PostgreSQL cleanly: it was shut down immediately and will need recovery")
}

// end ends the server without writing anything out.
func (o *Own) end() error {
	if !o.process.Running() {
		return nil
	}
	if o.signal(context.Background(), syscall.SIGQUIT, immediateLimit) == nil {
		return nil
	}
	return o.process.Stop()
}

// signal sends a signal and waits for the server to end.
func (o *Own) signal(ctx context.Context, signal os.Signal, limit time.Duration) error {
	if err := o.process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return o.process.AwaitEnd(ctx, limit)
}

// Kill ends the server as a power cut would. A process blocked on a disk that no longer responds
// holds nothing that the next start needs.
func (o *Own) Kill(ctx context.Context) error {
	o.close()
	if !o.process.Started() {
		return nil
	}
	files, segment := o.sharedMemory()
	socket := filepath.Join(o.SocketDir, fmt.Sprintf(".s.PGSQL.%d", o.portNumber())) // its directory is private, and on no volume
	stuck, err := o.process.Kill(ctx, func() []int { return leftover.ProcessesAt(o.process.Place) }, func() error {
		return errors.Join(leftover.RemoveMemory(segment, files), life.RemoveFiles(socket, socket+".lock"))
	})
	if err != nil || stuck {
		return err
	}
	return o.forgetNote() // nothing is left outside of its directories
}

// sharedMemory returns the shared memory of the server. The PID of a postmaster that has ended
// may belong to another process: it must work in the server's own directory.
func (o *Own) sharedMemory() (files []string, segment int) {
	if !slices.Contains(leftover.ProcessesAt(o.process.Place), o.process.PID()) {
		return nil, -1
	}
	return leftover.MemoryOf(o.process.PID())
}

// Load loads the dataset, or takes over that of the server whose data it shares.
func (o *Own) Load(ctx context.Context, progress func(engine.Progress)) error {
	if o.owner == nil {
		return o.database.Load(ctx, progress)
	}
	from := &o.owner.database
	if !from.loaded {
		return errors.New("cannot share a dataset that is not loaded")
	}
	o.loaded, o.loadTime, o.loadDuration, o.ownTables = true, from.loadTime, from.loadDuration, from.ownTables
	o.dataset = nil // Describe reads it, with this server's shared_buffers
	return nil
}

// Recover starts a killed server and waits until it answers. Start removes its lock file, if the
// volume kept it.
func (o *Own) Recover(ctx context.Context) (took time.Duration, err error) {
	return o.process.Recover(ctx, o.Start)
}

// Remove ends the server and clears what it left outside of its directories.
func (o *Own) Remove(ctx context.Context) error {
	o.close()
	if err := o.end(); err != nil {
		return err
	}
	o.process.Process = nil
	if err := o.releasePort(); err != nil {
		return err
	}
	if o.note == nil {
		return nil
	}
	if err := leftover.Clear(ctx, o.DataDir, o.SocketDir); err != nil {
		return err
	}
	return o.forgetNote()
}

// Describe reads the actual state of the system under test.
func (o *Own) Describe(ctx context.Context) (record.Environment, error) {
	e, err := o.describe(ctx, "own")
	if err != nil {
		return e, err
	}
	if port := o.access.port; port != nil { // as load generators reach it
		e.Transport, e.Address = cmp.Or(o.Environment.Transport, experiment.TransportTCP), port.String()
	}
	facts, err := host.ReadFacts()
	e.Dataset.Memory = facts.Memory
	return e, err
}

// Activity reads what the server has done on its own since it started.
func (o *Own) Activity(ctx context.Context) (engine.Activity, error) {
	if !o.process.Running() {
		return engine.Activity{}, errors.New("cannot read the activity of the server: it is not running")
	}
	a, err := o.database.Activity(ctx)
	if err == nil {
		a.PID = o.process.PID()
	}
	return a, err
}

// FollowLog calls each with every whole line of the server's log as it arrives, until the next
// call; nil stops it. Only plinth's own servers have it: the log of a connected server can't be
// read.
func (o *Own) FollowLog(each func(at time.Time, line string)) { o.log.Follow(each) }
