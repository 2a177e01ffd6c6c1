// Package postgres reads a PostgreSQL server (13 to 18) second by second: its statistics,
// its sessions and what they wait for, and its log.
//
// It uses a single connection. All queries of a second are sent together and each is
// answered in a separate transaction: the numbers are fresh, one round trip is enough, and
// a refused query leaves only its own columns empty.
//
// Statistics are as fresh as the server's own: a session reports its activity only when it
// is between two transactions, at most once a second from PostgreSQL 15 on; before 15, a
// collector process gathers the activity and is up to half a second late. Totals over a run
// are exact.
// https://www.postgresql.org/docs/current/monitoring-stats.html
package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// Options select the server to read, and what else is known of it.
type Options struct {
	// Config connects to the database of the dataset. The application_name is replaced:
	// sessions named "plinth" are not counted.
	Config *pgx.ConnConfig

	// Database is the database of the dataset; "" means that of Config.
	Database string

	// Backend returns the CPU time that a server process has used, ok false where it is
	// unknown; nil for a server on another machine.
	Backend func(pid int) (cpu time.Duration, ok bool)

	// Log is the server's log; nil where it cannot be read.
	Log *telemetry.Log
}

// Lane returns the sources of one server. It never blocks: the first reading connects.
func Lane(o Options) telemetry.Lane {
	s := newServer(o)
	lane := telemetry.Lane{Name: "server"}
	for _, q := range questions(o.Log) {
		lane.Sources = append(lane.Sources, s.part(q))
	}
	lane.Sources = append(lane.Sources, own{s}, newWait(s))
	return lane
}

// questions returns what is asked once a second, in order.
func questions(log *telemetry.Log) []question {
	return []question{
		newPosition(), newDatabase(), newWAL(), newArchiver(), newBuffers(), newCheckpoints(log), newIO(),
		&sessions{log: log}, newLocks(), newReplication(), newTables(),
	}
}

// Metrics returns all columns that the lane may have.
func Metrics() []metric.Metric {
	var all []metric.Metric
	for _, q := range questions(nil) {
		all = append(all, q.metrics()...)
	}
	return append(append(all, ownTransactions, ownCPU), waitMetrics...)
}

var ownTransactions = metric.Metric{
	Name: "plinth.transactions", Kind: metric.Rate, Unit: "1/s", Source: "plinth",
	Doc:  statisticsDoc + databaseView,
	Help: "plinth's own transactions, for its samples and all other queries; pg_stat_database.xact_commit includes them.",
}

var ownCPU = metric.Metric{
	Name: "plinth.cpu", Kind: metric.Rate, Unit: "s/s", Source: "plinth", Doc: statisticsDoc + databaseView,
	Help: "CPU time of the backend that answers plinth's own queries; process.server.backends.cpu includes it.",
}

// own reports what the lane itself adds to the server's counters. It is a separate source,
// so that it is known whatever the server refuses to report.
type own struct{ server *server }

// Name returns the name of the source.
func (own) Name() string { return "plinth" }

// Metrics returns its columns.
func (own) Metrics() []metric.Metric { return []metric.Metric{ownTransactions, ownCPU} }

// Read puts the number of transactions and the CPU time so far.
func (o own) Read(_ context.Context, b *telemetry.Board) error {
	b.Put(b.Column(ownTransactions), float64(o.server.own()))
	if !o.server.spent.known {
		b.Unknown(b.Column(ownCPU), "plinth cannot read the CPU time of its backend")
		return nil
	}
	b.Put(b.Column(ownCPU), o.server.spent.total.Seconds())
	return nil
}

// Close does nothing.
func (own) Close() {}
