package telemetry

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/host"
	"plinth/internal/metric"
	"plinth/internal/record"
)

var (
	begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

	dirty = metric.Metric{Name: "meminfo.Dirty", Kind: metric.Gauge, Unit: "bytes"}
	reads = metric.Metric{Name: "diskstats.{disk}.reads", Kind: metric.Rate, Unit: "1/s"}
	delay = metric.Metric{Name: "diskstats.{disk}.read_latency", Kind: metric.Ratio, Unit: "s"}
)

// after returns a moment, in seconds after the start of the window.
func after(seconds float64) time.Time {
	return begin.Add(time.Duration(seconds * float64(time.Second)))
}

// put adds one reading to a board.
func put(b *Board, at float64, err error, values map[Slot]float64) {
	b.Begin(after(at))
	for slot, v := range values {
		b.Put(slot, v)
	}
	b.End(after(at), err)
}

func seconds(from, to int) []float64 {
	var all []float64
	for s := from; s <= to; s++ {
		all = append(all, float64(s))
	}
	return all
}

func same(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.IsNaN(a[i]) != math.IsNaN(b[i]) || math.Abs(a[i]-b[i]) > 1e-9 {
			return false
		}
	}
	return true
}

var gap = math.NaN()

func TestRates(t *testing.T) {
	type r struct {
		at, value float64
		err       error
	}
	for name, c := range map[string]struct {
		readings []r
		want     []float64
		gaps     []record.TelemetryGap
	}{
		"at the bounds": {
			readings: []r{{at: 0, value: 10}, {at: 1, value: 110}, {at: 2, value: 110}, {at: 3, value: 410}},
			want:     []float64{100, 0, 300},
		},
		"between them": {
			readings: []r{{at: -0.5, value: 0}, {at: 0.5, value: 100}, {at: 1.5, value: 300}, {at: 2.5, value: 300}, {at: 3.5, value: 300}},
			want:     []float64{150, 100, 0},
		},
		"the last one a little early": {
			readings: []r{{at: 0, value: 0}, {at: 0.98, value: 98}, {at: 1.98, value: 198}, {at: 2.9, value: 290}},
			want:     []float64{100, 100, 100},
		},
		"one is late": {
			readings: []r{{at: 0, value: 0}, {at: 1, value: 100}, {at: 2.5, value: 400}, {at: 3, value: 500}},
			want:     []float64{100, 200, 200},
		},
		"one is missing": {
			readings: []r{{at: 0, value: 0}, {at: 1, value: 100}, {at: 3, value: 500}},
			want:     []float64{100, gap, gap},
			gaps:     []record.TelemetryGap{{Columns: []string{"diskstats.vda.reads"}, From: 1, To: 2, Why: "not read for 2.0 s"}},
		},
		"it goes back": {
			readings: []r{{at: 0, value: 7}, {at: 1, value: 4294967295}, {at: 2, value: 5}, {at: 3, value: 6}},
			want:     []float64{4294967288, gap, 1},
			gaps: []record.TelemetryGap{{Columns: []string{"diskstats.vda.reads"}, From: 1, To: 1,
				Why: "the counter went back, from 4294967295 to 5: it was reset or wrapped around"}},
		},
		"it can't be read once": {
			readings: []r{{at: 0, value: 0}, {at: 1, value: 1}, {at: 2, err: errors.New("no such file")}, {at: 3, value: 3}},
			want:     []float64{1, gap, gap},
			gaps:     []record.TelemetryGap{{Columns: []string{"diskstats.vda.reads"}, From: 1, To: 2, Why: "no such file"}},
		},
		"nothing was read": {
			want: []float64{gap, gap, gap},
			gaps: []record.TelemetryGap{{Columns: []string{"diskstats.vda.reads"}, From: 0, To: 2, Why: notRead}},
		},
		"only before": {
			readings: []r{{at: -9, value: 1}, {at: -8, value: 2}},
			want:     []float64{gap, gap, gap},
			gaps:     []record.TelemetryGap{{Columns: []string{"diskstats.vda.reads"}, From: 0, To: 2, Why: notRead}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewBoard("diskstats")
			slot := b.Column(reads, "vda")
			for _, r := range c.readings {
				put(b, r.at, r.err, map[Slot]float64{slot: r.value})
			}
			columns, gaps := b.Columns(begin, seconds(0, 2))
			if len(columns) != 1 || columns[0].Name != "diskstats.vda.reads" || !same(columns[0].Values, c.want) {
				t.Errorf("%+v, want %v", columns, c.want)
			}
			checkGaps(t, gaps, c.gaps)
		})
	}
}

func checkGaps(t *testing.T, got, want []record.TelemetryGap) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("gaps %+v, want %+v", got, want)
	}
	for i := range got {
		if got[i].From != want[i].From || got[i].To != want[i].To || got[i].Why != want[i].Why || got[i].Columns[0] != want[i].Columns[0] {
			t.Errorf("gap %+v, want %+v", got[i], want[i])
		}
	}
}

