package redis

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/engine/life"
	"plinth/internal/engine/redis/conf"
)

// madeFile marks a data directory as that of a server that plinth created: it may be empty
// otherwise, as a server may persist nothing. It is synced before the server starts, so that it
// survives a power cut.
const madeFile = "plinth.made"

// make checks the settings and marks the data directory, unless that was done before.
func (o *Own) make(ctx context.Context) error {
	switch made, err := o.process.Made(); {
	case err != nil || made:
		return err
	}
	if err := checkSettings(ctx, o.Launcher, o.program, o.Experiment.SettingsOf(o.Environment)); err != nil {
		return err
	}
	return o.write(filepath.Join(o.dir(), madeFile), "made by plinth\n")
}

// configure writes the configuration file. It is next to the socket and not with the data, which
// may be on a disk with an injected fault. It holds no secret.
func (o *Own) configure() (path string, err error) {
	directives, err := conf.Directives(o.Experiment.SettingsOf(o.Environment))
	if err != nil {
		return "", err
	}
	var text strings.Builder
	text.WriteString("# written by plinth\n")
	for _, d := range slices.Concat(conf.Observing(o.Environment.Replica.There()), directives, o.fixed()) {
		fmt.Fprintln(&text, d)
	}
	path = filepath.Join(o.SocketDir, configName)
	if err := life.RemoveFiles(path); err != nil {
		return "", err
	}
	return path, o.write(path, text.String())
}

// fixed returns the settings that isolate plinth's own server.
func (o *Own) fixed() []conf.Directive {
	all := []conf.Directive{
		{"daemonize", "no"}, {"supervised", "no"}, {"pidfile", ""},
		{"logfile", ""}, {"loglevel", "notice"},
		{"dir", o.dir()},
		{"unixsocket", o.Options.Addr}, {"unixsocketperm", "700"},
	}
	if o.port == nil {
		return append(all, conf.Directive{"port", "0"})
	}
	all = append(all, conf.Directive{"port", strconv.Itoa(int(o.port.Port()))}, conf.Directive{"bind", o.port.Addr().String()})
	// A digest in place of a password, of which 256 bits cannot be guessed. It is in force before
	// the server listens.
	// https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/
	user := conf.Directive{"user", "default", "on", fmt.Sprintf("#%x", sha256.Sum256([]byte(o.password))), "~*", "+@all"}
	if o.program.Version >= 60200 {
		user = append(user, "&*")
	}
	return append(all, conf.Directive{"protected-mode", "no"}, user)
}

// write creates a file of the server's user, and syncs it.
func (o *Own) write(path, text string) error {
	err := life.WriteFile(path, os.O_CREATE|os.O_EXCL, text, o.User, true)
	return errors.Join(err, syncDir(filepath.Dir(path)))
}

// syncDir makes the creation of a file in a directory durable.
func syncDir(dir string) error {
	at, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(at.Sync(), at.Close())
}
