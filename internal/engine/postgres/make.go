package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/experiment"
	"plinth/internal/host/launch"
)

// make runs initdb and writes the settings, unless that was done before.
func (o *Own) make(ctx context.Context) error {
	switch made, err := o.process.Made(); {
	case err != nil || made:
		return err
	}
	declared := normalised(o.Experiment.SettingsOf(o.Environment))
	if err := checkSettings(ctx, o.Launcher, o.Programs, declared); err != nil {
		return err
	}
	args := []string{
		"-D", o.DataDir, "-U", "plinth", "--encoding=UTF8", "--locale=C",
		// Whoever can enter the private directory of the socket may log in; there
		// is no other way in.
		"--auth=trust",
		// When it is killed, its lock file must stay: it leads to the shared memory.
		"--no-clean",
	}
	if o.WALDir != "" {
		args = append(args, "--waldir", o.WALDir)
	}
	// The files of an empty cluster may be lost with the machine, nothing else is
	// meant: the server itself syncs as it always does. A power cut must find them.
	if o.Experiment.Durability.Fault == "" {
		args = append(args, "--no-sync")
	}
	var said strings.Builder
	err := install.Run(ctx, o.Launcher, launch.Command{
		Path: o.Programs.Initdb, Args: args, Env: install.Env(), Dir: o.DataDir, User: o.User, Stdout: &said, Stderr: &said,
	})
	if err == nil {
		err = o.configure()
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return startHint(fmt.Errorf("cannot make a PostgreSQL server: %w", programError(said.String(), err, "initdb: error: ", "FATAL:  ", "PANIC:  ")))
	}
	return nil
}

// configure writes plinth's own configuration file, which is read last. That it
// is there says that the server is complete, so it is written last, too. The
// directory belongs to User, who may be less trusted than plinth: no symbolic
// link is followed.
func (o *Own) configure() error {
	err := o.write("postgresql.conf", os.O_APPEND, "\ninclude '"+settingsFile+"'\n")
	if err != nil {
		return err
	}
	return o.write(settingsFile, os.O_CREATE|os.O_EXCL, "# written by plinth\n"+settingsText(o.settings()))
}

func (o *Own) write(name string, flags int, text string) error {
	return life.WriteFile(filepath.Join(o.DataDir, name), flags, text, o.User, o.Experiment.Durability.Fault != "")
}

// settings are what the experiment declares and what keeps the server private.
func (o *Own) settings() map[string]string {
	// It says more of what it does than it would by itself: the time that reading, writing
	// and syncing take, and its checkpoints and autovacuum's runs in its log. It is the same
	// in every environment, observed or not, so that what it costs is no difference between
	// them; an experiment's own settings go before it.
	// https://www.postgresql.org/docs/current/runtime-config-statistics.html
	settings := map[string]string{"track_io_timing": "on", "log_checkpoints": "on", "log_autovacuum_min_duration": "0"}
	if o.Programs.Version >= 14 {
		settings["track_wal_io_timing"] = "on"
	}
	settings["max_connections"] = strconv.Itoa(enoughConnections(o.Experiment))
	// Temporary files are where they have a volume. The server bears that the tablespace is
	// not there yet; ALTER DATABASE would have to be said again whenever the database is made
	// anew.
	if o.TempDir != "" {
		settings[tempSetting] = tempTablespace
	}
	maps.Copy(settings, normalised(o.Experiment.SettingsOf(o.Environment)))
	maps.Copy(settings, map[string]string{
		"cluster_name":            "plinth",
		"lc_messages":             "C", // its log is read
		"listen_addresses":        "",
		"port":                    ownPort,
		"unix_socket_directories": `"` + strings.ReplaceAll(o.SocketDir, `"`, `""`) + `"`,
		"unix_socket_permissions": "0700",
	})
	return settings
}

// spareConnections is what a server of plinth's own allows beyond the most that
// is needed, where the experiment does not say.
const spareConnections = 8

// enoughConnections is max_connections of a server of plinth's own unless said.
func enoughConnections(exp *experiment.Experiment) int {
	return max(connectionsMin, exp.Connections()+experiment.OwnSessions+len(exp.Events)+spareConnections)
}

// programError is what a program printed as its error, after one of marks.
func programError(said string, otherwise error, marks ...string) error {
	for line := range strings.Lines(said) {
		for _, mark := range marks {
			if _, words, found := strings.Cut(strings.TrimSpace(line), mark); found {
				return errors.New(words)
			}
		}
	}
	return otherwise
}
