package drivertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"testing"

	"plinth/internal/driver"
	"plinth/internal/record"
	"plinth/internal/record/hlog"
)

// Near reports whether two numbers are equal but for rounding, or both unknown.
func Near(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b))
}

// fataler is a *testing.T or a *rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// SameOutcome fails the test unless two outcomes have the same window, result and points, but for
// the rounding of means. Percentiles of seconds before the window may be unknown in got.
func SameOutcome(t fataler, got, want *driver.Outcome) {
	t.Helper()
	if !got.Begin.Equal(want.Begin) || !got.End.Equal(want.End) || got.KeyReads != want.KeyReads {
		t.Fatalf("window %s to %s, %d key reads; want %s to %s, %d", got.Begin, got.End, got.KeyReads, want.Begin, want.End, want.KeyReads)
	}
	sameResult(t, got.Result, want.Result)
	a, b := got.Points.Columns, want.Points.Columns
	if len(a) != len(b) {
		t.Fatalf("%d columns, want %d", len(a), len(b))
	}
	for i, c := range a {
		if c.Name != b[i].Name || len(c.Values) != len(b[i].Values) {
			t.Fatalf("column %s has %d rows, want %s with %d", c.Name, len(c.Values), b[i].Name, len(b[i].Values))
		}
		for row, v := range c.Values {
			if unknown := a[0].Values[row] < 0 && math.IsNaN(v); !unknown && !Near(v, b[i].Values[row]) {
				t.Fatalf("second %g: %s is %v, want %v", a[0].Values[row], c.Name, v, b[i].Values[row])
			}
		}
	}
}

// sameResult compares all fields; means and rates but for rounding.
func sameResult(t fataler, got, want record.Result) {
	t.Helper()
	got.Scripts, got.Statements = slices.Clone(got.Scripts), slices.Clone(got.Statements)
	round(&got.TPS, want.TPS)
	round(&got.Duration, want.Duration)
	roundLatency(&got.Latency, want.Latency)
	got.Lag = roundLag(got.Lag, want.Lag)
	if got.Hits != nil && want.Hits != nil {
		hits := *got.Hits
		round(&hits, *want.Hits)
		got.Hits = &hits
	}
	for i := range min(len(got.Scripts), len(want.Scripts)) {
		s, other := &got.Scripts[i], want.Scripts[i]
		round(&s.TPS, other.TPS)
		roundLatency(&s.Latency, other.Latency)
		s.Lag = roundLag(s.Lag, other.Lag)
	}
	for i := range min(len(got.Statements), len(want.Statements)) {
		round(&got.Statements[i].Mean, want.Statements[i].Mean)
	}
	if !reflect.DeepEqual(got, want) {
		a, errA := json.MarshalIndent(got, "", " ")
		b, errB := json.MarshalIndent(want, "", " ")
		t.Fatalf("got  %s\nwant %s\n%v", a, b, errors.Join(errA, errB))
	}
}

// round replaces a number by the wanted one if the two differ only by rounding.
func round(got *float64, want float64) {
	if Near(*got, want) {
		*got = want
	}
}

func roundLatency(got *record.Latency, want record.Latency) {
	round(&got.Mean, want.Mean)
	round(&got.Stddev, want.Stddev)
}

func roundLag(got, want *record.Lag) *record.Lag {
	if got == nil || want == nil {
		return got
	}
	lag := *got
	round(&lag.Mean, want.Mean)
	return &lag
}

// SameLog fails the test unless two histogram logs have the same intervals and counts.
func SameLog(t fataler, got, want []byte) {
	t.Helper()
	a, b := readLog(t, got), readLog(t, want)
	if len(a) != len(b) {
		t.Fatalf("%d intervals, want %d", len(a), len(b))
	}
	for key, one := range a {
		other, known := b[key]
		if !known || len(one) != len(other) {
			t.Fatalf("interval %s has %d counters, want %d", key, len(one), len(other))
		}
		for index, n := range one {
			if other[index] != n {
				t.Fatalf("interval %s: counter %d is %d, want %d", key, index, n, other[index])
			}
		}
	}
}

// readLog returns the counters of each interval of a histogram log, by tag, start and length.
func readLog(t fataler, log []byte) map[string]map[int]int64 {
	t.Helper()
	all, err := hlog.Read(log)
	if err != nil {
		t.Fatalf("%v", err)
	}
	counters := map[string]map[int]int64{}
	var d hlog.Decoder
	for _, one := range all {
		counts := map[int]int64{}
		if err := d.Decode(one.Text, func(index int, n int64) { counts[index] = n }); err != nil {
			t.Fatalf("%v", err)
		}
		counters[fmt.Sprintf("%s at %.6f for %.6f", one.Tag, one.Start, one.Length)] = counts
	}
	return counters
}

// Log returns the histogram log that was kept.
func (k *Kept) Log(tb testing.TB) []byte {
	tb.Helper()
	text, err := os.ReadFile(k.HistogramLog)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}
