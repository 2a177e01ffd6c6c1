package probe

import (
	"math"
	"slices"
	"time"

	"plinth/internal/device"
	"plinth/internal/device/meaning"
	"plinth/internal/driver/fio"
	"plinth/internal/host"
	"plinth/internal/stats"
	"plinth/internal/unit"
)

// Result is the result of a probe.
type Result struct {
	Schema    string              `json:"schema"`
	Taken     time.Time           `json:"taken"`
	Program   string              `json:"program"` // "fio 3.33"
	Target    Target              `json:"target"`
	Machine   host.Facts          `json:"machine"`
	Slices    int                 `json:"slices"`
	Slice     unit.Duration       `json:"step_in_slice"` // how long each step was measured in a slice
	Seed      uint64              `json:"seed"`
	Steps     []Measurement       `json:"steps"`
	Sustained []Sustained         `json:"sustained,omitempty"`
	Theory    []Theory            `json:"theory,omitempty"`
	Meaning   []meaning.Statement `json:"postgresql"`
	Local     *Local              `json:"local,omitempty"`  // the disk under a volume; nil if none was given
	Beside    *Local              `json:"beside,omitempty"` // any other disk; nil if none was given
	Device    *device.Device      `json:"device,omitempty"` // nil if the figures do not make one
	Notes     []Note              `json:"notes"`
	// Job is the job file of fio for the loads of a slice, in the order of Steps. Each slice has another
	// order and another randseed.
	Job string `json:"fio_job"`
	// Kubernetes says where the disk is if it is a volume in a cluster; nil otherwise.
	Kubernetes *Kubernetes `json:"kubernetes,omitempty"`
}

// Measurement is the result of a step.
type Measurement struct {
	Step
	Operations int64  `json:"operations"`
	IOPS       Figure `json:"iops"`             // operations a second, reads and writes
	Rate       Figure `json:"bytes_per_second"` // of the operations
	// Slowest and Fastest are the slices with the fewest and the most operations a second.
	Slowest float64 `json:"slowest_iops"`
	Fastest float64 `json:"fastest_iops"`
	// For Durable steps these are latencies of fdatasync, otherwise of operations, from
	// submission to completion; over all slices.
	P50  unit.Duration `json:"p50"`
	P99  unit.Duration `json:"p99"`
	P999 unit.Duration `json:"p999"`
	Mean unit.Duration `json:"mean"`
	// Median is the geometric mean of the slices' medians, in seconds, with its interval. Medians are
	// those of the slices, in order.
	Median  Figure    `json:"median_seconds"`
	Medians []float64 `json:"slice_medians_seconds"`
}

// step returns the measurement of a step by name; false if there is none.
func (r *Result) step(name string) (Measurement, bool) {
	for _, m := range r.Steps {
		if m.Name == name {
			return m, true
		}
	}
	return Measurement{}, false
}

// latencies returns the latencies that a step measures.
func (s Step) latencies(r fio.Result) fio.Histogram {
	if s.Durable {
		return r.Sync
	}
	all := fio.Histogram{}
	all.Add(r.Read.Latency)
	all.Add(r.Write.Latency)
	return all
}

// newMeasurement combines the slices of a step.
func newMeasurement(s Step, results []fio.Result, seed uint64) Measurement {
	m := Measurement{Step: s}
	var iops, rate, medians []float64
	all := fio.Histogram{}
	for _, r := range results {
		m.Operations += r.Read.Operations + r.Write.Operations
		iops = append(iops, r.IOPS())
		rate = append(rate, r.Read.Rate()+r.Write.Rate())
		if h := s.latencies(r); h.Count() > 0 {
			medians = append(medians, h.Quantile(0.5).Seconds())
			all.Add(h)
		}
	}
	m.IOPS, m.Rate, m.Median = newFigure(iops, seed), newFigure(rate, seed), newFigure(medians, seed)
	m.Medians = medians
	m.Slowest, m.Fastest = slices.Min(iops), slices.Max(iops)
	m.P50, m.P99 = unit.Duration(all.Quantile(0.5)), unit.Duration(all.Quantile(0.99))
	m.P999, m.Mean = unit.Duration(all.Quantile(0.999)), unit.Duration(all.Mean())
	return m
}

// Figure is a number with its confidence interval.
type Figure struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	// Level is 0.95, or 0 if there are too few slices for an interval: then Low and High are
	// their range.
	Level float64 `json:"level"`
}

// newFigure returns the geometric mean of slices with its interval: variations of a disk are
// relative. If a slice is zero, it returns their mean and range.
func newFigure(values []float64, seed uint64) Figure {
	if len(values) == 0 {
		return Figure{}
	}
	if slices.Min(values) <= 0 {
		return ranged(values)
	}
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	test, err := stats.Paired(logs, seed)
	if err != nil {
		return ranged(values)
	}
	f := Figure{Value: math.Exp(test.Mean()), Low: slices.Min(values), High: slices.Max(values)}
	if low, high, ok := test.Interval(0.05); ok {
		f.Low, f.High, f.Level = math.Exp(low), math.Exp(high), 0.95
	}
	return f
}

func ranged(values []float64) Figure {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return Figure{Value: sum / float64(len(values)), Low: slices.Min(values), High: slices.Max(values)}
}

// figures returns what was measured as figures of a disk.
func (r *Result) figures() meaning.Figures {
	rate := func(name string) meaning.Rate {
		m, _ := r.step(name)
		return meaning.Rate{Value: m.IOPS.Value, Low: m.IOPS.Low, High: m.IOPS.High}
	}
	f := meaning.Figures{Commit: rate(Commit), Group: rate(Group), Read: r.iops(Read1), Scan: r.rate(ScanRead)}
	for _, m := range r.Steps {
		if iops := of("read-")(m); iops > 0 {
			f.Reads = append(f.Reads, meaning.Reads{Depth: m.Depth, IOPS: iops})
		}
	}
	return f
}
