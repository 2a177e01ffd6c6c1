// Package record reads and writes records: the directories that executed experiments leave
// behind. Writes are atomic, and reads are strict. docs/record.md describes the layout of a
// record.
package record

import (
	"strings"
	"time"

	"plinth/internal/experiment"
)

// The schemas of the files of a record. A reader rejects a later one.
const (
	SummarySchema     = "plinth/record/v1"
	RunSchema         = "plinth/run/v1"
	EnvironmentSchema = "plinth/environment/v1"
)

// Status says whether the numbers of a run may be used.
type Status string

// The statuses of a run. A run that is not valid carries the reasons.
const (
	Valid   Status = "valid"   // its numbers may be used
	Invalid Status = "invalid" // it completed, but its numbers cannot be trusted
	Failed  Status = "failed"  // it did not complete
)

// Note is a fact that weakens a number or explains why it is missing. Rule is a short, stable
// name for programs; Text is for people; Hint says what to do.
type Note struct {
	Rule string `json:"rule"`
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
	// Environment names the environment whose comparison with the baseline the note weakens, if
	// it concerns a single one.
	Environment string `json:"environment,omitempty"`
}

// RunID names one run of an experiment. Attempt is 2 when the whole block was
// repeated because one of its runs was not valid.
type RunID struct {
	Environment string `json:"environment"`
	experiment.Cell
	Repeat  int `json:"repeat"` // from 1
	Attempt int `json:"attempt"`
}

// Run is the content of run.json: one measurement of one cell in one environment.
type Run struct {
	Schema string `json:"schema"`
	RunID
	Number   int       `json:"number"`   // position in time order over the experiment, from 1
	Position int       `json:"position"` // position in its block, from 1
	Status   Status    `json:"status"`
	Reasons  []Note    `json:"reasons,omitempty"`  // why the run is not valid
	Warnings []Note    `json:"warnings,omitempty"` // what weakens it
	Started  time.Time `json:"started"`
	Phases   Phases    `json:"phases"`
	Driver   Driver    `json:"driver"`
	Result   Result    `json:"result"`
	Evidence *Evidence `json:"evidence,omitempty"`
	// Generators are the load generators, if they were not beside the server. Evidence is then that of
	// the server's machine.
	Generators []GeneratorRun `json:"generators,omitempty"`
	// Beside is set on the run that completed its block.
	Beside *Beside `json:"beside,omitempty"`
	// Telemetry says how the run was observed; nil if it was not.
	Telemetry *Telemetry `json:"telemetry,omitempty"`
	// Figures holds the aggregates of the points over the window, by name (docs/metrics.md);
	// FigureGaps lists those that are unknown.
	Figures    map[string]float64 `json:"figures,omitempty"`
	FigureGaps []Gap              `json:"figure_gaps,omitempty"`
	Resources  []Resource         `json:"resources,omitempty"` // most used first
	// Volumes holds the activity of each volume during the window, where its devices are known.
	Volumes []VolumeIO `json:"volumes,omitempty"`
	// Calibrations holds the verification of the environment's emulated devices.
	Calibrations []Calibration `json:"proofs,omitempty"`
	// Events holds the experiment's events as they happened.
	Events []Event `json:"events,omitempty"`
	// Bursts describes how the bursts of the volumes were used.
	Bursts []Burst `json:"bursts,omitempty"`
	// Credits describes how the CPU credits were spent, if the server is limited to some.
	Credits *CreditsSpent `json:"credits,omitempty"`
	// Pressure is the neighbour's load as reached in the window.
	Pressure *Pressure `json:"pressure,omitempty"`
	// Declared is the fingerprint of the experiment and its plan when the run began. It reveals
	// later edits.
	Declared string `json:"declared_sha256,omitempty"`
}

// Phases says how long each part of a run took, in seconds. Dead is the time since the end of
// the previous run (for the first run, since its own start) that belongs to no other phase; of Load, only
// the warm-up and the measured time count as such.
type Phases struct {
	Reload          float64 `json:"reload_s,omitempty"` // reloading every dataset, before the first run of a repeat
	Reset           float64 `json:"reset_s"`
	Checkpoint      float64 `json:"checkpoint_s"`
	Settle          float64 `json:"settle_s"`
	Calibration     float64 `json:"proof_s,omitempty"` // verification of the emulated devices' delays
	Load            float64 `json:"load_s"`            // the load generator, warm-up included
	CheckpointAfter float64 `json:"checkpoint_after_s"`
	Switch          float64 `json:"switch_s"`           // stopping one server and starting another, including all phases in Switched
	Switched        *Switch `json:"switched,omitempty"` // the parts of Switch, if the host was retuned
	Dead            float64 `json:"dead_s"`
	PlinthCPU       float64 `json:"plinth_cpu_s"` // CPU time of plinth itself during the load
}

// Took returns the time from the end of the run before to that of this one, in seconds. The warm-up is the experiment's.
func (r *Run) Took(warmup time.Duration) float64 {
	p := r.Phases
	load := p.Load
	if r.Result.Duration > 0 { // the rest of Load is in Dead
		load = warmup.Seconds() + r.Result.Duration
	}
	return p.Reload + p.Reset + p.Checkpoint + p.Settle + p.Calibration + load + p.CheckpointAfter + p.Switch + p.Dead
}

