package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"plinth/internal/conninfo"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/leftover"
	"plinth/internal/hint"
	"plinth/internal/journal"
)

// The kinds of change that a server makes beyond its own directories.
const (
	kindServer   = "postgres-server"
	kindDatabase = "postgres-database"
)

// madeServer is a server of plinth's own in a data directory. Without a socket
// directory, its sockets are left to whoever removes that.
type madeServer struct {
	DataDir   string `json:"data_dir"`
	SocketDir string `json:"socket_dir"`
}

// madeDatabase is a database in a server that was already there. Conninfo has no
// password: whoever undoes it gives it as libpq's clients are given it.
type madeDatabase struct {
	Conninfo string `json:"conninfo"`
	Database string `json:"database"`
}

// Undoers undo what servers of this package have left behind: processes, sockets
// and shared memory of plinth's own, the databases in others.
func (Kind) Undoers() journal.Undoers {
	return journal.Undoers{kindServer: undoServer, kindDatabase: undoDatabase}
}

func undoServer(ctx context.Context, args json.RawMessage) error {
	var made madeServer
	if err := json.Unmarshal(args, &made); err != nil || !filepath.IsAbs(made.DataDir) {
		return errors.Join(errors.New("cannot undo the start of a server: the journal does not say which"), err)
	}
	return leftover.Clear(ctx, made.DataDir, made.SocketDir)
}

func undoDatabase(ctx context.Context, args json.RawMessage) error {
	var made madeDatabase
	if err := json.Unmarshal(args, &made); err != nil || !ownDatabase.MatchString(made.Database) {
		return errors.Join(errors.New("cannot drop a database: the journal does not say which"), err)
	}
	info, err := conninfo.Conninfo(made.Conninfo).Parameters()
	if err != nil {
		return fmt.Errorf("cannot drop database %s: the connection string in the journal %w", made.Database, err)
	}
	s := &session{}
	if s.config, err = client.Config(info); err != nil {
		return err
	}
	defer s.close()
	if err := s.dropDatabase(ctx, made.Database); err != nil {
		return hint.Wrap(fmt.Errorf("cannot drop database %s at %s: %w", made.Database, info.Get("host"), err),
			"the password is not kept: give it by PGPASSWORD or a password file")
	}
	return nil
}

// dropDatabase drops a database if it is there, whoever still uses it. While
// autovacuum is at work in it, FORCE takes the rights of a superuser: its worker
// is nobody's. Without FORCE the server ends the worker by itself, and waits a
// few seconds for others to leave.
func (s *session) dropDatabase(ctx context.Context, name string) error {
	drop := "DROP DATABASE IF EXISTS " + identifier(name)
	err := s.exec(ctx, "", drop+" WITH (FORCE)")
	if client.State(err) == client.StateDenied {
		err = s.exec(ctx, "", drop)
	}
	return err
}

// takeNote journals a change of kind once; args are what undoes it.
func (d *database) takeNote(kind string, args any) error {
	if d.note != nil {
		return nil
	}
	entry, err := d.Journal.Note(kind, args)
	if err == nil {
		d.note = &entry
	}
	return err
}

// forgetNote says that the change is undone.
func (d *database) forgetNote() error {
	if d.note == nil {
		return nil
	}
	err := d.Journal.Forget(*d.note)
	if err == nil {
		d.note = nil
	}
	return err
}

// noteDatabase journals plinth's database before it is made. One that is there
// already is somebody else's.
func (c *Connected) noteDatabase(ctx context.Context) error {
	if c.note != nil {
		return nil
	}
	var there bool
	err := c.use(ctx, "", func(conn *pgx.Conn) error {
		const sql = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)"
		return conn.QueryRow(ctx, sql, c.name).Scan(&there)
	})
	switch {
	case err != nil:
		return err
	case there:
		return fmt.Errorf("cannot make database %s: it is there already", c.name)
	}
	maintenance := c.public.With("dbname", c.config.Database)
	return c.takeNote(kindDatabase, madeDatabase{maintenance.String(), c.name})
}
