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

// database is the database in which one environment's dataset lives. It is the
// same code for every kind of server.
type database struct {
	Config
	session
	name   string
	target engine.Target
	env    launch.Variables // of pgbench

	note *journal.Entry // what undoes it, once it is journaled

	// log is what the server's log says; nil where it can't be read.
	log *serverLog

	checkpointDenied bool
	timer            timer
	loaded           bool
	loadTime         time.Time
	loadDuration     time.Duration
	dataset          *record.Dataset   // as loaded; nil until it was looked at
	units            map[string]string // of settings
	ownTables        []string          // quoted names of the workloads' own tables
}

// Target is how a driver reaches the dataset.
func (d *database) Target() engine.Target { return d.target }

// Statistics is how to reach the dataset's database, for one more session that
// reads statistics while the load runs. It holds the password.
func (d *database) Statistics() *pgx.ConnConfig {
	config := d.config.Copy()
	config.Database = d.name
	return config
}

// drop drops the database if it is there, whoever still uses it.
func (d *database) drop(ctx context.Context) error {
	d.close()
	d.loaded, d.dataset, d.ownTables = false, nil, nil
	return d.dropDatabase(ctx, d.name)
}

// Checkpoint writes out what is dirty. Where it is not permitted it does
// nothing, and Describe says so.
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

// current is the database to be connected to: plinth's own once it is there.
func (d *database) current() string {
	if d.loaded {
		return d.name
	}
	return ""
}

// because is why err happened: the cause in the server's log when a connection
// was lost, else err itself.
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
