package redis

import (
	"strings"

	"plinth/internal/capture"
)

func (r *memtierReader) title(match []string) bool {
	for _, t := range r.tables {
		if t.title == match[1] || t.title == allStats {
			return false // of another output
		}
	}
	r.add(match[1])
	return true
}

func (r *memtierReader) add(title string) {
	r.current = &table{title: title}
	r.tables = append(r.tables, r.current)
}

// columns reads the head of a table. Without a title, the text begins there.
func (r *memtierReader) columns(match []string) bool {
	names := columnsOf(match[0])
	if r.unended {
		return false
	}
	if len(r.tables) == 0 {
		r.add("")
	}
	if names == nil || r.current == nil || r.current.columns != nil {
		return false
	}
	r.current.columns = names
	return true
}

// columnsOf returns the names of columns after the first one; nil if there are others than
// memtier_benchmark prints.
func columnsOf(line string) []string {
	if strings.TrimSpace(column.ReplaceAllString(line, "")) != "Type" {
		return nil
	}
	return column.FindAllString(line, -1)
}

// maxRows is how many types of commands are kept.
const maxRows = 1000

func (r *memtierReader) row(match []string) bool {
	t := r.current
	fields := strings.Fields(match[2])
	if t == nil || len(fields) != len(t.columns) || len(t.rows) == maxRows || t.total() != nil {
		return false
	}
	one := row{name: match[1]}
	for i, name := range t.columns {
		value, ok := capture.Number([]byte(fields[i]))
		if ok {
			one.set(name, value)
		}
	}
	t.rows = append(t.rows, one)
	return true
}

// set sets the value of a column: "p99.9 Latency" is a percentile.
func (o *row) set(name string, value float64) {
	switch name {
	case "Ops/sec":
		o.ops = value
	case "Hits/sec":
		o.hits = value
	case "Misses/sec":
		o.misses = value
	case "Latency", "Avg. Latency":
		o.times.Mean = float64(nanoseconds(value))
	default:
		o.percentile(strings.TrimSuffix(name, " Latency"), value)
	}
}

func (o *row) percentile(name string, milliseconds float64) {
	share, found := strings.CutPrefix(name, "p")
	value, ok := capture.Number([]byte(share))
	if found && ok && value > 0 && value <= 100 {
		o.times.Percentiles = append(o.times.Percentiles, capture.Percentile{Share: value, Value: nanoseconds(milliseconds)})
	}
}

func (r *memtierReader) distribution([]string) bool {
	r.whole = len(r.tables) > 0
	return r.whole
}

func (r *memtierReader) distributionLine([]string) bool { return r.whole }
