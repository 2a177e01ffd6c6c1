package postgres

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"plinth/internal/record"
)

// relations lists the tables and indexes that are not part of PostgreSQL, with their sizes; a
// partition counts towards its parent. A table's size includes its TOAST table, free space map
// and visibility map.
const relations = `
WITH relation AS (
	SELECT coalesce(pg_partition_root(c.oid)::oid, c.oid) AS root, c.relkind,
		CASE WHEN c.relkind IN ('r', 'm') THEN greatest(c.reltuples, 0) ELSE 0 END AS rows,
		CASE WHEN c.relkind IN ('r', 'm') THEN pg_table_size(c.oid)
			WHEN c.relkind = 'i' THEN pg_relation_size(c.oid) ELSE 0 END AS bytes
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'p', 'm', 'i', 'I') AND c.relpersistence <> 't'
	AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
), total AS (
	SELECT root, sum(rows)::bigint AS rows, sum(bytes)::bigint AS bytes FROM relation GROUP BY root
)
SELECT CASE WHEN n.nspname = 'public' THEN c.relname ELSE n.nspname || '.' || c.relname END,
	CASE WHEN c.relkind IN ('i', 'I') THEN 'index' ELSE 'table' END,
	coalesce(t.relname, ''), total.rows, total.bytes, coalesce(s.spcname, '')
FROM total JOIN pg_class c ON c.oid = total.root JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_index i ON i.indexrelid = c.oid LEFT JOIN pg_class t ON t.oid = i.indrelid
LEFT JOIN pg_tablespace s ON s.oid = c.reltablespace
ORDER BY coalesce(t.relname, c.relname), 2 DESC, 1`

// readDataset reads the size and contents of the dataset.
func (d *database) readDataset(ctx context.Context, conn *pgx.Conn) (*record.Dataset, error) {
	dataset := &record.Dataset{
		Loaded: d.loadTime.UTC(), Duration: d.loadDuration.Seconds(), Tables: []record.Table{},
	}
	rows, err := conn.Query(ctx, relations)
	if err != nil {
		return nil, err
	}
	var t record.Table
	_, err = pgx.ForEachRow(rows, []any{&t.Name, &t.Kind, &t.Table, &t.Rows, &t.Bytes, &t.Tablespace}, func() error {
		dataset.Tables = append(dataset.Tables, t)
		dataset.Rows += t.Rows
		dataset.Bytes += t.Bytes
		return nil
	})
	if err != nil {
		return nil, err
	}
	if dataset.Tablespaces, err = d.readTablespaces(ctx, conn); err != nil {
		return nil, err
	}
	if dataset.Duration > 0 {
		dataset.RowsPerSecond = float64(dataset.Rows) / dataset.Duration
	}
	var pages, size string
	err = conn.QueryRow(ctx, `SELECT setting, current_setting('block_size') FROM pg_settings
		WHERE name = 'shared_buffers'`).Scan(&pages, &size)
	if err != nil {
		return nil, err
	}
	n, _ := strconv.ParseInt(pages, 10, 64) // from the server: they parse
	each, _ := strconv.ParseInt(size, 10, 64)
	dataset.SharedBuffers = n * each
	return dataset, nil
}

// tablespacesSQL lists the tablespaces that hold parts of the dataset, and the given ones.
const tablespacesSQL = `
WITH place AS (
	SELECT c.reltablespace AS oid, sum(CASE WHEN c.relkind = 'i' THEN pg_relation_size(c.oid) ELSE pg_table_size(c.oid) END)::bigint AS bytes
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'm', 'i') AND c.relpersistence <> 't'
	AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
	GROUP BY 1
)
SELECT s.spcname, pg_tablespace_location(s.oid), coalesce(place.bytes, 0)
FROM pg_tablespace s LEFT JOIN place ON place.oid = s.oid
WHERE place.oid IS NOT NULL OR s.spcname = ANY ($1) ORDER BY 1`

// readTablespaces reads which parts of the dataset are outside of the database's default
// tablespace.
func (d *database) readTablespaces(ctx context.Context, conn *pgx.Conn) ([]record.Tablespace, error) {
	made := []string{}
	for _, place := range d.places() {
		made = append(made, place.Name)
	}
	rows, err := conn.Query(ctx, tablespacesSQL, made)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[record.Tablespace])
}
