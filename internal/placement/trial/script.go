package trial

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/unit"
)

// script is one statement of the mix.
type script struct {
	name   string
	rate   float64 // statements a second in the database
	weight int
	sql    string
}

// weights is the sum of all weights, as far as rounding allows.
const weights = 100000

const (
	mostScripts = 100 // pgbench takes 128
	mostFetched = 100 // rows of one scan
	// One row in fifty is read again and again, so that these rows stay in memory.
	hotShare = 50
	// A sort of so many rows of text writes about so much.
	sortedRows  = 50000
	sortedBytes = 3e6
)

// scripts returns the statements, the most frequent first, and notes on what is left out.
func (s shape) scripts() (all []script, notes []string) {
	for _, t := range s.tables {
		all = append(all, t.reads()...)
		all = append(all, t.changes(s.batch)...)
	}
	if s.temp > 0 {
		all = append(all, script{name: "sort", rate: s.temp / sortedBytes, sql: fmt.Sprintf(
			"SELECT count(*) FROM (SELECT i FROM generate_series(1, %d) i ORDER BY md5(i::text) OFFSET 0) sorted;", sortedRows)})
	}
	sum := 0.0
	for _, one := range all {
		sum += one.rate
	}
	rare, more := 0, 0
	slices.SortStableFunc(all, func(a, b script) int { return cmp.Compare(b.rate, a.rate) })
	kept, names := all[:0], map[string]int{}
	for _, one := range all {
		one.weight = int(math.Round(one.rate / sum * weights))
		switch {
		case one.weight == 0:
			rare++
			continue
		case len(kept) == mostScripts:
			more++
			continue
		}
		if names[one.name]++; names[one.name] > 1 {
			one.name += fmt.Sprintf(".%d", names[one.name])
		}
		kept = append(kept, one)
	}
	if more > 0 {
		notes = append(notes, fmt.Sprintf("%s of statements left out: the mix has the %d most frequent ones", unit.Count(more, "kind"), mostScripts))
	}
	if rare > 0 {
		notes = append(notes, fmt.Sprintf("%s of statements left out: each is less than 1 in %d", unit.Count(rare, "kind"), weights))
	}
	return kept, notes
}

// reads returns the statements that read a table: scans of each index, scans of the table, and rows
// by their position, if it has no index.
func (t table) reads() []script {
	var all []script
	add := func(name string, rate float64, sql string) {
		if rate > 0 {
			all = append(all, script{name: scriptName(t.label, name), rate: rate, sql: sql})
		}
	}
	add("scan", t.SeqScans, fmt.Sprintf("SELECT count(*) FROM %q;", t.label))
	queried := max(0, t.Requests-t.Inserted-t.Updated-t.Deleted-t.SeqScans*t.original)
	scans := 0.0
	for _, i := range t.indexes {
		scans += i.scans
	}
	if scans == 0 {
		if len(t.indexes) == 0 {
			add("read", queried, t.position()+fmt.Sprintf("SELECT filler FROM %q WHERE ctid = ('(' || :block || ',1)')::tid;", t.label))
		}
		return all
	}
	fetched := min(queried/scans, mostFetched)
	for _, i := range t.indexes {
		missing := max(i.missing, t.missing)
		switch {
		case fetched < 0.5: // from the index alone
			add("by-"+i.label, i.scans, t.key(missing, 0)+fmt.Sprintf("SELECT %s FROM %q WHERE %s = :k;", i.key, t.label, i.key))
		case fetched < 1.5:
			add("by-"+i.label, i.scans, t.key(missing, 0)+fmt.Sprintf("SELECT filler FROM %q WHERE %s = :k;", t.label, i.key))
		default:
			n := int(math.Round(fetched)) - 1
			add("by-"+i.label, i.scans, t.key(missing, n)+fmt.Sprintf("SELECT filler FROM %q WHERE %s BETWEEN :k AND :k + %d;", t.label, i.key, n))
		}
	}
	return all
}

// changes returns the statements that change a table, each a number of rows.
func (t table) changes(batch int) []script {
	var all []script
	add := func(name string, rate float64, sql string) {
		if rate > 0 {
			all = append(all, script{name: scriptName(t.label, name), rate: rate / float64(batch), sql: sql})
		}
	}
	add("insert", t.Inserted, t.insert(batch))
	where, begin := fmt.Sprintf("k1 BETWEEN :k AND :k + %d", batch-1), t.key(t.missing, batch-1)
	if batch == 1 {
		where = "k1 = :k"
	}
	if len(t.indexes) == 0 {
		where, begin = "ctid = ('(' || :block || ',1)')::tid", t.position()
	}
	moved := max(0, t.Updated-t.HotUpdated)
	if len(t.indexes) < 2 { // an update of its only key would lose the row
		moved = 0
	}
	add("update", t.Updated-moved, begin+fmt.Sprintf("UPDATE %q SET n = n + 1 WHERE %s;", t.label, where))
	key := fmt.Sprintf("k%d", max(2, len(t.indexes)))
	add("update-key", moved, begin+fmt.Sprintf("UPDATE %q SET %s = -%s WHERE %s;", t.label, key, key, where))
	add("delete", t.Deleted, begin+fmt.Sprintf("DELETE FROM %q WHERE %s;", t.label, where))
	return all
}

func (t table) insert(batch int) string {
	names, values := []string{}, []string{}
	for k := 2; k <= len(t.indexes); k++ {
		names, values = append(names, fmt.Sprintf("k%d", k)), append(values, fmt.Sprintf("(:k + i * %d) %% %d + 1", strides[k-1], t.rows))
	}
	names, values = append(names, "n", "filler"), append(values, "0", fmt.Sprintf("repeat('x', %d)", t.filler))
	return fmt.Sprintf("\\set k random(1, %d)\nINSERT INTO %q (%s) SELECT %s FROM generate_series(1, %d) i;",
		t.rows, t.label, strings.Join(names, ", "), strings.Join(values, ", "), batch)
}

// key returns commands that choose the first of some keys: among all rows in the share of cases in
// which blocks were not in memory, otherwise among the hot rows.
func (t table) key(missing float64, more int) string {
	return choose("k", missing, max(1, t.rows/hotShare), max(1, t.rows-int64(more)), 1)
}

// position is key for a block of a table without an index.
func (t table) position() string {
	return choose("block", t.missing, max(1, t.blocks/hotShare)-1, t.blocks-1, 0)
}

func choose(variable string, missing float64, hot, all, first int64) string {
	cold := int(math.Round(missing * 1000))
	switch {
	case cold <= 0:
		return fmt.Sprintf("\\set %s random(%d, %d)\n", variable, first, max(first, hot))
	case cold >= 1000:
		return fmt.Sprintf("\\set %s random(%d, %d)\n", variable, first, max(first, all))
	}
	return fmt.Sprintf("\\set any random(1, 1000)\n\\if :any <= %d\n\\set %s random(%d, %d)\n\\else\n\\set %s random(%d, %d)\n\\endif\n",
		cold, variable, first, max(first, all), variable, first, max(first, hot))
}

func scriptName(table, what string) string { return experiment.AsName(table + "-" + what) }
