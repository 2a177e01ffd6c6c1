package prediction

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// The keys of a sweep.
const (
	SweepIOPS       = "iops"       // sustained operations a second of the data's disk
	SweepThroughput = "throughput" // sustained bytes a second of the data's disk
	SweepLatency    = "latency"    // mean of a durable write, in seconds; reads and tails keep their ratio to it
	SweepClients    = "clients"
	SweepCPUs       = "cpus"
	SweepMemory     = string(Memory)        // bytes
	SweepBuffers    = string(SharedBuffers) // bytes
)

// SweepKeys are the keys of a sweep.
var SweepKeys = []string{SweepIOPS, SweepThroughput, SweepLatency, SweepClients, SweepCPUs, SweepMemory, SweepBuffers}

// MostPoints is the most points that a sweep may have.
const MostPoints = 200

// Sweep holds the predictions for the values of one key.
type Sweep struct {
	Key    string  `json:"key"`
	Points []Point `json:"points"`
	// Knee is the value nearest to the end with the lowest throughput at which nearly the highest is reached: of
	// IOPS the least, of a latency the greatest. It is 0 if there is none: the highest is at the other end, or all
	// are nearly as high.
	Knee float64 `json:"knee,omitempty"`
}

// Point is the prediction of one value of a sweep, or why there is none.
type Point struct {
	Value      float64     `json:"at"`
	Prediction *Prediction `json:"prediction,omitempty"`
	Refused    string      `json:"refused,omitempty"`
	Hint       string      `json:"hint,omitempty"`
}

// fewPoints is the number of points up to which a sweep's simulations are as long as those of a single prediction.
const fewPoints = 12

// nearly is the share of the highest throughput of a sweep that is reached at its knee.
const nearly = 0.95

// Sweep answers a question for each value of a key, in ascending order. Values that the reference cannot answer
// for are refused one by one; if all are, the first reason is the error.
func (r *Reference) Sweep(q Question, key string, values []float64) (Sweep, error) {
	if len(values) > MostPoints {
		return Sweep{}, hint.Errorf(fmt.Sprintf("ask for at most %d", MostPoints), "%d points are too many", len(values))
	}
	s := Sweep{Key: key, Points: make([]Point, len(values))}
	values = slices.Sorted(slices.Values(values))
	var first error
	answered := 0
	for i, value := range values {
		s.Points[i].Value = value
		at, err := r.at(q, key, value)
		var p Prediction
		if err == nil {
			p, err = r.predict(at, max(transactions/8, transactions*fewPoints/max(fewPoints, len(values))))
		}
		if err != nil {
			first = cmp.Or(first, err)
			s.Points[i].Refused, s.Points[i].Hint = err.Error(), hint.Of(err)
			continue
		}
		answered++
		s.Points[i].Prediction = &p
	}
	if answered == 0 {
		return Sweep{}, cmp.Or(first, errors.New("there is no value"))
	}
	s.knee()
	return s, nil
}

// at changes a question to one value of a key.
func (r *Reference) at(q Question, key string, value float64) (Question, error) {
	d := r.System.Data
	if q.Data != nil {
		d = *q.Data
	}
	members := disks(d)
	if d.Name == "" && (key == SweepIOPS || key == SweepThroughput || key == SweepLatency) {
		return q, hint.Errorf("name one with --device", "the disk of the reference is not known")
	}
	switch key {
	case SweepClients:
		q.Clients = int(value)
		return q, nil
	case SweepCPUs:
		q.CPUs = int(value)
		return q, nil
	case SweepMemory:
		q.Memory = int64(value)
		return q, nil
	case SweepBuffers:
		q.SharedBuffers = int64(value)
		return q, nil
	case SweepLatency:
		durable := d.DurableSeconds()
		if !(durable > 0) {
			return q, hint.Errorf("name a device with --device", "the model of %s does not say how long a durable write takes", d.Name)
		}
		d = slowed(d, value/durable)
	case SweepIOPS:
		d = d.WithLimits(func(one *device.Device) { one.IOPS = device.Limit{Rate: value / members} })
	case SweepThroughput:
		d = d.WithLimits(func(one *device.Device) { one.Throughput = device.FlowLimit{Rate: unit.Rate(value / members)} })
	}
	q.Data = &d
	return q, nil
}

// knee finds the knee. Throughput that falls as the value grows has it at the greatest value that is nearly as good.
func (s *Sweep) knee() {
	answered := slices.DeleteFunc(slices.Clone(s.Points), func(p Point) bool { return p.Prediction == nil })
	if s.Falls() {
		slices.Reverse(answered)
	}
	if s.Flat() {
		return
	}
	most := 0.0
	for _, p := range answered {
		most = max(most, p.Prediction.TPS.Value)
	}
	i := slices.IndexFunc(answered, func(p Point) bool { return p.Prediction.TPS.Value >= nearly*most })
	if i < len(answered)-1 {
		s.Knee = answered[i].Value
	}
}

// Flat reports whether throughput is nearly the same at all values.
func (s Sweep) Flat() bool {
	most, least := 0.0, math.Inf(1)
	for _, p := range s.Points {
		if p.Prediction != nil {
			most, least = max(most, p.Prediction.TPS.Value), min(least, p.Prediction.TPS.Value)
		}
	}
	return least >= nearly*most
}

// Falls reports whether throughput falls as the value grows.
func (s Sweep) Falls() bool { return s.Key == SweepLatency }
