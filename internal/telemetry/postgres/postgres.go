// Package postgres reads what a PostgreSQL server (13 to 18) says of itself, second
// by second: its statistics, its sessions and what they wait for, and its log.
//
// It takes one connection of its own for everything. All questions of a second go
// out together and each is answered in a transaction of its own: the numbers are
// fresh, one round trip is enough, and what is refused costs only its own columns.
//
// Statistics are as fresh as the server's own: a session reports what it did when
// it is between two transactions, at most once a second from PostgreSQL 15 on; before,
// a collector gathers it and is up to half a second late. Totals over a run are exact.
// https://www.postgresql.org/docs/current/monitoring-stats.html
package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// Options say which server is read, and what else is known of it.
type Options struct {
	// Config is how to reach the database of the dataset. The application_name is
	// replaced: sessions called "plinth" are not counted.
	Config *pgx.ConnConfig

	// Database is the database of the dataset; "" is the one of Config.
	Database string

	// Backend is the CPU time that a process of the server has used, false where it
	// is not known; nil for a server on another machine.
	Backend func(pid int) (cpu time.Duration, ok bool)

	// Log is the server's own log; nil where it cannot be read.
	Log *telemetry.Log
}

// Lane is the sources of one server. It never blocks: the first reading connects.
func Lane(o Options) telemetry.Lane {
	s := newServer(o)
	lane := telemetry.Lane{Name: "server"}
	for _, q := range questions(o.Log) {
		lane.Sources = append(lane.Sources, s.part(q))
	}
	lane.Sources = append(lane.Sources, own{s}, newWait(s))
	return lane
}

// questions are asked once a second, in this order.
func questions(log *telemetry.Log) []question {
	return []question{
		newPosition(), newDatabase(), newWAL(), newBuffers(), newCheckpoints(log), newIO(),
		&sessions{log: log}, newLocks(), newReplication(), newTables(),
	}
}

// Metrics are all columns that the lane may have.
func Metrics() []metric.Metric {
	var all []metric.Metric
	for _, q := range questions(nil) {
		all = append(all, q.metrics()...)
	}
	return append(append(all, ownTransactions), waitMetrics...)
}

var ownTransactions = metric.Metric{
	Name: "plinth.transactions", Kind: metric.Rate, Unit: "1/s", Source: "plinth",
	Doc:  statisticsDoc + databaseView,
	Help: "Transactions in which plinth itself asked, for samples and for all else: pg_stat_database.xact_commit counts them, too.",
}

// own is what the lane itself adds to what the server counts. It is a source of its
// own, so that it is known whatever the server refuses to tell.
type own struct{ server *server }

// Name is that of its column.
func (own) Name() string { return "plinth" }

// Metrics is its column.
func (own) Metrics() []metric.Metric { return []metric.Metric{ownTransactions} }

// Read puts how many transactions there were so far.
func (o own) Read(_ context.Context, b *telemetry.Board) error {
	b.Put(b.Column(ownTransactions), float64(o.server.own()))
	return nil
}

// Close has nothing to let go of.
func (own) Close() {}
