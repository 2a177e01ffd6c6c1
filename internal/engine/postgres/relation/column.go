package relation

import (
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"

	"plinth/internal/hint"
)

// Column names a column of a table; Schema may be empty.
type Column struct {
	Schema, Table, Column string
}

const columnHint = `write TABLE.COLUMN or SCHEMA.TABLE.COLUMN, with quotes as in SQL: articles.published, "Old".at`

// columnForm has two or three names, each of which may be quoted.
var columnForm = regexp.MustCompile(`^(?:("(?:[^"]|"")+"|[^".]+)\.)?("(?:[^"]|"")+"|[^".]+)\.("(?:[^"]|"")+"|[^".]+)$`)

// ParseColumn reads TABLE.COLUMN or SCHEMA.TABLE.COLUMN as SQL does: what is not quoted is in lower case.
func ParseColumn(text string) (Column, error) {
	parts := columnForm.FindStringSubmatch(text)
	if parts == nil {
		return Column{}, hint.Errorf(columnHint, "%q is not a column of a table", text)
	}
	for i, part := range parts {
		if inner, quoted := strings.CutPrefix(part, `"`); quoted {
			parts[i] = strings.ReplaceAll(strings.TrimSuffix(inner, `"`), `""`, `"`)
		} else {
			parts[i] = strings.ToLower(part)
		}
	}
	return Column{Schema: parts[1], Table: parts[2], Column: parts[3]}, nil
}

// String returns the name with the quotes of SQL.
func (c Column) String() string {
	name := pgx.Identifier{c.Table, c.Column}
	if c.Schema != "" {
		name = pgx.Identifier{c.Schema, c.Table, c.Column}
	}
	return name.Sanitize()
}

// Of reports whether the ages are those of the column.
func (a Age) Of(c Column) bool {
	return a.Column == c.Column && a.Table.Name == c.Table && (c.Schema == "" || a.Table.Schema == c.Schema)
}
