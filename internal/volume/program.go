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

// program is one that lays out storage, with the Debian package that has it.
type program struct{ name, pkg string }

var (
	mountProgram  = program{"mount", "mount"}
	mdadmProgram  = program{"mdadm", "mdadm"}
	blkidProgram  = program{"blkid", "util-linux"}
	wipefsProgram = program{"wipefs", "util-linux"}
	zpoolProgram  = program{"zpool", "zfsutils-linux"}
)

// undoLimit bounds each program that undoes something, also when the context is
// done already: what it does waits for nobody.
const undoLimit = 30 * time.Second

func (p program) find() (string, error) {
	path, err := launch.FindProgram(p.name)
	return path, hint.Wrap(err, "install the package "+p.pkg)
}

// typed is the line for it that an administrator would type.
func (p program) typed(args ...string) Command { return typed(append([]string{p.name}, args...)...) }

// run runs the program to its end and returns what it printed. An exit code other
// than zero is an exitError.
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

// undo runs the program as an undoer does: on this machine, in any case.
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
		how = fmt.Sprintf("%s was ended by a signal: %v", e.name, e.status.Signal)
	}
	if e.words == "" {
		return how
	}
	return how + ": " + e.words
}

// lastWords are the last lines of what a program said that are not empty, up to three.
// What is wrong with an option comes before the usage, which tells nobody anything.
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
