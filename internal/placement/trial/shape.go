package trial

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"plinth/internal/engine/postgres/relation"
	"plinth/internal/unit"
)

// Limits of the copy.
const (
	mostTables  = 30 // the busiest; with more, the file is too long to be read
	mostIndexes = 4  // of a table
	leastRows   = 100
	widestRow   = 1900 // bytes: wider rows would be moved to a toast table
)

// Bytes of a row and of an index entry beside their columns: header, alignment, line pointer.
// https://www.postgresql.org/docs/current/storage-page-layout.html
const (
	rowOverhead   = 28
	entryOverhead = 12
	keyBytes      = 8
	textHeader    = 4
	fillOfIndex   = 0.9 // the default fillfactor of a B-tree
	assumedRow    = 160 // bytes, of a table that was never analyzed
)

// object is a table or an index of the copy.
type object struct {
	label string // its name in the copy
	of    string // its name in the database: "public.articles"
}

type index struct {
	object
	key     string // its column
	text    int    // characters of the filler that its entries hold, too
	scans   float64
	missing float64 // the share of requested blocks that were not in shared_buffers
}

type table struct {
	object
	rows    int64
	filler  int // characters
	blocks  int64
	indexes []index
	relation.Flow
	missing  float64
	original float64 // blocks in the database
}

// shape is the copy of a database's shape.
type shape struct {
	scale  float64 // sizes, compared with those of the database
	tables []table
	temp   float64 // bytes of temporary files a second
	batch  int     // rows changed by one statement
	notes  []string
}

// shapeOf returns the shape of a database: its busiest tables with their indexes.
func shapeOf(r relation.Rates) shape {
	s := shape{temp: r.TempBytes, batch: 1}
	indexes, sum := map[relation.Name][]relation.RelationRate{}, int64(0)
	var tables []relation.RelationRate
	for _, one := range r.Relations {
		if one.Kind == relation.Index {
			indexes[*one.Of] = append(indexes[*one.Of], one)
			continue
		}
		tables = append(tables, one)
	}
	slices.SortStableFunc(tables, func(a, b relation.RelationRate) int { return cmp.Compare(busy(b), busy(a)) })
	if len(tables) > mostTables {
		s.notes = append(s.notes, fmt.Sprintf("%s of %d are left out: those that were used least", unit.Count(len(tables)-mostTables, "table"), len(tables)))
		tables = tables[:mostTables]
	}
	if len(r.Rest) > 0 {
		s.notes = append(s.notes, "relations that the reading does not list one by one, and the system catalog, are left out")
	}
	for _, t := range tables {
		sum += t.Size
		for _, i := range indexes[t.Name] {
			sum += i.Size
		}
	}
	s.scale = float64(dataSize) / float64(max(1, sum))
	changed, labels := 0.0, map[string]bool{}
	for _, t := range tables {
		changed += t.Inserted + t.Updated + t.Deleted
		s.tables = append(s.tables, tableOf(t, indexes[t.Name], s.scale, labels))
	}
	if r.Commits > 0 && changed > r.Commits {
		s.batch = int(min(math.Round(changed/r.Commits), 100))
	}
	if s.batch > 1 {
		s.notes = append(s.notes, fmt.Sprintf("a statement changes %d rows: a commit had so many on average", s.batch))
	}
	return s
}

// busy is by how much a table is used.
func busy(r relation.RelationRate) float64 {
	return r.Misses + r.Requests/16 + r.Inserted + r.Updated + r.Deleted
}

