package emulated

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/emulator"
	"plinth/internal/telemetry"
)

// TestLongest reads an emulator of which another reader also makes readings: each second has the
// longest operation since the reading of the second before, whatever the other reader saw, and after
// a reading that failed.
func TestLongest(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	all := []emulator.Longest{
		{Read: ms(90), Write: ms(90), Flush: ms(90)}, // before the first reading
		{Read: ms(3)},                                             // second 0
		{Read: ms(5), Flush: ms(20)}, {Read: ms(1), Flush: ms(2)}, // second 1: another reader, then this one
		{},                             // second 2
		{Write: ms(7)}, {Write: ms(8)}, // seconds 3 and 4: a reading whose answer was lost, then this one
	}
	answers := []int{1, 2, 4, 5, 0, 7} // readings that the emulator has answered by then
	at := 0
	lane := Lane([]Device{{Volume: "wal", Model: device.Device{Name: "gp3"}, Read: func(context.Context) (emulator.Reading, error) {
		n := answers[at]
		if n == 0 {
			return emulator.Reading{}, errors.New("no answer")
		}
		return emulator.Reading{Number: int64(n), Longest: all[:n]}, nil
	}}})
	source, b, begin := lane.Sources[0], telemetry.NewBoard("emulator.wal"), time.Unix(1000, 0)
	for at = range answers {
		now := begin.Add(time.Duration(at) * time.Second)
		b.Begin(now)
		b.End(now, source.Read(t.Context(), b))
	}
	columns, _ := b.Columns(begin, []float64{0, 1, 2, 3, 4})
	gap := math.NaN()
	for name, want := range map[string][]float64{
		"emulator.wal.read_latency_max":  {0.003, 0.005, gap, gap, gap},
		"emulator.wal.write_latency_max": {gap, gap, gap, 0.008, 0.008},
		"emulator.wal.flush_latency_max": {gap, 0.02, gap, gap, gap},
	} {
		found := false
		for _, c := range columns {
			if c.Name != name {
				continue
			}
			found = true
			for i := range want {
				if c.Values[i] != want[i] && !(math.IsNaN(c.Values[i]) && math.IsNaN(want[i])) {
					t.Errorf("%s: %v, want %v", name, c.Values, want)
					break
				}
			}
		}
		if !found {
			t.Errorf("there is no column %s", name)
		}
	}
}

// TestTooManyReaders checks that a maximum that the emulator no longer remembers is a gap.
func TestTooManyReaders(t *testing.T) {
	numbers, at := []int64{1, 2, 100, 101}, 0
	lane := Lane([]Device{{Volume: "data", Model: device.Device{Name: "gp3"}, Read: func(context.Context) (emulator.Reading, error) {
		return emulator.Reading{Number: numbers[at], Longest: []emulator.Longest{{Read: time.Millisecond}}}, nil
	}}})
	source, b, begin := lane.Sources[0], telemetry.NewBoard("emulator.data"), time.Unix(1000, 0)
	for at = range numbers {
		now := begin.Add(time.Duration(at) * time.Second)
		b.Begin(now)
		b.End(now, source.Read(t.Context(), b))
	}
	columns, gaps := b.Columns(begin, []float64{0, 1, 2})
	for _, c := range columns {
		if c.Name == "emulator.data.read_latency_max" && (c.Values[0] != 0.001 || !math.IsNaN(c.Values[1]) || c.Values[2] != 0.001) {
			t.Errorf("%v", c.Values)
		}
	}
	if len(gaps) != 1 || gaps[0].From != 1 || gaps[0].To != 1 || gaps[0].Why != "too many other readings of the emulator came since the previous one" {
		t.Errorf("%+v", gaps)
	}
}
