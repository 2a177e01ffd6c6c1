package relation

import (
	"strings"

	"github.com/jackc/pgx/v5"

	"plinth/internal/hint"
)

// Column names a column of a table; Schema may be empty.
type Column struct {
	Schema, Table, Column string
}

const columnHint = `write TABLE.COLUMN or SCHEMA.TABLE.COLUMN, with quotes as in SQL: articles.published, "Old".at`

// ParseColumn reads TABLE.COLUMN or SCHEMA.TABLE.COLUMN as SQL does: what is not quoted is in lower case.
func ParseColumn(text string) (Column, error) {
	var parts []string
	var b strings.Builder
	quoted, wasQuoted, bad := false, false, false
	end := func() {
		bad = bad || b.Len() == 0
		parts = append(parts, b.String())
		b.Reset()
		wasQuoted = false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '"' && strings.HasPrefix(text[i+1:], `"`):
			b.WriteByte(c)
			i++
		case c == '"':
			bad = bad || !quoted && b.Len() > 0
			quoted, wasQuoted = !quoted, true
		case c == '.' && !quoted:
			end()
		case quoted:
			b.WriteByte(c)
		default:
			bad = bad || wasQuoted
			b.WriteString(strings.ToLower(string(c)))
		}
	}
	end()
	if bad || quoted || len(parts) < 2 || len(parts) > 3 {
		return Column{}, hint.Errorf(columnHint, "%q is not a column of a table", text)
	}
	c := Column{Table: parts[len(parts)-2], Column: parts[len(parts)-1]}
	if len(parts) == 3 {
		c.Schema = parts[0]
	}
	return c, nil
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
