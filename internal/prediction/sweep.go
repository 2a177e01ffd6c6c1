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
	SweepLatency    = "latency"    // median of its writes and reads, in seconds; the tails keep their ratio
	SweepClients    = "clients"
	SweepCPUs       = "cpus"
)

// SweepKeys are the keys of a sweep.
var SweepKeys = []string{SweepIOPS, SweepThroughput, SweepLatency, SweepClients, SweepCPUs}

// MostPoints is the most points that a sweep may have.
const MostPoints = 200

// Sweep is predictions over the values of one key.
type Sweep struct {
	Key    string  `json:"key"`
	Points []Point `json:"points"`
	// Knee is the least value at which at least nearly of the highest throughput is reached; 0 if the last value
	// is the only one.
	Knee float64 `json:"knee,omitempty"`
}

// Point is the prediction of one value of a sweep, or why there is none.
type Point struct {
	Value float64 `json:"at"`
	Prediction
	Refused string `json:"refused,omitempty"`
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
		at := r.at(q, key, value)
		p, err := r.predict(at, max(transactions/4, transactions*fewPoints/len(values)))
		if err != nil {
			first = cmp.Or(first, err)
			s.Points[i].Refused = err.Error()
			continue
		}
		answered++
		s.Points[i].Prediction = p
	}
	if answered == 0 {
		return Sweep{}, cmp.Or(first, errors.New("there is no value"))
	}
	s.knee()
	return s, nil
}

// at changes a question to one value of a key.
func (r *Reference) at(q Question, key string, value float64) Question {
	d := r.System.Data
	if q.Data != nil {
		d = *q.Data
	}
	switch key {
	case SweepClients:
		q.Clients = int(math.Round(value))
	case SweepCPUs:
		q.CPUs = int(math.Round(value))
	default:
		if d.Array != nil {
			of := *d.Array.Of
			array := *d.Array
			set(&of, key, value/float64(array.Members))
			array.Of = &of
			d.Array = &array
		} else {
			set(&d, key, value)
		}
		q.Data = &d
	}
	return q
}

// set changes one figure of a device.
func set(d *device.Device, key string, value float64) {
	switch key {
	case SweepIOPS:
		d.IOPS = device.Limit{Rate: value}
	case SweepThroughput:
		d.Throughput = device.FlowLimit{Rate: unit.Rate(value)}
	case SweepLatency:
		factor := value / d.Write.Median.Seconds()
		d.Read, d.Write = d.Read.Scaled(factor), d.Write.Scaled(factor)
	}
}

func (s *Sweep) knee() {
	most := 0.0
	for _, p := range s.Points {
		most = max(most, p.TPS.Value)
	}
	for i, p := range s.Points {
		if p.Refused == "" && p.TPS.Value >= nearly*most {
			if i < len(s.Points)-1 {
				s.Knee = p.Value
			}
			return
		}
	}
}
