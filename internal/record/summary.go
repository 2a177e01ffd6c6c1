package record

import (
	"time"

	"plinth/internal/experiment"
	"plinth/internal/host"
)

// State says how far an experiment got.
type State string

// The states of a record. A record in state Running without a live plinth was killed, and can be
// resumed.
const (
	Running     State = "running"
	Complete    State = "complete"    // every scheduled block has happened
	Interrupted State = "interrupted" // by a user, or by a stop that can be resumed
)

// Summary is the content of record.json.
type Summary struct {
	Schema      string     `json:"schema"`
	Name        string     `json:"name"`
	Question    string     `json:"question"`
	Engine      string     `json:"engine"`
	State       State      `json:"state"`
	Reason      string     `json:"reason,omitempty"` // why it did not complete
	Created     time.Time  `json:"created"`
	Finished    time.Time  `json:"finished,omitzero"`
	Plinth      string     `json:"plinth"` // version of the program
	Command     []string   `json:"command"`
	Source      string     `json:"source"`            // the source of the experiment: a path or the name of a built-in
	Sets        []string   `json:"sets,omitempty"`    // the --set values it was loaded with, without secrets
	Fingerprint string     `json:"experiment_sha256"` // of experiment.yaml
	Seed        uint64     `json:"seed"`
	Baseline    string     `json:"baseline"`
	Machine     host.Facts `json:"machine"` // the baseline's
	// Machines are all machines, by environments' At; nil if plinth was started on the only one.
	Machines   map[string]host.Facts `json:"machines,omitempty"`
	SideBySide bool                  `json:"side_by_side"`    // all servers stayed up, idle except for the one under load; otherwise they were switched
	Awake      bool                  `json:"awake,omitempty"` // CPUs were kept from halting, because virtual ones wake up late
	Directory  string                `json:"directory"`       // plinth's working directory
	Planned    int                   `json:"planned_runs"`
	Counts     Counts                `json:"counts"`
	Samples    []Sample              `json:"samples"`
	Plan       *Plan                 `json:"plan,omitempty"`
	Verdicts   []Verdict             `json:"verdicts,omitempty"` // of the primary metric, at the last look reached
	Noise      []Noise               `json:"noise,omitempty"`    // if equal environments were compared
	// Durability maps environments to the results of fault injection, if the experiment has any.
	Durability map[string]Durability `json:"durability,omitempty"`
	// LeftOut lists environments of the experiment that were not measured, because what they tune
	// does not exist on this machine, or because they are optional and their servers cannot be created.
	LeftOut  []LeftOut `json:"left_out,omitempty"`
	Warnings []Note    `json:"warnings,omitempty"`
}

// Counts is the number of runs in a record, by status.
type Counts struct {
	Valid   int `json:"valid"`
	Invalid int `json:"invalid"`
	Failed  int `json:"failed"`
}

// Sample holds the run-level values of one cell in one environment, one for each complete block,
// in order of repeats. Statistics use only samples.
type Sample struct {
	Environment string `json:"environment"`
	experiment.Cell
	Repeats []int     `json:"repeats"`
	TPS     []float64 `json:"tps"`
	Latency []float64 `json:"latency_mean_ns"`
}
