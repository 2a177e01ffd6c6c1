package redis

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"plinth/internal/engine/redis/client"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// OldestVersion is the oldest major version of Redis that plinth accepts.
const OldestVersion = 6

// newestVersions are the newest major versions that plinth was tested with. A later one is used,
// with a warning: plinth does not parse its files.
var newestVersions = map[string]int{client.Redis: 8, client.Valkey: 9}

// BinVariable names the environment variable with the directories of Redis' or Valkey's programs,
// separated by ':', that are searched before all others.
const BinVariable = "PLINTH_REDIS_BIN"

// Program is an installed server program.
type Program struct {
	Name        string // Redis or Valkey
	Path        string // absolute
	VersionText string // "7.0.15"
	Version     int    // major*10000 + minor*100 + patch: 70015
}

// Title returns "Redis" or "Valkey".
func (p Program) Title() string { return client.Titles[p.Name] }

// programIn returns the program in a directory.
func programIn(launcher launch.Launcher, name, directory string) (Program, error) {
	for _, one := range []string{client.Redis, client.Valkey} {
		path, err := launch.FindProgram(filepath.Join(directory, one+"-server"))
		if err != nil || name != "" && name != one {
			continue
		}
		program, err := programAt(launcher, path)
		if err == nil && name != "" && program.Name != name {
			err = fmt.Errorf("%s is %s", path, program.Title())
		}
		if err != nil {
			err = fmt.Errorf("cannot use the server program: %w", err)
		}
		return program, err
	}
	return Program{}, hint.Errorf("give the directory of the program, such as "+filepath.Join(directory, "src"),
		"cannot use the programs in %s: there is no %s-server", directory, cmp.Or(name, "redis-server or valkey"))
}

// FindProgram finds the server program of the given name; "" means Redis or, if that is not
// installed, Valkey. It returns the first in PLINTH_REDIS_BIN, PATH and the administrators'
// directories. If directory is not empty, only the program there is considered.
func FindProgram(name, directory string) (Program, error) {
	if directory != "" {
		return programIn(launch.NewLocal(), name, directory)
	}
	names := []string{name}
	if name == "" {
		names = []string{client.Redis, client.Valkey}
	}
	var failures []error
	for _, one := range names {
		path, err := launch.FindProgram(one+"-server", filepath.SplitList(os.Getenv(BinVariable))...)
		if err != nil {
			continue
		}
		program, err := programAt(launch.NewLocal(), path)
		// Where Valkey replaces Redis, its package also provides the old name.
		if err == nil && name != "" && program.Name != name {
			err = fmt.Errorf("%s is %s", path, program.Title())
		}
		if err == nil {
			return program, nil
		}
		failures = append(failures, err)
	}
	if err := errors.Join(failures...); err != nil {
		return Program{}, hint.Wrap(fmt.Errorf("cannot use the server program: %w", err), "install another server program, or set "+BinVariable)
	}
	return Program{}, hint.Errorf(launch.Install(names[0]+"-server")+"; or set "+BinVariable,
		"cannot find %s: no %s-server in %s or PATH", client.Titles[names[0]], strings.Join(names, "-server and no "), BinVariable)
}

// programAt asks a server program for its name and version. It does not resolve the path:
// Debian's redis-server is a symbolic link to redis-check-rdb, which acts by the name it is
// called with.
func programAt(launcher launch.Launcher, path string) (Program, error) {
	var out bytes.Buffer
	_, err := launch.Run(context.Background(), launcher, launch.Command{
		Path: path, Args: []string{"--version"}, Env: client.Environ(), Stdout: &out, Stderr: &out,
	})
	if err != nil {
		return Program{}, fmt.Errorf("%s does not run: %w", path, err)
	}
	return programOf(path, strings.TrimSpace(out.String()))
}

// versionLine matches the output of --version: "Redis server v=7.0.15 sha=…".
var versionLine = regexp.MustCompile(`^(Redis|Valkey) server v=(\S+) `)

func programOf(path, said string) (Program, error) {
	match := versionLine.FindStringSubmatch(said)
	if match == nil {
		return Program{}, fmt.Errorf("%s is neither Redis nor Valkey: %q", path, said)
	}
	p := Program{Name: strings.ToLower(match[1]), Path: path, VersionText: match[2], Version: client.VersionNumber(match[2])}
	if p.Name == client.Redis && p.Version < OldestVersion*10000 {
		return Program{}, fmt.Errorf("%s is Redis %s, older than %d, the oldest version that plinth supports", path, p.VersionText, OldestVersion)
	}
	return p, nil
}
