package volume

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// program is a program that sets up storage.
type program struct{ name string }

var (
	mountProgram  = program{"mount"}
	mdadmProgram  = program{"mdadm"}
	blkidProgram  = program{"blkid"}
	wipefsProgram = program{"wipefs"}
	zpoolProgram  = program{"zpool"}
)

// undoLimit is the timeout of each program that undoes a step, even if the context is already
// done.
const undoLimit = 30 * time.Second

func (p program) find() (string, error) {
	path, err := launch.FindProgram(p.name)
	return path, hint.Wrap(err, launch.Install(p.name))
}

// typed returns the command as an administrator would type it.
func (p program) typed(args ...string) Command { return typed(append([]string{p.name}, args...)...) }

// run runs the program and returns its standard output. A nonzero exit code is an exitError.
func (p program) run(ctx context.Context, l launch.Launcher, args ...string) (string, error) {
	path, err := p.find()
	if err != nil {
		return "", err
	}
	var out, said bytes.Buffer
	status, err := launch.Run(ctx, l, launch.Command{Path: path, Args: args, Dir: "/", Stdout: &out, Stderr: &said})
	switch {
	case err != nil && ctx.Err() != nil:
		return "", fmt.Errorf("%s was stopped: %w", p.name, err)
	case err != nil:
		return "", err
	case status != launch.ExitStatus{}:
		err = &exitError{p.name, status, lastWords(said.String() + "\n" + out.String())}
	}
	return out.String(), err
}

// undo runs the program for an undoer: locally, and even if ctx is done.
func (p program) undo(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoLimit)
	defer cancel()
	return p.run(ctx, launch.NewLocal(), args...)
}

type exitError struct {
	name   string
	status launch.ExitStatus
	words  string
}

func (e *exitError) Error() string {
	how := fmt.Sprintf("%s failed with exit code %d", e.name, e.status.Code)
	if e.status.Signal != nil {
		how = fmt.Sprintf("%s was terminated by a signal: %v", e.name, e.status.Signal)
	}
	if e.words == "" {
		return how
	}
	return how + ": " + e.words
}

// lastWords returns the last non-empty lines of a program's output, up to three. It stops at a
// usage message, which follows the actual error and does not help.
func lastWords(said string) string {
	var lines []string
	for line := range strings.Lines(said) {
		if len(lines) > 0 && strings.HasPrefix(strings.ToLower(line), "usage:") {
			break
		}
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-3):], "; ")
}
