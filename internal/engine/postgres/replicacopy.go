package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"plinth/internal/conninfo"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/engine/postgres/leftover"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// copyOf copies the directories of primary into the server's own, and makes the server a standby
// that has not started yet.
func (o *Own) copyOf(ctx context.Context, primary *Own) error {
	if err := o.takeNote(kindServer, madeServer{o.DataDir, o.SocketDir}); err != nil {
		return err
	}
	if err := leftover.Clear(ctx, o.DataDir, o.SocketDir); err != nil {
		return err
	}
	spaces, err := o.mapping(primary)
	if err != nil {
		return err
	}
	for _, dir := range o.directories() {
		if err := empty(dir); err != nil {
			return fmt.Errorf("cannot empty the directory of the previous server: %w", err)
		}
	}
	program, err := o.basebackup()
	if err != nil {
		return err
	}
	args := []string{
		"--dbname=" + primary.feeding().String(), "--pgdata=" + o.DataDir,
		"--checkpoint=fast", "--wal-method=stream", "--create-slot", "--slot=" + replicaName, "--no-password",
	}
	if o.WALDir != "" {
		args = append(args, "--waldir="+o.WALDir)
	}
	if o.Experiment.Durability.Fault == "" { // else a power cut must find the files
		args = append(args, "--no-sync")
	}
	var said strings.Builder
	err = install.Run(ctx, o.Launcher, launch.Command{
		Path: program, Args: append(args, spaces...), Env: install.Env(), Dir: o.DataDir, User: o.User, Stdout: &said, Stderr: &said,
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fullHint(fmt.Errorf("base backup: %w", programError(said.String(), err, "pg_basebackup: error: ")))
	}
	return o.stand(primary)
}

// stand writes the files that make the copy a standby. It replaces the copy of the primary's
// configuration file.
func (o *Own) stand(primary *Own) error {
	if err := os.Remove(filepath.Join(o.DataDir, settingsFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	settings := map[string]string{"wal_retrieve_retry_interval": "200ms"} // a primary that was down is found again soon
	maps.Copy(settings, o.settings())
	maps.Copy(settings, map[string]string{
		"primary_conninfo":  primary.feeding().With("application_name", replicaName).String(),
		"primary_slot_name": replicaName, "hot_standby": "on", "recovery_target_timeline": "latest",
	})
	if err := o.write("standby.signal", os.O_CREATE|os.O_EXCL, ""); err != nil {
		return err
	}
	return o.write(settingsFile, os.O_CREATE|os.O_EXCL, settingsText(settings))
}

// feeding returns how a replica reaches the server: by its private socket, as the replica's
// processes run as the same user.
func (o *Own) feeding() conninfo.Parameters {
	return o.socket().With("sslmode", "disable")
}

// mapping returns pg_basebackup's options that place the tablespaces. Without them it would use
// the directories of the primary.
func (o *Own) mapping(primary *Own) ([]string, error) {
	own := map[string]string{}
	for _, place := range o.places() {
		own[place.Name] = place.Dir
	}
	escape := strings.NewReplacer("=", `\=`)
	var args []string
	for _, place := range primary.places() {
		dir, there := own[place.Name]
		if !there {
			return nil, hint.Errorf("add it to replica.storage", "the replica has no volume for tablespace %s", place.Name)
		}
		delete(own, place.Name)
		args = append(args, "--tablespace-mapping="+escape.Replace(place.Dir)+"="+escape.Replace(dir))
	}
	for name := range own {
		return nil, hint.Errorf("add it to storage as well", "the replica has a volume for tablespace %s, but its primary has none", name)
	}
	return args, nil
}

// directories returns every directory in which the server keeps files.
func (o *Own) directories() []string {
	all := []string{o.DataDir}
	if o.WALDir != "" {
		all = append(all, o.WALDir)
	}
	for _, place := range o.places() {
		all = append(all, place.Dir)
	}
	return all
}

// empty removes the contents of a directory. It may belong to a less trusted user, so nothing
// outside of it is removed, wherever symbolic links lead.
func empty(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // nothing was written
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := root.RemoveAll(entry.Name()); err != nil {
			return err
		}
	}
	return nil
}

// basebackup finds pg_basebackup: that of the server's own programs, or else another one that is
// not older. A newer one supports older servers.
func (o *Own) basebackup() (string, error) {
	const name = "pg_basebackup"
	for _, dir := range append([]string{filepath.Dir(o.Programs.Postgres)}, append(install.BinDirs(), install.PackageDirs()...)...) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			continue
		}
		text, err := install.VersionOf(o.Launcher, path)
		if err != nil {
			continue
		}
		if version, err := install.MajorVersion(text); err == nil && version >= o.Programs.Version {
			return path, nil
		}
	}
	return "", hint.Errorf(launch.Install("pg_basebackup"),
		"a replica needs %s of PostgreSQL %d or later, which is not installed", name, o.Programs.Version)
}
