package postgres

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// Probe finds what is wrong with an environment before anything is created: missing server
// programs, settings that they reject, a server that can't be reached or must not be used, too
// few connections.
func (Kind) Probe(ctx context.Context, exp *experiment.Experiment, env experiment.Environment) error {
	var err error
	if env.Connect.Secret() == "" {
		err = probeOwn(ctx, launch.NewLocal(), exp, env)
	} else {
		err = probeConnected(ctx, exp, env)
	}
	if err != nil {
		return fmt.Errorf("environment %s: %w", env.Name, err)
	}
	return nil
}

func probeOwn(ctx context.Context, launcher launch.Launcher, exp *experiment.Experiment, env experiment.Environment) error {
	programs, err := install.FindPrograms(env.Postgres.Version, env.Postgres.Directory)
	if err != nil {
		return err
	}
	if err := checkOwnTablespaces(exp, env); err != nil {
		return err
	}
	if env.Storage.Temp.There() {
		if err := checkTemp(exp, env); err != nil {
			return err
		}
	}
	return checkSettings(ctx, launcher, programs, normalised(exp.SettingsOf(env)))
}

func probeConnected(ctx context.Context, exp *experiment.Experiment, env experiment.Environment) error {
	c, err := NewConnected(Config{Config: engine.Config{Experiment: exp, Environment: env, RunID: "probe"}})
	if err != nil {
		return err
	}
	defer c.close()
	return c.examine(ctx)
}

// situation holds what a server reports about itself and plinth's user.
type situation struct {
	version                              int
	text                                 string
	standby, readOnly, mayCreate, super  bool
	connections, reserved, inUse, perUse int // perUse is the user's own limit, -1 for none
}

const situationSQL = `SELECT current_setting('server_version_num')::int, current_setting('server_version'),
	pg_is_in_recovery(), current_setting('default_transaction_read_only')::bool,
	r.rolsuper OR r.rolcreatedb, r.rolsuper,
	current_setting('max_connections')::int,
	current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true), '0')::int,
	(SELECT coalesce(sum(numbackends), 0) FROM pg_stat_database)::int, r.rolconnlimit
	FROM pg_roles r WHERE r.rolname = current_user`

// examine connects to the server and returns an error if it can't be used.
func (c *Connected) examine(ctx context.Context) error {
	var s situation
	err := c.use(ctx, c.current(), func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, situationSQL).Scan(&s.version, &s.text, &s.standby, &s.readOnly,
			&s.mayCreate, &s.super, &s.connections, &s.reserved, &s.inUse, &s.perUse)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return c.connectError(err)
	}
	if err := s.refuse(c.Experiment); err != nil {
		return err
	}
	return c.checkTablespaces(ctx)
}

// connectError says which server could not be reached, and why.
func (c *Connected) connectError(err error) error {
	config := c.config
	address := config.Host
	if address == "" || address[0] != '/' {
		address = net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	}
	err = fmt.Errorf("cannot connect to %s as %s: %w", address, config.User, err)
	switch client.State(err) {
	case client.StateBadPassword, client.StateBadAuth:
		return hint.Wrap(err, "give the password in PGPASSWORD or a password file (PGPASSFILE, ~/.pgpass)")
	case client.StateNoDatabase:
		return hint.Wrap(err, "give the name of an existing database, such as postgres; plinth connects there to create its own")
	case "":
		return hint.Wrap(err, "check that the server is running and that this machine may connect to it")
	}
	return err
}

func (s situation) refuse(exp *experiment.Experiment) error {
	switch {
	case s.version < install.OldestVersion*10000:
		return fmt.Errorf("the server is PostgreSQL %s, older than %d, the oldest version that plinth supports", s.text, install.OldestVersion)
	case s.standby:
		return hint.Errorf("connect to the primary", "the server is a standby, which accepts no writes")
	case s.readOnly:
		return hint.Errorf("set default_transaction_read_only to off for the user",
			"the server is read-only (default_transaction_read_only is on)")
	case !s.mayCreate:
		return hint.Errorf("run ALTER ROLE ... CREATEDB", "the user is not allowed to create databases")
	}
	room := s.connections - max(0, s.inUse-1) // inUse includes this session
	why := fmt.Sprintf("max_connections is %d, %d in use", s.connections, max(0, s.inUse-1))
	if !s.super {
		room -= s.reserved
		why += fmt.Sprintf(", %d reserved", s.reserved)
		if s.perUse >= 0 && s.perUse < room {
			room, why = s.perUse, fmt.Sprintf("the user may have %d connections", s.perUse)
		}
	}
	own := experiment.OwnSessions + len(exp.Events)
	if exp.Connections()+own > room {
		return hint.Errorf("lower clients, or raise max_connections",
			"the load needs %d connections, but the server has room for %d (%s, %d for plinth itself)",
			exp.Connections(), max(0, room-own), why, own)
	}
	return nil
}
