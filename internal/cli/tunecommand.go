package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/tune"
)

// commandError is that the command around which something was applied ended otherwise
// than well. plinth ends as it did.
type commandError struct{ code int }

func (e *commandError) Error() string {
	return fmt.Sprintf("the command ended with exit code %d", e.code)
}

// programOf is the program of a command; "" where there is none.
func programOf(command []string) (string, error) {
	if len(command) == 0 {
		return "", nil
	}
	program, err := launch.FindProgram(command[0])
	if err != nil {
		return "", hint.Errorf("name a program that is in PATH, or its path", "there is no program %q", command[0])
	}
	return program, nil
}

// held runs a command while what holds only around one is held.
func (a *app) held(ctx context.Context, t *tuneRequest, program string, args []string) error {
	held, err := tune.Around(ctx, t.request, t.plan)
	if err != nil {
		return err
	}
	a.tellKnobs(held.Knobs())
	status, err := launch.Run(ctx, launch.NewLocal(), held.Command(launch.Command{
		Path: program, Args: args, Env: os.Environ(), Stdout: a.stdout, Stderr: a.stderr, Stop: os.Interrupt,
	}))
	if err = errors.Join(err, held.Close()); err != nil {
		return err
	}
	signal, _ := status.Signal.(syscall.Signal)
	switch {
	case status.Signal != nil:
		return &commandError{128 + int(signal)} // as shells say it
	case status.Code != 0:
		return &commandError{status.Code}
	}
	return nil
}