// Driver identifies the load generator and its command line.
type Driver struct {
	Program string   `json:"program"` // "pgbench"
	Version string   `json:"version"` // "15.18"
	Command []string `json:"command"` // without secrets
}

// Result holds the measurements of a run's window. Latencies are in nanoseconds, durations in
// seconds.
type Result struct {
	Loop         string          `json:"loop"` // "open" (a rate was set) or "closed"
	Duration     float64         `json:"duration_s"`
	Transactions int64           `json:"transactions"` // those that ended successfully in the window
	TPS          float64         `json:"tps"`
	Latency      Latency         `json:"latency"`
	Failures     int64           `json:"failures"`
	Retries      int64           `json:"retries"`                   // attempts beyond the first
	Skipped      int64           `json:"skipped"`                   // because of latency_limit
	Late         int64           `json:"late"`                      // slower than latency_limit, not skipped
	Partial      bool            `json:"latency_partial,omitempty"` // part of each transaction, such as receiving most of its answer, is missing from the latencies
	Lag          *Lag            `json:"schedule_lag,omitempty"`
	Hits         *float64        `json:"hit_share,omitempty"`  // share of key reads that found a value; nil if no key was read or it is unknown
	Scripts      []ScriptResult  `json:"scripts,omitempty"`    // only if there are several
	Statements   []StatementMean `json:"statements,omitempty"` // pgbench's own means, warm-up included
}

// StatementsPerTransaction returns how many statements a transaction sends, on average over the scripts; pgbench's
// own commands are none. It is 1 if they are not known.
func (r Result) StatementsPerTransaction() float64 {
	shares, sum := r.ScriptShares(), 0.0
	for _, one := range r.Statements {
		if !strings.HasPrefix(strings.TrimSpace(one.Statement), `\`) {
			sum += shares[one.Script]
		}
	}
	return max(1, sum)
}

// ScriptShares returns the share of the transactions that each script has, by name; without several scripts, the only one
// has no name.
func (r Result) ScriptShares() map[string]float64 {
	all := 0.0
	for _, script := range r.Scripts {
		all += float64(script.Transactions)
	}
	if all == 0 {
		return map[string]float64{"": 1}
	}
	shares := map[string]float64{}
	for _, script := range r.Scripts {
		shares[script.Name] = float64(script.Transactions) / all
	}
	return shares
}

// Latency summarises the merged histogram of a window, in nanoseconds. In an open loop, latency
// counts from when a transaction was due.
type Latency struct {
	Mean      float64 `json:"mean_ns"`
	Stddev    float64 `json:"stddev_ns"`
	Min       int64   `json:"min_ns"`
	P50       int64   `json:"p50_ns"`
	P95       int64   `json:"p95_ns"`
	P99       int64   `json:"p99_ns"`
	P999      int64   `json:"p99_9_ns"`
	Max       int64   `json:"max_ns"`
	Histogram string  `json:"histogram,omitempty"` // compressed HdrHistogram V2, base64
}

// Lag is how late transactions began after they were due (open loop), in nanoseconds.
type Lag struct {
	Mean float64 `json:"mean_ns"`
	Max  int64   `json:"max_ns"`
}

// ScriptResult is the result of one script of a mix.
type ScriptResult struct {
	Name         string  `json:"name"`
	Transactions int64   `json:"transactions"`
	TPS          float64 `json:"tps"`
	Failures     int64   `json:"failures"`
	Retries      int64   `json:"retries"` // attempts beyond the first
	Skipped      int64   `json:"skipped"` // because of latency_limit
	Late         int64   `json:"late"`    // slower than latency_limit, not skipped
	Latency      Latency `json:"latency"`
	Lag          *Lag    `json:"schedule_lag,omitempty"`
}

// VolumeIO is the activity of the devices under a volume, per second. It includes the I/O of
// everything else that uses these devices.
type VolumeIO struct {
	Role       string  `json:"role"` // "data", "wal", "temp" or "tablespace NAME"
	Reads      float64 `json:"reads_per_s"`
	Writes     float64 `json:"writes_per_s"`
	ReadBytes  float64 `json:"read_bytes_per_s"`
	WriteBytes float64 `json:"write_bytes_per_s"`
}

// StatementMean is pgbench's mean latency of one statement over the whole invocation, warm-up
// included.
type StatementMean struct {
	Script    string  `json:"script,omitempty"` // if there are several
	Statement string  `json:"statement"`
	Mean      float64 `json:"mean_ns"`
}

// Event is an action that the experiment ordered during a run.
type Event struct {
	Name string  `json:"name"`
	What string  `json:"what"` // the SQL or the command
	At   float64 `json:"at_s"` // seconds after the window began
	Took float64 `json:"took_s"`
	// Error is the error of the SQL or the command, if it failed.
	Error string `json:"error,omitempty"`
}
