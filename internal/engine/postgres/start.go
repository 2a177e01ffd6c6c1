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

	"plinth/internal/hint"
	"plinth/internal/host"
)

// startLimit is how long a start is waited for: it may have to recover.
const startLimit = 10 * time.Minute

// Start makes the server when it is not there yet, starts it and waits until it
// can be used; a server that went down is recovered. What Check has found
// before is forgotten.
func (o *Own) Start(ctx context.Context) error {
	if o.running() {
		return o.awaitReady(ctx)
	}
	o.close()
	o.process = nil
	if err := o.takeNote(kindServer, madeServer{o.DataDir, o.SocketDir}); err != nil {
		return err
	}
	if err := clearLeftovers(ctx, o.DataDir, o.SocketDir); err != nil {
		return err
	}
	if err := o.make(ctx); err != nil {
		return err
	}
	place, err := filepath.EvalSymlinks(o.DataDir)
	if err != nil {
		return fmt.Errorf("cannot start PostgreSQL: %w", err)
	}
	o.place = place
	o.log.forget()
	process, err := o.Launcher.Start(host.Command{
		Path: o.Programs.Postgres, Args: []string{"-D", o.DataDir},
		Env: programEnv(), Dir: o.DataDir, User: o.User, Groups: o.Groups, Stdout: o.log, Stderr: o.log,
		// When plinth goes away its data do, too: no need to write them out.
		Stop: syscall.SIGQUIT, Grace: immediateLimit,
	})
	if err != nil {
		return fmt.Errorf("cannot start PostgreSQL: %w", err)
	}
	o.process = process
	if err := o.awaitReady(ctx); err != nil {
		return err
	}
	return o.makeTablespaces(ctx)
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