func tableOf(r relation.RelationRate, indexes []relation.RelationRate, scale float64, labels map[string]bool) table {
	slices.SortStableFunc(indexes, func(a, b relation.RelationRate) int {
		return cmp.Or(cmp.Compare(b.IndexScans, a.IndexScans), cmp.Compare(b.Size, a.Size))
	})
	indexes = indexes[:min(len(indexes), mostIndexes)]
	t := table{object: object{label(r.Name, labels), r.String()}, Flow: r.Flow, missing: share(r.Misses, r.Requests), original: max(1, float64(r.Size)/8192)}
	width := float64(assumedRow)
	if r.Rows > 0 {
		width = max(float64(r.Size)/r.Rows, rowOverhead)
	}
	fixed := rowOverhead + textHeader + keyBytes*(1+max(1, len(indexes)))
	t.filler = int(min(max(0, width-float64(fixed)), widestRow))
	row := float64(t.filler + fixed)
	t.rows = max(leastRows, int64(float64(r.Size)*scale/row))
	t.blocks = max(1, int64(float64(t.rows)*row/8192))
	for i, one := range indexes {
		entries := max(1, r.Rows)
		text := int(float64(one.Size)/entries*fillOfIndex) - entryOverhead - keyBytes - textHeader
		if r.Rows <= 0 || text < keyBytes {
			text = 0
		}
		t.indexes = append(t.indexes, index{
			object: object{label(one.Name, labels), one.String()}, key: fmt.Sprintf("k%d", i+1), text: min(text, t.filler),
			scans: one.IndexScans, missing: share(one.Misses, one.Requests),
		})
	}
	return t
}

func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return min(1, part/whole)
}

// label returns a name for the copy that no other object has. Names that a database quotes lose what
// needs the quotes.
func label(n relation.Name, taken map[string]bool) string {
	base := identifier(n.Name)
	if base == "" || base[0] >= '0' && base[0] <= '9' {
		base = "o_" + base
	}
	base = strings.TrimRight(base[:min(len(base), 50)], "_")
	name := base
	for i := 2; taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	taken[name] = true
	return name
}

// objects returns the tables and indexes of the copy.
func (s shape) objects() []object {
	var all []object
	for _, t := range s.tables {
		all = append(all, t.object)
		for _, i := range t.indexes {
			all = append(all, i.object)
		}
	}
	return all
}

// create returns the SQL that creates and fills the tables.
func (s shape) create() string {
	var b strings.Builder
	b.WriteString(`CREATE FUNCTION place(statement text, object text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement || ' TABLESPACE ' || quote_ident(current_setting('layout.' || object));
END
$$;
`)
	for _, t := range s.tables {
		t.create(&b)
	}
	return b.String()
}

// strides are prime numbers, by which the keys of the second and of further indexes are put in
// another order than the rows.
var strides = []int64{1, 7919, 104729, 1299709}

func (t table) create(b *strings.Builder) {
	keys := max(1, len(t.indexes))
	columns, names, values := []string{"k1 bigserial"}, []string{}, []string{}
	for k := 2; k <= keys; k++ {
		columns = append(columns, fmt.Sprintf("k%d bigint", k))
		names = append(names, fmt.Sprintf("k%d", k))
		values = append(values, fmt.Sprintf("i * %d %% %d + 1", strides[k-1], t.rows))
	}
	columns = append(columns, "n bigint", "filler text")
	names, values = append(names, "n", "filler"), append(values, "0", fmt.Sprintf("repeat('x', %d)", t.filler))
	with := ""
	if t.Updated > 0 {
		with = " WITH (fillfactor = 90)" // room for updates on the same page
	}
	fmt.Fprintf(b, "SELECT place('CREATE TABLE %q (%s)%s', '%s');\n", t.label, strings.Join(columns, ", "), with, t.label)
	fmt.Fprintf(b, "INSERT INTO %q (%s)\n  SELECT %s FROM generate_series(1::bigint, %d) i;\n", t.label, strings.Join(names, ", "), strings.Join(values, ", "), t.rows)
	for _, i := range t.indexes {
		also := ""
		if i.text > 0 {
			also = fmt.Sprintf(", (left(filler, %d))", i.text)
		}
		fmt.Fprintf(b, "SELECT place('CREATE INDEX %q ON %q (%s%s)', '%s');\n", i.label, t.label, i.key, also, i.label)
	}
}