func TestGauges(t *testing.T) {
	b := NewBoard("meminfo")
	slot := b.Column(dirty)
	for at, v := range []float64{1, 2, 3} { // at 0.98, 1.98, 2.98
		put(b, float64(at)+0.98, nil, map[Slot]float64{slot: v})
	}
	put(b, 3.98, errors.New("gone"), nil)
	columns, gaps := b.Columns(begin, seconds(-1, 5))
	if !same(columns[0].Values, []float64{gap, 1, 2, 3, gap, gap, gap}) {
		t.Errorf("%v", columns[0].Values)
	}
	checkGaps(t, gaps, []record.TelemetryGap{
		{Columns: []string{"meminfo.Dirty"}, From: -1, To: -1, Why: notRead},
		{Columns: []string{"meminfo.Dirty"}, From: 3, To: 3, Why: "gone"},
		{Columns: []string{"meminfo.Dirty"}, From: 4, To: 5, Why: notRead},
	})
}

// TestRatios checks that a mean per operation has no value, and is not a gap, where no
// operation happened.
func TestRatios(t *testing.T) {
	b := NewBoard("diskstats")
	ops, spent := b.Column(reads, "vda"), b.Counter("ticks")
	b.Ratio(delay, spent, ops, "vda")
	for at, v := range [][2]float64{{0, 0}, {10, 1}, {10, 1}, {30, 2}} {
		put(b, float64(at), nil, map[Slot]float64{ops: v[0], spent: v[1]})
	}
	columns, gaps := b.Columns(begin, seconds(0, 3))
	if len(columns) != 2 || !same(columns[1].Values, []float64{0.1, gap, 0.05, gap}) {
		t.Errorf("%+v", columns)
	}
	checkGaps(t, gaps, []record.TelemetryGap{{Columns: []string{"diskstats.*"}, From: 3, To: 3, Why: notRead}})
}

// TestColumnsComeAndGo checks the gaps before a column that appears later, and after one
// that disappears.
func TestColumnsComeAndGo(t *testing.T) {
	b := NewBoard("wait")
	first := b.Column(reads, "a")
	put(b, 0, nil, map[Slot]float64{first: 1})
	put(b, 1, nil, map[Slot]float64{first: 2})
	b.Begin(after(2))
	second := b.Column(reads, "b")
	b.Put(second, 5)
	b.End(after(2), nil)
	put(b, 3, nil, map[Slot]float64{second: 7})
	columns, gaps := b.Columns(begin, seconds(0, 2))
	if !same(columns[0].Values, []float64{1, gap, gap}) || !same(columns[1].Values, []float64{gap, gap, 2}) {
		t.Errorf("%+v", columns)
	}
	if len(gaps) != 2 || gaps[0].Why != notReported {
		t.Errorf("%+v", gaps)
	}
}

func TestCountersBeginAnew(t *testing.T) {
	b := NewBoard("pg_stat_wal")
	slot := b.Column(reads, "x")
	put(b, 0, nil, map[Slot]float64{slot: 100})
	b.Begin(after(1))
	b.Anew("its statistics were reset")
	b.Put(slot, 200) // more than before, and yet not growth
	b.End(after(1), nil)
	put(b, 2, nil, map[Slot]float64{slot: 210})
	columns, gaps := b.Columns(begin, seconds(0, 1))
	if !same(columns[0].Values, []float64{gap, 10}) || gaps[0].Why != "its statistics were reset" {
		t.Errorf("%+v, %+v", columns, gaps)
	}
}

// TestRatesAddUp checks that the rates of a counter add up to its growth whenever it is
// read, if it is read often enough.
func TestRatesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := NewBoard("x")
		slot := b.Column(reads, "x")
		at, value, speed := -1.0, 0.0, rapid.Float64Range(0, 1e6).Draw(t, "speed")
		for at < 12 {
			put(b, at, nil, map[Slot]float64{slot: value})
			step := rapid.Float64Range(0.05, 1.4).Draw(t, "step")
			at, value = at+step, value+step*speed
		}
		columns, gaps := b.Columns(begin, seconds(0, 9))
		sum := 0.0
		for _, v := range columns[0].Values {
			sum += v
		}
		if len(gaps) > 0 || math.Abs(sum-10*speed) > 1e-6*(1+speed) {
			t.Fatalf("%v in all, want %v; gaps %v", sum, 10*speed, gaps)
		}
	})
}

// TestGapsHaveAnEnd checks that a source which flaps for hours does not fill the record.
func TestGapsHaveAnEnd(t *testing.T) {
	var all gaps
	seconds, why := seconds(0, 4999), make([]string, 5000)
	for i := range why {
		why[i] = fmt.Sprint("reason ", i)
	}
	all.note("a", seconds, why)
	all.note("b", seconds, why)
	last := all[len(all)-1]
	if len(all) != mostGaps || last.To != 4999 || len(last.Columns) != 2 {
		t.Errorf("%d gaps, the last %+v", len(all), last)
	}
}

func TestMarks(t *testing.T) {
	b := NewBoard("log")
	for i := range mostMarks + 3 {
		b.Mark(after(float64(i)), "log", "x")
	}
	marks := b.Marks(after(1))
	if len(marks) != mostMarks || marks[0].Second != -1 || b.unseen != 3 {
		t.Errorf("%d marks, %d unseen", len(marks), b.unseen)
	}
}

