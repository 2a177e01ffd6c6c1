// Package prediction says what a workload that was measured would do on another disk, with other clients or
// CPUs. It simulates the reference and what is asked, with the demands of the measured transactions, and applies
// the ratio to the measurement.
package prediction

import (
	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/prediction/demand"
	"plinth/internal/record"
)

// Question holds the changes from the reference.
type Question struct {
	Data    *device.Device `json:"data,omitempty"`    // nil: the reference's
	WAL     *device.Device `json:"wal,omitempty"`     // nil: the reference's; otherwise a device of its own
	Clients int            `json:"clients,omitempty"` // 0: the reference's
	CPUs    int            `json:"cpus,omitempty"`    // of the server, as the limit cpus; 0: the reference's
	// OtherMachine says that CPUs are all of another machine, instead of a limit on the server.
	OtherMachine bool `json:"other_machine,omitempty"`
	// CPUSpeed is the speed of each CPU in proportion to those of the reference, from 1/4 to 4; 0: the same. CoreMark says
	// that it comes from that benchmark, instead of the user.
	CPUSpeed float64 `json:"cpu_speed,omitempty"`
	CoreMark bool    `json:"cpu_speed_by_coremark,omitempty"`
	// Memory and SharedBuffers are sizes of caches in bytes, which must lie on a measured curve; 0: the reference's.
	Memory        int64 `json:"memory_bytes,omitempty"`
	SharedBuffers int64 `json:"shared_buffers_bytes,omitempty"`
	// Granted lists assumptions of the caller.
	Granted []string  `json:"-"`
	reads   []float64 // of a transaction, in the ways in which they may be known; nil: the reference's
}

// Estimate is a predicted number with its 90 % interval. docs/prediction.md says how often such intervals held the
// measurement.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Prediction holds the throughput and the latencies that a measured workload would have. It is no measurement, and
// has no verdicts.
type Prediction struct {
	Question
	// TPS is the throughput a second: of a disk that bursts, while the burst lasts.
	TPS Estimate `json:"tps"`
	// Sustained is the throughput after the burst of a disk; nil if none ends.
	Sustained *Estimate `json:"sustained_tps,omitempty"`
	// Mean, P50, P95 and P99 are latencies in seconds. Quantiles that the reference lacks are zero, as of an import.
	Mean Estimate `json:"mean_s"`
	P50  Estimate `json:"p50_s,omitzero"`
	P95  Estimate `json:"p95_s,omitzero"`
	P99  Estimate `json:"p99_s,omitzero"`
	// Places are where the transactions in flight are, the most first.
	Places []Place `json:"places"`
	// Loads are how much of each resource is used, the most first.
	Loads []Load `json:"loads"`
	// Doubled holds the answer of Reference.Doubled; empty if it was not asked.
	Doubled []Doubled `json:"doubled,omitempty"`
	// Emptied is the second at which the burst of a disk would end; 0 if it would not.
	Emptied float64 `json:"burst_ends_s,omitempty"`
	// Reads are how many reads a transaction would need, in the ways in which they may be known; empty if as many as in the
	// reference.
	Reads []float64 `json:"reads_per_transaction,omitempty"`
	// Assumed lists what is taken for granted of the reference, if others measured it, and of the question.
	Assumed []string `json:"assumed,omitempty"`
}

// Place is where transactions in flight are: a name of package closed, and the share of the response time, from 0 to 1.
type Place struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

// Load is how much of a resource is used, from 0 to 1.
type Load struct {
	Name string  `json:"name"` // "cpu", "data iops"
	Use  float64 `json:"use"`
}

// Of returns the reference of a cell that was measured in an environment of a record.
func Of(rec *record.Record, environment string, cell experiment.Cell) (*Reference, error) {
	c, err := demand.Of(rec, environment, cell)
	if err != nil {
		return nil, err
	}
	return NewReference(c)
}

// Reference is the measured cell from which predictions are made.
type Reference struct {
	demand.Cell
	models []model // the variants of the model
	// misfit is the logarithm of the measured over the simulated latency.
	misfit float64
	curves map[Cache][]Miss
	// guessed is a standard deviation of the logarithm that is added: the CPU time of the reference is assumed.
	guessed float64
}
