package telemetry

import (
	"math"
	"time"

	"plinth/internal/metric"
	"plinth/internal/record"
)

// Board is where a source puts what it reads. It keeps every reading: eight bytes
// for each column.
type Board struct {
	source   string
	readings []reading
	series   []*series
	known    map[string]Slot
	marks    []mark
	unseen   int // marks beyond the most that are kept
}

// Slot is one column of a board, or a counter that is no column itself.
type Slot int

// reading is when a source was read, and why nothing came of it.
type reading struct {
	at   time.Time
	set  bool   // at was said by the source
	err  string // "" when it was read
	anew string // why counters began anew before this reading; "" when they went on
}

// series is the readings of one slot.
type series struct {
	name    string // "" for a counter that is no column
	kind    metric.Kind
	of, per Slot // of a Ratio
	first   int  // the number of the reading that values[0] belongs to
	values  []float64
	absent  string         // why it is never there; "" where it may be
	unknown map[int]string // why it has no value in readings that were read
}

type mark struct {
	at         time.Time
	kind, text string
}

// mostMarks is how many marks a board keeps: a server that writes its log without
// end must not fill the record.
const mostMarks = 500

// NewBoard returns the board of a source.
func NewBoard(source string) *Board { return &Board{source: source, known: map[string]Slot{}} }

// Column is the slot of a gauge or of a counter whose rate is the column. Labels
// stand in for the words in braces. It may be asked for at any time, and again.
func (b *Board) Column(m metric.Metric, labels ...string) Slot {
	return b.add(series{name: m.Of(labels...), kind: m.Kind})
}

// Counter is the slot of a counter that is only a part of ratios. Its name tells it
// from others of the board.
func (b *Board) Counter(name string) Slot {
	return b.add(series{name: "\x00" + name, kind: metric.Rate})
}

// Ratio makes a column of what of grows by for each that per grows by.
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

// Absent says that a column that might be there is not, for the whole run, and why.
func (b *Board) Absent(m metric.Metric, why string, labels ...string) {
	b.series[b.Column(m, labels...)].absent = why
}

// Put puts the value of a slot into the reading that goes on: a gauge's as it is, a
// counter's since whenever it counts.
func (b *Board) Put(slot Slot, value float64) {
	s := b.series[slot]
	missing := len(b.readings) - 1 - s.first - len(s.values)
	for range missing {
		s.values = append(s.values, math.NaN())
	}
	if missing >= 0 {
		s.values = append(s.values, value)
	} else {
		s.values[len(s.values)-1] = value // put twice: the later one counts
	}
}

// Unknown says why a slot has no value in the reading that goes on, where the
// source was read well enough otherwise.
func (b *Board) Unknown(slot Slot, why string) {
	b.Put(slot, math.NaN())
	s := b.series[slot]
	if s.unknown == nil {
		s.unknown = map[int]string{}
	}
	s.unknown[len(b.readings)-1] = why
}

// Before says what a slot that is new has been in all earlier readings: a source
// that tells only of what there is has told of nothing else.
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

// At says when what is being read was so, where that is not the middle of the
// reading: an answer may have come earlier.
func (b *Board) At(at time.Time) {
	r := &b.readings[len(b.readings)-1]
	r.at, r.set = at, true
}

// Anew says that all counters of the source began anew since the reading before:
// the server was restarted, its statistics were reset.
func (b *Board) Anew(why string) { b.readings[len(b.readings)-1].anew = why }

// Mark marks a moment of the timeline. Kind is one short word for programs.
func (b *Board) Mark(at time.Time, kind, text string) {
	if len(b.marks) == mostMarks {
		b.unseen++
		return
	}
	b.marks = append(b.marks, mark{at, kind, text})
}

// Begin begins a reading; what is Put belongs to this moment until the next one.
func (b *Board) Begin(at time.Time) { b.readings = append(b.readings, reading{at: at}) }

// End ends it. Its time becomes that of its middle, unless the source has said it;
// with an error, nothing that was put counts.
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

// at is the value of the i-th reading, NaN where there is none.
func (s *series) at(i int) float64 {
	if i -= s.first; i < 0 || i >= len(s.values) {
		return math.NaN()
	}
	return s.values[i]
}

func (s *series) isColumn() bool { return s.name[0] != 0 }

// Marks are the marks of a board in seconds from begin.
func (b *Board) Marks(begin time.Time) []record.Mark {
	var marks []record.Mark
	for _, m := range b.marks {
		marks = append(marks, record.Mark{Second: m.at.Sub(begin).Seconds(), Kind: m.kind, Text: m.text})
	}
	return marks
}
