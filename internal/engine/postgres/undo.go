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

// The kinds of change that a server makes outside of its own directories.
const (
	kindServer   = "postgres-server"
	kindDatabase = "postgres-database"
)

// madeServer is plinth's own server in a data directory. Without a socket directory, its sockets
// are removed by the code that removes that directory.
type madeServer struct {
	DataDir   string `json:"data_dir"`
	SocketDir string `json:"socket_dir"`
}

// madeDatabase is a database in a connected server. Conninfo has no password: the process that
// undoes it gets one as any client of libpq does.
type madeDatabase struct {
	Conninfo string `json:"conninfo"`
	Database string `json:"database"`
}

// Undoers returns the functions that undo what servers of this package have left behind:
// processes, sockets and shared memory of plinth's own servers, and databases in connected ones.
func (Kind) Undoers() journal.Undoers {
	return journal.Undoers{kindServer: undoServer, kindDatabase: undoDatabase}
}

func undoServer(ctx context.Context, args json.RawMessage) error {
	var made madeServer
	if err := json.Unmarshal(args, &made); err != nil || !filepath.IsAbs(made.DataDir) {
		return errors.Join(errors.New("cannot undo the start of a server: the journal entry does not identify the server"), err)
	}
	return leftover.Clear(ctx, made.DataDir, made.SocketDir)
}

func undoDatabase(ctx context.Context, args json.RawMessage) error {
	var made madeDatabase
	if err := json.Unmarshal(args, &made); err != nil || !ownDatabase.MatchString(made.Database) {
		return errors.Join(errors.New("cannot drop a database: the journal entry does not identify the database"), err)
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
			"the journal holds no password: give it in PGPASSWORD or a password file")
	}
	return nil
}

// dropDatabase drops a database if it exists, even if sessions still use it. While autovacuum
// works in it, FORCE requires a superuser, because its worker belongs to no user. Without FORCE
// the server ends the worker on its own, and waits a few seconds for other sessions to leave.
func (s *session) dropDatabase(ctx context.Context, name string) error {
	drop := "DROP DATABASE IF EXISTS " + identifier(name)
	err := s.exec(ctx, "", drop+" WITH (FORCE)")
	if client.State(err) == client.StateDenied {
		err = s.exec(ctx, "", drop)
	}
	return err
}

// takeNote journals a change of kind once; args undo it.
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

// forgetNote records that the change is undone.
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

// dropSeries drops the databases of earlier servers of this environment whose journals are lost.
func (c *Connected) dropSeries(ctx context.Context) error {
	if c.Series == "" {
		return nil
	}
	var names []string
	err := c.use(ctx, "", func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT datname FROM pg_database WHERE starts_with(datname, $1)", databasePrefix+c.Series)
		if err == nil {
			names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		return err
	})
	for _, name := range names {
		if err := c.dropDatabase(ctx, name); err != nil {
			return fmt.Errorf("cannot drop database %s, which an earlier agent left: %w", name, err)
		}
	}
	return err
}

// noteDatabase journals plinth's database before it is created. A database that already exists
// belongs to another user.
func (c *Connected) noteDatabase(ctx context.Context) error {
	if c.note != nil {
		return nil
	}
	if err := c.dropSeries(ctx); err != nil {
		return err
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
		return fmt.Errorf("cannot create database %s: it already exists", c.name)
	}
	maintenance := c.public.With("dbname", c.config.Database)
	return c.takeNote(kindDatabase, madeDatabase{maintenance.String(), c.name})
}
