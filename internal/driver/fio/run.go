package fio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// Program is an installed fio.
type Program struct {
	Path    string
	Version string // "3.33"
}

// oldest is the oldest supported major version: fio 2 has no latencies in nanoseconds.
const oldest = 3

var install = launch.Install("fio")

var versionLine = regexp.MustCompile(`^fio-((\d+)\.\S+)`)

// Find finds fio as a shell would, and asks it for its version.
func Find(ctx context.Context, launcher launch.Launcher) (Program, error) {
	path, err := launch.FindProgram("fio")
	if err != nil {
		return Program{}, hint.Wrap(fmt.Errorf("cannot measure a disk: %w", err), install)
	}
	text, err := run(ctx, launcher, launch.Command{Path: path, Args: []string{"--version"}})
	if err != nil {
		return Program{}, fmt.Errorf("%s does not run: %w", path, err)
	}
	match := versionLine.FindSubmatch(bytes.TrimSpace(text))
	if match == nil {
		return Program{}, hint.Wrap(errors.New(path+" is not fio"), install)
	}
	if major, err := strconv.Atoi(string(match[2])); err != nil || major < oldest {
		return Program{}, hint.Errorf("install fio 3.16 or later", "%s is fio %s, which is too old", path, match[1])
	}
	return Program{path, string(match[1])}, nil
}

// Run runs jobs, one after the other, in dir, where fio leaves nothing behind. An error is
// fio's own, in its words, or ctx's.
func (p Program) Run(ctx context.Context, launcher launch.Launcher, dir string, target Target, jobs []Job) ([]Result, error) {
	text, err := run(ctx, launcher, launch.Command{Path: p.Path, Args: Arguments(target, jobs), Dir: dir})
	if err != nil {
		return nil, fmt.Errorf("cannot measure with fio: %w", err)
	}
	results, err := Parse(text)
	if err == nil && len(results) != len(jobs) {
		err = fmt.Errorf("fio was given %d jobs but reports %d", len(jobs), len(results))
	}
	return results, err
}

// run runs fio to its end and returns its output. fio is stopped when ctx is done; an exit
// code other than 0 is an error.
func run(ctx context.Context, launcher launch.Launcher, c launch.Command) ([]byte, error) {
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr, c.Grace = &out, &errs, 2*time.Second
	c.Env = append(os.Environ(), "LC_ALL=C")
	status, err := launch.Run(ctx, launcher, c)
	switch {
	case err != nil:
		return nil, err
	case status.Signal != nil:
		return nil, fmt.Errorf("it was terminated by a signal (%v)", status.Signal)
	case status.Code != 0:
		return nil, errors.New(complaint(errs.String()+out.String(), status.Code))
	}
	return out.Bytes(), nil
}

// complaint returns the first line with an error of fio, which it prints among its results,
// too.
func complaint(text string, code int) string {
	for line := range strings.Lines(text) {
		if rest, found := strings.CutPrefix(strings.TrimSpace(line), "fio: "); found {
			return rest
		}
	}
	return fmt.Sprintf("exit code %d", code)
}
