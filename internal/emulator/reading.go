package emulator

import (
	"math"
	"time"
)

// Reading holds an emulator's counters since its start. All but InFlight, Longest and the
// balances only grow, so the difference between two readings is the activity in the time between them.
type Reading struct {
	Reads      int64 `json:"reads"` // operations
	Writes     int64 `json:"writes"`
	Flushes    int64 `json:"flushes"`
	ReadBytes  int64 `json:"read_bytes"`
	WriteBytes int64 `json:"write_bytes"`
	InFlight   int   `json:"in_flight"` // operations waiting for their answer now
	// Queue is the integral of the number of operations in flight over time, in seconds: its
	// difference between two readings, divided by the time between them, is the mean queue depth.
	Queue float64 `json:"queue_s"`
	// Late counts the answers by how long after the model's time they came.
	Late Histogram `json:"late"`
	// Number counts the readings of this emulator by all readers, this one included. Longest has the
	// longest operations of the last intervals between these readings, oldest first: see LongestSince.
	Number  int64     `json:"number"`
	Longest []Longest `json:"longest"`
	// UsedOperations and UsedBytes are as counted by the device's limits: a long operation as
	// several, a mirrored write as two.
	UsedOperations float64 `json:"used_operations"`
	UsedBytes      float64 `json:"used_bytes"`
	// The balances are the fill levels of the device's burst buckets, from 0 to 1; NaN without a
	// bucket. For an array, they are the lowest of its members.
	IOPSBalance       float64 `json:"-"`
	ThroughputBalance float64 `json:"-"`
	// CPU is the CPU time of the emulator process.
	CPU time.Duration `json:"cpu_ns"`
	// Errors counts operations that failed because of a power cut or the backing file. FirstError
	// is the first error of the backing file: it is full, or broken.
	Errors     int64  `json:"errors"`
	FirstError string `json:"first_error,omitempty"`
	// Priority is the emulator's scheduling: "rr" (real-time), "nice" (-20) or "normal", the
	// best that this machine permits; "fifo" (real-time) in records of earlier versions.
	Priority string `json:"priority"`
}

// Lateness summarises how long after the model's time the answers between two readings came.
type Lateness struct {
	Answered int64
	Mean     time.Duration
	// P99 and Max are upper bounds of a histogram bucket: up to 1/16 too high.
	P99, Max time.Duration
}

// Late returns the lateness of the operations answered between readings a and b.
func Late(a, b Reading) Lateness {
	h := b.Late.since(a.Late)
	l := Lateness{Answered: h.Count}
	if h.Count > 0 {
		l.Mean = h.Sum / time.Duration(h.Count)
		l.P99, l.Max = h.quantile(0.99), h.quantile(1)
	}
	return l
}

// wireReading is a Reading in JSON, which cannot represent NaN.
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
