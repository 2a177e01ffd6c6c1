package emulator

import (
	"math"
	"time"
)

// Reading is what an emulator has done since it was started. All but InFlight and
// the balances only grow, so that what happened between two readings is their
// difference.
type Reading struct {
	Reads      int64 `json:"reads"` // operations
	Writes     int64 `json:"writes"`
	Flushes    int64 `json:"flushes"`
	ReadBytes  int64 `json:"read_bytes"`
	WriteBytes int64 `json:"write_bytes"`
	InFlight   int   `json:"in_flight"` // operations that wait for their answer now
	// Queue is the number of operations in flight, summed up over time, in seconds:
	// the difference of two readings by the time between them is the mean queue.
	Queue float64 `json:"queue_s"`
	// Late is by how much answers came after the model's time.
	Late Histogram `json:"late"`
	// UsedOperations and UsedBytes are what the device's limits counted: a long
	// operation as several, a mirrored write as two.
	UsedOperations float64 `json:"used_operations"`
	UsedBytes      float64 `json:"used_bytes"`
	// The balances are how full the buckets of the device's bursts are, from 0 to 1;
	// NaN where it has none. Of an array, the emptiest member's.
	IOPSBalance       float64 `json:"-"`
	ThroughputBalance float64 `json:"-"`
	// CPU is what the process of the emulator has used.
	CPU time.Duration `json:"cpu_ns"`
	// Errors counts operations that failed, in a power cut or for the backing file's
	// sake; FirstError is what was wrong with that at first: it is full, or broken.
	Errors     int64  `json:"errors"`
	FirstError string `json:"first_error,omitempty"`
	// Priority is how the emulator is scheduled: "fifo" (real-time),
	// "nice" (-20) or "normal", the best that this machine allows.
	Priority string `json:"priority"`
}

// Lateness is by how much the answers between two readings came after the
// model's time.
type Lateness struct {
	Answered int64
	Mean     time.Duration
	// P99 and Max are upper bounds of a histogram's bucket: up to 1/16 too high.
	P99, Max time.Duration
}

// Late is the lateness of the operations that were answered after reading a and
// before reading b.
func Late(a, b Reading) Lateness {
	h := b.Late.since(a.Late)
	l := Lateness{Answered: h.Count}
	if h.Count > 0 {
		l.Mean = h.Sum / time.Duration(h.Count)
		l.P99, l.Max = h.quantile(0.99), h.quantile(1)
	}
	return l
}

// wireReading is a Reading as JSON, which knows no NaN.
type wireReading struct {
	Reading
	IOPSBalance       *float64 `json:"iops_balance,omitempty"`
	ThroughputBalance *float64 `json:"throughput_balance,omitempty"`
}

func (r Reading) wire() *wireReading {
	return &wireReading{r, present(r.IOPSBalance), present(r.ThroughputBalance)}
}

func (w *wireReading) reading() Reading {
	r := w.Reading
	r.IOPSBalance, r.ThroughputBalance = orNaN(w.IOPSBalance), orNaN(w.ThroughputBalance)
	return r
}

func present(balance float64) *float64 {
	if math.IsNaN(balance) {
		return nil
	}
	return &balance
}

func orNaN(balance *float64) float64 {
	if balance == nil {
		return math.NaN()
	}
	return *balance
}
