package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/relation"
)

// Limits of a reading of the dataset's relations between two runs: how many are listed one by one, and how
// long each of its seven queries may take.
const (
	mostRelations  = 200
	relationsLimit = 5 * time.Second
)

// Relations reads the statistics of the dataset's tables and indexes, over a connection of its own: the loss
// of that connection says nothing about a run.
func (d *database) Relations(ctx context.Context) ([]byte, error) {
	conn, err := pgx.ConnectConfig(ctx, d.Statistics())
	if err != nil {
		return nil, fmt.Errorf("cannot connect to read the statistics: %w", client.Plain(err))
	}
	defer client.Leave(conn)
	reading, err := relation.From(ctx, conn, relation.Options{Most: mostRelations, Limit: relationsLimit})
	if err != nil {
		return nil, err
	}
	return reading.Compressed()
}
