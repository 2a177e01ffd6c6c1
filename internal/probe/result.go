package probe

import (
	"slices"
	"time"

	"plinth/internal/device"
	"plinth/internal/driver/fio"
	"plinth/internal/host"
	"plinth/internal/unit"
)

// Result is what a probe found.
type Result struct {
	Schema    string         `json:"schema"`
	Taken     time.Time      `json:"taken"`
	Program   string         `json:"program"` // "fio 3.33"
	Target    Target         `json:"target"`
	Machine   host.Facts     `json:"machine"`
	Slices    int            `json:"slices"`
	Slice     unit.Duration  `json:"step_in_slice"` // how long each step was measured in a slice
	Seed      uint64         `json:"seed"`
	Steps     []Measurement  `json:"steps"`
	Sustained []Sustained    `json:"sustained,omitempty"`
	Theory    []Theory       `json:"theory,omitempty"`
	Meaning   []Meaning      `json:"postgresql"`
	Device    *device.Device `json:"device,omitempty"` // nil where the figures make none
	Notes     []Note         `json:"notes"`
}

// Measurement is what a step measured.
type Measurement struct {
	Step
	Operations int64  `json:"operations"`
	IOPS       Figure `json:"iops"`             // operations a second, reads and writes
	Rate       Figure `json:"bytes_per_second"` // of them
	// Slowest and Fastest are the slices with the fewest and the most operations a second.
	Slowest float64 `json:"slowest_iops"`
	Fastest float64 `json:"fastest_iops"`
	// Of Durable steps these are of the fdatasync, else of each operation, from
	// submission to completion; all slices together.
	P50  unit.Duration `json:"p50"`
	P99  unit.Duration `json:"p99"`
	P999 unit.Duration `json:"p999"`
	Mean unit.Duration `json:"mean"`
	// Median is the median of each slice, in seconds, with its interval.
	Median Figure `json:"median_seconds"`
}

// step is what a step of that name measured; false where there was none.
func (r *Result) step(name string) (Measurement, bool) {
	for _, m := range r.Steps {
		if m.Name == name {
			return m, true
		}
	}
	return Measurement{}, false
}

// latencies are those that a step is about.
func (s Step) latencies(r fio.Result) fio.Histogram {
	if s.Durable {
		return r.Sync
	}
	all := fio.Histogram{}
	all.Add(r.Read.Latency)
	all.Add(r.Write.Latency)
	return all
}

// newMeasurement puts the slices of a step together.
func newMeasurement(s Step, results []fio.Result, seed uint64) Measurement {
	m := Measurement{Step: s}
	var iops, rate, medians []float64
	all := fio.Histogram{}
	for _, r := range results {
		m.Operations += r.Read.Operations + r.Write.Operations
		iops = append(iops, r.Read.IOPS()+r.Write.IOPS())
		rate = append(rate, r.Read.Rate()+r.Write.Rate())
		if h := s.latencies(r); h.Count() > 0 {
			medians = append(medians, h.Quantile(0.5).Seconds())
			all.Add(h)
		}
	}
	m.IOPS, m.Rate, m.Median = newFigure(iops, seed), newFigure(rate, seed), newFigure(medians, seed)
	m.Slowest, m.Fastest = slices.Min(iops), slices.Max(iops)
	m.P50, m.P99 = unit.Duration(all.Quantile(0.5)), unit.Duration(all.Quantile(0.99))
	m.P999, m.Mean = unit.Duration(all.Quantile(0.999)), unit.Duration(all.Mean())
	return m
}
