package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"plinth/internal/engine/life"
	"plinth/internal/host/launch"
)

// Output runs a program that exits on its own and returns what it printed.
func Output(launcher launch.Launcher, path string, args ...string) (string, error) {
	var out, errs bytes.Buffer
	err := Run(context.Background(), launcher, launch.Command{
		Path: path, Args: args, Env: Env(), Stdout: &out, Stderr: &errs,
	})
	if err != nil && errs.Len() > 0 {
		err = errors.New(life.LastLine(errs.String()))
	}
	return out.String(), err
}

// Run runs a program until it exits, or stops it when ctx is done. An exit code other than 0 is
// an error.
func Run(ctx context.Context, launcher launch.Launcher, command launch.Command) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	process, err := launcher.Start(command)
	if err != nil {
		return err
	}
	select {
	case <-process.Done():
	case <-ctx.Done():
		return errors.Join(ctx.Err(), process.Stop())
	}
	status, err := process.Wait()
	switch {
	case err != nil:
		return err
	case status.Signal != nil:
		return fmt.Errorf("%s was terminated by a signal (%v)", command.Path, status.Signal)
	case status.Code != 0:
		return fmt.Errorf("%s ended with exit code %d", command.Path, status.Code)
	}
	return nil
}

// Alone is the environment of a PostgreSQL program without any variable that would change its
// behaviour.
var Alone = launch.Variables{Without: []string{"PG"}}

// Env returns the Alone environment on this machine.
func Env() []string { return Alone.Environ() }

// Client returns an environment with PGHOST, PGSSLMODE and so on left in place, except for
// PGHOSTADDR: pgbench uses it and pgx does not, so they would reach different servers.
func Client(set ...string) launch.Variables {
	return launch.Variables{Without: []string{"PGHOSTADDR"}, Set: set}
}
