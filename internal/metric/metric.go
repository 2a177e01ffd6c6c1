// Package metric is the catalog of the quantities that plinth observes: the columns of points,
// with one value per second, and the figures of a whole run.
package metric

import "strings"

// Kind says how readings of a source become the value of a second.
type Kind string

// An unknown value is a gap, never a zero.
const (
	Gauge Kind = "gauge" // as it was at the end of the second
	Rate  Kind = "rate"  // by how much a counter grew in that second
	// Ratio is the growth of one counter over the growth of another: a mean per operation. If
	// the other did not grow, there is no value, and no gap either.
	Ratio Kind = "ratio"
	// Max is the largest single value among those of operations that ended in that second. If none
	// ended, there is no value, and no gap either. Where a reading came late, each second since the
	// previous one has the largest value of all of them.
	Max Kind = "maximum"
)

// Metric is one column of points, or several of a kind: a word in braces is a placeholder
// ("diskstats.{disk}.reads").
type Metric struct {
	Name   string // "meminfo.Dirty": the source, then its own spelling
	Kind   Kind
	Unit   string // of the column: "bytes", "bytes/s", "1/s", "s/s" (seconds a second), "s", "1"
	Source string // read from: "/proc/meminfo", "pg_stat_wal"
	Doc    string // where that is documented: "proc_meminfo(5)", "PostgreSQL, The Cumulative Statistics System"
	Help   string // one sentence: its meaning, and the first or last version where that matters
}

// Of returns the name of one column of a metric, with labels in place of the words in braces,
// in order. Characters that a name cannot contain become "_".
func (m Metric) Of(labels ...string) string {
	name := m.Name
	for _, label := range labels {
		before, rest, found := strings.Cut(name, "{")
		_, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			break
		}
		name = before + strings.Map(plain, label) + after
	}
	return name
}

func plain(r rune) rune {
	if r <= ' ' || r == '{' || r == '}' || r == 0x7f {
		return '_'
	}
	return r
}
