package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine"
	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/client"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
	"plinth/internal/record"
)

// database is the database that holds one environment's dataset. Own and Connected share this
// code.
type database struct {
	Config
	session
	name   string
	target engine.Target
	env    launch.Variables // of pgbench

	note *journal.Entry // how to undo its creation, once journaled

	// log is the parsed server log; nil if it cannot be read.
	log *serverLog

	checkpointDenied bool
	timer            timer
	loaded           bool
	loadTime         time.Time
	loadDuration     time.Duration
	dataset          *record.Dataset   // as loaded; nil until it was read
	units            map[string]string // of settings
	ownTables        []string          // quoted names of the workloads' own tables
}

// Target returns how a driver reaches the dataset.
func (d *database) Target() engine.Target { return d.target }

// Statistics returns how to reach the dataset's database with one more session, to read
// statistics under load. It holds the password.
func (d *database) Statistics() *pgx.ConnConfig {
	config := d.config.Copy()
	config.Database = d.name
	return config
}

// drop drops the database if it exists, even if sessions still use it.
func (d *database) drop(ctx context.Context) error {
	d.close()
	d.loaded, d.dataset, d.ownTables = false, nil, nil
	return d.dropDatabase(ctx, d.name)
}

// Checkpoint writes out dirty data. Where it is not permitted it does nothing, and Describe notes
// it.
func (d *database) Checkpoint(ctx context.Context) error {
	if d.checkpointDenied {
		return nil
	}
	err := d.exec(ctx, d.current(), "CHECKPOINT")
	if client.State(err) == client.StateDenied {
		d.checkpointDenied = true
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot checkpoint: %w", d.because(ctx, err))
	}
	return nil
}

// current returns the database to connect to: plinth's own once it is loaded.
func (d *database) current() string {
	if d.loaded {
		return d.name
	}
	return ""
}

// because returns the cause of err: from the server's log if a connection was lost, else err
// itself.
func (d *database) because(ctx context.Context, err error) error {
	if d.log == nil || d.lost == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, life.LogDelay)
	defer cancel()
	t := d.log.Await(ctx, func(t trouble) bool { return t.crash != "" || t.fatal != "" })
	switch {
	case t.crash != "":
		return fmt.Errorf("%s", t.crash)
	case t.fatal != "":
		return fmt.Errorf("%s", t.fatal)
	}
	return err
}

func identifier(name string) string { return pgx.Identifier{name}.Sanitize() }
