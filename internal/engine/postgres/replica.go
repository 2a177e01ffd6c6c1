package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/client"
)

// replicaName is the replica's application_name at its primary, and the name of the replication
// slot that makes the primary keep what it has not sent yet.
const replicaName = "plinth_replica"

var _ engine.Replicator = (*Own)(nil)

// Follow makes the server a streaming standby of primary, from a base backup into emptied
// directories. pg_rewind would copy less, but it needs a primary with the same data pages as the
// standby, which a primary that has lost data does not have.
//
// https://www.postgresql.org/docs/current/warm-standby.html#STREAMING-REPLICATION
func (o *Own) Follow(ctx context.Context, primary engine.Server, progress func(engine.Progress)) error {
	p, is := primary.(*Own)
	if !is {
		return errors.New("cannot follow a server that is not plinth's own")
	}
	o.primary = nil
	err := o.follow(ctx, p, progress)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("cannot create a replica of the server of %s: %w", p.Environment.Name, err)
	}
	return err
}

func (o *Own) follow(ctx context.Context, p *Own, progress func(engine.Progress)) error {
	if err := o.end(); err != nil {
		return err
	}
	o.close()
	o.process.Process = nil
	if err := p.stopReplication(ctx); err != nil {
		return err
	}
	if progress != nil {
		progress(engine.Progress{Step: "base backup"})
	}
	if err := o.copyOf(ctx, p); err != nil {
		return err
	}
	o.primary = p
	if err := o.Start(ctx); err != nil {
		return err
	}
	if err := o.awaitFed(ctx); err != nil {
		return err
	}
	if !p.Environment.Replica.Synchronous {
		return nil
	}
	return p.reconfigure(ctx, "ALTER SYSTEM SET synchronous_standby_names = '"+replicaName+"'")
}

// stopReplication makes commits wait for no replica any longer, and drops the replication slot of a
// former one.
func (o *Own) stopReplication(ctx context.Context) error {
	if err := o.reconfigure(ctx, "ALTER SYSTEM RESET synchronous_standby_names"); err != nil {
		return err
	}
	const drop = `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '` + replicaName + `'`
	const end = `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = '` + replicaName + `' AND active`
	var failed error
	err := life.Poll(ctx, startingLimit, func() bool {
		failed = o.exec(ctx, o.current(), end)
		if failed == nil {
			failed = o.exec(ctx, o.current(), drop)
		}
		return client.State(failed) != client.StateInUse
	})
	if failed != nil {
		return fmt.Errorf("cannot drop its replication slot: %w", o.because(ctx, failed))
	}
	return err
}

// reconfigure changes a setting and reloads the configuration.
func (o *Own) reconfigure(ctx context.Context, alter string) error {
	for _, sql := range []string{alter, "SELECT pg_reload_conf()"} {
		if err := o.exec(ctx, o.current(), sql); err != nil {
			return fmt.Errorf("cannot change synchronous_standby_names: %w", o.because(ctx, err))
		}
	}
	return nil
}

// awaitFed waits until the replica has replayed everything that its primary has written so far.
func (o *Own) awaitFed(ctx context.Context) error {
	var wanted string
	err := o.primary.use(ctx, o.primary.current(), func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT pg_current_wal_lsn()::text").Scan(&wanted)
	})
	if err != nil {
		return o.primary.because(ctx, err)
	}
	var failed error
	late := life.Poll(ctx, startLimit, func() bool {
		if life.Ended(o.process) {
			failed = o.startError(ctx)
			return true
		}
		var there bool
		failed = o.primary.use(ctx, o.primary.current(), func(conn *pgx.Conn) error {
			return conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_replication
				WHERE application_name = $1 AND state = 'streaming' AND replay_lsn >= $2::text::pg_lsn)`, replicaName, wanted).Scan(&there)
		})
		return there || failed != nil
	})
	if late != nil {
		return fmt.Errorf("it did not catch up with its primary: %s: %w", life.LastLine(o.log.String()), late)
	}
	return failed
}

// Promote makes a replica whose primary is gone accept writes.
func (o *Own) Promote(ctx context.Context) (took time.Duration, err error) {
	began := time.Now()
	var done bool
	err = o.use(ctx, "", func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT pg_promote(true, 300) AND NOT pg_is_in_recovery()").Scan(&done)
	})
	switch {
	case err != nil:
		return 0, fmt.Errorf("cannot promote the replica: %w", o.because(ctx, err))
	case !done:
		return 0, errors.New("cannot promote the replica: it is still a replica after 5 minutes")
	}
	o.primary = nil
	return time.Since(began), nil
}

// Lag returns how many bytes of the primary's write-ahead log the replica has not replayed.
func (o *Own) Lag(ctx context.Context) (bytes int64, err error) {
	if o.primary == nil {
		return 0, errors.New("cannot read the lag of a server that is not a replica")
	}
	err = o.primary.use(ctx, o.primary.current(), func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT greatest(0, pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))::bigint
			FROM pg_stat_replication WHERE application_name = $1 AND replay_lsn IS NOT NULL`, replicaName).Scan(&bytes)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = errors.New("the replica has lost the connection to its primary")
	}
	if err != nil {
		return 0, fmt.Errorf("cannot read the replica's lag: %w", err)
	}
	return bytes, nil
}
