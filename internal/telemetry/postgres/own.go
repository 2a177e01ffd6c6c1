package postgres

import (
	"context"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

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