// counting is a source that counts seconds, and samples ten times as often.
type counting struct {
	slot         Slot
	column       bool
	reads, looks atomic.Int64
	closed       atomic.Bool
	err          error
	slow         time.Duration
}

func (c *counting) Name() string             { return "counting" }
func (c *counting) Metrics() []metric.Metric { return []metric.Metric{reads} }
func (c *counting) Close()                   { c.closed.Store(true) }
func (c *counting) Pace() time.Duration      { return 50 * time.Millisecond }
func (c *counting) Sample(context.Context)   { c.looks.Add(1) }

func (c *counting) Read(ctx context.Context, b *Board) error {
	if !c.column {
		c.slot, c.column = b.Column(reads, "x"), true
	}
	b.Put(c.slot, float64(c.reads.Add(1)))
	if c.slow > 0 {
		<-ctx.Done()
		return ctx.Err()
	}
	return c.err
}

func TestCollector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, stuck := &counting{}, &counting{slow: time.Hour}
		c := Start(t.Context(), Lane{Name: "a", Sources: []Source{source}, Missing: []Missing{{"pressure", "no such file"}}},
			Lane{Name: "b", Sources: []Source{stuck}})
		bound := time.Now().Add(300 * time.Millisecond).Round(0)
		c.Align(bound)
		time.Sleep(2500 * time.Millisecond)
		c.Stop()
		c.Stop()
		columns, told := c.Columns(bound, seconds(0, 0))
		// Readings come at 0, 0.28, 1.28, 2.28 and 2.5 s: the second from 0.3 s is one
		// reading long.
		if len(columns) != 2 || !same(columns[0].Values, []float64{1}) || !math.IsNaN(columns[1].Values[0]) {
			t.Errorf("%+v", columns)
		}
		if !source.closed.Load() || !stuck.closed.Load() {
			t.Error("a source was not closed")
		}
		if len(told.Gaps) != 2 || told.Gaps[0].Columns[0] != "pressure.*" || told.Gaps[1].Columns[0] != "diskstats.x.reads" {
			t.Errorf("%+v", told.Gaps)
		}
		cost, looks := told.Cost[0], source.looks.Load()
		if cost.Lane != "a" || cost.Readings != 5 || cost.Covered != 2.5 || looks < 48 || looks > 50 || cost.Pace != 2.5/float64(looks) {
			t.Errorf("%+v, %d looks", cost, looks)
		}
	})
}

// TestAReaderThatPanics checks that a bug in a reader costs only its columns.
func TestAReaderThatPanics(t *testing.T) {
	b := NewBoard("broken")
	readOne(t.Context(), broken{}, b)
	_, gaps := b.Columns(begin, seconds(0, 0))
	if len(gaps) != 1 || gaps[0].Columns[0] != "broken.*" || !strings.Contains(b.readings[0].err, "index out of range") {
		t.Errorf("%+v, %+v", gaps, b.readings)
	}
}

type broken struct{ Source }

func (broken) Name() string { return "broken" }

func (broken) Read(context.Context, *Board) error {
	var none []int
	return fmt.Errorf("%d", none[len(none)])
}

// TestNextReading checks that readings follow the bounds of seconds at any clock time.
func TestNextReading(t *testing.T) {
	l := newLane(Lane{})
	now := after(0.5)
	if got := l.next(now); got.Sub(now) != second {
		t.Errorf("not aligned: after %v", got.Sub(now))
	}
	for at, want := range map[float64]float64{0.5: 0.48, 0.98: 1, 0.97: 1.01, 0.9: 0.08, -3.5: 0.48, 1.5: 0.48, 0.999: 0.981} {
		l.aligned = begin
		if got := l.next(after(at)).Sub(after(at)).Seconds(); math.Abs(got-want) > 1e-6 {
			t.Errorf("at %v: after %v s, want %v", at, got, want)
		}
	}
}

// burning is a sampler that uses 2 ms of CPU time in each sample that is measured.
type burning struct{ counting }

func (b *burning) Sample(context.Context) {
	if b.looks.Add(1)%weighed != 1 {
		return
	}
	for used := time.Duration(0); used < 2*time.Millisecond; {
		used += host.ThreadTime(func() {
			for x := 1.0; x < 1e4; x++ {
				_ = math.Sqrt(x)
			}
		})
	}
}

// TestSamplesAreWeighedOnce checks that the cost of samples counts once: each measured one
// stands for ten.
func TestSamplesAreWeighedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &burning{}
		c := Start(t.Context(), Lane{Name: "server", Sources: []Source{source}})
		time.Sleep(1500 * time.Millisecond)
		c.Stop()
		_, told := c.Columns(time.Now(), nil)
		// Each tenth sample takes a little more than its 2 ms, and each reading takes a
		// little.
		samples, cost := float64(source.looks.Load()), told.Cost[0]
		if least := 0.002 * samples; samples < 20 || cost.CPU < least || cost.CPU > 2*least {
			t.Errorf("%.0f samples of 2 ms took %v s of CPU time, want %v", samples, cost.CPU, least)
		}
	})
}
