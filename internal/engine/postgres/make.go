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
	"plinth/internal/engine/postgres/setting"
	"plinth/internal/host/launch"
)

// make runs initdb and writes the settings, unless that was done before. Servers that share their data
// write their settings before each start.
func (o *Own) make(ctx context.Context) error {
	switch made, err := o.process.Made(); {
	case err != nil:
		return err
	case made && (o.shared || o.owner != nil):
		return o.rewriteSettings()
	case made:
		return nil
	case o.owner != nil:
		return errors.New("cannot share the data of a server that does not exist yet")
	}
	declared := normalised(o.Experiment.SettingsOf(o.Environment))
	if err := checkSettings(ctx, o.Launcher, o.Programs, declared); err != nil {
		return err
	}
	args := []string{
		"-D", o.DataDir, "-U", "plinth", "--encoding=UTF8", "--locale=C",
		// Any user who can enter the private directory of the socket may log in; other access is
		// limited to that of load generators on other machines.
		"--auth=trust",
		// If initdb is killed, its lock file must stay: it leads to the shared memory.
		"--no-clean",
	}
	if o.WALDir != "" {
		args = append(args, "--waldir", o.WALDir)
	}
	// --no-sync affects initdb alone: a machine crash may lose an empty cluster, and the server itself syncs as usual. Before an injected power cut, the files must be on disk.
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
		return startHint(fmt.Errorf("cannot create a PostgreSQL server: %w", programError(said.String(), err, "initdb: error: ", "FATAL:  ", "PANIC:  ")))
	}
	return nil
}

// configure writes plinth's own configuration file, which the server reads last. The file is also
// written last, because its existence marks a complete server. The directory belongs to User, who
// may be less trusted than plinth: no symbolic link is followed.
func (o *Own) configure() error {
	err := o.write("postgresql.conf", os.O_APPEND, "\ninclude '"+settingsFile+"'\n")
	if err == nil {
		err = o.writeAdmission()
	}
	if err == nil {
		err = o.writeCertificate()
	}
	if err != nil {
		return err
	}
	return o.write(settingsFile, os.O_CREATE|os.O_EXCL, settingsText(o.settings()))
}

// rewriteSettings replaces the settings of the server that has used the data before.
func (o *Own) rewriteSettings() error {
	err := o.write(settingsFile, os.O_TRUNC, settingsText(o.settings()))
	if err != nil {
		return fmt.Errorf("cannot write the server's settings: %w", err)
	}
	return nil
}

func (o *Own) write(name string, flags int, text string) error {
	return life.WriteFile(filepath.Join(o.DataDir, name), flags, text, o.User, o.Experiment.Durability.Fault != "")
}

// settings returns the declared settings, the defaults, and those that keep the server private.
func (o *Own) settings() map[string]string {
	settings := setting.Observing(o.Programs.Version)
	settings["max_connections"] = strconv.Itoa(o.Experiment.EnoughConnections())
	// Temporary files go to their volume, if there is one. The server accepts a tablespace that
	// does not exist yet; ALTER DATABASE would have to be repeated whenever the database is
	// created anew.
	if o.TempDir != "" {
		settings[tempSetting] = tempTablespace
	}
	maps.Copy(settings, normalised(o.Experiment.SettingsOf(o.Environment)))
	maps.Copy(settings, o.encryption())
	address := ""
	if o.Access != nil {
		address = o.Access.Address.Unmap().String()
	}
	maps.Copy(settings, map[string]string{
		"cluster_name":            "plinth",
		"lc_messages":             "C", // plinth parses its log
		"log_destination":         "stderr",
		"logging_collector":       "off", // "on" in the configuration file of Red Hat's packages
		"listen_addresses":        address,
		"port":                    strconv.Itoa(int(o.portNumber())),
		"unix_socket_directories": `"` + strings.ReplaceAll(o.SocketDir, `"`, `""`) + `"`,
		"unix_socket_permissions": "0700",
	})
	return settings
}

// programError returns the error that a program printed after one of marks, else otherwise.
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
