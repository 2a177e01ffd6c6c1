// Package credit reads the CPU credits of a server once a second: the balance, and the CPUs that it
// allows.
package credit

import (
	"context"

	"plinth/internal/limit"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

const (
	readFrom = "plinth's credit account"
	document = "docs/experiment-file.md"
)

var (
	balance = gauge("balance", "CPU credits left; one credit is one vCPU for one minute")
	allowed = gauge("cpus", "CPUs that the balance allows the server now: all vCPUs of the instance, or its baseline once the credits are spent")
	surplus = gauge("surplus", "CPU credits spent in advance, in unlimited mode")
	all     = []metric.Metric{balance, allowed, surplus}
)

func gauge(name, help string) metric.Metric {
	return metric.Metric{Name: "credits." + name, Kind: metric.Gauge, Unit: "1", Source: readFrom, Doc: document, Help: help}
}

// Metrics returns all metrics of a credit account, for documentation.
func Metrics() []metric.Metric { return all }

// Lane returns a lane that reads a meter.
func Lane(m *limit.Meter) telemetry.Lane {
	return telemetry.Lane{Name: "credits", Sources: []telemetry.Source{&source{meter: m}}}
}

type source struct {
	meter *limit.Meter
	slots []telemetry.Slot
}

// Name returns the prefix of the names of its columns.
func (s *source) Name() string { return "credits" }

// Metrics returns those of an account.
func (s *source) Metrics() []metric.Metric { return all }

// Close does nothing: the meter belongs to its run.
func (s *source) Close() {}

// Read takes the account's present state.
func (s *source) Read(_ context.Context, b *telemetry.Board) error {
	if s.slots == nil {
		s.slots = []telemetry.Slot{b.Column(balance), b.Column(allowed), b.Column(surplus)}
	}
	now := s.meter.Read()
	for i, value := range []float64{now.Balance, now.CPUs, now.Surplus} {
		b.Put(s.slots[i], value)
	}
	return nil
}
