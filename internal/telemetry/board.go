package telemetry

import (
	"math"
	"time"

	"plinth/internal/metric"
	"plinth/internal/record"
)

// Board holds what a source reads. It keeps every reading: eight bytes for each column.
type Board struct {
	source   string
	readings []reading
	series   []*series
	known    map[string]Slot
	marks    []mark
	unseen   int // marks beyond mostMarks
}

// Slot is a column of a board, or a counter used only in ratios.
type Slot int

// reading is the time of a reading of a source, and its error.
type reading struct {
	at   time.Time
	set  bool   // the source set at
	err  string // "" if it succeeded
	anew string // why counters restarted before this reading; "" if they did not
}

// series is the readings of one slot.
type series struct {
	name    string // begins with a NUL byte for a counter that is not a column
	kind    metric.Kind
	of, per Slot // of a Ratio
	first   int  // index of the reading that values[0] belongs to
	values  []float64
	absent  string         // why it is always missing; "" if it is not
	unknown map[int]string // why it has no value in successful readings
}

type mark struct {
	at         time.Time
	kind, text string
}

// mostMarks limits the marks of a board: a server that logs without end must not fill the
// record.
const mostMarks = 500

// NewBoard returns the board of a source.
func NewBoard(source string) *Board { return &Board{source: source, known: map[string]Slot{}} }

// Column returns the slot of a gauge, or of a counter whose rate is the column. Labels
// replace the words in braces. It may be called at any time, and repeatedly.
func (b *Board) Column(m metric.Metric, labels ...string) Slot {
	return b.add(series{name: m.Of(labels...), kind: m.Kind})
}

// Counter returns the slot of a counter that is used only in ratios. Its name is unique on
// the board.
func (b *Board) Counter(name string) Slot {
	return b.add(series{name: "\x00" + name, kind: metric.Rate})
}

// Ratio adds a column: the growth of of divided by the growth of per.
func (b *Board) Ratio(m metric.Metric, of, per Slot, labels ...string) Slot {
	return b.add(series{name: m.Of(labels...), kind: metric.Ratio, of: of, per: per})
}

func (b *Board) add(s series) Slot {
	if slot, known := b.known[s.name]; known {
		return slot
	}
	slot := Slot(len(b.series))
	s.first = max(0, len(b.readings)-1)
	b.known[s.name] = slot
	b.series = append(b.series, &s)
	return slot
}

// Absent records why a possible column is missing for the whole run; "" undoes that.
func (b *Board) Absent(m metric.Metric, why string, labels ...string) {
	b.series[b.Column(m, labels...)].absent = why
}

// Put puts the value of a slot into the current reading: of a counter, the total since any
// fixed start; of a metric.Max, the largest value since the previous reading that had one or was
// None or Unknown.
func (b *Board) Put(slot Slot, value float64) {
	s := b.series[slot]
	missing := len(b.readings) - 1 - s.first - len(s.values)
	for range missing {
		s.values = append(s.values, math.NaN())
	}
	if missing >= 0 {
		s.values = append(s.values, value)
	} else {
		s.values[len(s.values)-1] = value // put twice: the later value counts
	}
}

// None records that none of what a metric.Max is about has ended since the previous reading with a
// value.
func (b *Board) None(slot Slot) { b.Put(slot, none) }

// none is less than the value of any operation.
var none = math.Inf(-1)

// Unknown records why a slot has no value in the current reading, where the source was
// otherwise read successfully.
func (b *Board) Unknown(slot Slot, why string) {
	b.Put(slot, math.NaN())
	s := b.series[slot]
	if s.unknown == nil {
		s.unknown = map[int]string{}
	}
	s.unknown[len(b.readings)-1] = why
}

// Before sets the value of a new slot in all earlier readings, for a source that lists only
// what exists.
func (b *Board) Before(slot Slot, value float64) {
	s := b.series[slot]
	if len(s.values) > 0 || s.first == 0 {
		return
	}
	s.values = make([]float64, s.first)
	for i, r := range b.readings[:s.first] {
		s.values[i] = value
		if r.err != "" {
			s.values[i] = math.NaN()
		}
	}
	s.first = 0
}

// At sets the time of the values being read, where that is not the middle of the reading:
// an answer may have come earlier.
func (b *Board) At(at time.Time) {
	r := &b.readings[len(b.readings)-1]
	r.at, r.set = at, true
}

// Anew records that all counters of the source restarted since the previous reading: the
// server was restarted, or its statistics were reset.
func (b *Board) Anew(why string) { b.readings[len(b.readings)-1].anew = why }

// Mark marks a moment on the timeline. Kind is one short word for programs.
func (b *Board) Mark(at time.Time, kind, text string) {
	if len(b.marks) == mostMarks {
		b.unseen++
		return
	}
	b.marks = append(b.marks, mark{at, kind, text})
}

// Begin starts a reading; values that are Put belong to it until the next one.
func (b *Board) Begin(at time.Time) { b.readings = append(b.readings, reading{at: at}) }

// End ends a reading. Its time becomes the middle, unless the source has set it; with an
// error, its values are discarded.
func (b *Board) End(at time.Time, err error) {
	n := len(b.readings) - 1
	r := &b.readings[n]
	if !r.set {
		r.at = r.at.Add(at.Sub(r.at) / 2)
	}
	if err == nil {
		return
	}
	r.err = err.Error()
	for _, s := range b.series {
		if i := n - s.first; i >= 0 && i < len(s.values) {
			s.values[i] = math.NaN()
		}
	}
}

// at returns the value of the i-th reading, NaN if it has none.
func (s *series) at(i int) float64 {
	if i -= s.first; i < 0 || i >= len(s.values) {
		return math.NaN()
	}
	return s.values[i]
}

func (s *series) isColumn() bool { return s.name[0] != 0 }

// Marks returns the marks of a board, in seconds from begin.
func (b *Board) Marks(begin time.Time) []record.Mark {
	var marks []record.Mark
	for _, m := range b.marks {
		marks = append(marks, record.Mark{Second: m.at.Sub(begin).Seconds(), Kind: m.kind, Text: m.text})
	}
	return marks
}
