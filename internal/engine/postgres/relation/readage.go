package relation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"plinth/internal/hint"
)

// mostParts is how many partitions of a table are read: the largest.
const mostParts = 1000

// tableSQL finds a table and its column. The type is empty if there is no such column.
const tableSQL = `SELECT c.oid, n.nspname::text, c.relkind = 'p', coalesce(t.typname::text, ''), coalesce(has_column_privilege(c.oid, a.attnum, 'SELECT'), false),
	(CASE WHEN t.typname = 'timestamptz' THEN extract(epoch FROM now()) ELSE extract(epoch FROM localtimestamp) END)::float8
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = $3 AND a.attnum > 0 AND NOT a.attisdropped
	LEFT JOIN pg_type t ON t.oid = a.atttypid AND t.typnamespace = 'pg_catalog'::regnamespace
	WHERE c.relname = $2 AND ($1 = '' OR n.nspname = $1) AND c.relkind IN ('r', 'p', 'm')
	AND ($1 <> '' OR n.nspname NOT IN ('pg_catalog', 'information_schema'))`

// partsSQL reads the statistics of the column $1 in a table or its partitions. It locks no table and reads no row.
// What is exclusively locked has the size of its last vacuum, and no bound.
const partsSQL = `WITH RECURSIVE tree AS (
		SELECT OID::oid AS oid
		UNION ALL SELECT h.inhrelid FROM tree JOIN pg_class k ON k.oid = tree.oid AND k.relkind = 'p' JOIN pg_inherits h ON h.inhparent = k.oid
	), parts AS (
		SELECT c.oid, n.nspname, c.relname, c.reltuples::float8 AS rows, c.relpages, c.relpartbound, l.relation IS NOT NULL AS locked, count(*) OVER () AS members
		FROM tree JOIN pg_class c ON c.oid = tree.oid JOIN pg_namespace n ON n.oid = c.relnamespace
		LEFT JOIN (SELECT DISTINCT relation FROM pg_locks WHERE locktype = 'relation' AND mode = 'AccessExclusiveLock'
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) l ON l.relation = c.oid
		WHERE c.relkind IN ('r', 'm') ORDER BY c.relpages DESC, c.oid LIMIT MOST
	)
	SELECT p.members, p.nspname::text, p.relname::text,
	coalesce(CASE WHEN NOT p.locked THEN pg_table_size(p.oid) END, p.relpages * current_setting('block_size')::bigint), p.rows,
	coalesce(CASE WHEN NOT p.locked THEN pg_get_expr(p.relpartbound, p.oid) END, ''),
	s.null_frac IS NOT NULL, coalesce(s.null_frac, 0)::float8,
	array(SELECT VALUE FROM unnest(s.most_common_vals::text::TYPE[]) WITH ORDINALITY u(v, n) ORDER BY n),
	coalesce(s.most_common_freqs::float8[], '{}'),
	array(SELECT VALUE FROM unnest(s.histogram_bounds::text::TYPE[]) WITH ORDINALITY u(v, n) ORDER BY n)
	FROM parts p LEFT JOIN pg_stats s ON s.schemaname = p.nspname AND s.tablename = p.relname AND s.attname = $1 AND NOT s.inherited
	ORDER BY p.nspname, p.relname`

// Values as numbers. An infinite time is far away.
const (
	timeValue   = `CASE WHEN isfinite(v) THEN extract(epoch FROM v)::float8 WHEN v > 'epoch' THEN 1e15::float8 ELSE -1e15::float8 END`
	numberValue = `v::float8`
)

// valueOf maps the types that a column can have to SQL.
var valueOf = map[string]string{
	"timestamptz": timeValue, "timestamp": timeValue, "date": timeValue,
	"int2": numberValue, "int4": numberValue, "int8": numberValue,
}

// readAge reads the ages of the rows of a table.
func readAge(ctx context.Context, conn *pgx.Conn, c Column) (Age, error) {
	rows, err := conn.Query(ctx, tableSQL, c.Schema, c.Table, c.Column)
	if err != nil {
		return Age{}, err
	}
	a := Age{Table: Name{Name: c.Table}, Column: c.Column}
	var oid uint32
	var kind string
	var readable bool
	var schemas []string
	_, err = pgx.ForEachRow(rows, []any{&oid, &a.Table.Schema, &a.Partitioned, &kind, &readable, &a.Now}, func() error {
		schemas = append(schemas, a.Table.Schema)
		return nil
	})
	value, can := valueOf[kind]
	switch {
	case err != nil:
		return Age{}, err
	case len(schemas) == 0:
		return Age{}, hint.Errorf(columnHint, "there is no table of %s", c)
	case len(schemas) > 1:
		slices.Sort(schemas)
		return Age{}, hint.Errorf("write the schema, too: SCHEMA.TABLE.COLUMN", "there are tables of %s in several schemas: %s", c, strings.Join(schemas, ", "))
	case kind == "":
		return Age{}, hint.Errorf("give a column of a timestamp, a date or an ascending whole number", "the table has no such column, or its type is not PostgreSQL's own: %s", c)
	case !can:
		return Age{}, hint.Errorf("give a column of a timestamp, a date or an ascending whole number", "%s has the type %s, which has no age", c, kind)
	case !readable:
		return Age{}, hint.Errorf("the role needs the privilege SELECT on the column, or pg_read_all_data", "the role may not see the statistics of %s", c)
	}
	a.Numbers = value == numberValue
	return a, a.readParts(ctx, conn, oid, value, kind)
}

func (a *Age) readParts(ctx context.Context, conn *pgx.Conn, oid uint32, value, kind string) error {
	sql := strings.NewReplacer("OID::", fmt.Sprintf("%d::", oid), "LIMIT MOST", fmt.Sprintf("LIMIT %d", mostParts), "VALUE", value, "TYPE[]", kind+"[]").Replace(partsSQL)
	rows, err := conn.Query(ctx, sql, a.Column)
	if err != nil {
		return err
	}
	var p AgePart
	var members int
	a.Parts = []AgePart{}
	_, err = pgx.ForEachRow(rows, []any{&members, &p.Schema, &p.Name.Name, &p.Size, &p.Rows, &p.Bound, &p.Known, &p.Nulls, &p.Common, &p.Fractions, &p.Bounds}, func() error {
		a.Parts = append(a.Parts, p)
		p = AgePart{}
		return nil
	})
	a.Left = max(0, members-len(a.Parts))
	return err
}
