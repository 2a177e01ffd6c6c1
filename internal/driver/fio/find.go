package fio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// Program is an fio that can be run.
type Program struct {
	Path    string
	Version string // "3.33"
}

// oldest is the oldest major version that is used: fio 2 has no latencies in
// nanoseconds.
const oldest = 3

const install = "install the package fio"

// Find finds fio as a shell would.
func Find(ctx context.Context, launcher launch.Launcher) (Program, error) {
	path, err := launch.FindProgram("fio")
	if err != nil {
		return Program{}, hint.Wrap(fmt.Errorf("cannot measure a disk: %w", err), install)
	}
	return identify(ctx, launcher, path)
}

var versionLine = regexp.MustCompile(`^fio-((\d+)\.\S+)`)

func identify(ctx context.Context, launcher launch.Launcher, path string) (Program, error) {
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
