package postgres

import (
	"context"
	"fmt"

	"plinth/internal/engine"
	"plinth/internal/hint"
)

var _ engine.Warmer = (*Own)(nil)

// prewarm reads all tables and indexes of the database into shared buffers, the
// smallest first, so that where they do not fit the last and largest pushes out what
// the load would push out as well.
const prewarm = `SELECT sum(pg_prewarm(oid)) FROM (
	SELECT oid FROM pg_class WHERE relkind IN ('r', 'i', 'm') AND relpersistence = 'p' ORDER BY relpages) AS all_relations`

// Warm reads the dataset into shared buffers and the page cache, by the extension
// pg_prewarm (PostgreSQL, Additional Supplied Modules).
func (d *database) Warm(ctx context.Context) error {
	for _, statement := range []string{"CREATE EXTENSION IF NOT EXISTS pg_prewarm", prewarm} {
		if err := d.exec(ctx, d.name, statement); err != nil {
			return hint.Wrap(fmt.Errorf("cannot read the dataset into memory: %w", d.because(ctx, err)),
				"install PostgreSQL's additional modules (postgresql-contrib), or leave out caches: prewarm")
		}
	}
	return nil
}
