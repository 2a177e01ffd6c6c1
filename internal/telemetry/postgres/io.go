package postgres

import (
	"math"
	"strings"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

const ioView = "pg_stat_io"

// ioCounts and ioTimes are columns of the view; a time belongs to the count at the same
// index.
var (
	ioCounts = []string{"reads", "writes", "fsyncs", "extends", "evictions", "reuses", "hits"}
	ioTimes  = []string{"read_time", "write_time", "fsync_time"}
)

// transfers is the I/O of each backend type on blocks of relations. A count that is still
// zero has no column; the column is created when it grows.
type transfers struct {
	counts, times []metric.Metric
	slots         map[string][]telemetry.Slot // by backend type: of counts, then of times; noSlot where none exists
}

const noSlot = telemetry.Slot(-1)

func newIO() *transfers {
	of := func(name, unit, help string) metric.Metric {
		return metric.Metric{
			Name: ioView + ".{backend_type}." + name, Kind: metric.Rate, Unit: unit, Source: ioView, Doc: statisticsDoc + ioView,
			Help: help + " Over all contexts, for ordinary relations; from PostgreSQL 16 on.",
		}
	}
	return &transfers{
		slots: map[string][]telemetry.Slot{},
		counts: []metric.Metric{
			of("reads", "1/s", "Read operations: one block each up to PostgreSQL 17, one or more blocks from 18 on."),
			of("writes", "1/s", "Write operations: one block each up to PostgreSQL 17, one or more blocks from 18 on."),
			of("fsyncs", "1/s", "File syncs."),
			of("extends", "1/s", "Blocks added to relations; from PostgreSQL 18 on, operations that added one or more blocks."),
			of("evictions", "1/s", "Buffers evicted to make room for another block."),
			of("reuses", "1/s", "Buffers of a ring buffer that were reused."),
			of("hits", "1/s", "Blocks found in shared buffers."),
		},
		times: []metric.Metric{
			of("read_time", "s/s", "Time spent reading; only with track_io_timing."),
			of("write_time", "s/s", "Time spent writing; only with track_io_timing."),
			of("fsync_time", "s/s", "Time spent syncing; only with track_io_timing."),
		},
	}
}

func (*transfers) name() string { return ioView }

func (o *transfers) metrics() []metric.Metric {
	return append(o.counts[:len(o.counts):len(o.counts)], o.times...)
}

// sql returns -1 for times that are not measured.
func (*transfers) sql(major int) (string, error) {
	if major < 16 {
		return "", cameWith(ioView, major, 16)
	}
	columns := []string{"max(" + reset("stats_reset") + ")", "backend_type"}
	for _, c := range ioCounts {
		columns = append(columns, "sum("+c+")")
	}
	for _, c := range ioTimes {
		columns = append(columns, "CASE WHEN current_setting('track_io_timing')::bool THEN sum("+c+") ELSE -1 END")
	}
	return "SELECT " + strings.Join(columns, ", ") + ` FROM pg_stat_io
		WHERE object = 'relation' AND backend_type <> 'standalone backend' GROUP BY backend_type`, nil
}

func (o *transfers) put(b *telemetry.Board, a *answer) error {
	for row := range a.rows.count() {
		kind := a.rows.text(row, 1)
		slots, known := o.slots[string(kind)]
		if !known {
			slots = o.add(string(kind))
		}
		for i := range o.counts {
			o.putCount(b, slots, i, string(kind), a.rows.number(row, 2+i))
		}
		for i := range o.times {
			putTime(b, slots[len(o.counts)+i], a.rows.number(row, 2+len(o.counts)+i))
		}
	}
	return nil
}

// add adds a backend type, without columns.
func (o *transfers) add(kind string) []telemetry.Slot {
	slots := make([]telemetry.Slot, len(o.counts)+len(o.times))
	for i := range slots {
		slots[i] = noSlot
	}
	o.slots[kind] = slots
	return slots
}

// putCount puts a count, and creates its column and that of its time at the first one.
func (o *transfers) putCount(b *telemetry.Board, slots []telemetry.Slot, i int, kind string, v float64) {
	if math.IsNaN(v) || v == 0 && slots[i] == noSlot {
		return
	}
	if slots[i] == noSlot {
		slots[i] = b.Column(o.counts[i], kind)
		b.Before(slots[i], 0)
		if i < len(o.times) {
			time := len(o.counts) + i
			slots[time] = b.Column(o.times[i], kind)
			b.Before(slots[time], 0)
		}
	}
	b.Put(slots[i], v)
}

func putTime(b *telemetry.Board, slot telemetry.Slot, v float64) {
	switch {
	case slot == noSlot:
	case v < 0:
		b.Unknown(slot, "track_io_timing is off")
	case !math.IsNaN(v):
		b.Put(slot, v*milliseconds)
	}
}
