package telemetry

import (
	"errors"
	"testing"

	"plinth/internal/metric"
	"plinth/internal/record"
)

var longest = metric.Metric{Name: "emulator.{volume}.flush_latency_max", Kind: metric.Max, Unit: "s"}

// TestLargest cuts the maxima of intervals between readings into seconds.
func TestLargest(t *testing.T) {
	const column = "emulator.wal.flush_latency_max"
	type r struct {
		at, value float64
		none      bool
		unknown   string
		err       error
	}
	for name, c := range map[string]struct {
		readings []r
		want     []float64
		gaps     []record.TelemetryGap
	}{
		"just before the end of each second": {
			readings: []r{{at: -0.02, value: 9}, {at: 0.98, value: 3}, {at: 1.98, value: 5}, {at: 2.98, value: 1}, {at: 3.98, value: 9}},
			want:     []float64{3, 5, 1},
		},
		"two in a second, and both count": {
			readings: []r{{at: 0, value: 9}, {at: 0.4, value: 7}, {at: 1, value: 3}, {at: 2, value: 5}, {at: 2.6, value: 1}, {at: 3, value: 2}},
			want:     []float64{7, 5, 2},
		},
		"a second in which nothing ended": {
			readings: []r{{at: 0, value: 9}, {at: 1, value: 3}, {at: 2, none: true}, {at: 3, value: 1}},
			want:     []float64{3, gap, 1},
		},
		"nothing in a part of a second": {
			readings: []r{{at: 0, none: true}, {at: 0.5, none: true}, {at: 1, value: 3}, {at: 2, none: true}, {at: 3, none: true}},
			want:     []float64{3, gap, gap},
		},
		"a reading that fails loses nothing": {
			readings: []r{{at: 0, value: 9}, {at: 1, value: 3}, {at: 2, err: errors.New("it hangs")}, {at: 3, value: 5}},
			want:     []float64{3, 5, 5},
		},
		"readings that come late": {
			readings: []r{{at: 0, value: 9}, {at: 2.9, value: 4}, {at: 3, value: 1}},
			want:     []float64{4, 4, 4},
		},
		"an unknown value may be the largest": {
			readings: []r{{at: 0, value: 9}, {at: 1, value: 3}, {at: 1.5, unknown: "too many readings"}, {at: 2, value: 5}, {at: 3, value: 1}},
			want:     []float64{3, gap, 1},
			gaps:     []record.TelemetryGap{{Columns: []string{column}, From: 1, To: 1, Why: "too many readings"}},
		},
		"failures at the end": {
			readings: []r{{at: 0, value: 9}, {at: 1, value: 3}, {at: 2, err: errors.New("it hangs")}, {at: 3, err: errors.New("it hangs")}},
			want:     []float64{3, gap, gap},
			gaps:     []record.TelemetryGap{{Columns: []string{column}, From: 1, To: 2, Why: "it hangs"}},
		},
		"the first reading has no interval": {
			readings: []r{{at: 0.9, value: 9}, {at: 1.9, value: 3}},
			want:     []float64{gap, 3, gap},
			gaps: []record.TelemetryGap{
				{Columns: []string{column}, From: 0, To: 0, Why: notRead},
				{Columns: []string{column}, From: 2, To: 2, Why: notRead}},
		},
		"nothing was read": {
			want: []float64{gap, gap, gap},
			gaps: []record.TelemetryGap{{Columns: []string{column}, From: 0, To: 2, Why: notRead}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewBoard("emulator.wal")
			slot := b.Column(longest, "wal")
			for _, r := range c.readings {
				b.Begin(after(r.at))
				switch {
				case r.none:
					b.None(slot)
				case r.unknown != "":
					b.Unknown(slot, r.unknown)
				default:
					b.Put(slot, r.value)
				}
				b.End(after(r.at), r.err)
			}
			columns, gaps := b.Columns(begin, seconds(0, 2))
			if len(columns) != 1 || columns[0].Name != column || !same(columns[0].Values, c.want) {
				t.Errorf("%+v, want %v", columns, c.want)
			}
			checkGaps(t, gaps, c.gaps)
		})
	}
}

// TestAbsentMaximum checks that a column that cannot exist here says why.
func TestAbsentMaximum(t *testing.T) {
	b := NewBoard("emulator.wal")
	b.Absent(longest, "there is no cache", "wal")
	put(b, 0, nil, nil)
	put(b, 1, nil, nil)
	columns, gaps := b.Columns(begin, seconds(0, 0))
	if !same(columns[0].Values, []float64{gap}) {
		t.Errorf("%+v", columns)
	}
	checkGaps(t, gaps, []record.TelemetryGap{{Columns: []string{"emulator.wal.flush_latency_max"}, From: 0, To: 0, Why: "there is no cache"}})
}
